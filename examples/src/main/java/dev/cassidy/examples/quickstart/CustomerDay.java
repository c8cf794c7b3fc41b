package dev.cassidy.examples.quickstart;

import dev.cassidy.examples.shop.Account;
import dev.cassidy.examples.shop.Order;
import dev.cassidy.examples.shop.Product;
import dev.cassidy.examples.shop.ShopDao;
import dev.cassidy.examples.shop.StoreDao;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Two parts of the story: tables with defaults, and a customer who signs in, looks at an item and buys it. */
final class CustomerDay {

    private static final int DELIVERED = 40;

    private final NewShop shop;
    private final Sizes sizes;

    CustomerDay(NewShop shop, Sizes sizes) {
        this.shop = shop;
        this.sizes = sizes;
    }

    /** Creates the tables. */
    void prepare(Narration narration) throws SQLException {
        narration.say(
                "Two more tables, by the script that SQL Server's developers have. The driver reads T-SQL, and keeps"
                        + " the defaults where it keeps the identities:");
        narration.quote(StoreDao.SCHEMA);
        long before = shop.tables();
        new StoreDao(shop.url()).createTables();
        narration.blank();
        narration.equal("the server has two tables more", before + 2, shop.tables());
        narration.say(
                "Many customers take from the stock at once, and it must not fall below 0. So its writes are exact, as"
                        + " those of each table are that such a script creates: they have SQL Server's effects and counts.");
    }

    /** A customer's day. */
    void tell(Narration narration) throws Exception {
        StoreDao store = new StoreDao(shop.url());
        // One connection stays open, as a pool would have it: they all share the driver's session.
        try (Connection connection = DriverManager.getConnection(shop.url())) {
            signIn(narration, store);
            int product = shop.ids("product").get(0);
            stock(store, product);
            itemPage(narration, store, product);
            checkOut(narration, store, product);
        }
    }

    private static void signIn(Narration narration, StoreDao store) throws SQLException {
        store.signUp("ada", "secret");
        Optional<Account> account = store.signIn("ada", "secret");
        narration.check(
                "Ada signs up and in; the INSERT left out the language ("
                        + account.map(Account::language).orElse("?") + ") and the time, and has both",
                account.map(Account::language).equals(Optional.of("en"))
                        && account.map(each -> Duration.between(each.created(), Instant.now())
                                        .abs())
                                .filter(age -> age.compareTo(Duration.ofMinutes(10)) < 0)
                                .isPresent());
        narration.check(
                "with another password, and as another customer, nobody signs in",
                store.signIn("ada", "Secret").isEmpty()
                        && store.signIn("bob", "secret").isEmpty());
    }

    /** A process that learned of the change shortly before its end waits for its next look at the registry. */
    private static void stock(StoreDao store, int product) throws SQLException, InterruptedException {
        for (int tries = 60; ; tries--) {
            try {
                store.stock(product);
                break;
            } catch (SQLTransientException e) {
                if (tries == 0) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(250);
            }
        }
        store.deliver(product, DELIVERED);
    }

    private void itemPage(Narration narration, StoreDao store, int product) throws SQLException {
        Optional<Product> item = new ShopDao(shop.url()).findProduct(product);
        narration.check(
                "the page of item " + product + " shows the '"
                        + item.map(Product::name).orElse("?") + "', " + store.quantity(product) + " in stock",
                item.isPresent() && store.quantity(product) == DELIVERED);
    }

    private void checkOut(Narration narration, StoreDao store, int product) throws Exception {
        ShopDao orders = new ShopDao(shop.url());
        int customer = shop.ids("customer").get(0);
        int before = shop.orders().size();
        Callable<Integer> buyer = () -> {
            int bought = 0;
            while (store.take(product, 1)) {
                Optional<Order> order = orders.findOrder(orders.placeOrder(customer, product, 1));
                bought += order.isPresent() ? 1 : 0;
            }
            return bought;
        };
        int total = 0;
        ExecutorService buyers = Executors.newFixedThreadPool(sizes.threads());
        try {
            for (Future<Integer> bought : buyers.invokeAll(Collections.nCopies(sizes.threads(), buyer))) {
                total += bought.get();
            }
        } finally {
            buyers.shutdownNow();
        }
        narration.equal(
                sizes.threads() + " customers buy until nothing is left: " + DELIVERED + " orders for " + DELIVERED
                        + " pieces, and no order too many",
                DELIVERED,
                total);
        narration.equal(
                "as many rows are new, by a plain session",
                before + DELIVERED,
                shop.orders().size());
        narration.equal("the stock is 0, not less", 0, store.quantity(product));
    }
}
