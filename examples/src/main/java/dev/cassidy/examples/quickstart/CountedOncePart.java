package dev.cassidy.examples.quickstart;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.FoldResult;
import dev.cassidy.counter.Receipt;
import dev.cassidy.counter.ReceiptStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** The Java client counts: each increment once, also when it is sent again and when a process is killed. */
record CountedOncePart(NewShop shop, Sizes sizes) implements Narration.Part {

    private static final String TABLE = "shop.traded";
    private static final String IBM = "IBM";
    private static final String SUM = "SELECT crdt_sum(increment) FROM shop.traded WHERE type = 'IBM'";

    /** What a process said before it was killed. */
    private record Killed(long sent, List<Receipt> acknowledged) {}

    @Override
    public void tell(Narration narration) throws Exception {
        narration.say(
                "The Java client does the same without versions to keep: Counters.create(session, CountersConfig.of(\""
                        + TABLE + "\")), and then counters.counter(\"IBM\").increment(500).");
        CountersConfig config = CountersConfig.of(TABLE);
        Counters.create(shop.session(), config);
        narration.blank();
        Killed killed = countAndKill(sizes.orders());
        long acknowledged = killed.acknowledged().size();
        try (Counters counters = Counters.open(shop.session(), config)) {
            Counter ibm = counters.counter(IBM);
            long afterKill = ibm.value();
            narration.say("A process increments by 1, and is killed (kill -9) while it does:");
            narration.table(
                    List.of("sent by it", "acknowledged to it", "the counter's value"),
                    List.of(List.of(killed.sent(), acknowledged, afterKill)));
            narration.blank();
            narration.check(
                    "every acknowledged increment counts, and nothing counts that was not sent",
                    acknowledged <= afterKill && afterKill <= killed.sent());

            Receipt receipt = ibm.increment(500);
            long once = ibm.value();
            sendAgain(narration, receipt);
            narration.equal("an increment of 500 whose row is sent again counts once", once, ibm.value());

            narration.blank();
            long before = once + countAtOnce(ibm);
            BigInteger rows = rows();
            FoldResult fold = ibm.fold();
            narration.say(Narration.number(sizes.trades())
                    + " increments at once share rows, and a fold replaces rows by" + " their sum:");
            narration.table(
                    List.of("", "rows", "value"),
                    List.of(
                            List.of("before the fold", rows, before),
                            List.of("after it, by the client", rows(), ibm.value()),
                            List.of("after it, by crdt_sum", rows(), shop.number(SUM))));
            narration.blank();
            narration.check("the fold removed rows", fold.folded() > 0 && rows().compareTo(rows) < 0);
            narration.equal("the value is the same before the fold and after it", before, ibm.value());
            narration.equal("any CQL client reads it", BigInteger.valueOf(before), shop.number(SUM));
            narration.equal(
                    "the killed process's first receipt and the last one here still tell that they count",
                    List.of(ReceiptStatus.COUNTED, ReceiptStatus.COUNTED),
                    List.of(ibm.status(killed.acknowledged().get(0)), ibm.status(receipt)));
        }
    }

    private Killed countAndKill(int increments) throws IOException {
        String[] address = shop.contactPoint().split(":", 2);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CountingProgram.class.getName(),
                        address[0],
                        address[1],
                        shop.datacenter(),
                        TABLE,
                        IBM)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long sent = 0;
        List<Receipt> acknowledged = new ArrayList<>();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            // What it said before it was killed is still read after that.
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.equals(CountingProgram.SENDING)) {
                    sent++;
                } else if (line.startsWith(CountingProgram.ACKNOWLEDGED)) {
                    acknowledged.add(Receipt.parse(line.substring(CountingProgram.ACKNOWLEDGED.length())));
                    if (acknowledged.size() == increments) {
                        process.toHandle().destroyForcibly();
                    }
                }
            }
        } finally {
            process.toHandle().destroyForcibly();
        }
        return new Killed(sent, acknowledged);
    }

    /** Writes the row of an increment once more, as a driver does that got no answer. */
    private void sendAgain(Narration narration, Receipt receipt) {
        String insert = "INSERT INTO " + TABLE + " (type, actor, version, increment)\n  VALUES ('" + receipt.type()
                + "', '" + receipt.actor() + "', " + receipt.version() + ", 500)\n  USING TIMESTAMP "
                + receipt.version();
        narration.blank();
        narration.quote(insert);
        shop.session().execute(SimpleStatement.newInstance(insert));
    }

    private long countAtOnce(Counter counter) {
        List<CompletableFuture<Receipt>> all = IntStream.range(0, sizes.trades())
                .mapToObj(i -> counter.incrementAsync(1).toCompletableFuture())
                .toList();
        all.forEach(CompletableFuture::join);
        return all.size();
    }

    private BigInteger rows() {
        return shop.number("SELECT COUNT(*) FROM shop.traded WHERE type = 'IBM'");
    }
}
