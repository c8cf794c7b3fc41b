package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.plan.StatementPlan;
import dev.cassidy.sequence.IdentityType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SET SHOWPLAN_TEXT, and the plans of prepared statements. */
class PlansIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open("assist=off");

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("plans_it");
        cluster.cql(
                "CREATE TABLE $.customer (id int PRIMARY KEY, name text, level int)",
                "CREATE TABLE $.line (customer int, no int, item text, PRIMARY KEY (customer, no))");
        cluster.identity("customer", "id", IdentityType.INT, 1);
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> shown(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("StmtText");
            List<String> lines = new ArrayList<>();
            while (rows.next()) {
                lines.add(rows.getString(1));
            }
            return lines;
        }
    }

    @Test
    void shouldShowEachStatementThatIsSentForAList() throws SQLException {
        run("CREATE TABLE listed (id INT PRIMARY KEY, n INT)");
        run("CREATE INDEX by_n ON listed (n)");
        run("SET SHOWPLAN_TEXT ON");
        assertThat(shown("SELECT id FROM listed WHERE n IN (1, 2, NULL)"))
                .endsWith("       SELECT id FROM listed WHERE n = 1", "       SELECT id FROM listed WHERE n = 2");
    }

    @Test
    void shouldRefuseAnOutputThatCannotBeGiven() throws SQLException {
        run("CREATE TABLE given (id UNIQUEIDENTIFIER DEFAULT NEWID() PRIMARY KEY, name NVARCHAR(9))");
        String insert = "INSERT INTO given (name) OUTPUT INSERTED.id VALUES ('a')";
        assertThatThrownBy(() -> run(insert)).hasMessageContaining("OUTPUT INSERTED.id is not served");
        run("SET SHOWPLAN_TEXT ON");
        assertThat(shown(insert)).last().asString().startsWith("  |--Refused: OUTPUT INSERTED.id is not served");
    }

    @Test
    void shouldShowHowStatementsAreServedAndRunNothing() throws SQLException {
        run("SET SHOWPLAN_TEXT ON");

        assertThat(shown("SELECT TOP 2 name FROM dbo.customer c WHERE c.id = 7"))
                .containsExactly(
                        "SELECT TOP 2 name FROM dbo.customer c WHERE c.id = 7",
                        "  |--Direct: read by the key of plans_it.customer",
                        "       SELECT name FROM customer WHERE id = 7 LIMIT 2");
        assertThat(shown("SELECT item FROM line WHERE customer = 1 AND item = 'x'"))
                .containsExactly(
                        "SELECT item FROM line WHERE customer = 1 AND item = 'x'",
                        "  |--Direct: read within a partition of plans_it.line",
                        "       SELECT item FROM line WHERE customer = 1 AND item = 'x' ALLOW FILTERING");
        assertThat(shown("INSERT INTO customer (name) VALUES (N'Ada'); SELECT SCOPE_IDENTITY()"))
                .containsExactly(
                        "INSERT INTO customer (name) VALUES (N'Ada'); SELECT SCOPE_IDENTITY()",
                        "  |--Direct: one row is written",
                        "       INSERT INTO customer (name) VALUES ('Ada')",
                        "       id = the next id of sequence plans_it.customer",
                        "  |--Direct: the driver answers SELECT SCOPE_IDENTITY()");
        assertThat(shown("SET NOCOUNT ON")).contains("  |--Setting: SET NOCOUNT ON");
        assertThat(shown("CREATE TABLE album (id INT IDENTITY PRIMARY KEY, title NVARCHAR(40))")
                        .get(1))
                .isEqualTo("  |--Definition: CREATE TABLE album, whose column id takes the ids of a sequence");
        assertThat(shown("SELECT name FROM customer WHERE level = 3"))
                .hasSize(2)
                .last()
                .asString()
                .startsWith("  |--Refused: plans_it.customer is read by level");
        assertThat(shown("SELECT a.name FROM customer a JOIN line b ON a.id = b.customer"))
                .last()
                .asString()
                .startsWith("  |--Refused: ");
        assertThat(shown("DELETE FROM customer WHERE id = 1 AND 1 = 0"))
                .contains("  |--Direct: its condition is never true, and nothing is sent");
        assertThat(shown("SELECT item FROM line WHERE customer = NULL"))
                .contains("  |--Direct: its condition is never true, and nothing is sent");
        assertThat(shown("SELECT item FROM line WHERE customer = 1 AND item IN (NULL, 'x', 'y')"))
                .endsWith("       SELECT item FROM line WHERE customer = 1 AND item IN ('x', 'y') ALLOW FILTERING");

        run("SET SHOWPLAN_TEXT OFF");
        assertThat(rowsOf("customer")).isZero();
        assertThatThrownBy(() -> rowsOf("album"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("album");
    }

    @Test
    void shouldShowThatAnIdentityIsNotUpdated() throws SQLException {
        run("CREATE TABLE numbered (code CHAR(3) PRIMARY KEY, id INT IDENTITY)");
        run("SET SHOWPLAN_TEXT ON");
        for (String sql : List.of(
                "UPDATE numbered SET id = 7 WHERE code = 'abc'",
                "BEGIN BATCH UPDATE numbered SET id = 7 WHERE code = 'abc' APPLY BATCH")) {
            assertThat(shown(sql)).last().asString().startsWith("  |--Refused: Cannot update identity column 'id'");
        }
    }

    @Test
    void shouldShowWhatFollowsADefinitionWithoutTheTablesThatItMakes() throws SQLException {
        run("SET SHOWPLAN_TEXT ON");
        for (String definition : List.of("ALTER TABLE line ADD later INT", "CREATE TABLE later (id INT PRIMARY KEY)")) {
            String table = definition.startsWith("ALTER") ? "line" : "later";
            assertThat(shown(definition + "; SELECT later FROM " + table + " WHERE later = 1"))
                    .contains("  |--Direct: by the tables that the script has made then");
        }
        assertThat(shown("ALTER TABLE line ADD later INT; SELECT item FROM line WHERE item = 'x'"))
                .last()
                .asString()
                .startsWith("  |--Refused: plans_it.line is read by item");
    }

    @Test
    void shouldShowWhatIsBehindAnIfOnlyIfItRuns() throws SQLException {
        run("SET SHOWPLAN_TEXT ON");
        List<String> plans =
                shown("IF OBJECT_ID('line') IS NOT NULL UPDATE line SET item = 'x' WHERE customer = 1 AND no = 1;"
                        + " IF OBJECT_ID('nowhere') IS NOT NULL DELETE FROM line WHERE customer = 1 AND no = 1");
        assertThat(plans.subList(1, plans.size()))
                .contains("       UPDATE line SET item = 'x' WHERE customer = 1 AND no = 1")
                .noneMatch(line -> line.contains("DELETE"));
    }

    @Test
    void shouldRefuseAColumnThatIsMissingAlsoWhereNoRowIsFound() throws SQLException {
        run("SET SHOWPLAN_TEXT ON");
        for (String never : List.of("customer = NULL", "customer = 1 AND 1 = 0")) {
            assertThat(shown("SELECT nothing FROM line WHERE " + never))
                    .last()
                    .asString()
                    .startsWith("  |--Refused: Invalid column name 'nothing'");
        }
    }

    @Test
    void shouldShowThatTheConnectionRefusesWhatAsksManyNodes() throws SQLException {
        try (Connection strict = cluster.open("fanOut=refuse");
                Statement statement = strict.createStatement()) {
            statement.execute("SET SHOWPLAN_TEXT ON");
            try (ResultSet plan = statement.executeQuery("SELECT name FROM customer")) {
                plan.next();
                plan.next();
                assertThat(plan.getString(1))
                        .startsWith("  |--Refused: Reading plans_it.customer as a whole")
                        .contains("the connection has fanOut=refuse");
            }
            // It is never sent.
            try (ResultSet plan = statement.executeQuery("SELECT name FROM customer WHERE 1 = 0")) {
                plan.next();
                plan.next();
                assertThat(plan.getString(1)).startsWith("  |--Direct: ");
            }
        }
    }

    private long rowsOf(String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Test
    void shouldShowAPreparedStatementOnlyWhileItIsOn() throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE line SET item = ? WHERE customer = ? AND no = ?")) {
            statement.setString(1, "pen");
            statement.setInt(2, 50);
            statement.setInt(3, 1);
            run("SET SHOWPLAN_TEXT ON");
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                rows.next();
                assertThat(rows.getString(1)).isEqualTo("  |--Direct: written as it is");
            }
            assertThatThrownBy(statement::executeUpdate).hasMessageContaining("gives a result set");
            run("SET SHOWPLAN_TEXT OFF");
            assertThat(rowsOf("line")).isZero();
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
        run("DELETE FROM line WHERE customer = 50");
    }

    @Test
    void shouldRefuseABatchWhilePlansAreShown() throws SQLException {
        run("SET SHOWPLAN_TEXT ON");
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.addBatch("INSERT INTO line (customer, no) VALUES (60, 1)"))
                    .isInstanceOf(SQLException.class);
        }
        run("SET SHOWPLAN_TEXT OFF");
        assertThatThrownBy(() -> run("SET SHOWPLAN_TEXT ON; INSERT INTO line (customer, no) VALUES (60, 1)"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1067));
        assertThat(rowsOf("line")).isZero();
    }

    @Test
    void shouldSayOfAScriptThatFailedWhatWasWritten() throws SQLException {
        assertThatThrownBy(() -> run("SET NOCOUNT ON; INSERT INTO line (customer, no) VALUES (80, 1);"
                        + " INSERT INTO line (customer, no) VALUES (80, 'x')"))
                .isInstanceOf(SQLDataException.class)
                .hasMessageEndingWith(". Of the script, one statement before it ran: what was changed stays");
        assertThatThrownBy(() -> run("INSERT INTO line (customer, no) VALUES (80, 'x')"))
                .message()
                .doesNotContain("Of the script");
        for (String alone : List.of(
                "ALTER TABLE missing ADD a INT",
                "ALTER TABLE line ADD no INT",
                "CREATE INDEX by_two ON missing (a, b)",
                "CREATE INDEX by_two ON missing (a DESC)")) {
            assertThatThrownBy(() -> run(alone))
                    .as(alone)
                    .isInstanceOf(SQLException.class)
                    .message()
                    .doesNotContain("Of the script");
        }
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> run("INSERT INTO line (customer, no) VALUES (80, 2);"
                        + " DELETE FROM line WHERE customer = 80 AND no = 3; DELETE FROM nowhere WHERE id = 1"))
                .hasMessageEndingWith(
                        ". Of the script, 2 statements before it ran: what was changed waits for commit or rollback");
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(rowsOf("line WHERE customer = 80")).isEqualTo(1);
        run("DELETE FROM line WHERE customer = 80");
    }

    /** The node's own list of what was prepared is the judge. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT TOP (?) [name] FROM dbo.customer WHERE id = ?",
                "SELECT l.item FROM line AS l WHERE l.customer = ? AND l.no > ? ORDER BY l.no DESC",
                "SELECT item FROM line WHERE customer = ? AND item = ?",
                "UPDATE c SET name = ? FROM customer c WHERE c.id = ?",
                "DELETE customer WHERE id = ?"
            })
    void shouldShowWhatIsSent(String sql) throws SQLException {
        List<String> cql;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            StatementPlan plan = statement.unwrap(StatementPlan.class);
            assertThat(plan.isServed()).as("%s", plan.lines()).isTrue();
            cql = ((Plan.Direct) plan.plans().get(0)).cql();
            for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
                if (statement.getParameterMetaData().getParameterType(i) == java.sql.Types.NVARCHAR) {
                    statement.setString(i, "x");
                } else {
                    statement.setInt(i, 1);
                }
            }
            statement.execute();
        }
        Set<String> prepared = new HashSet<>();
        connection
                .unwrap(CqlSession.class)
                .execute("SELECT query_string FROM system.prepared_statements")
                .forEach(row -> prepared.add(row.getString(0)));
        assertThat(prepared).containsAll(cql);
    }

    @Test
    void shouldCountStatementsByTheirPlans() throws SQLException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new StatementMetrics().bindTo(registry);
        double direct = counted(registry, "direct");
        double settings = counted(registry, "setting");
        double refused = counted(registry, "refused");
        double definitions = counted(registry, "definition");

        run("SELECT name FROM customer WHERE id = 1");
        run("SET NOCOUNT ON; SELECT name FROM customer WHERE id = 1");
        run("CREATE TABLE counted (id int PRIMARY KEY)");
        run("DROP TABLE counted");
        run("DBCC CHECKIDENT ('customer', RESEED, 50)");
        assertThatThrownBy(() -> run("MERGE INTO customer USING x ON 1 = 1")).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> run("SELECT name FROM customer WHERE level = 1"))
                .isInstanceOf(SQLException.class);
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("INSERT INTO line (customer, no) VALUES (70, 1)");
            statement.addBatch("DELETE FROM line WHERE customer = 70");
            statement.executeBatch();
        }

        // Other tests of the process count, too.
        assertThat(counted(registry, "direct")).isGreaterThanOrEqualTo(direct + 4);
        assertThat(counted(registry, "setting")).isGreaterThanOrEqualTo(settings + 1);
        assertThat(counted(registry, "definition")).isGreaterThanOrEqualTo(definitions + 3);
        assertThat(counted(registry, "refused")).isGreaterThanOrEqualTo(refused + 2);
    }

    private static double counted(SimpleMeterRegistry registry, String plan) {
        return registry.get("cassidy.jdbc.statements")
                .tag("plan", plan)
                .functionCounter()
                .count();
    }
}
