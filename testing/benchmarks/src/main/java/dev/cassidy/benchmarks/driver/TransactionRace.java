package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction costs on exact tables, by JDBC: beside a logged batch that one writes by hand, which keeps a transaction whole
 * and nothing else, and beside ScalarDB. Each contestant is a JVM that lives through all rounds, and has rows of its own for each
 * thread: no two transactions meet. In each round each shape has a turn with every number of threads, in an order of its own, and
 * its contestants take their turns one right after the other.
 */
final class TransactionRace implements AutoCloseable {

    private static final List<Integer> THREADS = List.of(1, 8);

    /** The way between datacenters is measured, not the machine. */
    private static final List<Integer> THREADS_APART = List.of(1);

    /** Who writes. */
    enum Mode {
        EXACT("exact tables, Cassidy's JDBC"),
        /** Where there are several datacenters. */
        SERIAL("exact tables of which all datacenters decide, Cassidy's JDBC"),
        BY_HAND("reads and one logged batch, by hand on the java-driver"),
        SCALARDB("ScalarDB");

        private final String title;

        Mode(String title) {
            this.title = title;
        }
    }

    /** What a transaction writes. */
    enum Shape {
        ONE_PARTITION("3 rows of one partition, read and updated", TransactionStore.POSITIONS),
        FRESH("an order and its 3 lines, each with a generated id", 1 + TransactionStore.LINES),
        TWO_PARTITIONS("2 rows of 2 partitions, read and updated", 2),
        FIVE_PARTITIONS("5 rows of 5 partitions, read and updated", 5);

        private final String title;
        private final int rows;

        Shape(String title, int rows) {
            this.title = title;
            this.rows = rows;
        }

        /** Returns how many rows a transaction writes. */
        int rows() {
            return rows;
        }

        private String caseName(int threads, Pair pair) {
            return "transaction-"
                    + (pair.ours() == Mode.EXACT ? "" : lower(pair.ours().name()) + '-') + lower(name())
                    + '-' + threads + (threads == 1 ? "-thread" : "-threads") + "-vs-"
                    + lower(pair.rival().name());
        }

        /** Returns the least ratio that is wanted; null if there is none. */
        private @Nullable Double least(Pair pair) {
            return this == FRESH && pair.rival() == Mode.BY_HAND ? 0.95 : null;
        }
    }

    /** A rival, and who is compared with it. */
    private record Pair(Mode ours, Mode rival) {}

    private record Contestant(Shape shape, Mode mode) {

        private String title() {
            return shape.title + "; " + mode.title;
        }
    }

    private static final List<Pair> PAIRS =
            List.of(new Pair(Mode.EXACT, Mode.BY_HAND), new Pair(Mode.EXACT, Mode.SCALARDB));

    /** Where there are several datacenters. */
    private static final List<Pair> PAIRS_APART = List.of(
            new Pair(Mode.EXACT, Mode.BY_HAND),
            new Pair(Mode.EXACT, Mode.SERIAL),
            new Pair(Mode.SERIAL, Mode.SCALARDB));

    /** Returns the names of all cases, on one node. */
    static List<String> caseNames() {
        return caseNames(PAIRS, THREADS);
    }

    /** Returns the names of all cases on several datacenters, as on one node. */
    static List<String> caseNamesApart() {
        return caseNames(PAIRS_APART, THREADS_APART);
    }

