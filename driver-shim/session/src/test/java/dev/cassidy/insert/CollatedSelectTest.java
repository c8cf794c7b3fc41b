package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CollatedSelectTest {

    private static Optional<CollatedSelect> of(String cql) {
        return CollatedSelect.of(cql, Set.of("id"), Set.of("s", "S")::contains);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT a FROM t WHERE id = 1 AND s = 'x' | SELECT a FROM t WHERE id = 1 | [] | s = 'x'",
                "SELECT a FROM k.t WHERE s = ? AND id = ? LIMIT ? | SELECT a FROM k.t WHERE id = ? LIMIT ? | [1, 2] | s = 0",
                "SELECT cast(? AS int) FROM t WHERE id IN (?, 2) AND s IN ('a', ?) AND n > ? ORDER BY n ALLOW FILTERING; | SELECT cast(? AS int) FROM t WHERE id IN (?, 2) AND n > ? ORDER BY n ALLOW FILTERING; | [0, 1, 3] | s IN 'a' 2",
                "SELECT s FROM t WHERE id = 1 AND \"S\" = 'it''s' AND b = 'y' AND s = -5 | SELECT s FROM t WHERE id = 1 AND b = 'y' | [] | S = 'it''s', s = -5",
            })
    void shouldLeaveOutWhatACollationDecides(String cql, String text, String markers, String matches) {
        CollatedSelect select = of(cql).orElseThrow();
        assertThat(select.text()).isEqualTo(text);
        assertThat(select.markers()).hasToString(markers);
        assertThat(select.matches().stream()
                        .map(match -> match.column() + " " + match.operator() + " "
                                + match.values().stream()
                                        .map(each -> each.marker() >= 0 ? "" + each.marker() : "" + each.literal())
                                        .collect(Collectors.joining(" ")))
                        .collect(Collectors.joining(", ")))
                .isEqualTo(matches);
    }

    /** What is no comparison by = or IN, or would read the whole table, stays. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t",
                "SELECT a FROM t WHERE id = 1",
                "SELECT a FROM t WHERE s = 'x'",
                "SELECT a FROM t WHERE s = 'x' ALLOW FILTERING",
                "SELECT a FROM t WHERE id > 1 AND s = 'x'",
                "SELECT a FROM t WHERE token(id) = 1 AND s = 'x'",
                "SELECT a FROM t WHERE id = f(1) AND s = 'x'",
                "SELECT a FROM t WHERE id = 1 AND s > 'x'",
                "SELECT a FROM t WHERE id = 1 AND s LIKE 'x%'",
                "SELECT a FROM t WHERE id = 1 AND s = f('x')",
                "SELECT a FROM t WHERE id = 1 AND s IN ?",
                "SELECT a FROM t WHERE id = 1 AND s IN (f('x'), 'y')",
                "SELECT a FROM t WHERE id = 1 AND (s, n) = ('x', 1)",
                "SELECT a FROM t WHERE id = 1 AND s = null",
                "SELECT a FROM t WHERE id = 1 AND",
                "SELECT a FROM t WHERE id = (",
                "UPDATE t SET a = 1 WHERE id = 1 AND s = 'x'",
            })
    void shouldLeaveOtherStatements(String cql) {
        assertThat(of(cql)).isEmpty();
    }
}
