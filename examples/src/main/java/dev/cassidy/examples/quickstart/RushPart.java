package dev.cassidy.examples.quickstart;

import dev.cassidy.cql.IdentitySession;
import dev.cassidy.examples.shop.Order;
import dev.cassidy.examples.shop.ShopDao;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/** Many threads insert orders at once. */
record RushPart(NewShop shop, Sizes sizes, LongSupplier nanoTime) implements Narration.Part {

    @Override
    public void tell(Narration narration) throws Exception {
        int total = Math.multiplyExact(sizes.threads(), sizes.ordersPerThread());
        narration.say(Narration.number(sizes.threads()) + " threads place " + Narration.number(sizes.ordersPerThread())
                + " orders each with ShopDao:");
        Set<Order> before = new HashSet<>(shop.orders());
        List<Integer> given;
        long sent;
        long applied;
        double seconds;
        try (Connection connection = DriverManager.getConnection(shop.url())) {
            Sequences sequences = connection.unwrap(IdentitySession.class).sequences();
            // Nothing runs now; at the end sent is read last, so that every applied claim is also counted as sent.
            sent = sequences.admin().conditionalWrites();
            applied = appliedToCassidysTables();
            long began = nanoTime.getAsLong();
            given = placeOrders();
            seconds = (nanoTime.getAsLong() - began) / 1e9;
            applied = appliedToCassidysTables() - applied;
            sent = sequences.admin().conditionalWrites() - sent;
        }
        TreeSet<Integer> stored = new TreeSet<>(shop.ids("orders"));
        before.forEach(order -> stored.remove(order.id()));
        Set<Integer> distinct = new HashSet<>(given);
        narration.table(
                List.of("", "count"),
                List.of(
                        List.of("orders placed", total),
                        List.of("ids that ShopDao was given", given.size()),
                        List.of("distinct ids among them", distinct.size()),
                        List.of("new rows in Cassandra, by a plain session", stored.size()),
                        List.of("LWTs sent to claim these ids", sent),
                        List.of("LWTs applied, by the node's own count", applied)));
        narration.say(String.format(
                Locale.ROOT,
                "%,.0f orders a second; ids %,d to %,d; one LWT for %,.0f ids.",
                total / seconds,
                stored.first(),
                stored.last(),
                (double) total / Math.max(1, sent)));
        narration.blank();
        narration.equal(
                Narration.number(total) + " orders by " + sizes.threads() + " threads have as many distinct ids",
                total,
                distinct.size());
        narration.check("the new rows have these ids and no others", stored.equals(new TreeSet<>(distinct)));
        narration.check(
                "the " + Narration.number(before.size()) + " orders from before are unchanged, field by field",
                new HashSet<>(shop.orders()).containsAll(before));
        narration.check(
                "ids come in blocks: " + Narration.number(sent) + " LWTs for " + Narration.number(total)
                        + " ids, and the node applied no more than that",
                sent < total && applied > 0 && applied <= sent);
    }

    /** Returns how many writes the node has applied to the tables that Cassidy writes by conditional statements alone. */
    private long appliedToCassidysTables() {
        return shop.writesTo("cassidy") + shop.writesTo("cassidy_" + shop.datacenter());
    }

    private List<Integer> placeOrders() throws Exception {
        ShopDao dao = new ShopDao(shop.url());
        int customer = shop.ids("customer").get(0);
        int product = shop.ids("product").get(0);
        Callable<List<Integer>> buyer = () -> {
            List<Integer> ids = new ArrayList<>();
            for (int i = 0; i < sizes.ordersPerThread(); i++) {
                ids.add(dao.placeOrder(customer, product, 1));
            }
            return ids;
        };
        ExecutorService buyers = Executors.newFixedThreadPool(sizes.threads());
        try {
            List<Integer> ids = new ArrayList<>();
            for (Future<List<Integer>> bought : buyers.invokeAll(Collections.nCopies(sizes.threads(), buyer))) {
                ids.addAll(bought.get());
            }
            return ids;
        } finally {
            buyers.shutdownNow();
        }
    }
}
