package dev.cassidy.frameworks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a node says to the statements of {@code generated-statements.txt} that the parser takes: each is prepared, and nothing
 * runs. The foreign keys and the natural ids have indexes, as the applications' tables have.
 */
class GeneratedByMappersIT {

    private static final Path LISTS = Path.of("../jdbc/src/test/resources/dev/cassidy/tsql");
    private static final List<String> WITH_IDENTITY = List.of("product", "tag", "animal");
    private static final List<String> WITH_LONG_IDENTITY =
            List.of("customer", "purchase", "payment", "person", "employee");
    private static final List<String> INDEXED = List.of(
            "customer (email)",
            "purchase (customer_id)",
            "article_tag (tag_id)",
            "category (parent_id)",
            "person (email)",
            "employee (company)",
            "page (folder_id)");

    private static TestCluster cluster;
    private static Connection connection;

    @BeforeAll
    static void prepare() throws SQLException, IOException {
        cluster = TestCluster.fresh("generated_it");
        for (String table : Files.readAllLines(LISTS.resolve("generated-tables.cql"))) {
            cluster.cql(table.replace("CREATE TABLE ", "CREATE TABLE $."));
        }
        for (String column : INDEXED) {
            cluster.cql("CREATE INDEX ON $." + column + " USING 'sai'");
        }
        WITH_IDENTITY.forEach(table -> cluster.identity(table, "id", IdentityType.INT, 1));
        WITH_LONG_IDENTITY.forEach(table -> cluster.identity(table, "id", IdentityType.BIGINT, 1));
        cluster.exact("customer", "account", "reading");
        // What is evaluated in the client has no word of the node.
        connection = DriverManager.getConnection(cluster.url() + "&assist=off");
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE SEQUENCE ticket_seq AS BIGINT START WITH 1 INCREMENT BY 50");
        }
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    @Test
    void shouldBecomeOfEachStatementWhatTheListSays() throws IOException {
        List<String> expected = new ArrayList<>();
        List<String> actual = new ArrayList<>();
        for (String line : Files.readAllLines(LISTS.resolve("generated-statements.txt"))) {
            String[] fields = line.split("\t");
            String verb = fields[2].substring(0, 6).toLowerCase(Locale.ROOT);
            boolean definition =
                    !List.of("select", "insert", "update", "delete").contains(verb);
            if (!definition && !fields[0].startsWith("refused: ")) {
                expected.add(line);
                actual.add(fate(fields[2]) + "\t" + fields[1] + "\t" + fields[2]);
            }
        }
        // What to write into the list, if a fate was changed on purpose.
        Files.write(Path.of("target/generated-statements.txt"), actual);

        assertThat(actual).isEqualTo(expected);
    }

    private static String fate(String sql) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.getParameterMetaData();
            statement.getMetaData();
            return "served";
        } catch (SQLException e) {
            String message = e.getMessage().replace('\n', ' ');
            return "node: "
                    + message.substring(0, Math.min(90, message.length())).strip();
        }
    }
}
