package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.RowQuery.Item;
import dev.cassidy.insert.RowQuery.Order;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowQueryTest {

    @Test
    void shouldReadColumnsOrderAndLimit() {
        RowQuery query = RowQuery.of(
                        "SELECT a AS \"A b\", \"C\", d FROM ks.t WHERE k = ? AND e IN (?, ?) ORDER BY c DESC, d ASC, e LIMIT ?"
                                + " ALLOW FILTERING")
                .orElseThrow();
        assertThat(query.table()).isEqualTo(new CqlInsert.Table("ks", "t"));
        assertThat(query.items()).containsExactly(new Item("a", "A b"), new Item("C", null), new Item("d", null));
        assertThat(query.order()).containsExactly(new Order("c", true), new Order("d", false), new Order("e", false));
        assertThat(query.limit()).isEqualTo(new CqlInsert.Value.Marker(3, null));
        assertThat(query.markersBefore()).isEqualTo(3);
        assertThat(query.selecting(List.of("x", "Y"), 7))
                .isEqualTo("SELECT x, \"Y\" FROM ks.t WHERE k = ? AND e IN (?, ?) ORDER BY c DESC, d ASC, e LIMIT 7"
                        + " ALLOW FILTERING");
        assertThat(query.selecting(List.of("x"), -1)).doesNotContain("LIMIT");
    }

    @Test
    void shouldReadCounts() {
        assertThat(RowQuery.of("SELECT COUNT(*) FROM t").orElseThrow().counts()).isTrue();
        assertThat(RowQuery.of("select count(1) AS n from t where k = 1")
                        .orElseThrow()
                        .items())
                .containsExactly(new Item(null, "n"));
        assertThat(RowQuery.of("SELECT a FROM t").orElseThrow().counts()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM t",
                "SELECT MAX(a) FROM t",
                "SELECT DISTINCT k FROM t",
                "SELECT k, COUNT(*) FROM t GROUP BY k PER PARTITION LIMIT 1",
                "SELECT a FROM t WHERE k = 1 GROUP BY k",
                "SELECT a FROM t ORDER BY b ANN OF [1]",
                "SELECT a",
                "INSERT INTO t (a) VALUES (1)"
            })
    void shouldNotReadWhatTheRowsDoNotTell(String cql) {
        assertThat(RowQuery.of(cql)).isEmpty();
    }
}
