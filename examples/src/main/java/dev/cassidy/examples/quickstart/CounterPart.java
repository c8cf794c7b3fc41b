package dev.cassidy.examples.quickstart;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;

/** Trades are counted: a row for each change, summed on the server. */
record CounterPart(NewShop shop, Steps.CounterFunctions functions, Sizes sizes, RandomGenerator random)
        implements Narration.Part {

    private static final String DDL = """
            CREATE TABLE shop.counter (type text, actor text, version bigint, increment int,
                                       PRIMARY KEY (type, actor, version));
            CREATE TABLE shop.big_counter (type text, actor text, version bigint, increment bigint,
                                           PRIMARY KEY (type, actor, version));
            """;

    private static final String SUM = "SELECT crdt_sum(increment) FROM counter WHERE type = 'IBM'";

    private static final List<Trade> EXAMPLE =
            List.of(new Trade("IBM", "P1", 1, 1000), new Trade("IBM", "P2", 1, 500), new Trade("IBM", "P1", 2, 500));

    private static final int WRITERS = 8;
    private static final int ACTORS = 50;

    @Override
    public void tell(Narration narration) throws Exception {
        narration.quote(DDL);
        shop.execute(DDL);
        functions.install(shop.session(), NewShop.KEYSPACE);
        narration.say("crdt_sum comes by the door that needs nothing but CQL: CrdtFunctions.install(session, \"shop\"),"
                + " user-defined functions and aggregates. (The other door is a jar for the server.)");
        try (Connection connection = DriverManager.getConnection(shop.url())) {
            example(narration, connection);
            many(narration, connection);
            edges(narration, connection);
        }
    }

    private void example(Narration narration, Connection connection) throws SQLException {
        narration.blank();
        narration.say("Order P1 of 1,000 shares of IBM, order P2 of 500, and P1 raised by 500:");
        insert(connection, EXAMPLE);
        for (Trade trade : EXAMPLE) {
            narration.quote("INSERT INTO counter (type, actor, version, increment) VALUES ('" + trade.type() + "', '"
                    + trade.actor() + "', " + trade.version() + ", " + trade.increment() + ")");
        }
        narration.quote(SUM);
        narration.equal("the server sums the three inserts of IBM to 2,000", BigInteger.valueOf(2000), sum());
    }

    private void many(Narration narration, Connection connection) throws Exception {
        List<Trade> trades = trades();
        BigInteger expected = BigInteger.valueOf(2000);
        for (Trade trade : trades) {
            expected = expected.add(BigInteger.valueOf(trade.increment()));
        }
        insertFromMany(trades);
        BigInteger once = sum();
        long rows = rows();
        insertFromMany(trades.subList(0, sizes.retriedTrades()));
        narration.blank();
        narration.say("Then " + Narration.number(sizes.trades()) + " more trades by " + ACTORS + " actors, of which "
                + Narration.number(sizes.retriedTrades())
                + " are sent again, as a client does that got no answer:");
        narration.table(
                List.of("", "rows", "shares"),
                List.of(
                        List.of("added up by the client that made them", EXAMPLE.size() + trades.size(), expected),
                        List.of("crdt_sum on the server, each sent once", rows, once),
                        List.of("crdt_sum on the server, some sent twice", rows(), sum())));
        narration.blank();
        narration.equal("the server's sum of " + Narration.number(rows) + " trades is the client's", expected, once);
        narration.equal(
                Narration.number(sizes.retriedTrades()) + " trades that were sent twice count once", expected, sum());
        narration.equal("no row came of sending them again", (long) EXAMPLE.size() + trades.size(), rows());
        narration.equal("ShopDao's URL gives the same sum", expected, sumByJdbc(connection));
    }

    private void edges(Narration narration, Connection connection) throws SQLException {
        for (int version = 1; version <= 3; version++) {
            execute(
                    connection,
                    "INSERT INTO counter (type, actor, version, increment) VALUES ('EDGE', 'P1', " + version + ", "
                            + Integer.MAX_VALUE + ")");
            execute(
                    connection,
                    "INSERT INTO big_counter (type, actor, version, increment) VALUES ('EDGE', 'P1', " + version + ", "
                            + Long.MAX_VALUE + ")");
        }
        BigInteger ints = shop.number("SELECT crdt_sum(increment) FROM shop.counter WHERE type = 'EDGE'");
        BigInteger longs = shop.number("SELECT crdt_sum(increment) FROM shop.big_counter WHERE type = 'EDGE'");
        narration.blank();
        narration.say("A sum that its column's type cannot hold: three times the largest number.");
        narration.table(
                List.of("increments", "crdt_sum", "Cassandra's own sum"),
                List.of(
                        List.of(
                                "3 x (2^31 - 1), int",
                                ints,
                                shop.number("SELECT sum(increment) FROM shop.counter WHERE type = 'EDGE'")),
                        List.of(
                                "3 x (2^63 - 1), bigint",
                                longs,
                                shop.number("SELECT sum(increment) FROM shop.big_counter WHERE type = 'EDGE'"))));
        narration.blank();
        narration.check(
                "crdt_sum goes past 2^31 and 2^63 and does not overflow",
                ints.equals(BigInteger.valueOf(3L * Integer.MAX_VALUE))
                        && longs.equals(BigInteger.valueOf(Long.MAX_VALUE).multiply(BigInteger.valueOf(3))));
    }

    private List<Trade> trades() {
        List<Trade> trades = new ArrayList<>();
        Map<String, Long> versions = new HashMap<>();
        for (int i = 0; i < sizes.trades(); i++) {
            // The example's P1 and P2 stay as they are.
            String actor = "P" + (3 + random.nextInt(ACTORS));
            long version = versions.merge(actor, 1L, Long::sum);
            trades.add(new Trade("IBM", actor, version, random.nextInt(-500, 5_000)));
        }
        return trades;
    }

    private BigInteger sum() {
        return shop.number(SUM.replace("FROM counter", "FROM shop.counter"));
    }

    private long rows() {
        return shop.number("SELECT COUNT(*) FROM shop.counter WHERE type = 'IBM'")
                .longValueExact();
    }

    private static BigInteger sumByJdbc(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(SUM)) {
            rows.next();
            BigDecimal sum = rows.getBigDecimal(1);
            return sum.toBigIntegerExact();
        }
    }

    private void insertFromMany(List<Trade> trades) throws Exception {
        List<Callable<Void>> shares = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            List<Trade> share = trades.subList(i * trades.size() / WRITERS, (i + 1) * trades.size() / WRITERS);
            shares.add(() -> {
                try (Connection connection = DriverManager.getConnection(shop.url())) {
                    insert(connection, share);
                }
                return null;
            });
        }
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            for (Future<Void> written : writers.invokeAll(shares)) {
                written.get();
            }
        } finally {
            writers.shutdownNow();
        }
    }

    private static void insert(Connection connection, List<Trade> trades) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO counter (type, actor, version, increment) VALUES (?, ?, ?, ?)")) {
            for (Trade trade : trades) {
                insert.setString(1, trade.type());
                insert.setString(2, trade.actor());
                insert.setLong(3, trade.version());
                insert.setInt(4, trade.increment());
                insert.executeUpdate();
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
