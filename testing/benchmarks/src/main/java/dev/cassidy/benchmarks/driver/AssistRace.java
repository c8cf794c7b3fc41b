package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What statements cost that are evaluated in the client: beside reads by CQL that one writes by hand for the same rows, and what they add to
 * statements that Cassandra takes as they are. Turns are as those of {@link ExactRace}.
 */
final class AssistRace implements AutoCloseable {

    /** Rows of each table, and of each order. */
    static final int ROWS = 1_000;

    static final int LINES = 200;

    private static final int ALONE = 1;
    private static final int MANY = 8;

    enum Mode {
        ON("Cassidy's JDBC", Driver.JDBC),
        OFF("Cassidy's JDBC with assist=off", Driver.JDBC),
        BY_HAND("CQL by hand on the java-driver", Driver.BARE);

        private final String title;
        private final Driver driver;

        Mode(String title, Driver driver) {
            this.title = title;
            this.driver = driver;
        }

        private String caseName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    enum Driver {
        JDBC,
        BARE;

        List<Contestant> contestants() {
            return Arrays.stream(Statement.values())
                    .flatMap(statement -> statement.contestants().stream())
                    .filter(contestant -> contestant.mode().driver == this)
                    .toList();
        }
    }

    enum Statement {
        JOIN("join", "join of two tables by key", Mode.BY_HAND),
        JOIN_OF_LINES(
                "join-of-200",
                "join of 200 rows of a partition with a table by its key, by hand one by one",
                Mode.BY_HAND),
        DIRECT("direct", "SELECT by key, which Cassandra takes", Mode.OFF);

        private final String caseName;
        private final String title;
        private final Mode rival;

        Statement(String caseName, String title, Mode rival) {
            this.caseName = caseName;
            this.title = title;
            this.rival = rival;
        }

        private List<Integer> threads() {
            return this == JOIN_OF_LINES ? List.of(ALONE) : List.of(ALONE, MANY);
        }

        private @Nullable Double least(int threads) {
            return switch (this) {
                // 1.3 times the time.
                case JOIN -> threads == ALONE ? 1 / 1.3 : 0.9;
                case JOIN_OF_LINES -> 3.0;
                case DIRECT -> 1.0;
            };
        }

        private Set<Mode> modes() {
            return EnumSet.of(Mode.ON, rival);
        }

        private List<Contestant> contestants() {
            return modes().stream().map(mode -> new Contestant(this, mode)).toList();
        }

        private String caseName(int threads) {
            return "assist-" + caseName + "-" + threads + (threads == 1 ? "-thread" : "-threads") + "-vs-"
                    + rival.caseName();
        }
    }

    record Contestant(Statement statement, Mode mode) {

        /** Returns the name of its work. */
        String name() {
            return statement.name() + '/' + mode.name();
        }

        private String title() {
            return statement.title + "; " + mode.title;
        }
    }

    /** Returns the names of all cases, on one node. */
    static List<String> caseNames() {
        List<String> names = new ArrayList<>();
        for (Statement statement : Statement.values()) {
            statement.threads().forEach(threads -> names.add(statement.caseName(threads)));
        }
        return names;
    }

    private final Cluster cluster;
    private final Pace pace;
    private final Rounds<Contestant> rounds;
    private final Map<Driver, ClientJvm> clients = new EnumMap<>(Driver.class);

    AssistRace(Cluster cluster, Pace pace, PrintStream out) throws IOException {
        this.cluster = cluster;
        this.pace = pace;
        this.rounds = new Rounds<>(cluster, pace, out);
        String keyspace = "assist_rf" + cluster.replicas();
        prepare(cluster, keyspace);
        for (Driver driver : Driver.values()) {
            clients.put(
                    driver,
                    new ClientJvm(
                            cluster,
                            AssistClient.class,
                            driver.name(),
                            keyspace,
                            System.getProperty("java.class.path"),
                            List.of()));
        }
    }

