package dev.cassidy.reliability.exact;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.reliability.program.Operation;
import dev.cassidy.reliability.program.RecordedProcess;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes of DAO code write the rows of exact tables on three nodes, while nodes and processes are killed and stand still.
 * One node's clock is two days behind. What each was told has to be what T-SQL says. {@code -Dexact.rounds=N} takes eight processes, and sets how often all faults
 * are injected; every build has four, and each fault once.
 */
@Timeout(value = 120, unit = TimeUnit.MINUTES)
class ExactUnderFaultsIT {

    private static final Logger LOG = LoggerFactory.getLogger(ExactUnderFaultsIT.class);

    /** What the faults that are injected do not explain. */
    private static final Pattern UNUSUAL = Pattern.compile(": (?!HYT00|08|23000)\\w{5}, ");

    private static final boolean LONG = Integer.getInteger("exact.rounds") != null;
    private static final int ROUNDS = Integer.getInteger("exact.rounds", 1);
    private static final int PROCESSES = LONG ? 8 : 4;

    /** Of one process, while a fault lasts and after it. */
    private static final int OPERATIONS = LONG ? 40 : 12;

    private static final int FIRST = 1_000;

    private static EmbeddedCluster nodes;
    private static CqlSession session;

    @BeforeAll
    static void start() {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder().datacenter("dc1", 3);
        builder.requestTimeout(Duration.ofSeconds(5)).clockOffset("dc1", 2, SlowNode.BEHIND.negated());
        nodes = builder.start();
        session = connect();
        CassidySchema.install(
                session,
                Replication.parse("dc1:3"),
                SequencesConfig.defaults().withRequestTimeout(Duration.ofMinutes(1)));
        session.execute("CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}");
        nodes.awaitAllUp();
    }

    @AfterAll
    static void stop() {
        if (session != null) {
            session.close();
        }
        if (nodes != null) {
            nodes.close();
        }
    }

    @Test
    void shouldKeepWhatANodeHasWrittenThatIsTwoDaysBehind() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url("2m"))) {
            SlowNode.create(connection);
            nodes.awaitAllUp();
            new SlowNode(connection, session, nodes.node("dc1", 2).contactPoint()).requireThatItsWritesStay();
        }
    }

    @Test
    void shouldTellEachProcessWhatTsqlSays() throws Exception {
        create();
        nodes.awaitAllUp();
        List<Operation> operations = new ArrayList<>();
        List<RecordedProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(start(i));
            }
            for (RecordedProcess process : processes) {
                process.awaitReady();
            }
            for (int round = 0; round < ROUNDS; round++) {
                injectFaults(round, processes, operations);
            }
            for (RecordedProcess process : processes) {
                process.awaitMore(OPERATIONS);
            }
            for (RecordedProcess process : processes) {
                process.end();
                operations.addAll(process.operations());
            }
        } finally {
            processes.forEach(RecordedProcess::close);
        }
        nodes.awaitAllUp();
        judge(operations);
    }

    private static void injectFaults(int round, List<RecordedProcess> processes, List<Operation> operations)
            throws Exception {
        RecordedProcess observed = processes.get((round + 3) % PROCESSES);
        observed.awaitMore(OPERATIONS);
        EmbeddedCassandra node = nodes.node("dc1", round % 3);
        node.kill();
        observed.awaitMore(OPERATIONS);
        RecordedProcess stopped = processes.get((round + 1) % PROCESSES);
        stopped.signal("STOP");
        int killed = (round + 2) % PROCESSES;
        processes.get(killed).kill();
        operations.addAll(processes.get(killed).operations());
        processes.set(killed, start(PROCESSES + round));
        node.restart();
        stopped.signal("CONT");
        nodes.awaitAllUp();
        EmbeddedCassandra frozen = nodes.node("dc1", (round + 1) % 3);
        frozen.pause();
        observed.awaitMore(OPERATIONS / 4);
        frozen.resume();
        processes.get(killed).awaitReady();
        nodes.awaitAllUp();
    }

    private static RecordedProcess start(int number) throws Exception {
        return RecordedProcess.start("p" + number, ShopProgram.class, UNUSUAL, url("5s"), Integer.toString(number));
    }

    private static String url(String timeout) {
        String hosts = String.join(
                ",",
                nodes.nodes("dc1").stream()
                        .map(node -> node.host() + ":" + node.port())
                        .toList());
        return "jdbc:cassidy://" + hosts + "/shop?localDatacenter=dc1&connectTimeout=2m&requestTimeout=" + timeout;
    }

    private static CqlSession connect() {
        return CqlSessions.builder()
                .addContactPoints(nodes.contactPoints("dc1"))
                .withLocalDatacenter("dc1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(1))
                        .build())
                .build();
    }

    private static void create() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url("2m"));
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE account (id INT PRIMARY KEY, n INT, v INT, name VARCHAR(20), mark VARCHAR(20))");
            statement.execute("CREATE TABLE code (code VARCHAR(20) PRIMARY KEY, owner VARCHAR(20))");
            statement.execute("CREATE TABLE orders (id INT IDENTITY PRIMARY KEY, tag VARCHAR(20), n INT)");
            for (int id = 1; id <= ShopProgram.ACCOUNTS; id++) {
                statement.executeUpdate(
                        "INSERT INTO account (id, n, v, name, mark) VALUES (" + id + ", " + FIRST + ", 0, '', '')");
            }
        }
    }

    private static void judge(List<Operation> operations) {
        Map<Integer, ShopHistory.Account> accounts = new HashMap<>();
        for (Row row : all("account")) {
            accounts.put(
                    row.getInt("id"),
                    new ShopHistory.Account(
                            row.getInt("n"),
                            row.getInt("v"),
                            Objects.requireNonNull(row.getString("name")),
                            Objects.requireNonNull(row.getString("mark"))));
        }
        assertThat(accounts).hasSize(ShopProgram.ACCOUNTS);
        Map<String, String> codes = new HashMap<>();
        all("code").forEach(row -> codes.put(row.getString("code").toLowerCase(Locale.ROOT), row.getString("owner")));
        Map<Long, ShopHistory.Order> orders = new HashMap<>();
        all("orders")
                .forEach(row -> orders.put(
                        (long) row.getInt("id"), new ShopHistory.Order(row.getString("tag"), row.getInt("n"))));
        LOG.info("{}", figures(operations));
        assertThat(new ShopHistory(operations).violations(FIRST, accounts, codes, orders))
                .isEmpty();
    }

    /** Ends what is under way of every row, and reads what stands. */
    private static List<Row> all(String table) {
        String key = table.equals("code") ? "cassidy_eq_code" : "id";
        List<Row> rows = new ArrayList<>();
        for (Row found : session.execute(SimpleStatement.newInstance("SELECT " + key + " FROM shop." + table)
                .setConsistencyLevel(ConsistencyLevel.ALL))) {
            Row row = session.execute(SimpleStatement.newInstance(
                                    "SELECT * FROM shop." + table + " WHERE " + key + " = ?", found.getObject(0))
                            .setConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL))
                    .one();
            if (row != null) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static String figures(List<Operation> operations) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Operation one : operations) {
            String outcome = one.outcome() == null ? "killed" : one.outcome().replaceFirst("^key .*", "key");
            counts.merge(one.kind() + ", " + outcome, 1, Integer::sum);
        }
        return operations.size() + " operations: " + counts;
    }
}
