package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NullComparisonTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a FROM t WHERE id = ? AND b >= ? | 0 1",
                "SELECT a FROM t WHERE id <= ? ORDER BY b LIMIT ? | 0",
                "UPDATE t SET a = ? WHERE id = ? AND b < ? | 1 2",
                "DELETE FROM t WHERE id=?; | 0",
                "SELECT a FROM t WHERE id IN (?, ?) AND b = ? | 2",
                "SELECT a FROM t WHERE id IN (?, ?) |",
                "SELECT a FROM t WHERE (a, b) = (?, ?) AND token(id) > ? |",
                "SELECT a FROM t WHERE l CONTAINS ? AND m[1] = ? |",
                "SELECT a FROM t WHERE id = f(?) |",
                "SELECT COUNT(*) FROM t WHERE id = ? |",
                "UPDATE t SET a = ? WHERE id = ? IF b = ? |",
                "INSERT INTO t (a) VALUES (?) |",
            })
    void shouldFindWhatIsComparedWithOneValue(String cql, String markers) {
        List<Integer> expected = markers == null
                ? List.of()
                : Arrays.stream(markers.split(" ")).map(Integer::valueOf).toList();
        assertThat(NullComparison.of(cql)).isEqualTo(new NullComparison(expected, false));
    }

    @Test
    void shouldFindNullItself() {
        assertThat(NullComparison.of("DELETE FROM t WHERE id = 1 AND a = null").literal())
                .isTrue();
        assertThat(NullComparison.of("UPDATE t SET a = null WHERE id = 1").literal())
                .isFalse();
        assertThat(NullComparison.of("SELECT a FROM t WHERE \"null\" = 1").literal())
                .isFalse();
    }
}
