package dev.cassidy.migration.assess;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class QueryStoreTest {

    private static final List<String> PIECES = List.of(
            "(",
            ")",
            ",",
            " ",
            "@a ",
            "@b int",
            ",@c int",
            "int",
            "varchar(9)",
            "decimal(9,2)",
            "'",
            "\"",
            "SELECT 1",
            "x");

    /** The rule as an expression, which may take exponential time. */
    private static final Pattern PARAMETERS = Pattern.compile(
            "\\(\\s*@[\\w@$#]+ [^'\"()]*(?:\\([^()'\"]*\\))?[^'\"()]*(?:,\\s*@[\\w@$#]+ [^'\"()]*(?:\\([^()'\"]*\\))?[^'\"()]*)*\\)");

    @Test
    void shouldReplaceTheParametersThatAreDeclaredBefore() {
        assertThat(QueryStore.withMarkers(
                        "(@P0 nvarchar(4000),@p1 decimal(9,2))SELECT a FROM t WHERE b = @P0 AND c = @P1 AND d = @P2"))
                .isEqualTo("SELECT a FROM t WHERE b = ? AND c = ? AND d = @P2");
        assertThat(QueryStore.withMarkers("SELECT 1")).isEqualTo("SELECT 1");
    }

    @Test
    void shouldSeeWhereTheParametersEnd() {
        long seed = 20_261_129;
        SplittableRandom random = new SplittableRandom(seed);
        int declared = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "" : "(@a");
            for (int piece = random.nextInt(9); piece >= 0; piece--) {
                text.append(PIECES.get(random.nextInt(PIECES.size())));
            }
            Matcher matcher = PARAMETERS.matcher(text);
            boolean found = matcher.lookingAt();
            String rest = text.substring(found ? matcher.end() : 0);
            String read = QueryStore.withMarkers(text.toString());
            declared += found ? 1 : 0;

            assertThat(found ? read : text.toString())
                    .as("seed %d, text %d: %s", seed, i, text)
                    .startsWith(rest.substring(0, rest.indexOf('@') < 0 ? rest.length() : rest.indexOf('@')));
            assertThat(read.contentEquals(text))
                    .as("seed %d, text %d: %s", seed, i, text)
                    .isEqualTo(!found);
        }
        assertThat(declared).isGreaterThan(200);
    }
}
