package dev.cassidy.reliability.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
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
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes of DAO code move money between accounts in transactions, on three nodes, while nodes and processes are killed and stand still.
 * Afterwards each transaction took effect as a whole or not at all, and as its process was told. {@code -Dtransactions.rounds=N} takes eight
 * processes and 1,000 accounts, lets one node be an hour ahead and another one an hour behind, and sets how often all faults are injected;
 * every build has four and 201, and each fault once. With {@code -Dtransactions.hibernate=true} the processes use Hibernate.
 */
@Timeout(value = 240, unit = TimeUnit.MINUTES)
class TransactionsUnderFaultsIT {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionsUnderFaultsIT.class);

    private static final boolean LONG = Integer.getInteger("transactions.rounds") != null;
    private static final boolean HIBERNATE = Boolean.getBoolean("transactions.hibernate");
    private static final int ROUNDS = Integer.getInteger("transactions.rounds", 1);
    private static final int PROCESSES = LONG ? 8 : 4;
    private static final int ACCOUNTS = LONG ? 1_002 : 201;

    /** Of one process, while a fault lasts and after it. */
    private static final int OPERATIONS = LONG ? 60 : 16;

    private static final Duration HOUR = Duration.ofHours(1);

    private static final int MAX_PASSES = 5;

    /** What the faults that are injected, and others that write the same rows, do not explain. */
    private static final Pattern UNUSUAL = Pattern.compile(": (?!HYT00|08|23000|40001)\\w{5}, ");

    @Test
    void shouldCommitTransactionsAsAWhole() throws Exception {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder().datacenter("dc1", 3);
        builder.requestTimeout(Duration.ofSeconds(5));
        if (LONG) {
            // Of statements on one row, each that a slower node sends is refused once: this takes three times as long.
            builder.clockOffset("dc1", 0, HOUR).clockOffset("dc1", 1, HOUR.negated());
        }
        try (EmbeddedCluster nodes = builder.start();
                CqlSession session = connect(nodes)) {
            CassidySchema.install(
                    session,
                    Replication.parse("dc1:3"),
                    SequencesConfig.defaults().withRequestTimeout(Duration.ofMinutes(1)));
            session.execute("CREATE KEYSPACE bank WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}");
            nodes.awaitAllUp();
            Bank bank;
            try (Connection connection = DriverManager.getConnection(url(nodes, "2m"))) {
                bank = Bank.create(connection, ACCOUNTS);
            }
            nodes.awaitAllUp();
            List<Operation> operations = run(nodes, bank);
            nodes.awaitAllUp();
            LOG.info("{}", BankHistory.figures(operations));
            BankNodes rows = new BankNodes(session);
            release(nodes, rows, operations);
            assertThat(new BankHistory(
                                    operations,
                                    new BankHistory.Start(
                                            bank.accounts(), bank.closable(), Bank.BALANCE, Bank.GOODS, Bank.STOCK),
                                    rows.end())
                            .violations())
                    .isEmpty();
        }
    }

    // ---- faults

    private static List<Operation> run(EmbeddedCluster nodes, Bank bank) throws Exception {
        List<Operation> operations = new ArrayList<>();
        List<RecordedProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(start(nodes, bank, i));
            }
            for (RecordedProcess process : processes) {
                process.awaitReady();
            }
            for (int round = 0; round < ROUNDS; round++) {
                injectFaults(nodes, bank, round, processes, operations);
            }
            for (RecordedProcess process : processes) {
                process.awaitMore(OPERATIONS);
            }
            // Most die in the middle of a commit; the last one meets what they have left.
            for (RecordedProcess process : processes.subList(1, PROCESSES)) {
                process.kill();
            }
            processes.get(0).end();
            processes.forEach(process -> operations.addAll(process.operations()));
        } finally {
            processes.forEach(RecordedProcess::close);
        }
        return operations;
    }

    private static void injectFaults(
            EmbeddedCluster nodes, Bank bank, int round, List<RecordedProcess> processes, List<Operation> operations)
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
        processes.set(killed, start(nodes, bank, PROCESSES + round));
        node.restart();
        // Others abort what the stopped one was about to commit.
        observed.awaitMore(OPERATIONS);
        stopped.signal("CONT");
        nodes.awaitAllUp();
        EmbeddedCassandra frozen = nodes.node("dc1", (round + 1) % 3);
        frozen.pause();
        observed.awaitMore(OPERATIONS / 4);
        frozen.resume();
        processes.get(killed).awaitReady();
        nodes.awaitAllUp();
    }

    private static RecordedProcess start(EmbeddedCluster nodes, Bank bank, int number) throws Exception {
        return RecordedProcess.start(
                "p" + number,
                BankProgram.class,
                UNUSUAL,
                url(nodes, "5s"),
                Integer.toString(number),
                bank.named(),
                HIBERNATE ? number == 0 ? "rhh" : "hhh" : number == 0 ? "rww" : "www");
    }

    // ---- afterwards

    /** Whoever writes a row ends the transaction that holds it. */
    private static void release(EmbeddedCluster nodes, BankNodes rows, List<Operation> operations) throws SQLException {
        Set<String> perhaps = operations.stream()
                .filter(one -> (one.is("transfer") || one.is("close")) && one.isInDoubt())
                .map(one -> one.argument(0))
                .filter(id -> id.endsWith("o"))
                .collect(Collectors.toSet());
        try (Connection connection = DriverManager.getConnection(url(nodes, "2m"))) {
            // A statement of a process that was killed may still have been under way on a node.
            for (int pass = 0; pass < MAX_PASSES; pass++) {
                List<BankNodes.Held> held = rows.held(perhaps);
                LOG.info("{} rows are held: {}; records: {}", held.size(), held, rows.records());
                if (held.isEmpty()) {
                    return;
                }
                for (BankNodes.Held row : held) {
                    release(connection, row);
                }
            }
        }
    }

    private static void release(Connection connection, BankNodes.Held row) throws SQLException {
        String where = row.columns().stream().map(column -> column + " = ?").collect(Collectors.joining(" AND "));
        if (!row.isPlaceholder()) {
            assertThat(update(connection, "UPDATE " + row.table() + " SET touched = 1 WHERE " + where, row.key()))
                    .as("%s", row)
                    .isIn(0, 1);
            return;
        }
        String insert = "INSERT INTO " + row.table() + " (" + String.join(", ", row.columns()) + ") VALUES ("
                + row.columns().stream().map(column -> "?").collect(Collectors.joining(", ")) + ")";
        try {
            assertThat(update(connection, insert, row.key())).as("%s", row).isEqualTo(1);
        } catch (SQLException e) {
            assertThat(e.getErrorCode()).as("%s: %s", row, e).isEqualTo(2627);
            return;
        }
        assertThat(update(connection, "DELETE FROM " + row.table() + " WHERE " + where, row.key()))
                .as("%s", row)
                .isEqualTo(1);
    }

    private static int update(Connection connection, String sql, List<Object> values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            return statement.executeUpdate();
        }
    }

    // ---- connections

    private static String url(EmbeddedCluster nodes, String timeout) {
        String hosts = String.join(
                ",",
                nodes.nodes("dc1").stream()
                        .map(node -> node.host() + ":" + node.port())
                        .toList());
        return "jdbc:cassidy://" + hosts + "/bank?localDatacenter=dc1&connectTimeout=2m&requestTimeout=" + timeout;
    }

    private static CqlSession connect(EmbeddedCluster nodes) {
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
}
