package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.collation.Collation;
import dev.cassidy.cql.ExactConditions;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Strings that are found by an index on one node: by what their collation takes for equal, and each shown as it was written. */
class CollatedIndexesIT {

    private static final String KEYSPACE = "collated_indexes_it";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    /** Of another process: what it knows of contracts is its own. */
    @AutoClose
    private final Connection other = cluster.open("consistency=QUORUM");

    @BeforeAll
    static void create() {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
    }

    private static int run(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private int run(String sql, Object... parameters) throws SQLException {
        return run(connection, sql, parameters);
    }

    /** With its values in it, as a Statement runs it. */
    private int runText(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private static List<Object> column(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return all(rows, 1);
            }
        }
    }

    private List<Object> column(String sql, Object... parameters) throws SQLException {
        return column(connection, sql, parameters);
    }

    private List<Object> columnText(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return all(rows, 1);
        }
    }

    private static List<Object> all(ResultSet rows, int column) throws SQLException {
        List<Object> found = new ArrayList<>();
        while (rows.next()) {
            found.add(rows.getObject(column));
        }
        return found;
    }

    /** Makes a table with an index within, as which it is complete at once. */
    private void table(String name) throws SQLException {
        run("CREATE TABLE " + name + " (id INT PRIMARY KEY, email NVARCHAR(50), v INT, INDEX ix_" + name
                + " NONCLUSTERED (email))");
    }

    private static Map<String, String> twins(String table) {
        List<Row> rows = TestCluster.session()
                .execute("SELECT email, cassidy_eq_email FROM " + KEYSPACE + "." + table)
                .all();
        Map<String, String> twins = new java.util.HashMap<>();
        rows.forEach(row -> twins.put(String.valueOf(row.getString(0)), row.getString(1)));
        return twins;
    }

    private static String form(String value) {
        return Collation.standard().fold(value);
    }

    // ---- an index within CREATE TABLE

    @Test
    void shouldFindStringsThatDifferInCaseAndBlanks() throws SQLException {
        table("person");
        run("INSERT INTO person (id, email, v) VALUES (?, ?, 1)", 1, "Ann@x");
        runText("INSERT INTO person VALUES (2, N'ANN@X  ', 2), (3, 'bob@x', 3)");
        run("INSERT INTO person (id, v) VALUES (4, 4)");
        run("INSERT INTO person (id, email) VALUES (5, NULL)");

        assertThat(column("SELECT email FROM person WHERE email = ?", "ann@x"))
                .containsExactlyInAnyOrder("Ann@x", "ANN@X  ");
        assertThat(columnText("SELECT id FROM person WHERE email = 'aNN@x '")).containsExactlyInAnyOrder(1, 2);
        assertThat(column("SELECT id FROM person WHERE ? = email", "BOB@X")).containsExactly(3);
        assertThat(column("SELECT id FROM person WHERE email IN (?, ?, ?)", "ANN@x", "ann@x", "Bob@x"))
                .containsExactlyInAnyOrder(1, 2, 3);
        assertThat(columnText("SELECT id FROM person WHERE email IN ('ANN@x', 'ann@x', 'nobody')"))
                .containsExactlyInAnyOrder(1, 2);
        assertThat(columnText("SELECT id FROM person WHERE email = 'BOB@x' OR email = 'bob@X' OR email = 'ann@x'"))
                .containsExactlyInAnyOrder(1, 2, 3);
        assertThat(column("SELECT id FROM person WHERE email LIKE ?", "BOB@x")).containsExactly(3);
        assertThat(column("SELECT COUNT(*) FROM person WHERE email = ?", "ann@x"))
                .containsExactly(2L);
        assertThat(column("SELECT TOP 1 v FROM person WHERE email = 'ann@x'")).hasSize(1);
        assertThat(column("SELECT id FROM person WHERE email = ?", "nobody")).isEmpty();
        assertThat(column("SELECT id FROM person WHERE email = ?", (Object) null))
                .isEmpty();
        assertThat(column("SELECT MAX(v) FROM person WHERE email = ?", "ann@x")).containsExactly(2);
        assertThat(twins("person"))
                .containsEntry("Ann@x", form("ann@x"))
                .containsEntry("bob@x", form("bob@x"))
                .containsEntry("null", null);
    }

    @Test
    void shouldKeepItWhenTheColumnIsSet() throws SQLException {
        table("changed");
        run("INSERT INTO changed (id, email, v) VALUES (1, 'Ann@x', 1), (2, 'bob@x', 1)");

        assertThat(run("UPDATE changed SET email = ?, v = v + 1 WHERE id = ?", "Zoe@x", 1))
                .isEqualTo(1);
        assertThat(column("SELECT id FROM changed WHERE email = 'ann@x'")).isEmpty();
        assertThat(column("SELECT v FROM changed WHERE email = 'ZOE@x'")).containsExactly(2);
        assertThat(runText("UPDATE changed SET v = 9, email = 'ZOE@x' WHERE id = 1 AND email = 'zoe@X'"))
                .isEqualTo(1);
        assertThat(column("SELECT email FROM changed WHERE email = 'zoe@x'")).containsExactly("ZOE@x");
        assertThat(run("UPDATE changed SET email = NULL WHERE id = 1")).isEqualTo(1);
        assertThat(column("SELECT id FROM changed WHERE email = 'zoe@x'")).isEmpty();
        assertThat(run("UPDATE changed SET email = ? WHERE id = 2", (Object) null))
                .isEqualTo(1);
        assertThat(column("SELECT id FROM changed WHERE email = 'bob@x'")).isEmpty();
        assertThat(run("UPDATE changed SET email = ? WHERE id IN (1, 2)", "both@x"))
                .isEqualTo(2);
        assertThat(column("SELECT id FROM changed WHERE email = 'BOTH@X'")).containsExactlyInAnyOrder(1, 2);
        runText("DELETE email FROM changed WHERE id = 2");
        assertThat(column("SELECT id FROM changed WHERE email = 'BOTH@X'")).containsExactly(1);
        assertThat(run("DELETE FROM changed WHERE id = 1")).isEqualTo(1);
        assertThat(column("SELECT id FROM changed WHERE email = 'both@x'")).isEmpty();
        run("INSERT INTO changed (id, v) VALUES (1, 1)");
        assertThat(column("SELECT id FROM changed WHERE email = 'both@x'")).isEmpty();
        try (PreparedStatement update = connection.prepareStatement("UPDATE changed SET email = ? WHERE id = 1")) {
            update.setCharacterStream(1, new StringReader("Stream@x"));
            assertThat(update.executeUpdate()).isEqualTo(1);
        }
        assertThat(column("SELECT email FROM changed WHERE email = 'STREAM@x'")).containsExactly("Stream@x");
        run("UPDATE changed SET email = ? WHERE id = 1", 42);
        assertThat(column("SELECT email FROM changed WHERE email = '42'")).containsExactly("42");
    }

    @Test
    void shouldFindStringsOfAnyNameAndContent() throws SQLException {
        run("CREATE TABLE odd (id INT PRIMARY KEY, \"FullName\" CHAR(8), INDEX ix_odd (\"FullName\"))");
        run("INSERT INTO odd (id, \"FullName\") VALUES (1, 'Ann'), (2, ''), (3, ?)", "Stra\u00dfe");
        assertThat(column("SELECT id FROM odd WHERE \"FullName\" = ?", "ANN")).containsExactly(1);
        assertThat(column("SELECT id FROM odd WHERE \"FullName\" = '  '")).containsExactly(2);
        assertThat(column("SELECT id FROM odd WHERE \"FullName\" = 'STRASSE'")).containsExactly(3);
        run("UPDATE odd SET \"FullName\" = '' WHERE id = 1");
        assertThat(column("SELECT id FROM odd WHERE \"FullName\" IN ('', 'ann')"))
                .containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void shouldKeepItInBatches() throws SQLException {
        table("batched");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO batched (id, email, v) VALUES (?, ?, 0)")) {
            for (int id = 1; id <= 3; id++) {
                insert.setInt(1, id);
                insert.setString(2, "User" + id);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        try (PreparedStatement update = connection.prepareStatement("UPDATE batched SET email = ? WHERE id = ?")) {
            for (int id = 2; id <= 3; id++) {
                update.setString(1, id == 2 ? "Moved" : null);
                update.setInt(2, id);
                update.addBatch();
            }
            assertThat(update.executeBatch()).containsExactly(1, 1);
        }
        assertThat(column("SELECT id FROM batched WHERE email = 'USER1'")).containsExactly(1);
        assertThat(column("SELECT id FROM batched WHERE email = 'MOVED'")).containsExactly(2);
        assertThat(column("SELECT id FROM batched WHERE email IN ('user2', 'user3')"))
                .isEmpty();
    }

    @Test
    void shouldKeepItBesideDrawnIdsAndDefaults() throws SQLException {
        run("CREATE TABLE drawn (id INT IDENTITY PRIMARY KEY, email NVARCHAR(50) DEFAULT 'Nobody', v INT,"
                + " INDEX ix_drawn (email))");
        run("INSERT INTO drawn (v) VALUES (1)");
        run("INSERT INTO drawn (email, v) VALUES (?, 2)", "Ann@x");
        run("INSERT INTO drawn (email, v) VALUES (?, 3), (?, 4)", "ANN@x", null);

        assertThat(column("SELECT v FROM drawn WHERE email = 'NOBODY'")).containsExactly(1);
        assertThat(column("SELECT v FROM drawn WHERE email = 'ann@X'")).containsExactlyInAnyOrder(2, 3);
        connection.setAutoCommit(false);
        run("INSERT INTO drawn (email, v) VALUES ('New@x', 5)");
        assertThat(column("SELECT v FROM drawn WHERE email = 'NEW@X'")).containsExactly(5);
        connection.commit();
        assertThat(column(other, "SELECT v FROM drawn WHERE email = 'NEW@X'")).containsExactly(5);
        run("UPDATE drawn SET email = DEFAULT WHERE id = 1");
        connection.commit();
        assertThat(column(other, "SELECT v FROM drawn WHERE email = 'NOBODY'")).containsExactly(1);
    }

    @Test
    void shouldFindOwnRowsInATransaction() throws SQLException {
        table("pending");
        run("INSERT INTO pending (id, email, v) VALUES (1, 'Old', 1), (2, 'Stays', 2)");
        connection.setAutoCommit(false);

        run("INSERT INTO pending (id, email, v) VALUES (3, 'New', 3)");
        run("UPDATE pending SET email = 'Moved' WHERE id = 1");
        assertThat(column("SELECT id FROM pending WHERE email = ?", "NEW")).containsExactly(3);
        assertThat(column("SELECT id FROM pending WHERE email = 'MOVED'")).containsExactly(1);
        assertThat(column("SELECT id FROM pending WHERE email = 'old'")).isEmpty();
        assertThat(column("SELECT id FROM pending WHERE email IN ('NEW', 'STAYS', 'OLD')"))
                .containsExactlyInAnyOrder(2, 3);
        run("UPDATE pending SET email = NULL WHERE id = 3");
        assertThat(column("SELECT id FROM pending WHERE email = 'new'")).isEmpty();
        run("UPDATE pending SET email = 'NEW ' WHERE id = 3");
        assertThat(column("SELECT COUNT(*) FROM pending WHERE email = 'new'")).containsExactly(1L);
        assertThat(column(other, "SELECT id FROM pending WHERE email = 'OLD'")).containsExactly(1);
        run("DELETE FROM pending WHERE id = 2");
        assertThat(column("SELECT id FROM pending WHERE email = 'stays'")).isEmpty();
        connection.commit();

        assertThat(column(other, "SELECT id FROM pending WHERE email = 'moved'"))
                .containsExactly(1);
        assertThat(column(other, "SELECT id FROM pending WHERE email = 'new'")).containsExactly(3);
        assertThat(column(other, "SELECT id FROM pending WHERE email IN ('old', 'stays')"))
                .isEmpty();
        run("UPDATE pending SET email = 'Taken back' WHERE id = 1");
        connection.rollback();
        assertThat(column("SELECT id FROM pending WHERE email = 'MOVED'")).containsExactly(1);
    }

    @Test
    void shouldCompareAsItsKeyAndItsConditionsDo() throws SQLException {
        run(
                "CREATE TABLE mixed (name NVARCHAR(20), n INT, email NVARCHAR(50), other VARCHAR(20) COLLATE"
                        + " Latin1_General_CS_AS, PRIMARY KEY (name, n), INDEX ix_mixed (email), INDEX ix_mixed_other (other))");
        run("INSERT INTO mixed (name, n, email, other) VALUES ('Ann', 1, 'Ann@x', 'Up'), ('bob', 2, 'ANN@x', 'up')");

        assertThat(column("SELECT n FROM mixed WHERE email = 'ann@x'")).containsExactlyInAnyOrder(1, 2);
        assertThat(column("SELECT n FROM mixed WHERE email = 'ann@x' AND other = 'up '"))
                .containsExactly(2);
        assertThat(column("SELECT n FROM mixed WHERE name = 'ANN' AND email = 'aNN@x'"))
                .containsExactly(1);
        assertThat(column("SELECT COUNT(*) FROM mixed WHERE name = 'ANN' AND n = 1 AND email = 'aNN@x'"))
                .containsExactly(1L);
        assertThat(run("UPDATE mixed SET other = 'x' WHERE name = 'ANN' AND n = 1 AND email = 'ANN@X'"))
                .isEqualTo(1);
        assertThat(run("DELETE FROM mixed WHERE name = 'BOB' AND n = 2 AND email = 'zoe@X'"))
                .isZero();
        assertThat(column("SELECT n FROM mixed WHERE name = 'ann' AND email COLLATE Latin1_General_BIN2 = 'ann@x'"))
                .isEmpty();
        assertThatThrownBy(() -> column("SELECT n FROM mixed WHERE email COLLATE Latin1_General_BIN2 = 'Ann@x'"))
                .isInstanceOf(SQLException.class)
                .hasMessageNotContaining("cassidy_eq");
        // The index does not serve them: all rows are read.
        assertThat(column("SELECT n FROM mixed WHERE email > 'ann@w'")).containsExactlyInAnyOrder(1, 2);
        assertThat(column("SELECT n FROM mixed WHERE email LIKE 'a%'")).containsExactlyInAnyOrder(1, 2);
        try (Connection direct = cluster.open("assist=off")) {
            for (String condition :
                    List.of("email COLLATE Latin1_General_BIN2 = 'Ann@x'", "email > 'a'", "email LIKE 'a%'")) {
                assertThatThrownBy(() -> column(direct, "SELECT n FROM mixed WHERE " + condition))
                        .as(condition)
                        .isInstanceOf(SQLException.class)
                        .hasMessageNotContaining("cassidy_eq");
            }
        }
    }

    @Test
    void shouldKeepUniqueOfSuchAColumn() throws SQLException {
        run(
                "CREATE TABLE unique_too (id INT PRIMARY KEY, email NVARCHAR(50) UNIQUE, v INT, INDEX ix_unique_too (email))");
        run("INSERT INTO unique_too (id, email, v) VALUES (1, 'Ann@x', 1)");
        assertThatThrownBy(() -> run("INSERT INTO unique_too (id, email) VALUES (2, 'ANN@x')"))
                .hasMessageContaining("unique_too");
        assertThat(column("SELECT id FROM unique_too WHERE email = ?", "ann@x")).containsExactly(1);
        assertThat(run("UPDATE unique_too SET email = 'Zoe@x' WHERE email = 'ANN@X'"))
                .isEqualTo(1);
        assertThat(column("SELECT id FROM unique_too WHERE email = 'ZOE@x'")).containsExactly(1);
        assertThat(column("SELECT id FROM unique_too WHERE email IN ('ZOE@x', 'ann@x')"))
                .containsExactly(1);
        assertThat(twins("unique_too")).containsOnly(Map.entry("Zoe@x", form("zoe@x")));
    }

    @Test
    void shouldRefuseByNameWhatItDoesNotServe() throws SQLException {
        table("refusing");
        run("INSERT INTO refusing (id, email, v) VALUES (1, 'Ann@x', 1)");
        for (String refused : List.of(
                "UPDATE refusing SET email = 'Zoe@x' WHERE id = 1 IF v = 1",
                "UPDATE refusing SET email = system.mask_default('b') WHERE id = 1",
                "INSERT INTO refusing (id, email) VALUES (2, system.mask_default('b'))",
                "ALTER TABLE refusing DROP COLUMN email",
                "ALTER TABLE refusing ALTER COLUMN email NVARCHAR(50) COLLATE Latin1_General_CS_AS")) {
            assertThatThrownBy(() -> runText(refused))
                    .as(refused)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("email")
                    .hasMessageNotContaining("cassidy_eq");
        }
        assertThatThrownBy(() -> runText("ALTER TABLE refusing DROP COLUMN cassidy_eq_email"))
                .hasMessageContaining("beside column email");
        assertThatThrownBy(() -> run("CREATE TABLE named_so (id INT PRIMARY KEY, cassidy_eq_x NVARCHAR(9))"))
                .hasMessageContaining("Give it another name");
        run("ALTER TABLE refusing ALTER COLUMN email NVARCHAR(60)");
        run("UPDATE refusing SET email = 'Zoe@x' WHERE id = 1");
        assertThat(column("SELECT email FROM refusing WHERE email = 'ZOE@x'")).containsExactly("Zoe@x");
    }

    @Test
    void shouldShowTheColumnsThatWereDeclared() throws SQLException {
        table("shown");
        run("INSERT INTO shown VALUES (1, 'Ann@x', 2)");
        DatabaseMetaData metaData = connection.getMetaData();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM shown WHERE email = 'ann@x'")) {
            assertThat(rows.getMetaData().getColumnCount()).isEqualTo(3);
        }
        try (ResultSet columns = metaData.getColumns(null, KEYSPACE, "shown", "%")) {
            assertThat(all(columns, 4)).containsExactly("id", "email", "v");
        }
        try (ResultSet indexes = metaData.getIndexInfo(null, KEYSPACE, "shown", false, true)) {
            assertThat(all(indexes, 9)).containsExactly("email");
        }
        assertThat(columnText("SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'shown'"))
                .hasSize(3);
        try (PreparedStatement statement = connection.prepareStatement("UPDATE shown SET email = ? WHERE id = ?")) {
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(2);
        }
        for (String planned : List.of(
                "SELECT v FROM shown WHERE email = 'A'",
                "UPDATE shown SET email = 'b' WHERE id = 1",
                "INSERT INTO shown VALUES (2, 'c', 1)")) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SHOWPLAN_TEXT ON");
                try (ResultSet rows = statement.executeQuery(planned)) {
                    assertThat(all(rows, 1).toString()).as(planned).doesNotContain("cassidy_eq");
                } finally {
                    statement.execute("SET SHOWPLAN_TEXT OFF");
                }
            }
        }
    }

    // ---- IdentitySession

    @Test
    void shouldFillItForIdentitySessionAndRefuseItsUpdates() throws SQLException {
        table("session");
        IdentitySession session = connection.unwrap(IdentitySession.class).withExactConditions(ExactConditions.ADDED);
        session.execute("INSERT INTO session (id, email, v) VALUES (1, 'Literal', 1)");
        session.execute("INSERT INTO session (id, email, v) VALUES (?, ?, ?)", 2, "Given", 2);
        session.execute(
                session.prepare("INSERT INTO session (id, email) VALUES (?, ?)").bind(3, "Bound"));
        session.execute(
                session.prepare("INSERT INTO session (id, email) VALUES (?, ?)").bind(4, null));
        session.execute("INSERT INTO session (id, v) VALUES (5, 5)");
        session.execute("INSERT INTO session (id, email) VALUES (6, NULL)");

        assertThat(column("SELECT id FROM session WHERE email IN ('LITERAL', 'GIVEN', 'BOUND')"))
                .containsExactlyInAnyOrder(1, 2, 3);
        assertThat(column("SELECT id FROM session")).hasSize(6);
        for (String refused : List.of(
                "UPDATE session SET email = 'x' WHERE id = 1",
                "UPDATE session SET cassidy_eq_email = 'x' WHERE id = 1",
                "DELETE email FROM session WHERE id = 1",
                "INSERT INTO session (id, email, cassidy_eq_email) VALUES (7, 'a', 'b')")) {
            assertThatThrownBy(() -> session.execute(refused)).as(refused).hasMessageContaining("email");
            assertThatThrownBy(() -> session.execute(session.prepare(refused).bind()))
                    .as(refused)
                    .hasMessageContaining("email");
        }
        session.execute("UPDATE session SET v = 9 WHERE id = 1");
        assertThat(column("SELECT v FROM session WHERE email = 'literal'")).containsExactly(9);
    }

    // ---- CREATE INDEX

    @Test
    void shouldEndByTheTimeoutOfItsStatement() throws Exception {
        run("CREATE TABLE hurried (id INT IDENTITY PRIMARY KEY, email NVARCHAR(50))");
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> statement.execute("CREATE INDEX ix_hurried ON hurried (email)"))
                    .isInstanceOf(SQLTimeoutException.class)
                    .hasMessageContaining("was not made", "Run the statement again");
            statement.setQueryTimeout(0);

            CompletableFuture<Void> cancelling = CompletableFuture.runAsync(
                    () -> {
                        try {
                            statement.cancel();
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
            assertThatThrownBy(() -> statement.execute("CREATE INDEX ix_hurried ON hurried (email)"))
                    .hasMessageContaining("was not made", "stays");
            cancelling.get(1, TimeUnit.MINUTES);

            statement.execute("CREATE INDEX ix_hurried ON hurried (email)");
        }
        run("INSERT INTO hurried (email) VALUES ('Ann@x')");
        assertThat(column("SELECT id FROM hurried WHERE email = 'ANN@X'")).hasSize(1);
    }

    @Test
    void shouldMakeAnIndexOfATableWithoutRows() throws SQLException {
        run("CREATE TABLE later (id INT IDENTITY PRIMARY KEY, email NVARCHAR(50), code VARCHAR(9) COLLATE"
                + " Latin1_General_BIN2)");
        // It is prepared before the index is declared.
        try (PreparedStatement insert = other.prepareStatement("INSERT INTO later (email) VALUES (?)");
                PreparedStatement update =
                        other.prepareStatement("UPDATE later SET email = ? WHERE id = ? AND email = ?")) {
            other.setAutoCommit(false);
            insert.setString(1, "Open");
            insert.executeUpdate();
            run("CREATE INDEX ix_later ON later (email)");
            run("CREATE INDEX ix_later_code ON later (code)");

            // What it has inserted has no form that the index compares.
            assertThatThrownBy(() -> column(other, "SELECT id FROM later WHERE email = 'OPEN'"))
                    .isInstanceOf(SQLTransactionRollbackException.class)
                    .hasMessageContaining("email");
            assertThatThrownBy(other::commit)
                    .isInstanceOf(SQLTransactionRollbackException.class)
                    .hasMessageContaining("email");
            other.rollback();
            other.setAutoCommit(true);
            insert.setString(1, "Ann@x");
            insert.executeUpdate();
            update.setString(1, "Zoe@x");
            update.setObject(
                    2, column("SELECT id FROM later WHERE email = 'ANN@X'").get(0));
            update.setString(3, "aNN@x");
            assertThat(update.executeUpdate()).isEqualTo(1);
        }
        Object zoe = column("SELECT id FROM later WHERE email = 'ZOE@X'").get(0);
        assertThat(column("SELECT id FROM later WHERE email = 'ann@x'")).isEmpty();
        run("UPDATE later SET code = 'A' WHERE id = ?", zoe);
        assertThat(column("SELECT id FROM later WHERE code = 'a'")).isEmpty();
        assertThat(column("SELECT id FROM later WHERE code = 'A'")).containsExactly(zoe);

        // What stands beside the column is kept on, so that the index can be made again.
        run("DROP INDEX ix_later ON later");
        try (Connection direct = cluster.open("assist=off")) {
            assertThatThrownBy(() -> column(direct, "SELECT id FROM later WHERE email = 'ZOE@X'"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(column("SELECT id FROM later WHERE email = 'ZOE@X'"))
                .as("all rows are read")
                .containsExactly(zoe);
        run("INSERT INTO later (email) VALUES ('Bob@x')");
        run("UPDATE later SET email = 'ann@x' WHERE id = ?", zoe);
        run("CREATE NONCLUSTERED INDEX ix_again ON later (email ASC)");
        assertThat(column("SELECT email FROM later WHERE email IN ('ANN@X', 'BOB@X')"))
                .containsExactlyInAnyOrder("ann@x", "Bob@x");
        run("DROP INDEX ix_again ON later");
        run("ALTER TABLE later DROP COLUMN email");
        assertThat(TestCluster.session()
                        .execute(
                                "SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = 'later'",
                                KEYSPACE)
                        .all())
                .extracting(row -> row.getString(0))
                .containsExactlyInAnyOrder("id", "code", "cassidy_tx");
        run("INSERT INTO later (code) VALUES ('B')");
    }

    @Test
    void shouldRefuseAnIndexOfATableWithRows() throws SQLException {
        run("CREATE TABLE filled (id INT PRIMARY KEY, email NVARCHAR(50))");
        run("INSERT INTO filled (id, email) VALUES (1, 'Ann@x')");

        assertThatThrownBy(() -> run("CREATE INDEX ix_filled ON filled (email)"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("cassidy tables add-twin")
                .hasMessageContaining("--table " + KEYSPACE + ".filled --column email");
        run("DELETE FROM filled WHERE id = 1");

        // Who does not know of it inserts a row meanwhile.
        CompletableFuture<Void> index = CompletableFuture.runAsync(() -> {
            try {
                run("CREATE INDEX ix_filled ON filled (email)");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        await().atMost(Duration.ofMinutes(1))
                .until(() -> !definition("filled").twins().isEmpty());
        assertThat(definition("filled").twins().values())
                .containsExactly(new Twin(Collation.DEFAULT_NAME, Collation.NEWEST_VERSION, Twin.Place.BUILDING));
        TestCluster.session()
                .execute("INSERT INTO " + KEYSPACE + ".filled (id, email, cassidy_tx) VALUES (2, 'Bob@x', 0xff)");

        assertThatThrownBy(index::join).rootCause().hasMessageContaining("cassidy tables add-twin");
        assertThat(definition("filled").twins().values()).noneMatch(Twin::isComplete);
        try (Connection direct = cluster.open("assist=off")) {
            assertThatThrownBy(() -> column(direct, "SELECT id FROM filled WHERE email = 'BOB@x'"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(column("SELECT id FROM filled WHERE email = 'BOB@x'"))
                .as("all rows are read, also without a twin")
                .containsExactly(2);
        run("UPDATE filled SET email = 'Kept@x' WHERE id = 2");
        assertThat(twins("filled")).containsOnly(Map.entry("Kept@x", form("kept@x")));
    }

    private static TableDefinition definition(String table) {
        try (Sequences reading = Sequences.open(TestCluster.session(), SequencesConfig.defaults())) {
            return InternalAccess.tables(reading).contract(KEYSPACE, table).definition();
        }
    }
}
