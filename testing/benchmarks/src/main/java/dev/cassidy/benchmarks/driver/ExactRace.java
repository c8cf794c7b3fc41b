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
 * What exactness costs: each statement on an exact table, beside the same on a plain one, and beside CQL that one writes by hand
 * for the same effect. A JVM has the contestants on one driver, and lives through all rounds. In each round each statement has a
 * turn with every number of threads, in an order of its own, and its contestants take their turns one right after the other.
 */
final class ExactRace implements AutoCloseable {

    private static final int ALONE = 1;
    private static final int MANY = 8;

    /** How many times as many additions to one row there are to be if its column counts. */
    private static final double HOT = 10;

    /** How rows are written. */
    enum Mode {
        EXACT("exact, Cassidy's JDBC", Driver.JDBC),
        PLAIN("plain, Cassidy's JDBC", Driver.JDBC),
        BY_HAND("conditional, CQL by hand on the java-driver", Driver.BARE);

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

    /** What is written. */
    enum Statement {
        INSERT("insert", "INSERT of a generated id, which is read", true),
        BATCH("batch100", "executeBatch of 100 INSERTs, generated ids read", false),
        INSERT_UNIQUE("insert-unique", "INSERT of a generated id, and a value that is UNIQUE in the exact table", true),
        INSERT_OWN_KEY("insert-own-key", "INSERT of a random uuid", true),
        UPDATE("update", "UPDATE by key", true),
        UPDATE_OF_TEN("update-of-10", "UPDATE by IN of 10 keys", true),
        DECREMENT("decrement", "UPDATE of n = n - 1 by key, if n >= 1", true),
        DELETE("delete", "DELETE by key", true),
        COUNT_HOT("count-hot", "UPDATE of n = n + 1 of one row by all threads, n is COUNTED", true),
        ADD_HOT("add-hot", "UPDATE of n = n + 1 of one row by all threads", true);

        private final String caseName;
        private final String title;
        private final boolean byManyThreads;

        Statement(String caseName, String title, boolean byManyThreads) {
            this.caseName = caseName;
            this.title = title;
            this.byManyThreads = byManyThreads;
        }

        private Set<Mode> modes() {
            return switch (this) {
                case INSERT, INSERT_UNIQUE, BATCH -> EnumSet.of(Mode.EXACT, Mode.PLAIN);
                case INSERT_OWN_KEY, UPDATE, DELETE -> EnumSet.allOf(Mode.class);
                case DECREMENT -> EnumSet.of(Mode.EXACT, Mode.BY_HAND);
                case UPDATE_OF_TEN, COUNT_HOT, ADD_HOT -> EnumSet.of(Mode.EXACT);
            };
        }

        private List<Integer> threads() {
            return byManyThreads ? List.of(ALONE, MANY) : List.of(ALONE);
        }

        private List<Contestant> contestants() {
            return modes().stream().map(mode -> new Contestant(this, mode)).toList();
        }

