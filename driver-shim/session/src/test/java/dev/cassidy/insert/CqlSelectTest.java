package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.CqlSelect.By;
import dev.cassidy.insert.CqlSelect.Restriction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CqlSelectTest {

    private static CqlSelect select(String cql) {
        return CqlSelect.of(cql).orElseThrow();
    }

    @Test
    void shouldReadTheRestrictions() {
        CqlSelect select =
                select("SELECT a, max(b) FROM shop.\"Orders\" WHERE id = ? AND (c, d) IN ((?, 2)) AND token(id) > ?"
                        + " AND e BETWEEN 1 AND ? AND tags CONTAINS 'x' AND m['k'] = 1 ORDER BY c LIMIT ?;");

        assertThat(select.table()).isEqualTo(new CqlInsert.Table("shop", "Orders"));
        assertThat(select.filters()).isFalse();
        assertThat(select.where())
                .containsExactly(
                        new Restriction(List.of("id"), By.EQUAL, false, "id = ?", List.of(0)),
                        new Restriction(List.of("c", "d"), By.IN, false, "(c, d) IN ((?, 2))", List.of(1)),
                        new Restriction(List.of("id"), By.RANGE, true, "token(id) > ?", List.of(2)),
                        new Restriction(List.of("e"), By.RANGE, false, "e BETWEEN 1 AND ?", List.of(3)),
                        new Restriction(List.of("tags"), By.OTHER, false, "tags CONTAINS 'x'", List.of()),
                        new Restriction(List.of("m"), By.OTHER, false, "m['k'] = 1", List.of()));
        assertThat(select.filtering()).endsWith("ORDER BY c LIMIT ?\nALLOW FILTERING");
    }

    @Test
    void shouldSeeThatAStatementFilters() {
        assertThat(select("SELECT * FROM t WHERE a = 1 ALLOW FILTERING").filters())
                .isTrue();
        assertThat(select("SELECT * FROM t WHERE a = 'ALLOW FILTERING'").filters())
                .isFalse();
        assertThat(select("SELECT * FROM t").where()).isEmpty();
    }

    @Test
    void shouldNotTakeAColumnForAClause() {
        assertThat(select("SELECT * FROM t WHERE \"order\" = 1 AND per = 2").where())
                .extracting(Restriction::columns)
                .containsExactly(List.of("order"), List.of("per"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE t SET a = 1 WHERE id = 1", "SELECT 1", "", "SELECT a FROM", "DESCRIBE t"})
    void shouldLeaveOtherStatementsAlone(String cql) {
        assertThat(CqlSelect.of(cql)).isEmpty();
    }
}
