package dev.cassidy.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Runs the same DAO classes on H2 in SQL Server mode and on Cassidy. In each step they must observe the same, except
 * for the differences listed in docs/differences.md.
 */
class DifferentialIT {

    private static final Path ALLOWED = Path.of("..", "..", "docs", "differences.md");
    private static final String H2 = "jdbc:h2:mem:differential;MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE"
            + ";CASE_INSENSITIVE_IDENTIFIERS=TRUE;IGNORECASE=TRUE;INIT=CREATE SCHEMA IF NOT EXISTS dbo\\;SET SCHEMA dbo";

    /** The results of the two databases for one step. */
    private record Difference(String h2, String cassidy) {}

    @Test
    void shouldObserveTheSameOnBothExceptForListedDifferences() throws SQLException, IOException {
        TestCluster cluster = TestCluster.fresh("differential_it");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);

        Map<String, String> onH2 = observe(options -> DriverManager.getConnection(H2));
        Map<String, String> onCassidy = observe(options -> DriverManager.getConnection(cluster.url() + options));

        assertThat(onCassidy.keySet()).containsExactlyElementsOf(onH2.keySet());
        Map<String, Difference> differences = new LinkedHashMap<>();
        onH2.forEach((step, h2) -> {
            String cassidy = onCassidy.get(step);
            if (!cassidy.equals(h2)) {
                differences.put(step, new Difference(h2, cassidy));
            }
        });
        assertThat(differences).containsExactlyInAnyOrderEntriesOf(allowed());
    }

    private static Map<String, String> observe(Database database) throws SQLException {
        Observations seen = new Observations();
        Scenario.run(database, seen);
        return seen.seen();
    }

    /** Returns the rows of the document's tables: step, result of H2, result of Cassidy, reason. */
    private static Map<String, Difference> allowed() throws IOException {
        Map<String, Difference> allowed = new LinkedHashMap<>();
        for (String line : Files.readAllLines(ALLOWED)) {
            String[] cells = line.split("\\|", -1);
            if (cells.length == 6 && cells[2].strip().startsWith("`")) {
                assertThat(cells[4]).as("why " + cells[1]).isNotBlank();
                Difference before = allowed.put(cells[1].strip(), new Difference(code(cells[2]), code(cells[3])));
                assertThat(before).as("listed twice: " + cells[1]).isNull();
            }
        }
        return allowed;
    }

    private static String code(String cell) {
        String text = cell.strip();
        assertThat(text).startsWith("`").endsWith("`");
        return text.substring(1, text.length() - 1);
    }
}
