package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** ALTER TABLE of tables that T-SQL has made, and what follows it in its script. */
class AlterTableIT {

    private static final String KEYSPACE = "alter_table_it";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh(KEYSPACE);
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
    }

    private int run(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    /** Runs a script; returns what its queries show, and its counts. */
    private List<Object> script(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            List<Object> shown = new ArrayList<>();
            boolean rows = statement.execute(sql);
            while (rows || statement.getUpdateCount() >= 0) {
                if (rows) {
                    shown.add(values(statement.getResultSet()));
                } else {
                    shown.add(statement.getUpdateCount());
                }
                rows = statement.getMoreResults();
            }
            return shown;
        }
    }

    private static List<Object> values(ResultSet rows) throws SQLException {
        List<Object> values = new ArrayList<>();
        while (rows.next()) {
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                values.add(rows.getObject(i));
            }
        }
        return values;
    }

    private List<Object> row(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return values(rows);
        }
    }

    private List<String> warningsOf(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            List<String> told = new ArrayList<>();
            for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
                told.add(each.getMessage());
            }
            return told;
        }
    }

    /** Returns the columns of a table with their types, as T-SQL declares them. */
    private List<Object> types(String table) throws SQLException {
        List<Object> types = new ArrayList<>();
        try (ResultSet columns = connection.getMetaData().getColumns(null, KEYSPACE, table, "%")) {
            while (columns.next()) {
                types.add(columns.getString("COLUMN_NAME") + " " + columns.getString("TYPE_NAME") + " "
                        + columns.getInt("COLUMN_SIZE"));
            }
        }
        return types;
    }

    private static AbstractThrowableAssert<?, ?> assertNumber(ThrowingCallable call, int number) {
        return assertThatThrownBy(call)
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("errorCode", number);
    }

    // ---- whose types

    @Test
    void shouldAddColumnsOfTsqlsTypesToATableOfTsql() throws SQLException {
        run("CREATE TABLE ours (id INT NOT NULL PRIMARY KEY, a NVARCHAR(9))");
        run("ALTER TABLE ours ADD n TINYINT");
        run("ALTER TABLE ours ADD (f FLOAT, d DECIMAL)");
        run("ALTER TABLE ours ADD one VARCHAR");
        run("ALTER TABLE ours ADD tags set<text>");
        try (Statement batch = connection.createStatement()) {
            batch.addBatch("CREATE TABLE batched (id INT NOT NULL PRIMARY KEY, a NVARCHAR(9))");
            batch.addBatch("ALTER TABLE batched ADD n TINYINT");
            batch.executeBatch();
        }

        run("INSERT INTO ours (id, n, f, d, one, tags) VALUES (1, 200, 0.1, 2.5, 'x', {'t'})");
        assertThat(row("SELECT n, f, d, one FROM ours WHERE id = 1"))
                .containsExactly((short) 200, 0.1, new BigDecimal("3"), "x");
        assertThat(run("INSERT INTO batched (id, n) VALUES (1, 200)")).isEqualTo(1);
        assertNumber(() -> run("INSERT INTO ours (id, n) VALUES (2, 256)"), 220);
        assertNumber(() -> run("INSERT INTO ours (id, one) VALUES (2, 'xy')"), 2628);
        assertThat(row("SELECT * FROM ours WHERE id = 1")).hasSize(7);
        assertThat(row("SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'ours'"))
                .containsExactly(
                        "id",
                        "int",
                        "a",
                        "nvarchar",
                        "n",
                        "tinyint",
                        "f",
                        "float",
                        "d",
                        "decimal",
                        "one",
                        "varchar",
                        "tags",
                        "set<text>");
        assertThatThrownBy(() -> run("ALTER TABLE ours ADD at TIMESTAMP")).hasMessageContaining("write datetime2");
    }

    @Test
    void shouldAddColumnsOfCqlsTypesToATableOfCql() throws SQLException {
        run("CREATE TABLE theirs (id int PRIMARY KEY, a text)");
        run("ALTER TABLE theirs ADD n tinyint");
        run("ALTER TABLE theirs ADD (f float, at timestamp)");
        run("ALTER TABLE theirs ADD other tinyint; INSERT INTO theirs (id, other) VALUES (2, -1)");

        run("INSERT INTO theirs (id, n, f) VALUES (1, -1, 0.1)");
        assertThat(row("SELECT n, f FROM theirs WHERE id = 1")).containsExactly((short) -1, 0.1f);
        assertThat(row("SELECT other FROM theirs WHERE id = 2")).containsExactly((short) -1);
    }

    /** What no CQL looks like is T-SQL, of whatever table. */
    @Test
    void shouldReadAnAlterTableInTsqlsWordsAsTsql() throws SQLException {
        for (String add : List.of(
                "ALTER TABLE [worded] ADD n TINYINT",
                "ALTER TABLE dbo.worded ADD n TINYINT",
                "ALTER TABLE worded ADD n TINYINT, m TINYINT",
                "IF COL_LENGTH('worded', 'n') IS NULL ALTER TABLE worded ADD n TINYINT")) {
            run("DROP TABLE IF EXISTS worded");
            run("CREATE TABLE worded (id int PRIMARY KEY)");
            run(add);
            assertThat(run("INSERT INTO worded (id, n) VALUES (1, 200)"))
                    .as(add)
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldDropAConstraintOfATableOfTsqlWithoutSayingSo() throws SQLException {
        run(
                "CREATE TABLE unsaid (id INT NOT NULL PRIMARY KEY, n INT CONSTRAINT ck_unsaid CHECK (n > 0), b INT, c INT)");
        run("ALTER TABLE unsaid DROP ck_unsaid");
        assertThat(run("INSERT INTO unsaid (id, n) VALUES (1, 0)")).isEqualTo(1);
        run("ALTER TABLE unsaid DROP b");
        run("ALTER TABLE unsaid DROP COLUMN IF EXISTS b, c");
        assertThat(row("SELECT * FROM unsaid WHERE id = 1")).containsExactly(1, 0);
    }

    // ---- what follows a definition

    @Test
    void shouldReadWhatFollowsADefinitionWhenItIsReached() throws SQLException {
        run("CREATE TABLE followed (id INT NOT NULL PRIMARY KEY, a INT)");
        run("INSERT INTO followed (id, a) VALUES (1, 2)");

        assertThat(script("ALTER TABLE followed ADD C INT; UPDATE followed SET C = 3 WHERE id = 1;"
                        + " SELECT * FROM followed WHERE id = 1"))
                .containsExactly(0, 1, List.of(1, 2, 3));
        assertThat(script("ALTER TABLE followed DROP COLUMN a SELECT * FROM followed WHERE id = 1"
                        + " UPDATE followed SET C = 4 WHERE id = 1 SELECT @@ROWCOUNT"))
                .containsExactly(0, List.of(1, 3), 1, List.of(1));
        assertThat(script(
                        "CREATE TABLE fresh (id INT IDENTITY PRIMARY KEY, n INT); ALTER TABLE fresh ADD small TINYINT;"
                                + " INSERT INTO fresh (n, small) OUTPUT INSERTED.id VALUES (7, 200); SELECT SCOPE_IDENTITY();"
                                + " SELECT * FROM fresh WHERE id = 1"))
                .containsExactly(0, 0, List.of(1), List.of(BigDecimal.ONE), List.of(1, 7, (short) 200));
        assertThat(script(
                        "DROP TABLE followed; CREATE TABLE followed (small int PRIMARY KEY); ALTER TABLE followed ADD n tinyint;"
                                + " INSERT INTO followed (small, n) VALUES (1, -1); SELECT n FROM followed"))
                .endsWith(1, List.of((short) -1));
    }

    @Test
    void shouldGiveWhatFollowsADefinitionItsParameters() throws SQLException {
        run("CREATE TABLE bound (id INT NOT NULL PRIMARY KEY, a INT)");
        run(
                "INSERT INTO bound (id, a) VALUES (?, ?);  ALTER TABLE bound ADD b INT; UPDATE bound SET b = ? WHERE id = ?;"
                        + " DELETE FROM bound WHERE id = ?",
                1,
                2,
                3,
                1,
                9);
        try (PreparedStatement script = connection.prepareStatement(
                "ALTER TABLE bound ADD c INT;" + " SELECT a, b, c FROM bound WHERE id = ?")) {
            script.setInt(1, 1);
            try (ResultSet rows = script.executeQuery()) {
                assertThat(values(rows)).containsExactly(2, 3, null);
            }
        }
    }

    /** The words of T-SQL that cannot be served are known before anything runs. */
    @Test
    void shouldRefuseWhatFollowsADefinitionBeforeItRuns() throws SQLException {
        run("CREATE TABLE whole (id INT NOT NULL PRIMARY KEY, a INT)");
        for (String refused :
                List.of("MERGE whole", "ALTER TABLE whole ADD c HIERARCHYID", "SELECT a FROM whole WITH (TABLOCKX)")) {
            assertThatThrownBy(() -> script("ALTER TABLE whole ADD b INT; " + refused))
                    .as(refused)
                    .isInstanceOf(SQLException.class);
        }
        assertThatThrownBy(() -> row("SELECT b FROM whole")).hasFieldOrPropertyWithValue("errorCode", 207);
        assertThatThrownBy(() ->
                        run("DECLARE @id INT; INSERT INTO whole (id, a) VALUES (1, 1); ALTER TABLE whole ADD b INT;"
                                + " SET @other = SCOPE_IDENTITY(); SELECT @id"))
                .hasFieldOrPropertyWithValue("errorCode", 137);
        run("INSERT INTO whole (id, a) VALUES (1, 7), (2, 8)");
        script("ALTER TABLE whole ADD b INT DEFAULT 5; UPDATE whole SET b = a WHERE a = 7; UPDATE whole SET b = DEFAULT"
                + " WHERE id = 2");
        assertThat(row("SELECT b FROM whole ORDER BY id")).containsExactly(7, 5);
    }

    // ---- what rows may break

    @Test
    void shouldDeclareACheckThatRowsKeep() throws SQLException {
        run("CREATE TABLE looked (id INT NOT NULL PRIMARY KEY, n INT)");
        run("ALTER TABLE looked ADD CONSTRAINT ck_empty CHECK (n < 100)");
        run("INSERT INTO looked (id, n) VALUES (1, -1)");

        assertThatThrownBy(() -> run("ALTER TABLE looked WITH CHECK ADD CONSTRAINT ck_n CHECK (n > 0)"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("table alter_table_it.looked has rows, which may break it")
                .hasMessageContaining(
                        "cassidy tables alter --table alter_table_it.looked --add 'CONSTRAINT [ck_n] CHECK (n > 0)'");
        assertThatThrownBy(() -> run("ALTER TABLE looked ADD m INT CHECK (m IS NOT NULL)"))
                .hasMessageContaining("Add the columns without it");
        assertThat(row("SELECT * FROM looked")).containsExactly(1, -1);
        assertNumber(() -> run("UPDATE looked SET n = 100 WHERE id = 1"), 547);

        // What was declared before a crash is no new rule; a new column is NULL in the rows that are there.
        run("ALTER TABLE looked ADD CONSTRAINT ck_empty CHECK (n < 100)");
        run("ALTER TABLE looked ADD m INT CONSTRAINT ck_m CHECK (m > 0)");
        run("ALTER TABLE looked WITH NOCHECK ADD CONSTRAINT ck_n CHECK (n > 0)");
        assertNumber(() -> run("UPDATE looked SET m = 0 WHERE id = 1"), 547);
        assertNumber(() -> run("INSERT INTO looked (id, n) VALUES (2, 0)"), 547);
        assertThat(row("SELECT * FROM looked")).containsExactly(1, -1, null);
        // It is not kept at all, so it needs no look.
        assertThat(warningsOf("ALTER TABLE looked ADD at DATETIME, CHECK (at > '2000')"))
                .singleElement()
                .asString()
                .contains("was left out: CHECK (at > '2000')");
    }

    @Test
    void shouldRefuseAColumnThatRowsHaveNoValueFor() throws SQLException {
        run("CREATE TABLE filled (id INT NOT NULL PRIMARY KEY)");
        run("ALTER TABLE filled ADD a INT NOT NULL");
        run("INSERT INTO filled (id, a) VALUES (1, 1)");

        assertNumber(() -> run("ALTER TABLE filled ADD b INT NULL, c NVARCHAR(5) NOT NULL"), 4901)
                .hasMessageContaining("Column 'c' cannot be added to non-empty table 'alter_table_it.filled'")
                .hasMessageContaining("--columns 'c nvarchar(5) NOT NULL'");
        run("ALTER TABLE filled ADD d INT NOT NULL DEFAULT 1");
        assertThat(row("SELECT * FROM filled")).containsExactly(1, 1, null);
        run("CREATE TABLE of_cql (id int PRIMARY KEY)");
        assertThat(warningsOf("ALTER TABLE of_cql ADD a INT NOT NULL"))
                .singleElement()
                .asString()
                .contains("was left out: NOT NULL of a");
        assertThat(warningsOf("ALTER TABLE of_cql ADD v NVARCHAR(3) NULL, m MONEY"))
                .anyMatch(told -> told.contains("nvarchar(3) of v"))
                .anyMatch(told -> told.contains("money of m"));
    }

    // ---- names

    @Test
    void shouldGiveSqlServersNumbers() throws SQLException {
        run(
                "CREATE TABLE numbers (id INT NOT NULL PRIMARY KEY, a INT CONSTRAINT ck_a CHECK (a > 0), b INT CONSTRAINT df_b DEFAULT 1)");
        assertNumber(() -> run("ALTER TABLE numbers ADD CONSTRAINT CK_A CHECK (a > 1)"), 2714);
        assertNumber(() -> run("ALTER TABLE numbers ADD CONSTRAINT df_b CHECK (a > 1)"), 2714);
        assertNumber(() -> run("ALTER TABLE numbers ADD CONSTRAINT ck_a DEFAULT 1 FOR a"), 2714);
        assertNumber(() -> run("ALTER TABLE numbers ADD CONSTRAINT df_b DEFAULT 1 FOR a"), 2714);
        assertNumber(() -> run("ALTER TABLE numbers ADD c INT CONSTRAINT ck_a DEFAULT 1"), 2714);
        assertNumber(
                () -> run("ALTER TABLE numbers ADD c INT CONSTRAINT x CHECK (c > 1), CONSTRAINT X CHECK (a > 1)"),
                2714);
        assertNumber(
                () -> run("CREATE TABLE twice (id INT CONSTRAINT x PRIMARY KEY, a INT CONSTRAINT x CHECK (a > 1))"),
                2714);
        assertNumber(() -> run("ALTER TABLE numbers ADD a INT"), 2705);
        assertNumber(() -> run("ALTER TABLE numbers ADD c INT, C BIGINT"), 2705);
        assertNumber(() -> run("CREATE TABLE twice (id INT NOT NULL PRIMARY KEY, a INT, [A] NVARCHAR(5))"), 2705);
        assertNumber(() -> run("ALTER TABLE numbers DROP CONSTRAINT ck_a, unknown"), 3728)
                .hasMessageContaining("'unknown'");
        assertNumber(() -> run("ALTER TABLE numbers DROP COLUMN a"), 5074).hasMessageContaining("DROP CONSTRAINT ck_a");
        assertNumber(() -> run("INSERT INTO numbers (id, a, A) VALUES (1, 1, 2)"), 264);
        assertNumber(() -> run("INSERT INTO numbers (id, [a], a) VALUES (1, DEFAULT, 2)"), 264);
        assertNumber(() -> run("INSERT INTO numbers (id, a, a) VALUES (?, ?, ?)", 1, 1, 2), 264);
        assertNumber(() -> run("UPDATE numbers SET a = 1, a = 2 WHERE id = 1"), 264);
        assertNumber(() -> run("UPDATE numbers SET a = ?, a = ? WHERE id = ?", 1, 2, 1), 264);

        assertThat(row("SELECT * FROM numbers")).isEmpty();
        assertNumber(() -> run("INSERT INTO numbers (id, a) VALUES (1, 0)"), 547);
        run("ALTER TABLE numbers DROP CONSTRAINT IF EXISTS unknown, ck_a, df_b");
        run("INSERT INTO numbers (id, a) VALUES (1, 0)");
        assertThat(row("SELECT * FROM numbers")).containsExactly(1, 0, null);
        assertThat(warningsOf("ALTER TABLE numbers DROP CONSTRAINT IF EXISTS unknown"))
                .isEmpty();
    }

    // ---- types

    @Test
    void shouldKeepWhatTypesSay() throws SQLException {
        run(
                "CREATE TABLE typed (id INT NOT NULL PRIMARY KEY, s DATETIME2(0), m SMALLDATETIME, t TIME(0), name sysname)");
        run("ALTER TABLE typed ADD f DATETIMEOFFSET(1)");
        assertNumber(() -> run("INSERT INTO typed (id) VALUES (1)"), 515);
        assertNumber(() -> run("ALTER TABLE typed ADD x DECIMAL(39)"), 2750);
        assertNumber(() -> run("INSERT INTO typed (id, name) VALUES (3000000000, 'x')"), 8115);
        assertNumber(() -> run("INSERT INTO typed (id, name) VALUES (99999999999999999999, 'x')"), 8115);

        run(
                "INSERT INTO typed (id, name, s, m, t, f) VALUES (1, 'x', '2026-01-31 23:59:59.500', '2026-01-31 12:00:29.999',"
                        + " '12:00:00.500', '2026-01-31 12:00:00.250')");
        run(
                "INSERT INTO typed (id, name, s, m, t) VALUES (2, 'x', ?, ?, ?)",
                Timestamp.valueOf("2026-01-31 23:59:59.500"),
                Timestamp.valueOf("2026-01-31 12:00:29.998"),
                LocalTime.parse("12:00:00.5"));
        assertThat(times(1))
                .containsExactly("2026-02-01 00:00:00.0", "2026-01-31 12:01:00.0", "12:00:01", "2026-01-31 12:00:00.3");
        assertThat(times(2)).containsExactly("2026-02-01 00:00:00.0", "2026-01-31 12:00:00.0", "12:00:01", null);
        run("UPDATE typed SET s = ? WHERE id = 2", Timestamp.valueOf("2026-01-31 23:59:59.499"));
        assertThat(times(2)).startsWith("2026-01-31 23:59:59.0");
    }

    private List<String> times(int id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT s, m, t, f FROM typed WHERE id = " + id)) {
            row.next();
            List<String> times = new ArrayList<>();
            for (String column : List.of("s", "m", "f")) {
                Timestamp time = row.getTimestamp(column);
                times.add(time == null ? null : time.toString());
            }
            times.add(2, String.valueOf(row.getTime("t")));
            return times;
        }
    }
}
