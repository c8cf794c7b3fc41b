package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NullElementsTest {

    private static NullElements left(String cql, Integer... nulls) {
        return NullElements.of(cql, Set.of(nulls)::contains).orElseThrow();
    }

    @Test
    void shouldLeaveOutWhatIsNullAndItsMarkers() {
        NullElements left = left("SELECT a FROM t WHERE k = ? AND n IN (?, ?, 1, ?) AND m = ?", 1, 3);

        assertThat(left.text()).isEqualTo("SELECT a FROM t WHERE k = ? AND n IN (?, 1) AND m = ?");
        assertThat(left.markers()).containsExactly(0, 2, 4);
        assertThat(left.never()).isFalse();
        assertThat(left("SELECT a FROM t WHERE n IN (NULL, 1, null, 'null')").text())
                .isEqualTo("SELECT a FROM t WHERE n IN (1, 'null')");
    }

    @Test
    void shouldLeaveOutRowsOfValuesWithANull() {
        NullElements left = left("DELETE FROM t WHERE (a, b) IN ((?, ?), (?, ?), (1, NULL)) AND c IN (f(?), ?)", 1, 5);

        assertThat(left.text()).isEqualTo("DELETE FROM t WHERE (a, b) IN ((?, ?)) AND c IN (f(?))");
        assertThat(left.markers()).containsExactly(2, 3, 4);
    }

    @Test
    void shouldSayThatNoRowIsFoundIfNothingIsLeft() {
        assertThat(left("UPDATE t SET v = ? WHERE k IN (?, NULL)", 1).never()).isTrue();
        // COUNT has a row all the same.
        assertThat(NullElements.of("SELECT COUNT(*) FROM t WHERE n IN (NULL)", index -> false))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a FROM t WHERE n IN (?, 2)",
                "SELECT a FROM t WHERE n = NULL",
                "INSERT INTO t (a, b) VALUES (NULL, ?)",
                "UPDATE t SET l = f(NULL) WHERE k = 1",
                "SELECT \"in\" (NULL) FROM t",
                "SELECT a FROM t WHERE n IN ?",
                "UPDATE t SET v = 1 WHERE k = 1 IF n IN (NULL, 1)",
                "DELETE FROM t WHERE k IN (NULL, 1) IF EXISTS",
            })
    void shouldFindNoneInOthers(String cql) {
        assertThat(NullElements.of(cql, List.of()::contains)).isEmpty();
    }
}
