package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Examples of docs/jdbc.md, as they stand there. */
class JdbcPageIT {

    private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)\n```", Pattern.DOTALL);

    private static TestCluster cluster;
    private static String page;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() throws IOException {
        cluster = TestCluster.fresh("jdbc_page_it");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
        page = Files.readString(Path.of("../../docs/jdbc.md"));
    }

    /** Returns an example, once it is known that the page has it. */
    private static String example(String sql) {
        assertThat(page.replaceAll("\\s+", " ")).contains("`" + sql + "`");
        return sql;
    }

    private int run(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Object value(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getObject(1);
        }
    }

    @Test
    void shouldRunTheBlocksAndWhatFollowsThem() throws SQLException {
        List<String> blocks =
                BLOCK.matcher(page).results().map(found -> found.group(1)).toList();
        assertThat(blocks).isNotEmpty();
        for (String block : blocks) {
            execute(block);
        }
        assertThat(run(example("INSERT INTO ticket (id, title) VALUES (NEXT VALUE FOR ticket_seq, ?)"), "drawn"))
                .isEqualTo(1);
        run("INSERT INTO ticket (title) VALUES ('by default')");
        execute(example("ALTER TABLE ticket DROP CONSTRAINT DF_ticket_id"));
        assertThat(run("INSERT INTO ticket (id, title) VALUES (5000, 'of the application')"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 FROM t WHERE id = ?",
                "SELECT -1, 1.5, N'a', NULL",
                "ALTER TABLE t ADD c nvarchar(10)",
                "ALTER TABLE t ADD c INT NOT NULL DEFAULT 0",
                "ALTER TABLE t ALTER COLUMN c nvarchar(20) NULL",
                "ALTER TABLE t ADD CONSTRAINT d DEFAULT (0) FOR c",
                "WITH NOCHECK ADD CONSTRAINT ck CHECK (...)",
            })
    void shouldRun(String sql) throws SQLException {
        example(sql);
        execute("DROP TABLE IF EXISTS t");
        execute("CREATE TABLE t (id INT NOT NULL PRIMARY KEY"
                + (sql.contains("ADD c") ? "" : sql.contains("FOR c") ? ", c INT" : ", c NVARCHAR(10)") + ")");
        String complete = sql.startsWith("WITH") ? "ALTER TABLE t " + sql.replace("...", "id > 0") : sql;
        try (PreparedStatement statement = connection.prepareStatement(complete)) {
            if (sql.contains("?")) {
                statement.setInt(1, 1);
            }
            statement.execute();
        }
    }

    @Test
    void shouldReadANumberInADatetimeAsDays() throws SQLException {
        execute("CREATE TABLE dated (id INT NOT NULL PRIMARY KEY, at DATETIME, at2 DATETIME2)");
        example("VALUES (1, 45000)");
        for (String column : List.of("at", "at2")) {
            run("INSERT INTO dated (id, " + column + ") VALUES (1, 45000)");
            assertThat(value("SELECT " + column + " FROM dated WHERE id = 1"))
                    .isEqualTo(Timestamp.valueOf("2023-03-17 00:00:00"));
            run("UPDATE dated SET " + column + " = 0 WHERE id = 1");
            assertThat(value("SELECT " + column + " FROM dated WHERE id = 1"))
                    .isEqualTo(Timestamp.valueOf("1900-01-01 00:00:00"));
            run("UPDATE dated SET " + column + " = '2024-01-31' WHERE id = 1 AND " + column + " = 0");
            assertThat(value("SELECT " + column + " FROM dated WHERE id = 1"))
                    .isEqualTo(Timestamp.valueOf("2024-01-31 00:00:00"));
            run("DELETE FROM dated WHERE id = 1");
        }
        execute("ALTER TABLE dated ADD DEFAULT (0) FOR at");
        run("INSERT INTO dated (id, at2) VALUES (2, -1)");
        assertThat(value("SELECT at FROM dated WHERE id = 2")).isEqualTo(Timestamp.valueOf("1900-01-01 00:00:00"));
        assertThat(value("SELECT at2 FROM dated WHERE id = 2")).isEqualTo(Timestamp.valueOf("1899-12-31 00:00:00"));
    }

    @Test
    void shouldSayHowATextIsJoinedInAnUpdate() throws SQLException {
        execute("CREATE TABLE joined (id INT NOT NULL PRIMARY KEY, s NVARCHAR(20))");
        run("INSERT INTO joined (id, s) VALUES (1, 'a')");
        String set = example("SET s = s + 'x'");

        assertThat(value("SELECT s + 'x' FROM joined WHERE id = 1")).isEqualTo("ax");
        run("UPDATE joined " + set + " WHERE id = 1");
        assertThat(value("SELECT s FROM joined WHERE id = 1")).isEqualTo("ax");
        try (Connection direct = cluster.open("assist=off");
                Statement statement = direct.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate("UPDATE joined " + set + " WHERE id = 1"))
                    .hasMessageContaining("write it if the column still has the old one");
        }
    }
}
