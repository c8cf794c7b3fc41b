package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code tables count}: columns of tables with rows, to which applications add, become columns that count. */
class CountedTablesIT {

    private static final String KEYSPACE = "counted_tables";

    private static TargetNode node;

    @BeforeAll
    static void install() throws SQLException {
        node = new TargetNode("counted_tables_cassidy");
        node.init();
        node.createKeyspace(KEYSPACE);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE page (id INT PRIMARY KEY, name NVARCHAR(9), hits INT NOT NULL DEFAULT 0)");
            statement.execute(
                    "CREATE TABLE other (id INT IDENTITY PRIMARY KEY, hits INT NOT NULL, nullable INT, num"
                            + " DECIMAL(9,2) NOT NULL, one INT NOT NULL CHECK (one > 0), two INT NOT NULL UNIQUE, three INT NOT NULL)");
            statement.execute("CREATE INDEX by_three ON other (three)");
            statement.execute("CREATE TABLE loose (id INT PRIMARY KEY, hits INT NOT NULL) WITH (plain)");
        }
    }

    @AfterAll
    static void drop() {
        node.close();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(node.jdbc(KEYSPACE) + "&requestTimeout=1m&connectTimeout=1m");
    }

    private static ToolRun count(ExitCode expected, String table, String column) {
        ToolRun run = node.run("tables count", "--table", KEYSPACE + "." + table, "--column", column);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(expected.code());
        return run;
    }

    private static int hits(Connection connection, int id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT hits FROM page WHERE id = " + id)) {
            assertThat(found.next()).isTrue();
            return found.getInt(1);
        }
    }

    /** Before, each addition is a conditional write of the cell; afterwards the cell stays, and the sum is the same. */
    @Test
    void shouldCountWhatApplicationsAddMeanwhile() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO page (id, name, hits) VALUES (1, 'a', 40), (2, 'b', 5)");
            AtomicBoolean goingOn = new AtomicBoolean(true);
            CompletableFuture<Integer> adding = CompletableFuture.supplyAsync(() -> {
                int added = 0;
                try (Connection own = connect();
                        PreparedStatement add = own.prepareStatement("UPDATE page SET hits = hits + 1 WHERE id = 1")) {
                    while (goingOn.get()) {
                        assertThat(add.executeUpdate()).isOne();
                        added++;
                    }
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                return added;
            });
            try {
                assertThat(count(ExitCode.OK, "page", "hits").out()).contains("column hits counts from now on");
            } finally {
                goingOn.set(false);
            }

            int added = adding.get();
            assertThat(added).isPositive();
            assertThat(hits(connection, 1)).isEqualTo(40 + added);
            assertThat(statement.executeUpdate("UPDATE page SET hits = hits + 2 WHERE id IN (1, 2, 3)"))
                    .isEqualTo(2);
            assertThat(hits(connection, 1)).isEqualTo(42 + added);
            assertThat(hits(connection, 2)).isEqualTo(7);
            statement.execute("INSERT INTO page (id, name) VALUES (3, 'c')");
            assertThat(statement.executeUpdate("UPDATE page SET hits = hits + 1 WHERE id = 3"))
                    .isOne();
            assertThat(hits(connection, 3)).isOne();
        }
        assertThat(count(ExitCode.OK, "page", "hits").out()).contains("counted already");
        ToolRun check = node.run("tables check", "--keyspace", KEYSPACE);
        assertThat(check.out()).doesNotContain("cassidy_counts ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "other | nothing | is not one of the table's",
                "other | id | is part of the primary key",
                "other | num | is no INT or BIGINT",
                "other | nullable | may be NULL",
                "other | one | has a constraint",
                "other | two | has a constraint",
                "other | three | has an index",
                "loose | hits | are plain",
                "missing | hits | does not exist"
            })
    void shouldRefuseAColumnThatCannotCount(String table, String column, String why) {
        assertThat(count(ExitCode.REFUSED, table, column).err()).contains(why);
    }
}
