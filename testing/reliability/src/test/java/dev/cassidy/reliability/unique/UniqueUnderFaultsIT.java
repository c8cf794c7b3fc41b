package dev.cassidy.reliability.unique;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.program.Operation;
import dev.cassidy.reliability.program.RecordedProcess;
import dev.cassidy.reliability.program.ThreeNodes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Eight writers in four processes give few values to the rows of a table with two UNIQUE columns, on three nodes, while nodes and
 * processes are killed and stand still. Afterwards no two rows have one value, each value that no row has can be taken, and each write
 * did as it was told. {@code -Dunique.rounds=N} takes eight processes, and sets how often all faults are injected.
 */
@Timeout(value = 240, unit = TimeUnit.MINUTES)
class UniqueUnderFaultsIT {

    private static final Logger LOG = LoggerFactory.getLogger(UniqueUnderFaultsIT.class);

    private static final boolean LONG = Integer.getInteger("unique.rounds") != null;
    private static final int ROUNDS = Integer.getInteger("unique.rounds", 1);
    private static final int PROCESSES = LONG ? 8 : 4;

    /** Of one process, while a fault lasts and after it. */
    private static final int OPERATIONS = LONG ? 80 : 24;

    private static final int MAX_PASSES = 5;

    /** What the faults that are injected, and others that write the same rows, do not explain. */
    private static final Pattern UNUSUAL = Pattern.compile(": (?!HYT00|08|23000|40001)\\w{5}, ");

    @Test
    void shouldGiveNoValueToTwoRowsAndLoseNone() throws Exception {
        try (ThreeNodes nodes = ThreeNodes.start("members")) {
            try (Connection connection = DriverManager.getConnection(nodes.url("2m"));
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE account (id INT IDENTITY PRIMARY KEY, email NVARCHAR(40),"
                        + " code INT, n INT, touched INT, CONSTRAINT UQ_account_email UNIQUE (email),"
                        + " CONSTRAINT UQ_account_code UNIQUE (code))");
            }
            nodes.awaitAllUp();
            List<Operation> operations = nodes.run(number -> start(nodes, number), PROCESSES, ROUNDS, OPERATIONS);
            LOG.info("{}", UniqueHistory.figures(operations));
            UniqueNodes rows = new UniqueNodes(nodes.session());
            try (Connection connection = DriverManager.getConnection(nodes.url("2m"))) {
                release(connection, rows);
                UniqueHistory.End end = rows.end();
                LOG.info("{} rows stand: {}", end.accounts().size(), end.accounts());
                assertThat(new UniqueHistory(operations, end).violations()).isEmpty();
                takeAll(connection, end);
            }
            UniqueHistory.End full = rows.end();
            assertThat(new UniqueHistory(List.of(), full).reservationsAlone()).isEmpty();
        }
    }

    private static RecordedProcess start(ThreeNodes nodes, int number) throws Exception {
        return RecordedProcess.start(
                "p" + number, UniqueProgram.class, UNUSUAL, nodes.url("5s"), Integer.toString(number));
    }

    // ---- afterwards

    /** Whoever writes a row, or takes its values, ends the transaction that holds it. */
    private static void release(Connection connection, UniqueNodes rows) throws SQLException {
        // A statement of a process that was killed may still have been under way on a node.
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            List<String> held = rows.held();
            LOG.info("{} rows are held: {}; records: {}", held.size(), held, rows.records());
            if (held.isEmpty()) {
                return;
            }
            for (String each : held) {
                String[] words = each.split(" ", -1);
                if (words[0].equals("id")) {
                    assertThat(run(
                                    connection,
                                    "UPDATE account SET touched = 1 WHERE id = ?",
                                    Integer.valueOf(words[1])))
                            .as(each)
                            .isIn(0, 1);
                } else {
                    release(connection, words[0], value(words[0], words[1]), pass);
                }
            }
        }
    }

    /** Takes a value and lets it go, or takes it from its row for a moment. */
    private static void release(Connection connection, String column, Object value, int pass) throws SQLException {
        try {
            assertThat(insert(connection, column, value, -1 - pass)).isEqualTo(1);
            assertThat(run(connection, "DELETE FROM account WHERE n = 0 AND id = ?", id(connection, column, value)))
                    .isEqualTo(1);
        } catch (SQLException e) {
            assertThat(e.getErrorCode()).as("%s %s: %s", column, value, e).isEqualTo(2627);
            Object id = id(connection, column, value);
            Object written = only(connection, "SELECT " + column + " FROM account WHERE id = ?", id);
            String update = "UPDATE account SET " + column + " = ? WHERE id = ?";
            assertThat(run(connection, update, other(column, -1 - pass), id)).isEqualTo(1);
            assertThat(run(connection, update, written, id)).isEqualTo(1);
        }
    }

    /** What no row has can be taken, and what one has cannot. */
    private static void takeAll(Connection connection, UniqueHistory.End end) throws SQLException {
        int apart = -100;
        for (Map.Entry<String, List<String>> each :
                Map.of("email", Registrar.EMAILS, "code", Registrar.CODES).entrySet()) {
            for (String word : each.getValue()) {
                boolean taken = end.accounts().values().stream()
                        .anyMatch(row ->
                                UniqueHistory.folded(row.value(each.getKey())).equals(word));
                int inserted;
                try {
                    inserted = insert(connection, each.getKey(), value(each.getKey(), word), apart--);
                } catch (SQLException e) {
                    assertThat(e.getErrorCode()).as("%s: %s", word, e).isEqualTo(2627);
                    inserted = 0;
                }
                assertThat(inserted).as("%s %s", each.getKey(), word).isEqualTo(taken ? 0 : 1);
            }
        }
    }

    private static Object value(String column, String word) {
        return column.equals("email") ? Change.emailOf(word) : Change.codeOf(word);
    }

    /** A value that nobody else writes. */
    private static Object other(String column, int apart) {
        return column.equals("email") ? "apart" + apart : (Object) apart;
    }

    private static int insert(Connection connection, String column, Object value, int apart) throws SQLException {
        boolean isEmail = column.equals("email");
        return run(
                connection,
                "INSERT INTO account (email, code, n) VALUES (?, ?, 0)",
                isEmail ? value : other("email", apart),
                isEmail ? other("code", apart) : value);
    }

    private static Object id(Connection connection, String column, Object value) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, " + column + " FROM account")) {
            while (rows.next()) {
                if (UniqueHistory.folded(Change.word(rows.getObject(2)))
                        .equals(UniqueHistory.folded(Change.word(value)))) {
                    return rows.getObject(1);
                }
            }
        }
        throw new AssertionError("no row has the " + column + " " + value);
    }

    private static Object only(Connection connection, String sql, Object value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, value);
            try (ResultSet rows = statement.executeQuery()) {
                assertThat(rows.next()).as("%s %s", sql, value).isTrue();
                return rows.getObject(1);
            }
        }
    }

    private static int run(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