        private String caseName(int threads, String rival) {
            String by = byManyThreads ? "-" + threads + (threads == 1 ? "-thread" : "-threads") : "";
            return "exact-" + caseName + by + "-vs-" + rival;
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

    /** A comparison, and the least ratio that is promised. */
    private record Goal(
            Statement statement, Mode rival, @Nullable Double least) {

        List<String> caseNames() {
            return statement.threads().stream()
                    .map(threads -> statement.caseName(threads, rival.caseName()))
                    .toList();
        }
    }

    private static final List<Goal> GOALS = List.of(
            new Goal(Statement.INSERT, Mode.PLAIN, 1.0),
            new Goal(Statement.BATCH, Mode.PLAIN, 1.0),
            new Goal(Statement.INSERT_UNIQUE, Mode.PLAIN, null),
            new Goal(Statement.INSERT_OWN_KEY, Mode.BY_HAND, 0.9),
            new Goal(Statement.INSERT_OWN_KEY, Mode.PLAIN, null),
            new Goal(Statement.UPDATE, Mode.BY_HAND, 0.9),
            new Goal(Statement.UPDATE, Mode.PLAIN, null),
            new Goal(Statement.DECREMENT, Mode.BY_HAND, 0.9),
            new Goal(Statement.DELETE, Mode.BY_HAND, 0.9),
            new Goal(Statement.DELETE, Mode.PLAIN, null));

    /** Returns the names of all cases, on one node. */
    static List<String> caseNames() {
        List<String> names = new ArrayList<>();
        GOALS.forEach(goal -> names.addAll(goal.caseNames()));
        for (int threads : Statement.UPDATE_OF_TEN.threads()) {
            names.add(ofTen(threads));
        }
        for (int threads : Statement.COUNT_HOT.threads()) {
            names.add(ofHot(threads));
        }
        return names;
    }

    private static String ofHot(int threads) {
        return Statement.COUNT_HOT.caseName(threads, "conditional");
    }

    private static String ofTen(int threads) {
        return Statement.UPDATE_OF_TEN.caseName(threads, "one-by-one");
    }

    private final Cluster cluster;
    private final Pace pace;
    private final String keyspace;
    private final Rounds<Contestant> rounds;
    private final Map<Driver, ClientJvm> clients = new EnumMap<>(Driver.class);

    /** @param jvm options of the contestants' JVMs, after those of the heap */
    ExactRace(Cluster cluster, List<String> jvm, Pace pace, PrintStream out) throws IOException {
        this.cluster = cluster;
        this.pace = pace;
        this.keyspace = "exact_rf" + cluster.replicas();
        this.rounds = new Rounds<>(cluster, pace, out);
        prepare(cluster, keyspace);
        for (Driver driver : Driver.values()) {
            clients.put(
                    driver,
                    new ClientJvm(
                            cluster,
                            ExactClient.class,
                            driver.name(),
                            keyspace,
                            System.getProperty("java.class.path"),
                            jvm));
        }
    }

    /** Creates the keyspace and the tables. */
    static void prepare(Cluster cluster, String keyspace) {
        try (CqlSession session = cluster.connect()) {
            cluster.createKeyspace(session, keyspace);
            session.execute("CREATE TABLE " + keyspace
                    + ".by_hand (id int PRIMARY KEY, name text, quantity int, cassidy_tx blob)");
            session.execute("CREATE TABLE " + keyspace
                    + ".by_hand_by_uuid (id uuid PRIMARY KEY, name text, quantity int, cassidy_tx blob)");
            CassidySchema.install(
                    session,
                    cluster.replication(),
                    SequencesConfig.defaults().withGlobalKeyspace(InsertClient.globalKeyspace(keyspace)));
        }
        String node = cluster.contact().host() + ':' + cluster.contact().port();
        try (Connection connection =
                        DriverManager.getConnection(InsertClient.cassidyUrl(node, cluster.datacenter(), keyspace));
                java.sql.Statement statement = connection.createStatement()) {
            for (String mode : List.of("exact", "plain")) {
                statement.execute("CREATE TABLE " + mode
                        + "_product (id INT IDENTITY PRIMARY KEY, name NVARCHAR(50), quantity INT) WITH (" + mode
                        + ')');
                statement.execute("CREATE TABLE " + mode
                        + "_member (id INT IDENTITY PRIMARY KEY, name NVARCHAR(50)"
                        + (mode.equals("exact") ? " UNIQUE" : "") + ", quantity INT) WITH (" + mode + ')');
                statement.execute("CREATE TABLE " + mode
                        + "_by_uuid (id UNIQUEIDENTIFIER PRIMARY KEY, name NVARCHAR(50), quantity INT) WITH (" + mode
                        + ')');
            }
            for (String column : List.of("n INT COUNTED", "n INT")) {
                String table = column.endsWith("COUNTED") ? HotRow.COUNTED : HotRow.CONDITIONAL;
                statement.execute("CREATE TABLE " + table + " (id INT PRIMARY KEY, " + column + ")");
                statement.execute("INSERT INTO " + table + " (id, n) VALUES (1, 0)");
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the tables of the race cannot be made", e);
        }
    }

    void run(Report report) throws IOException {
        report.condition(
                cluster.caseName("exact"),
                pace.rounds()
                        + " rounds of turns, after one that is not counted: Cassidy's JDBC in one JVM and the java-driver in"
                        + " another (heap 256m), in which each statement was run for "
                        + pace.compiling().toSeconds()
                        + " s before with each number of threads; each round has an order of its own, in which the"
                        + " contestants of a statement follow each other; "
                        + pace.warmUp().toMillis() + " ms to warm up, then "
                        + pace.measured().toMillis()
                        + " ms measured. Each thread has rows of its own, except in the cases with one row. LOCAL_QUORUM and LOCAL_SERIAL, paxos_variant v2");
        List<Map.Entry<Statement, Integer>> order = new ArrayList<>();
        for (Statement statement : Statement.values()) {
            statement.threads().forEach(threads -> order.add(Map.entry(statement, threads)));
        }
        for (Map.Entry<Statement, Integer> each : order) {
            for (Contestant contestant : each.getKey().contestants()) {
                compile(contestant, each.getValue());
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
        compare(report);
    }

    /** In many turns: a turn ends when the rows are used up that were prepared for it, and the next has more of them. */
    private void compile(Contestant contestant, int threads) throws IOException {
        long end = System.nanoTime() + pace.compiling().toNanos();
        do {
            client(contestant).turn(contestant.name(), pace.measured(), threads);
        } while (System.nanoTime() - end < 0);
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

    private void compare(Report report) {
        for (Goal goal : GOALS) {
            for (int threads : goal.statement().threads()) {
                Contestant ours = new Contestant(goal.statement(), Mode.EXACT);
                Case measured = rounds.compare(
                        goal.statement().caseName(threads, goal.rival().caseName()),
                        ours.title() + " vs " + goal.rival().title,
                        ours,
                        new Contestant(goal.statement(), goal.rival()),
                        threads);
                report.add(goal.least() == null ? measured : measured.withGoal(goal.least()));
            }
        }
        Contestant ten = new Contestant(Statement.UPDATE_OF_TEN, Mode.EXACT);
        for (int threads : Statement.UPDATE_OF_TEN.threads()) {
            report.add(rounds.compare(
                    ofTen(threads),
                    ten.title() + " vs " + Statement.UPDATE.title,
                    ten,
                    new Contestant(Statement.UPDATE, Mode.EXACT),
                    threads));
        }
        for (int threads : Statement.COUNT_HOT.threads()) {
            Case measured = rounds.compare(
                    ofHot(threads),
                    Statement.COUNT_HOT.title + " vs the same, n is not",
                    new Contestant(Statement.COUNT_HOT, Mode.EXACT),
                    new Contestant(Statement.ADD_HOT, Mode.EXACT),
                    threads);
            report.add(threads == MANY ? measured.withGoal(HOT) : measured);
        }
    }

    @Override
    public void close() throws IOException {
        for (ClientJvm client : clients.values()) {
            client.close();
        }
    }
}