    /** Creates the keyspace, the tables and their rows. */
    static void prepare(Cluster cluster, String keyspace) {
        try (CqlSession session = cluster.connect()) {
            cluster.createKeyspace(session, keyspace);
            CassidySchema.install(
                    session,
                    cluster.replication(),
                    SequencesConfig.defaults().withGlobalKeyspace(InsertClient.globalKeyspace(keyspace)));
        }
        String node = cluster.contact().host() + ':' + cluster.contact().port();
        try (Connection connection =
                        DriverManager.getConnection(InsertClient.cassidyUrl(node, cluster.datacenter(), keyspace));
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE customer (id INT PRIMARY KEY, name NVARCHAR(50), city NVARCHAR(50))");
            statement.execute("CREATE TABLE orders (id INT PRIMARY KEY, customer INT, total DECIMAL(9,2))");
            statement.execute("CREATE TABLE line (orders INT, no INT, item INT, qty INT, PRIMARY KEY (orders, no))");
            statement.execute("CREATE TABLE item (id INT PRIMARY KEY, name NVARCHAR(50), price DECIMAL(9,2))");
            fill(connection, "INSERT INTO customer (id, name, city) VALUES (?, 'Ann', 'Oslo')", ROWS, false);
            fill(connection, "INSERT INTO orders (id, customer, total) VALUES (?, ?, 7.50)", ROWS, true);
            fill(connection, "INSERT INTO item (id, name, price) VALUES (?, 'Kettle', 1.25)", ROWS, false);
            for (int order = 0; order < 10; order++) {
                fill(
                        connection,
                        "INSERT INTO line (no, item, orders, qty) VALUES (?, ?, " + order + ", 2)",
                        LINES,
                        true);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the tables of the race cannot be made", e);
        }
    }

    private static void fill(Connection connection, String insert, int rows, boolean twice) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            for (int row = 0; row < rows; row++) {
                statement.setInt(1, row);
                if (twice) {
                    // Some other row of the other table.
                    statement.setInt(2, row * 7 % ROWS);
                }
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    void run(Report report) throws IOException {
        report.condition(
                cluster.caseName("assist"),
                pace.rounds()
                        + " rounds of turns, after one that is not counted: Cassidy's JDBC in one JVM and the java-driver in"
                        + " another (heap 256m), in which each statement was run for "
                        + pace.compiling().toSeconds()
                        + " s before with each number of threads; each round has an order of its own; "
                        + pace.warmUp().toMillis() + " ms to warm up, then "
                        + pace.measured().toMillis() + " ms measured. Exact tables of " + ROWS + " rows, LOCAL_QUORUM");
        List<Map.Entry<Statement, Integer>> order = new ArrayList<>();
        for (Statement statement : Statement.values()) {
            statement.threads().forEach(threads -> order.add(Map.entry(statement, threads)));
        }
        for (Map.Entry<Statement, Integer> each : order) {
            for (Contestant contestant : each.getKey().contestants()) {
                client(contestant).turn(contestant.name(), pace.compiling(), each.getValue());
            }
        }
        Random random = new Random(1);
        for (int round = 0; round <= pace.rounds(); round++) {
            Collections.shuffle(order, random);
            for (Map.Entry<Statement, Integer> each : order) {
                List<Contestant> contestants = new ArrayList<>(each.getKey().contestants());
                Collections.shuffle(contestants, random);
                for (Contestant contestant : contestants) {
                    turn(round, contestant, each.getValue());
                }
            }
        }
        for (Statement statement : Statement.values()) {
            Contestant ours = new Contestant(statement, Mode.ON);
            for (int threads : statement.threads()) {
                report.add(rounds.compare(
                                statement.caseName(threads),
                                ours.title() + " vs " + statement.rival.title,
                                ours,
                                new Contestant(statement, statement.rival),
                                threads)
                        .withGoal(Objects.requireNonNull(statement.least(threads))));
            }
        }
    }

    private void turn(int round, Contestant contestant, int threads) throws IOException {
        client(contestant).turn(contestant.name(), pace.warmUp(), threads);
        rounds.add(
                round,
                contestant,
                contestant.title(),
                threads,
                client(contestant).turn(contestant.name(), pace.measured(), threads));
    }

    private ClientJvm client(Contestant contestant) {
        return Objects.requireNonNull(clients.get(contestant.mode().driver));
    }

    @Override
    public void close() throws IOException {
        for (ClientJvm client : clients.values()) {
            client.close();
        }
    }
}
