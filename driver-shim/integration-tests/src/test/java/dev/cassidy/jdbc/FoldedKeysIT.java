package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.collation.Collation;
import dev.cassidy.cql.ExactConditions;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Keys of strings on one node: one row for all that their collation takes for equal, and each shown as it was written. */
class FoldedKeysIT {

    private static final String KEYSPACE = "folded_keys_it";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @AutoClose
    private final Connection other = cluster.open();

    @BeforeAll
    static void create() {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
    }

    private static PreparedStatement prepared(Connection on, String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = on.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    private static int run(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepared(on, sql, parameters)) {
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

    private void executeText(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<Object> column(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepared(on, sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            return first(rows);
        }
    }

    private List<Object> column(String sql, Object... parameters) throws SQLException {
        return column(connection, sql, parameters);
    }

    private List<Object> columnText(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return first(rows);
        }
    }

    private static List<Object> first(ResultSet rows) throws SQLException {
        return all(rows, 1);
    }

    private static List<Object> all(ResultSet rows, int column) throws SQLException {
        List<Object> found = new ArrayList<>();
        while (rows.next()) {
            found.add(rows.getObject(column));
        }
        return found;
    }

    private static void assertDuplicate(ThrowingCallable statement, String... said) {
        assertThatThrownBy(statement)
                .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                .satisfies(e -> {
                    assertThat(((SQLException) e).getErrorCode()).isEqualTo(2627);
                    assertThat(e.getMessage()).doesNotContain("cassidy_eq");
                    for (String each : said) {
                        assertThat(e.getMessage()).contains(each);
                    }
                });
    }

    // ---- one column

    @Test
    void shouldTakeStringsThatDifferInCaseAndBlanksForOneKey() throws SQLException {
        run("CREATE TABLE account (name NVARCHAR(20) PRIMARY KEY, role NVARCHAR(20), n INT)");

        run("INSERT INTO account (name, role, n) VALUES (?, ?, 1)", "Admin", "root");
        assertDuplicate(() -> run("INSERT INTO account (name, role) VALUES (?, ?)", "admin ", "x"), "name=admin");
        assertDuplicate(() -> runText("INSERT INTO account (name, role) VALUES ('ADMIN', 'x')"), "name='ADMIN'");
        assertDuplicate(() -> runText("INSERT INTO account VALUES (N'aDMIN', 'x', 3)"), "aDMIN");
        run("INSERT INTO account (name, role) VALUES ('Admín', 'other')");

        assertThat(column("SELECT name FROM account WHERE name = ?", "ADMIN")).containsExactly("Admin");
        assertThat(columnText("SELECT role FROM account WHERE name = 'admin   '"))
                .containsExactly("root");
        assertThat(column("SELECT name FROM account WHERE ? = name", "aDmin")).containsExactly("Admin");
        assertThat(column("SELECT name FROM account WHERE name LIKE ?", "ADMIN"))
                .containsExactly("Admin");
        assertThat(column("SELECT name FROM account WHERE name = 'nobody'")).isEmpty();
        assertThat(column("SELECT name FROM account")).containsExactlyInAnyOrder("Admin", "Admín");

        assertThat(run("UPDATE account SET role = ? WHERE name = ?", "king", "admin"))
                .isEqualTo(1);
        assertThat(runText("UPDATE account SET n = n + 1 WHERE name = 'ADMIN' AND role = 'king'"))
                .isEqualTo(1);
        assertThat(run("UPDATE account SET role = ? WHERE name = ?", "king", "adm"))
                .isZero();
        assertThat(column("SELECT n FROM account WHERE name = 'admin'")).containsExactly(2);
        assertThat(run("DELETE FROM account WHERE name = ?", "ADMIN ")).isEqualTo(1);
        assertThat(run("DELETE FROM account WHERE name = ?", "ADMIN ")).isZero();
        run("INSERT INTO account (name, role) VALUES (?, ?)", "admin ", "again");
        assertThat(column("SELECT name FROM account WHERE name = 'ADMIN'")).containsExactly("admin ");
    }

    @Test
    void shouldHaveTheFoldedKeyInCassandraAndTheValueBeside() throws SQLException {
        run("CREATE TABLE stored (code CHAR(5) PRIMARY KEY, v INT)");
        run("INSERT INTO stored (code, v) VALUES ('Ab', 1)");

        Row row = TestCluster.session()
                .execute("SELECT * FROM " + KEYSPACE + ".stored")
                .one();

        assertThat(row.getString("cassidy_eq_code"))
                .isEqualTo(Collation.standard().fold("Ab"))
                .isNotEqualTo("Ab");
        assertThat(row.getString("code")).isEqualTo("Ab   ");
        assertThat(column("SELECT v FROM stored WHERE code = 'AB'")).containsExactly(1);
    }

    @Test
    void shouldReadSeveralKeysEachOnce() throws SQLException {
        run("CREATE TABLE several (name VARCHAR(20) NOT NULL PRIMARY KEY, v INT)");
        run("INSERT INTO several (name, v) VALUES ('One', 1), ('Two', 2), ('Three', 3)");

        assertThat(column("SELECT name FROM several WHERE name IN (?, ?, ?)", "ONE", "one ", "tWO"))
                .containsExactlyInAnyOrder("One", "Two");
        assertThat(columnText("SELECT name FROM several WHERE name IN ('THREE', 'three', 'x')"))
                .containsExactly("Three");
        assertThat(columnText("SELECT name FROM several WHERE name = 'ONE' OR name = 'two' OR name = 'TWO'"))
                .containsExactlyInAnyOrder("One", "Two");
        assertThat(run("UPDATE several SET v = 9 WHERE name IN ('ONE', 'one', 'THREE')"))
                .isEqualTo(2);
        assertThat(run("DELETE FROM several WHERE name IN (?, ?)", "TWO", "two"))
                .isEqualTo(1);
        assertDuplicate(() -> run("INSERT INTO several (name, v) VALUES ('Four', 4), ('FOUR', 5)"), "FOUR");
        assertThat(column("SELECT v FROM several")).containsExactlyInAnyOrder(9, 9, 4);
    }

    @Test
    void shouldTakeTheEmptyStringForAKey() throws SQLException {
        run("CREATE TABLE vacant (name NVARCHAR(10) PRIMARY KEY, v INT)");

        run("INSERT INTO vacant (name, v) VALUES ('', 1)");
        assertDuplicate(() -> run("INSERT INTO vacant (name, v) VALUES ('  ', 2)"));
        assertThat(column("SELECT name FROM vacant WHERE name = ?", " ")).containsExactly("");
        assertThatThrownBy(() -> run("INSERT INTO vacant (v) VALUES (3)"))
                .hasMessageContaining("Cannot insert the value NULL into column 'name'");
        assertThatThrownBy(() -> run("INSERT INTO vacant (name, v) VALUES (?, 3)", (Object) null))
                .hasMessageContaining("Cannot insert the value NULL into column 'name'");
        assertThatThrownBy(() -> runText("INSERT INTO vacant (name, v) VALUES (NULL, 3)"))
                .hasMessageContaining("Cannot insert the value NULL into column 'name'");
        assertThat(column("SELECT v FROM vacant WHERE name = ?", (Object) null)).isEmpty();
        assertThat(run("DELETE FROM vacant WHERE name = ''")).isEqualTo(1);
    }

    @Test
    void shouldFoldKeysOfAnyNameAndDeclaration() throws SQLException {
        run("CREATE TABLE odd ([Order Name] VARCHAR(10) PRIMARY KEY, [Limit] INT)");
        run("CREATE TABLE later (name SYSNAME, v INT); ALTER TABLE later ADD CONSTRAINT pk PRIMARY KEY (name)");
        run("CREATE TABLE clause (key NCHAR(8), token NVARCHAR(8), v INT, PRIMARY KEY (key, token))");

        run("INSERT INTO odd ([Order Name], [Limit]) VALUES ('A''b', 1)");
        assertThat(run("UPDATE odd SET [Limit] = 2 WHERE [Order Name] = ?", "a'B "))
                .isEqualTo(1);
        assertThat(columnText("SELECT [Order Name] FROM odd WHERE [Order Name] IN ('A''B', 'x')"))
                .containsExactly("A'b");
        run("INSERT INTO later VALUES ('X', 1)");
        assertDuplicate(() -> run("INSERT INTO later VALUES ('x', 1)"), "name='x'");
        assertThat(column("SELECT v FROM later WHERE name = 'x'")).containsExactly(1);
        run("INSERT INTO clause (key, token, v) VALUES ('K', 'T', 1)");
        assertThat(column("SELECT v FROM clause WHERE key = ? AND token = ?", "k", "t"))
                .containsExactly(1);
        assertThat(column("SELECT token FROM clause WHERE key = 'k' ORDER BY token DESC"))
                .containsExactly("T");
        connection.setAutoCommit(false);
        run("INSERT INTO clause (key, token, v) VALUES ('k', 'u', 2)");
        assertThat(column("SELECT v FROM clause WHERE (key = 'K' AND token = 'U') OR (key = 'K' AND token = 't')"))
                .containsExactlyInAnyOrder(2, 1);
        connection.commit();
    }

    @Test
    void shouldFillDefaultsOfKeys() throws SQLException {
        run("CREATE TABLE defaulted (name NVARCHAR(40) NOT NULL DEFAULT 'Nobody', v INT, PRIMARY KEY (name))");
        run("CREATE TABLE drawn (name NVARCHAR(40) NOT NULL DEFAULT NEWID(), v INT, PRIMARY KEY (name))");

        run("INSERT INTO defaulted (v) VALUES (1)");
        assertDuplicate(() -> run("INSERT INTO defaulted (name, v) VALUES ('NOBODY', 2)"));
        assertThat(column("SELECT name FROM defaulted WHERE name = 'nobody'")).containsExactly("Nobody");
        run("INSERT INTO drawn (v) VALUES (1)");
        String id = (String) column("SELECT name FROM drawn").get(0);
        assertThat(column("SELECT v FROM drawn WHERE name = ?", id.toLowerCase(java.util.Locale.ROOT)))
                .containsExactly(1);
        String given = UUID.randomUUID().toString();
        run("INSERT INTO drawn (name, v) VALUES (?, 2)", given);
        assertThat(column("SELECT v FROM drawn WHERE name = ?", given.toUpperCase(java.util.Locale.ROOT)))
                .containsExactly(2);
    }

    @Test
    void shouldChangeTheCaseOfAKeyAndNothingElse() throws SQLException {
        run("CREATE TABLE renamed (name NVARCHAR(20) PRIMARY KEY, v INT)");
        run("INSERT INTO renamed (name, v) VALUES ('admin', 1)");

        assertThat(run("UPDATE renamed SET name = ? WHERE name = ?", "Admin", "ADMIN"))
                .isEqualTo(1);
        assertThat(column("SELECT name FROM renamed")).containsExactly("Admin");
        assertThat(runText("UPDATE renamed SET name = 'ADMIN', v = 2 WHERE name = 'admin'"))
                .isEqualTo(1);
        assertThat(column("SELECT name FROM renamed WHERE v = 2 AND name = 'admin'"))
                .containsExactly("ADMIN");
        assertThat(run("UPDATE renamed SET name = 'x' WHERE name = 'X'")).isZero();
        for (String refused : List.of(
                "UPDATE renamed SET name = 'root' WHERE name = 'admin'",
                "UPDATE renamed SET name = NULL WHERE name = 'admin'",
                "UPDATE renamed SET name = 'Admin' WHERE name IN ('admin')",
                "DELETE name FROM renamed WHERE name = 'admin'")) {
            assertThatThrownBy(() -> run(refused))
                    .as(refused)
                    .hasMessageContaining("name")
                    .isInstanceOf(SQLException.class);
        }
        assertThat(column("SELECT name FROM renamed")).containsExactly("ADMIN");
    }

    // ---- composite keys

    @Test
    void shouldFoldOneColumnOfSeveral() throws SQLException {
        run("CREATE TABLE line (tenant INT NOT NULL, code NVARCHAR(10) NOT NULL, v INT, PRIMARY KEY (tenant, code))");
        run("INSERT INTO line (tenant, code, v) VALUES (1, 'b', 1), (1, 'A', 2), (1, 'C', 3), (2, 'a', 4)");

        assertDuplicate(
                () -> run("INSERT INTO line (tenant, code, v) VALUES (?, ?, ?)", 1, "a", 0), "tenant=1, code=a");
        assertThat(column("SELECT code FROM line WHERE tenant = 1")).containsExactly("A", "b", "C");
        assertThat(column("SELECT code FROM line WHERE tenant = 1 ORDER BY code DESC"))
                .containsExactly("C", "b", "A");
        assertThat(column("SELECT code FROM line WHERE tenant = 1 AND code >= ? AND code < ?", "B", "c "))
                .containsExactly("b");
        assertThat(columnText("SELECT code FROM line WHERE tenant = 1 AND code BETWEEN 'B' AND 'c'"))
                .containsExactly("b", "C");
        assertThat(column("SELECT v FROM line WHERE tenant = ? AND code = ?", 1, "a"))
                .containsExactly(2);
        assertThat(columnText("SELECT v FROM line WHERE (tenant = 1 AND code = 'a') OR (tenant = 2 AND code = 'A')"
                        + " OR (tenant = 1 AND code = 'A')"))
                .containsExactlyInAnyOrder(2, 4);
        assertThat(columnText("SELECT DISTINCT tenant, code FROM line WHERE tenant = 2"))
                .containsExactly(2);
        assertThat(run("UPDATE line SET v = 7 WHERE tenant = 1 AND code IN ('a', 'B', 'z')"))
                .isEqualTo(2);
        assertThat(run("UPDATE line SET v = 8 WHERE tenant = 1 AND code > 'B'")).isEqualTo(1);
        assertThat(run("DELETE FROM line WHERE tenant = 1 AND code = 'c'")).isEqualTo(1);
        assertThat(run("DELETE FROM line WHERE tenant = 2")).isEqualTo(1);
        assertThat(column("SELECT v FROM line")).containsExactlyInAnyOrder(7, 7);
    }

    @Test
    void shouldOrderByTheFoldedColumnWhereTheKeyDoes() throws SQLException {
        run("CREATE TABLE ranked (id INT, name NVARCHAR(10), v INT, PRIMARY KEY (id, name))"
                + " WITH CLUSTERING ORDER BY (name DESC)");
        run("INSERT INTO ranked (id, name, v) VALUES (1, 'x', 1), (1, 'Y', 2), (1, 'z', 3)");

        assertThat(column("SELECT name FROM ranked WHERE id = 1")).containsExactly("z", "Y", "x");
        assertThat(column("SELECT TOP 1 name FROM ranked WHERE id = 1 ORDER BY name"))
                .containsExactly("x");
        assertThat(column("SELECT name FROM ranked WHERE id = 1 AND name <= 'y'"))
                .containsExactly("Y", "x");
    }

    @Test
    void shouldFoldAColumnBesideAnIdentity() throws SQLException {
        run("CREATE TABLE tag (id INT IDENTITY, name NVARCHAR(10) NOT NULL, v INT, PRIMARY KEY (id, name))");

        run("INSERT INTO tag (name, v) VALUES ('Red', 1)");
        runText("INSERT INTO tag (name, v) VALUES ('Blue', 2), ('Green', 3)");
        connection.setAutoCommit(false);
        run("INSERT INTO tag (name, v) VALUES (?, 4)", "Black");
        connection.commit();
        connection.setAutoCommit(true);
        int id = (Integer)
                column("SELECT id FROM tag WHERE v = 4 ALLOW FILTERING").get(0);

        assertThat(column("SELECT name FROM tag WHERE id = ? AND name = ?", id, "BLACK"))
                .containsExactly("Black");
        assertThat(run("UPDATE tag SET v = 5 WHERE id = ? AND name = ?", id, "black"))
                .isEqualTo(1);
        assertThat(column("SELECT name FROM tag")).containsExactlyInAnyOrder("Red", "Blue", "Green", "Black");
    }

    // ---- batches and transactions

    @Test
    void shouldFoldTheKeysOfBatches() throws SQLException {
        run("CREATE TABLE batched (name NVARCHAR(20) PRIMARY KEY, v INT)");

        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO batched (name, v) VALUES (?, ?)");
                PreparedStatement update = connection.prepareStatement("UPDATE batched SET v = ? WHERE name = ?")) {
            for (String name : List.of("One", "Two", "Three")) {
                insert.setString(1, name);
                insert.setInt(2, 1);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsExactly(1, 1, 1);
            insert.setString(1, "TWO");
            insert.setInt(2, 2);
            insert.addBatch();
            assertThatThrownBy(insert::executeBatch).isInstanceOf(BatchUpdateException.class);
            for (String name : List.of("ONE", "one", "TWO", "four")) {
                update.setInt(1, 5);
                update.setString(2, name);
                update.addBatch();
            }
            assertThat(update.executeBatch()).containsExactly(1, 1, 1, 0);
        }
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("INSERT INTO batched (name, v) VALUES ('Five', 1)");
            statement.addBatch("UPDATE batched SET v = 6 WHERE name = 'FIVE'");
            statement.addBatch("DELETE FROM batched WHERE name = 'THREE'");
            assertThat(statement.executeBatch()).containsExactly(1, 1, 1);
        }
        assertThat(column("SELECT name FROM batched")).containsExactlyInAnyOrder("One", "Two", "Five");
        assertThat(column("SELECT v FROM batched")).containsExactlyInAnyOrder(5, 5, 6);
    }

    @Test
    void shouldFindOwnRowsInATransaction() throws SQLException {
        run("CREATE TABLE pending (name NVARCHAR(20) PRIMARY KEY, v INT)");
        run("INSERT INTO pending (name, v) VALUES ('Old', 1)");
        connection.setAutoCommit(false);

        run("INSERT INTO pending (name, v) VALUES ('New', 1)");
        assertThat(column("SELECT name FROM pending WHERE name = ?", "NEW")).containsExactly("New");
        assertThat(column("SELECT name FROM pending WHERE name IN ('new', 'OLD')"))
                .containsExactlyInAnyOrder("New", "Old");
        assertThat(run("UPDATE pending SET v = v + 1 WHERE name = 'nEW'")).isEqualTo(1);
        assertDuplicate(() -> run("INSERT INTO pending (name, v) VALUES (?, 2)", "NEW "), "NEW");
        assertDuplicate(() -> run("INSERT INTO pending (name, v) VALUES ('OLD', 2)"), "OLD");
        assertThat(run("DELETE FROM pending WHERE name = 'OLD'")).isEqualTo(1);
        run("INSERT INTO pending (name, v) VALUES ('oLd', 3)");
        assertThat(column("SELECT name FROM pending")).containsExactlyInAnyOrder("New", "oLd");
        connection.commit();
        assertThat(column(other, "SELECT v FROM pending WHERE name = 'new'")).containsExactly(2);
        assertThat(column(other, "SELECT name FROM pending")).containsExactlyInAnyOrder("New", "oLd");
        assertThat(run("UPDATE pending SET name = 'NEW' WHERE name = 'new'")).isEqualTo(1);
        assertThat(column("SELECT name FROM pending WHERE name = 'new'")).containsExactly("NEW");
        connection.rollback();
        assertThat(column("SELECT name FROM pending WHERE name = 'new'")).containsExactly("New");
    }

    @Test
    void shouldLetOneOfTwoWritersHaveAKey() throws SQLException {
        run("CREATE TABLE raced (name NVARCHAR(20) PRIMARY KEY, v INT)");
        run("CREATE TABLE besides (id INT PRIMARY KEY)");
        connection.setAutoCommit(false);
        other.setAutoCommit(false);

        run("INSERT INTO raced (name, v) VALUES ('Admin', 1)");
        run("INSERT INTO besides (id) VALUES (1)");
        run(other, "INSERT INTO raced (name, v) VALUES ('ADMIN', 2)");
        run(other, "INSERT INTO besides (id) VALUES (2)");
        other.commit();

        assertDuplicate(connection::commit, "name='Admin'");
        assertThat(column("SELECT name FROM raced")).containsExactly("ADMIN");
        assertThat(column("SELECT id FROM besides")).containsExactly(2);
    }

    @Test
    void shouldKeepUniqueBesideSuchAKey() throws SQLException {
        run("CREATE TABLE person (login NVARCHAR(20) PRIMARY KEY, email NVARCHAR(50) UNIQUE, v INT)");
        run("INSERT INTO person (login, email, v) VALUES ('Ann', 'ann@example.org', 1)");

        assertThatThrownBy(() -> run("INSERT INTO person (login, email) VALUES ('Bob', 'ANN@example.org')"))
                .isInstanceOf(SQLIntegrityConstraintViolationException.class);
        assertDuplicate(() -> run("INSERT INTO person (login, email) VALUES ('ANN', 'b@example.org')"), "ANN");
        assertThat(column("SELECT login FROM person WHERE email = ?", "ANN@EXAMPLE.ORG"))
                .containsExactly("Ann");
        assertThat(run("UPDATE person SET v = 2 WHERE email = 'Ann@Example.org'"))
                .isEqualTo(1);
        assertThat(run("UPDATE person SET email = 'new@example.org' WHERE login = 'ANN'"))
                .isEqualTo(1);
        run("INSERT INTO person (login, email) VALUES ('Bob', 'ann@example.org')");
        assertThat(run("DELETE FROM person WHERE login = 'BOB'")).isEqualTo(1);
        run("INSERT INTO person (login, email) VALUES ('Cid', 'ann@example.org')");
        assertThat(column("SELECT login FROM person WHERE email = 'ANN@example.org'"))
                .containsExactly("Cid");
    }

    @Test
    void shouldFindAUniqueValueThatIsOfTheKeyToo() throws SQLException {
        run("CREATE TABLE badge (tenant NVARCHAR(20), id INT, code NVARCHAR(20), v INT, PRIMARY KEY (tenant, id),"
                + " UNIQUE (tenant, code))");
        run("CREATE TABLE seat (id INT, name NVARCHAR(20), v INT, PRIMARY KEY (id, name), UNIQUE (name))");
        run("INSERT INTO badge (tenant, id, code, v) VALUES ('Acme', 1, 'X', 0)");
        run("INSERT INTO seat (id, name, v) VALUES (7, 'Left', 0)");

        assertThat(run("UPDATE badge SET v = 1 WHERE tenant = 'ACME' AND code = 'x'"))
                .isEqualTo(1);
        assertThat(run("UPDATE badge SET v = 1 WHERE tenant = ? AND code = ?", "acme", "y"))
                .isZero();
        assertThat(run("UPDATE seat SET v = 1 WHERE name = ?", "LEFT ")).isEqualTo(1);
        assertThat(column("SELECT name FROM seat WHERE name = 'left'")).containsExactly("Left");
        assertThat(run("DELETE FROM seat WHERE name = 'right'")).isZero();
        assertThat(run("DELETE FROM seat WHERE name = 'LEFT'")).isEqualTo(1);
    }

    /** NULL is written out, and equals nothing. */
    @Test
    void shouldCompareWithNull() throws SQLException {
        run("CREATE TABLE nulls (name NVARCHAR(20) PRIMARY KEY, v INT)");
        run("INSERT INTO nulls (name, v) VALUES ('A', 1)");

        assertThat(columnText("SELECT v FROM nulls WHERE name = NULL")).isEmpty();
        assertThat(columnText("SELECT v FROM nulls WHERE name IN ('a', NULL)")).containsExactly(1);
        assertThat(runText("UPDATE nulls SET v = 2 WHERE name = NULL")).isZero();
        assertThat(runText("UPDATE nulls SET v = 2 WHERE name IN ('a', NULL)")).isEqualTo(1);
    }

    @Test
    void shouldAdviseAnIndexThatServesTheStatement() throws SQLException {
        run("CREATE TABLE advised (id INT, name NVARCHAR(20), v INT, PRIMARY KEY (id, name))");
        run("INSERT INTO advised (id, name, v) VALUES (1, 'Ann', 5)");

        try (Connection direct = cluster.open("assist=off");
                Statement statement = direct.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT v FROM advised WHERE name = 'ann'"))
                    .hasMessageContaining("CREATE INDEX advised_name ON " + KEYSPACE + ".advised (name)")
                    .hasMessageNotContaining("cassidy_eq_");
        }
        executeText("CREATE INDEX advised_name ON advised (name)");
        assertThat(columnText("SELECT v FROM advised WHERE name = 'ANN'")).containsExactly(5);
    }

    // ---- collations

    @Test
    void shouldCompareAsTheColumnsCollationDoes() throws SQLException {
        run("CREATE TABLE bin (name NVARCHAR(20) COLLATE Latin1_General_BIN2 PRIMARY KEY)");
        run("CREATE TABLE cs (name NVARCHAR(20) COLLATE Latin1_General_100_CS_AS PRIMARY KEY)");
        run("CREATE TABLE ai (name NVARCHAR(20) COLLATE Latin1_General_100_CI_AI PRIMARY KEY)");

        run("INSERT INTO bin (name) VALUES ('a')");
        run("INSERT INTO bin (name) VALUES ('A')");
        assertThat(column("SELECT name FROM bin WHERE name = 'A'")).containsExactly("A");
        run("INSERT INTO cs (name) VALUES ('a')");
        run("INSERT INTO cs (name) VALUES ('A')");
        assertDuplicate(() -> run("INSERT INTO cs (name) VALUES ('A ')"));
        assertThat(column("SELECT name FROM cs WHERE name = 'A  '")).containsExactly("A");
        run("INSERT INTO ai (name) VALUES ('résumé')");
        assertDuplicate(() -> run("INSERT INTO ai (name) VALUES ('RESUME')"));
        assertThat(column("SELECT name FROM ai WHERE name = 'resume'")).containsExactly("résumé");
        assertThatThrownBy(() -> run("CREATE TABLE vi (name NVARCHAR(20) COLLATE Vietnamese_CI_AI PRIMARY KEY)"))
                .hasMessageContaining("PRIMARY KEY of column name")
                .hasMessageContaining("Vietnamese_CI_AI");
    }

    @Test
    void shouldLeaveTablesOfCqlAndPlainOnesAsTheyAre() throws SQLException {
        run("CREATE TABLE cql (name text PRIMARY KEY, v int)");
        run("CREATE TABLE loose (name NVARCHAR(20) PRIMARY KEY, v INT) WITH (plain)");
        for (String table : List.of("cql", "loose")) {
            run("INSERT INTO " + table + " (name, v) VALUES ('a', 1)");
            run("INSERT INTO " + table + " (name, v) VALUES ('A', 2)");
            assertThat(column("SELECT v FROM " + table + " WHERE name = 'a'")).containsExactly(1);
        }
    }

    // ---- what is refused

    @Test
    void shouldRefuseByNameWhatItDoesNotServe() throws SQLException {
        run("CREATE TABLE guarded (name NVARCHAR(20), id INT, v INT, PRIMARY KEY (name, id))");
        run("INSERT INTO guarded (name, id, v) VALUES ('a', 1, 1)");

        assertThat(columnText("SELECT DISTINCT name FROM guarded")).containsExactly("a");
        for (String refused : List.of(
                "SELECT v FROM guarded WHERE name COLLATE Latin1_General_BIN2 = 'a'",
                "SELECT v FROM guarded WHERE name = 'a' COLLATE Latin1_General_BIN2",
                "SELECT v FROM guarded WHERE name COLLATE Latin1_General_BIN2 = 'a' OR name = 'b'",
                "SELECT v FROM guarded WHERE name = 'a' ORDER BY name COLLATE Latin1_General_BIN2",
                "SELECT v FROM guarded WHERE token(name) > token('a')",
                "ALTER TABLE guarded DROP COLUMN name",
                "ALTER TABLE guarded ALTER COLUMN name NVARCHAR(20) COLLATE Latin1_General_CS_AS NOT NULL",
                "ALTER TABLE guarded RENAME cassidy_eq_name TO other",
                "UPDATE guarded SET name = 'b' WHERE name = 'a' AND id = 1",
                "INSERT INTO guarded (cassidy_eq_name, name, id) VALUES ('b', 'b', 1)",
                "CREATE TABLE clash (cassidy_eq_name NVARCHAR(20) PRIMARY KEY)")) {
            assertThatThrownBy(() -> executeText(refused))
                    .as(refused)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("name");
        }
        assertThat(column("SELECT v FROM guarded WHERE name = 'A'")).containsExactly(1);
        run("ALTER TABLE guarded ALTER COLUMN name NVARCHAR(40) NOT NULL");
        run("INSERT INTO guarded (name, id) VALUES (?, 1)", "x".repeat(30));
        assertThat(column("SELECT id FROM guarded WHERE name = ?", "X".repeat(30)))
                .containsExactly(1);
    }

    // ---- metadata

    @Test
    void shouldShowTheColumnsThatWereDeclared() throws SQLException {
        run("CREATE TABLE shown (Name NVARCHAR(20), id INT, v INT, PRIMARY KEY (Name, id))");
        run("INSERT INTO shown VALUES ('a', 1, 2)");
        DatabaseMetaData metaData = connection.getMetaData();

        try (PreparedStatement statement =
                connection.prepareStatement("SELECT * FROM shown WHERE name = ? AND id = ?")) {
            ResultSetMetaData columns = statement.getMetaData();
            assertThat(columns.getColumnCount()).isEqualTo(3);
            assertThat(columns.getColumnName(1)).isEqualToIgnoringCase("name");
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(2);
            assertThat(String.valueOf(statement.getParameterMetaData().getParameterTypeName(1)))
                    .doesNotContain("cassidy");
        }
        try (ResultSet columns = metaData.getColumns(null, KEYSPACE, "shown", "%")) {
            assertThat(all(columns, 4)).containsExactly("name", "id", "v");
        }
        try (ResultSet key = metaData.getPrimaryKeys(null, KEYSPACE, "shown")) {
            assertThat(all(key, 4)).containsExactly("id", "name");
        }
        try (ResultSet key =
                metaData.getBestRowIdentifier(null, KEYSPACE, "shown", DatabaseMetaData.bestRowSession, false)) {
            assertThat(all(key, 2)).containsExactly("name", "id");
        }
        assertThat(columnText("SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'shown'"))
                .doesNotContain("cassidy_eq_name")
                .hasSize(3);
        assertThat(columnText("SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE WHERE TABLE_NAME = 'shown'"))
                .map(each -> each.toString().toLowerCase(java.util.Locale.ROOT))
                .containsExactlyInAnyOrder("name", "id");
        assertThat(String.join(" ", plan("SELECT v FROM shown WHERE name = 'A' AND id = 1")))
                .contains("name")
                .doesNotContain("cassidy_eq");
        assertThat(String.join(" ", plan("UPDATE shown SET v = 1 WHERE name = 'A' AND id = 1")))
                .doesNotContain("cassidy_eq");
        assertThat(String.join(" ", plan("INSERT INTO shown VALUES ('b', 1, 2)")))
                .doesNotContain("cassidy_eq");
        for (String refused : List.of(
                "UPDATE shown SET v = 1 WHERE name = 'a' AND v = 2 AND id IN (SELECT 1)",
                "UPDATE shown SET v = 1 WHERE v = 2",
                "DELETE FROM shown WHERE v = 2",
                "SELECT v FROM shown WHERE id = 1",
                "SELECT v FROM shown WHERE name > 'a'",
                "SELECT v FROM shown WHERE id = 1 ORDER BY name",
                "CREATE INDEX i ON shown (nothing)")) {
            try (Connection direct = cluster.open("assist=off");
                    Statement statement = direct.createStatement()) {
                assertThatThrownBy(() -> statement.execute(refused))
                        .as(refused)
                        .isInstanceOf(SQLException.class)
                        .hasMessageNotContaining("cassidy_eq");
            }
            if (!refused.startsWith("CREATE")) {
                assertThat(String.join(" ", plan(refused))).as(refused).doesNotContain("cassidy_eq");
            }
        }
    }

    private List<String> plan(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SHOWPLAN_TEXT ON");
            try (ResultSet rows = statement.executeQuery(sql)) {
                return first(rows).stream().map(String::valueOf).toList();
            } finally {
                statement.execute("SET SHOWPLAN_TEXT OFF");
            }
        }
    }

