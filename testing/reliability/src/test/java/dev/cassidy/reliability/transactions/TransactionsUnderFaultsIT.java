package dev.cassidy.reliability.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.program.HeldRows;
import dev.cassidy.reliability.program.Operation;
import dev.cassidy.reliability.program.RecordedProcess;
import dev.cassidy.reliability.program.ThreeNodes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
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
        // Of statements on one row, each that a slower node sends is refused once: this takes three times as long.
        try (ThreeNodes nodes = ThreeNodes.start("bank", LONG ? HOUR : Duration.ZERO)) {
            Bank bank;
            try (Connection connection = DriverManager.getConnection(nodes.url("2m"))) {
                bank = Bank.create(connection, ACCOUNTS);
            }
            nodes.awaitAllUp();
            List<Operation> operations = nodes.run(number -> start(nodes, bank, number), PROCESSES, ROUNDS, OPERATIONS);
            LOG.info("{}", BankHistory.figures(operations));
            BankNodes rows = new BankNodes(nodes.session());
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

    private static RecordedProcess start(ThreeNodes nodes, Bank bank, int number) throws Exception {
        return RecordedProcess.start(
                "p" + number,
                BankProgram.class,
                UNUSUAL,
                nodes.url("5s"),
                Integer.toString(number),
                bank.named(),
                HIBERNATE ? number == 0 ? "rhh" : "hhh" : number == 0 ? "rww" : "www");
    }

    // ---- afterwards

    /** Whoever writes a row ends the transaction that holds it. */
    private static void release(ThreeNodes nodes, BankNodes rows, List<Operation> operations) throws SQLException {
        Set<String> perhaps = operations.stream()
                .filter(one -> (one.is("transfer") || one.is("close")) && one.isInDoubt())
                .map(one -> one.argument(0))
                .filter(id -> id.endsWith("o"))
                .collect(Collectors.toSet());
        try (Connection connection = DriverManager.getConnection(nodes.url("2m"))) {
            // A statement of a process that was killed may still have been under way on a node.
            for (int pass = 0; pass < MAX_PASSES; pass++) {
                List<HeldRows.Held> held = rows.held(perhaps);
                LOG.info("{} rows are held: {}; records: {}", held.size(), held, rows.records());
                if (held.isEmpty()) {
                    return;
                }
                for (HeldRows.Held row : held) {
                    release(connection, row);
                }
            }
        }
    }

    private static void release(Connection connection, HeldRows.Held row) throws SQLException {
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
}