    private static List<String> caseNames(List<Pair> pairs, List<Integer> numbers) {
        List<String> names = new ArrayList<>();
        for (Shape shape : Shape.values()) {
            for (int threads : numbers) {
                pairs.forEach(pair -> names.add(shape.caseName(threads, pair)));
            }
        }
        return names;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private final Cluster cluster;
    private final Pace pace;
    private final Rounds<Contestant> rounds;
    private final List<Mode> modes;
    private final List<Pair> pairs;
    private final List<Integer> threads;
    private final Map<Mode, ClientJvm> clients = new EnumMap<>(Mode.class);

    /** @param jvm options of the contestants' JVMs, after those of the heap */
    TransactionRace(Cluster cluster, List<String> jvm, Pace pace, PrintStream out) throws IOException {
        this.cluster = cluster;
        this.pace = pace;
        this.rounds = new Rounds<>(cluster, pace, out);
        this.modes = cluster.isApart() ? List.of(Mode.values()) : List.of(Mode.EXACT, Mode.BY_HAND, Mode.SCALARDB);
        this.pairs = cluster.isApart() ? PAIRS_APART : PAIRS;
        this.threads = cluster.isApart() ? THREADS_APART : THREADS;
        String keyspace = "transactions_rf" + cluster.replicas();
        prepare(cluster, keyspace);
        for (Mode mode : modes) {
            clients.put(
                    mode,
                    new ClientJvm(
                            cluster,
                            TransactionClient.class,
                            mode.name(),
                            mode == Mode.SERIAL ? serial(keyspace) : keyspace,
                            System.getProperty("java.class.path"),
                            jvm));
        }
    }

    /** Creates the keyspaces and the tables. */
    static void prepare(Cluster cluster, String keyspace) {
        try (CqlSession session = cluster.connect()) {
            cluster.createKeyspace(session, keyspace);
            BatchesByHand.createTables(session, keyspace);
        }
        createTables(cluster, keyspace, cluster.isApart() ? " WITH (home = '" + cluster.datacenter() + "')" : "");
        if (cluster.isApart()) {
            try (CqlSession session = cluster.connect()) {
                cluster.createKeyspace(session, serial(keyspace));
            }
            createTables(cluster, serial(keyspace), " WITH (serial)");
        }
        ScalarTransactions.createTables(cluster, keyspace);
    }

    private static String serial(String keyspace) {
        return keyspace + "_serial";
    }

    /** Creates exact tables in a keyspace, with an installation of its own. */
    private static void createTables(Cluster cluster, String keyspace, String with) {
        try (CqlSession session = cluster.connect()) {
            CassidySchema.install(
                    session,
                    cluster.replication(),
                    SequencesConfig.defaults().withGlobalKeyspace(InsertClient.globalKeyspace(keyspace)));
        }
        String node = cluster.contact().host() + ':' + cluster.contact().port();
        try (Connection connection =
                        DriverManager.getConnection(InsertClient.cassidyUrl(node, cluster.datacenter(), keyspace));
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id INT IDENTITY PRIMARY KEY, balance INT)" + with);
            statement.execute("CREATE TABLE position (portfolio INT, number INT, quantity INT,"
                    + " CONSTRAINT pk_position PRIMARY KEY (portfolio, number))" + with);
            statement.execute(
                    "CREATE TABLE purchase (id INT IDENTITY PRIMARY KEY, customer NVARCHAR(50), total INT)" + with);
            statement.execute("CREATE TABLE line (id INT IDENTITY PRIMARY KEY, purchase INT, name NVARCHAR(50),"
                    + " quantity INT)" + with);
        } catch (SQLException e) {
            throw new IllegalStateException("the tables of the race cannot be made", e);
        }
    }

    void run(Report report) throws IOException {
        report.condition(
                cluster.caseName("transactions"),
                pace.rounds()
                        + " rounds of turns, after one that is not counted, each contestant in a JVM (heap 256m), in which each"
                        + " shape was run for "
                        + pace.compiling().toSeconds()
                        + " s before with each number of threads; each round has an order of its own, in which the"
                        + " contestants of a shape follow each other; "
                        + pace.warmUp().toMillis() + " ms to warm up, then "
                        + pace.measured().toMillis()
                        + " ms measured. Each thread has rows of its own. LOCAL_QUORUM and LOCAL_SERIAL, ScalarDB QUORUM and"
                        + " SERIAL; paxos_variant v2. ScalarDB: SNAPSHOT, one_phase_commit enabled");
        List<Map.Entry<Shape, Integer>> order = new ArrayList<>();
        for (Shape shape : Shape.values()) {
            threads.forEach(each -> order.add(Map.entry(shape, each)));
        }
        for (Map.Entry<Shape, Integer> each : order) {
            for (Mode mode : modes) {
                client(mode).turn(each.getKey().name(), pace.compiling(), each.getValue());
            }
        }
        Random random = new Random(1);
        for (int round = 0; round <= pace.rounds(); round++) {
            Collections.shuffle(order, random);
            for (Map.Entry<Shape, Integer> each : order) {
                List<Mode> shuffled = new ArrayList<>(modes);
                Collections.shuffle(shuffled, random);
                for (Mode mode : shuffled) {
                    turn(round, new Contestant(each.getKey(), mode), each.getValue());
                }
            }
        }
        compare(report);
    }

    private void turn(int round, Contestant contestant, int threads) throws IOException {
        ClientJvm client = client(contestant.mode());
        client.turn(contestant.shape().name(), pace.warmUp(), threads);
        rounds.add(
                round,
                contestant,
                contestant.title(),
                threads,
                client.turn(contestant.shape().name(), pace.measured(), threads));
    }

    private ClientJvm client(Mode mode) {
        return Objects.requireNonNull(clients.get(mode));
    }

    private void compare(Report report) {
        for (Shape shape : Shape.values()) {
            for (int each : threads) {
                for (Pair pair : pairs) {
                    Contestant ours = new Contestant(shape, pair.ours());
                    Case measured = rounds.compare(
                            shape.caseName(each, pair),
                            ours.title() + " vs " + pair.rival().title,
                            ours,
                            new Contestant(shape, pair.rival()),
                            each);
                    Double least = shape.least(pair);
                    report.add(least == null ? measured : measured.withGoal(least));
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (ClientJvm client : clients.values()) {
            client.close();
        }
    }
}