    @Test
    void shouldKeepInTheContractHowAKeyIsCompared() throws SQLException {
        run(
                "CREATE TABLE kept (name NVARCHAR(20) COLLATE Latin1_General_CI_AI, other NVARCHAR(10), PRIMARY KEY (name, other))");
        UUID id = TestCluster.session()
                .execute(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = 'kept'", KEYSPACE)
                .one()
                .getUuid(0);

        try (Sequences reading = Sequences.open(TestCluster.session(), SequencesConfig.defaults())) {
            TableDefinition kept = InternalAccess.tables(reading)
                    .definitionAsync(KEYSPACE, "kept", id)
                    .toCompletableFuture()
                    .join()
                    .orElseThrow();

            assertThat(kept.twins())
                    .containsEntry("name", new Twin("Latin1_General_CI_AI", Collation.NEWEST_VERSION))
                    .containsEntry("other", new Twin(Collation.DEFAULT_NAME, Collation.NEWEST_VERSION))
                    .hasSize(2);
        }
    }

    // ---- IdentitySession

    @Test
    void shouldFillTwinsForIdentitySession() throws SQLException {
        run("CREATE TABLE session (name NVARCHAR(20) PRIMARY KEY, v INT)");
        IdentitySession session = connection.unwrap(IdentitySession.class).withExactConditions(ExactConditions.ADDED);

        assertThat(session.execute("INSERT INTO session (name, v) VALUES ('Literal', 1)")
                        .wasApplied())
                .isTrue();
        assertThat(session.execute("INSERT INTO session (name, v) VALUES (?, ?)", "LITERAL", 2)
                        .wasApplied())
                .isFalse();
        assertThat(session.execute(SimpleStatement.newInstance(
                                "INSERT INTO session (name, v) VALUES (:n, 3)", java.util.Map.of("n", "Named")))
                        .wasApplied())
                .isTrue();
        assertThat(session.execute(session.prepare("INSERT INTO session (v, name) VALUES (?, ?)")
                                .bind(4, "Bound"))
                        .wasApplied())
                .isTrue();
        assertThat(session.execute(session.prepare("INSERT INTO session (v, name) VALUES (:v, :name) IF NOT EXISTS")
                                .bind(5, "BOUND"))
                        .wasApplied())
                .isFalse();
        assertThat(column("SELECT name FROM session WHERE name IN ('LITERAL', 'NAMED', 'bound')"))
                .containsExactlyInAnyOrder("Literal", "Named", "Bound");
        assertThat(session.execute(
                                "UPDATE session SET v = 9 WHERE cassidy_eq_name = ?",
                                Collation.standard().fold("Bound"))
                        .wasApplied())
                .isTrue();
        assertThat(column("SELECT v FROM session WHERE name = 'BOUND'")).containsExactly(9);
    }

    @Test
    void shouldRefuseIdentitySessionsWritesOfTwins() throws SQLException {
        run("CREATE TABLE refusing (name NVARCHAR(20) PRIMARY KEY, v INT)");
        run("INSERT INTO refusing (name, v) VALUES ('a', 1)");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        String twin = "cassidy_eq_name = '" + Collation.standard().fold("a") + "'";

        for (String refused : List.of(
                "UPDATE refusing SET name = 'b' WHERE " + twin + " IF cassidy_tx >= 0xff",
                "DELETE name FROM refusing WHERE " + twin + " IF cassidy_tx >= 0xff",
                "INSERT INTO refusing (name, cassidy_eq_name, v) VALUES ('b', 'c', 1) IF NOT EXISTS",
                "INSERT INTO refusing (name, v) VALUES (system.mask_default('b'), 1) IF NOT EXISTS",
                "INSERT INTO refusing (v) VALUES (1) IF NOT EXISTS")) {
            assertThatThrownBy(() -> session.execute(refused)).as(refused).hasMessageContaining("name");
            assertThatThrownBy(() -> session.execute(session.prepare(refused).bind()))
                    .as(refused)
                    .hasMessageContaining("name");
            assertThatThrownBy(() -> session.execute(
                            BatchStatement.newInstance(BatchType.LOGGED, SimpleStatement.newInstance(refused))))
                    .as(refused)
                    .hasMessageContaining("name");
        }
        assertThatCode(() -> session.execute("UPDATE refusing SET v = 2 WHERE " + twin + " IF cassidy_tx >= 0xff"))
                .doesNotThrowAnyException();
        assertThat(column("SELECT name FROM refusing")).containsExactly("a");
    }

    @Test
    void shouldReadByAnIndexOnSuchAColumn() throws SQLException {
        run("CREATE TABLE indexed (id INT, name NVARCHAR(20), v INT, PRIMARY KEY (id, name))");
        run("CREATE INDEX ix_indexed_name ON indexed (name)");
        run("INSERT INTO indexed (id, name, v) VALUES (1, 'Admin', 1), (2, 'admin', 2), (3, 'x', 3)");

        assertThat(column("SELECT name FROM indexed WHERE name = ?", "ADMIN"))
                .containsExactlyInAnyOrder("Admin", "admin");
        try (ResultSet indexes = connection.getMetaData().getIndexInfo(null, KEYSPACE, "indexed", false, true)) {
            assertThat(all(indexes, 9)).containsExactly("name");
        }
    }
}
