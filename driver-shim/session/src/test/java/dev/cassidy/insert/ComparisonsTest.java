package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ComparisonsTest {

    private static List<String> shown(String cql) {
        return Comparisons.of(cql).stream()
                .flatMap(found -> found.all().stream())
                .map(each -> each.column() + (each.list() ? " in " : " ") + shown(each.value()) + " "
                        + cql.substring(each.start(), each.end()))
                .toList();
    }

    private static String shown(CqlInsert.Value value) {
        return value instanceof CqlInsert.Value.Marker marker
                ? "#" + marker.index() + (marker.name() == null ? "" : marker.name())
                : value instanceof CqlInsert.Value.Term term ? term.text() : value.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT * FROM t WHERE a = 'x' AND B >= ? LIMIT ?                    | a 'x' 'x'; b #0 ?",
                "SELECT f(?) FROM k.t WHERE a = ('x') ALLOW FILTERING                | a 'x' ('x')",
                "SELECT * FROM t WHERE a IN ('x', ?, :N) ORDER BY b                  | a 'x' 'x'; a #0 ?; a #1n :N",
                "SELECT * FROM t WHERE a IN ? AND b = ?                              | a in #0 ?; b #1 ?",
                "SELECT * FROM t WHERE (a, \"B\") > (?, 'y') AND c = 0x01            | a #0 ?; B 'y' 'y'; c 0x01 0x01",
                "SELECT * FROM t WHERE (a, b) IN (('x', ?), (?, 'z')) AND c = ?      | a 'x' 'x'; b #0 ?; a #1 ?; b 'z' 'z'; c #2 ?",
                "SELECT * FROM t WHERE a = (text)'x' AND b IN ((int)?, (int)4) | a 'x' (text)'x'; b #0 (int)?; b IntegerLiteral[value=4] (int)4",
                "UPDATE t SET a = ?, l[?] = ? WHERE b = ? AND c = -1.5 IF d != ?     | b #3 ?; c -1.5 -1.5; d #4 ?",
                "UPDATE t USING TTL ? SET a = 'where' WHERE b = ? IF EXISTS          | b #1 ?",
                "DELETE a FROM t WHERE b = ? AND c < ?;                              | b #0 ?; c #1 ?",
                "SELECT * FROM t WHERE token(a) > token(?) AND b = ?                 | b #1 ?",
                "SELECT * FROM t WHERE m['k'] = ? AND b = f('x') AND s CONTAINS ?    | b f('x') f('x')"
            })
    void shouldFindWhatIsCompared(String cql, String expected) {
        assertThat(shown(cql)).containsExactly(expected.split("; "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM t",
                "INSERT INTO t (a) VALUES ('x')",
                "UPDATE t SET a = 1",
                "SELECT * FROM t WHERE a LIKE 'x%'",
                "SELECT * FROM t WHERE (a, b) = ?",
                "SELECT * FROM t WHERE a =",
                "SELECT * FROM t WHERE a IN (",
                "BEGIN BATCH UPDATE t SET a = 1 WHERE b = 2 APPLY BATCH",
                ""
            })
    void shouldFindNothingElse(String cql) {
        assertThat(Comparisons.of(cql)).isEmpty();
    }

    @Test
    void shouldNameTheTable() {
        assertThat(Comparisons.of("SELECT * FROM \"K\".T WHERE a = 1"))
                .get()
                .returns("K", Comparisons::keyspace)
                .returns("t", Comparisons::table)
                .returns(true, Comparisons::reads);
    }
}
