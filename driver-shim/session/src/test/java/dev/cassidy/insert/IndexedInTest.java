package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IndexedInTest {

    private static IndexedIn of(String cql) {
        return IndexedIn.of(cql).orElseThrow();
    }

    @Test
    void shouldReadEachLiteralOnce() {
        assertThat(of("SELECT a, b FROM t WHERE b = 5 AND C IN ('x', 'y', 'x') AND d > 1 LIMIT 10 ALLOW FILTERING"))
                .satisfies(in -> {
                    assertThat(in.reads())
                            .containsExactly(
                                    "SELECT a, b FROM t WHERE b = 5 AND C = 'x' AND d > 1 LIMIT 10 ALLOW FILTERING",
                                    "SELECT a, b FROM t WHERE b = 5 AND C = 'y' AND d > 1 LIMIT 10 ALLOW FILTERING");
                    assertThat(in.values()).isEmpty();
                    assertThat(in.limit()).isEqualTo("10");
                });
        assertThat(of("SELECT * FROM t WHERE c IN (1, -2, 1.0, - 2, 3)").reads())
                .containsExactly(
                        "SELECT * FROM t WHERE c = 1", "SELECT * FROM t WHERE c = -2", "SELECT * FROM t WHERE c = 3");
    }

    @Test
    void shouldKnowThePlacesOfTheMarkers() {
        IndexedIn in = of("SELECT * FROM t WHERE a = ? AND c IN (?, ?, ?) AND b = ? LIMIT ?");
        assertThat(in.reads()).containsExactly("SELECT * FROM t WHERE a = ? AND c = ? AND b = ? LIMIT ?");
        assertThat(in.markers()).containsExactly(0, 1, 4, 5);
        assertThat(in.values()).containsExactly(1, 2, 3);
        assertThat(in.valueMarker()).isEqualTo(1);
        assertThat(in.limitMarker()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT COUNT(*) FROM t WHERE c IN (1, 2)",
                "SELECT DISTINCT a FROM t WHERE c IN (1, 2)",
                "SELECT a FROM t WHERE c IN (1, 2) GROUP BY a",
                "SELECT a FROM t WHERE c IN (1, 2) ORDER BY a",
                "SELECT a FROM t WHERE c IN (1, 2) PER PARTITION LIMIT 1",
                "SELECT a FROM t WHERE c IN (1, 2) AND c IN (2, 3)",
                "SELECT a FROM t WHERE d = 1",
                "SELECT a FROM t WHERE c IN ()",
                "SELECT a FROM t WHERE c IN (1, 'x')",
                "SELECT a FROM t WHERE c IN (1, ?)",
                "SELECT a FROM t WHERE c IN (f(1))",
                "SELECT a FROM t WHERE c IN (1, 2) LIMIT (int)1",
                "DELETE FROM t WHERE c IN (1, 2)",
                "SELECT a FROM t WHERE c IN ('x",
            })
    void shouldLeaveOthersRefused(String cql) {
        assertThat(IndexedIn.of(cql)).isEmpty();
    }

    @Test
    void shouldReadAtMostAHundredValues() {
        String hundred = String.join(", ", Collections.nCopies(100, "?"));
        assertThat(of("SELECT a FROM t WHERE c IN (" + hundred + ")").values()).hasSize(100);
        assertThat(IndexedIn.of("SELECT a FROM t WHERE c IN (" + hundred + ", ?)"))
                .isEmpty();
    }

    @Test
    void shouldBeTriedOnlyWhereInMayBeWhy() {
        assertThat(IndexedIn.mayBeWhy("IN predicates on non-primary-key columns (c) is not yet supported"))
                .isTrue();
        assertThat(IndexedIn.mayBeWhy("Cannot execute this query as it might involve data filtering and thus ..."))
                .isTrue();
        assertThat(IndexedIn.mayBeWhy("Undefined column name c")).isFalse();
    }
}
