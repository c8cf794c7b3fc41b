package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.MarkedSelect.Kind;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MarkedSelectTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    SELECT a, b AS c FROM t WHERE k = 1                 | ROWS
                    SELECT distinct FROM t                              | ROWS
                    SELECT CAST(a AS text), WRITETIME(b) AS w FROM t    | ROWS
                    SELECT COUNT(*) FROM t                              | AGGREGATES
                    SELECT k, MAX(c) AS m FROM t GROUP BY k             | AGGREGATES
                    SELECT SUM(a) FROM t WHERE k = ?                    | AGGREGATES
                    SELECT SUM(CAST(a AS int)) FROM t                   | OTHER
                    SELECT CAST(MAX(a) AS int) FROM t                   | OTHER
                    SELECT DISTINCT k FROM t                            | OTHER
                    SELECT JSON k FROM t                                | OTHER
                    SELECT own(a) FROM t                                | OTHER
                    SELECT a FROM t PER PARTITION LIMIT 1               | OTHER
                    SELECT a.b FROM t                                   | OTHER
                    """)
    void shouldTellWhatTheRowsAre(String cql, Kind kind) {
        assertThat(MarkedSelect.of(cql).orElseThrow().kind()).isEqualTo(kind);
    }

    @Test
    void shouldTellWhatIsCounted() {
        assertThat(MarkedSelect.of("SELECT COUNT(*) AS n FROM t").orElseThrow().counted())
                .isEqualTo(Collections.singletonList(null));
        assertThat(MarkedSelect.of("SELECT k, MAX(\"C\"), count(d) FROM t GROUP BY k")
                        .orElseThrow()
                        .counted())
                .containsExactly("C", "d");
    }

    @Test
    void shouldAddToTheList() {
        MarkedSelect select = MarkedSelect.of(
                        "SELECT a /* , */, b FROM ks.t WHERE k = ? AND c > ? ORDER BY c DESC LIMIT ? ALLOW FILTERING")
                .orElseThrow();
        assertThat(select.with("k, cassidy_tx"))
                .isEqualTo("SELECT a /* , */, b, k, cassidy_tx FROM ks.t WHERE k = ? AND c > ? ORDER BY c DESC LIMIT ?"
                        + " ALLOW FILTERING");
        assertThat(select.withoutLimit("k, cassidy_tx"))
                .isEqualTo("SELECT a /* , */, b, k, cassidy_tx FROM ks.t WHERE k = ? AND c > ? ORDER BY c DESC"
                        + " ALLOW FILTERING");
        assertThat(select.held("k, cassidy_tx"))
                .isEqualTo(
                        "SELECT k, cassidy_tx FROM ks.t WHERE k = ? AND c > ? AND cassidy_tx < 0xff ALLOW FILTERING");
        assertThat(select.markersBeforeFrom()).isZero();
        assertThat(select.markersBeforeLimit()).isEqualTo(2);
        assertThat(select.limit()).isEqualTo(new CqlInsert.Value.Marker(2, null));
        assertThat(MarkedSelect.of("SELECT COUNT(*) FROM t;").orElseThrow().held("k"))
                .isEqualTo("SELECT k FROM t WHERE cassidy_tx < 0xff ALLOW FILTERING");
    }

    @Test
    void shouldReadNothingElse() {
        assertThat(MarkedSelect.of("UPDATE t SET a = 1 WHERE k = 1")).isEmpty();
        assertThat(MarkedSelect.of("SELECT now()")).isEmpty();
    }
}
