package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The statements that Hibernate 5.6, 6.6 and 7.4 and EclipseLink 4 send to SQL Server, recorded of entities with every kind of
 * id, collection, inheritance and lock, and what becomes of each.
 *
 * <p>A line of {@code generated-statements.txt} is the fate, who generates it (5, 6, 7, E), and the statement, with tabs between
 * them. The fate is {@code served}, {@code refused: } with the construct, or {@code node: } with what the node or the run
 * refuses of what the parser takes. What the parser refuses, the assistant may serve, as it does MERGE.
 */
class GeneratedByMappersTest {

    private static final Path RESOURCES = Path.of("src/test/resources/dev/cassidy/tsql");

    private static final Pattern KEY =
            Pattern.compile("CREATE TABLE (\\w+) \\((?:(\\w+) \\w+ PRIMARY KEY|.*PRIMARY KEY \\(([^)]*)\\)).*");

    @Test
    void shouldBecomeOfEachStatementWhatTheListSays() throws IOException {
        Schema schema = schema();
        List<String> expected = Files.readAllLines(RESOURCES.resolve("generated-statements.txt"));
        List<String> actual = new ArrayList<>();
        for (String line : expected) {
            String[] fields = line.split("\t");
            String fate = fate(fields[2], schema);
            boolean node = fields[0].startsWith("node: ") && fate.equals("served");
            actual.add((node ? fields[0] : fate) + "\t" + fields[1] + "\t" + fields[2]);
        }

        assertThat(actual).isEqualTo(expected);
    }

    private static String fate(String sql, Schema schema) {
        try {
            TsqlScript.parse(sql, schema);
            return "served";
        } catch (UnsupportedSqlException e) {
            return "refused: " + e.construct();
        }
    }

    private static Schema schema() throws IOException {
        Map<String, List<String>> keys = new HashMap<>();
        for (String line : Files.readAllLines(RESOURCES.resolve("generated-tables.cql"))) {
            Matcher table = KEY.matcher(line);
            assertThat(table.matches()).as(line).isTrue();
            keys.put(
                    table.group(1),
                    table.group(2) == null ? List.of(table.group(3).split(", ")) : List.of(table.group(2)));
        }
        return new Schema() {
            @Override
            public boolean isType(@Nullable String keyspace, String type) {
                return false;
            }

            @Override
            public boolean isField(CqlInsert.Table table, String column, String field) {
                return false;
            }

            @Override
            public List<String> namedKey(CqlInsert.Table table) {
                return keys.getOrDefault(table.name(), List.of());
            }
        };
    }
}
