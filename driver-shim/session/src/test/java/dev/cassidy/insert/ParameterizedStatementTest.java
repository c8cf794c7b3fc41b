package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterizedStatementTest {

    /** Where the values come from: {@code ?0} for a parameter, otherwise what was read. */
    private static String shown(ParameterizedStatement text) {
        return text.terms().stream()
                .map(term -> term.literal() == null ? "?" + term.marker() : shown(term.literal()))
                .collect(Collectors.joining(" "));
    }

    private static String shown(CqlLiteral literal) {
        if (literal instanceof CqlLiteral.Text text) {
            return "'" + text.content() + "'";
        }
        if (literal instanceof CqlLiteral.Numeral number) {
            return number.digits();
        }
        if (literal instanceof CqlLiteral.Listed list) {
            return "["
                    + list.elements().stream()
                            .map(ParameterizedStatementTest::shown)
                            .collect(Collectors.joining(",")) + "]";
        }
        if (literal instanceof CqlLiteral.Tuple tuple) {
            return "("
                    + tuple.parts().stream()
                            .map(ParameterizedStatementTest::shown)
                            .collect(Collectors.joining(",")) + ")";
        }
        if (literal instanceof CqlLiteral.SetOf set) {
            return "{"
                    + set.elements().stream()
                            .map(ParameterizedStatementTest::shown)
                            .collect(Collectors.joining(",")) + "}";
        }
        if (literal instanceof CqlLiteral.MapOf map) {
            return "{"
                    + map.keys().stream().map(ParameterizedStatementTest::shown).collect(Collectors.joining(",")) + ":"
                    + map.values().stream()
                            .map(ParameterizedStatementTest::shown)
                            .collect(Collectors.joining(",")) + "}";
        }
        if (literal instanceof CqlLiteral.Fields fields) {
            return "{" + fields.names()
                    + fields.values().stream()
                            .map(ParameterizedStatementTest::shown)
                            .toList() + "}";
        }
        return literal instanceof CqlLiteral.Blob blob
                ? "0x" + blob.digits()
                : literal instanceof CqlLiteral.Uuid uuid
                        ? uuid.text()
                        : literal instanceof CqlLiteral.Truth truth
                                ? String.valueOf(truth.value())
                                : literal instanceof CqlLiteral.Duration duration ? duration.text() : "null";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "INSERT INTO t (a, b) VALUES (1, 'x') | INSERT INTO t (a, b) VALUES (?, ?) | 1 'x'",
                "INSERT INTO t (a, b, c, d, e) VALUES (-1.5e3, ?, $$it's$$, NULL, 'it''s') IF NOT EXISTS USING TTL 60 AND TIMESTAMP 5"
                        + " | INSERT INTO t (a, b, c, d, e) VALUES (?, ?, ?, NULL, ?) IF NOT EXISTS USING TTL ? AND TIMESTAMP ?"
                        + " | -1.5e3 ?0 'it's' 'it's' 60 5",
                "INSERT INTO t (a) VALUES (0xCAFE) | INSERT INTO t (a) VALUES (?) | 0xCAFE",
                "INSERT INTO t (a) VALUES (123e4567-e89b-12d3-a456-426614174000) | INSERT INTO t (a) VALUES (?) | 123e4567-e89b-12d3-a456-426614174000",
                "INSERT INTO t (a, b) VALUES (true, False) | INSERT INTO t (a, b) VALUES (?, ?) | true false",
                "INSERT INTO t (a) VALUES (1h30m) | INSERT INTO t (a) VALUES (?) | 1h30m",
                "INSERT INTO t JSON '{\"a\": 1}' | INSERT INTO t JSON ? | '{\"a\": 1}'",
                "INSERT INTO t (a, b) VALUES ([1, -2], {'a', 'b'}) | INSERT INTO t (a, b) VALUES (?, ?) | [1,-2] {'a','b'}",
                "INSERT INTO t (a, b) VALUES ({'a': [1]}, {street: 'x', no: null}) | INSERT INTO t (a, b) VALUES (?, ?) | {'a':[1]} {[street, no]['x', null]}",
                "INSERT INTO t (a, b) VALUES ({}, []) | INSERT INTO t (a, b) VALUES (?, ?) | {} []",
                "INSERT INTO t (a) VALUES ((1, 'x')) | INSERT INTO t (a) VALUES ((?, ?)) | 1 'x'",
                "INSERT INTO t (a) VALUES ([(1, 'x')]) | INSERT INTO t (a) VALUES (?) | [(1,'x')]",
                "INSERT INTO t (a, b) VALUES ([now()], [?]) | INSERT INTO t (a, b) VALUES ([now()], [?]) | ?0",
                "INSERT INTO t (a, b) VALUES (NaN, now()) | INSERT INTO t (a, b) VALUES (NaN, now()) | ",
                "UPDATE t USING TTL 5 SET a = 1, m['k'] = 'v', l[0] = 2 WHERE b = 3 IF c = 'z' AND d IN (1, 2)"
                        + " | UPDATE t USING TTL ? SET a = ?, m[?] = ?, l[?] = ? WHERE b = ? IF c = ? AND d IN ?"
                        + " | 5 1 'k' 'v' 0 2 3 'z' [1,2]",
                "UPDATE t SET c = c + 5 WHERE a = 1 | UPDATE t SET c = c + ? WHERE a = ? | 5 1",
                "UPDATE t SET c = c - 5 WHERE a = -1 | UPDATE t SET c = c - ? WHERE a = ? | 5 -1",
                "UPDATE t SET c = c -5 WHERE a = 1 | UPDATE t SET c = c -? WHERE a = ? | 5 1",
                "UPDATE t SET l = ['a'] + l, s = s - {'b'} WHERE a = 1 | UPDATE t SET l = ? + l, s = s - ? WHERE a = ? | ['a'] {'b'} 1",
                "DELETE m['k'] FROM t WHERE a = 1 AND b IN ('x') | DELETE m[?] FROM t WHERE a = ? AND b IN ? | 'k' 1 ['x']",
                "SELECT a FROM t WHERE a IN (1, ?) AND b IN (1,NULL) | SELECT a FROM t WHERE a IN (?, ?) AND b IN (?,NULL) | 1 ?0 1",
                "SELECT a FROM t WHERE (a, b) IN ((1, 2), (3, 4)) AND (c, d) > (5, 6)"
                        + " | SELECT a FROM t WHERE (a, b) IN ((?, ?), (?, ?)) AND (c, d) > (?, ?) | 1 2 3 4 5 6",
                "SELECT a FROM t WHERE a=1AND b>2 PER PARTITION LIMIT 3 LIMIT 4 ALLOW FILTERING"
                        + " | SELECT a FROM t WHERE a=? AND b>? PER PARTITION LIMIT ? LIMIT ? ALLOW FILTERING | 1 2 3 4",
                "SELECT a FROM t WHERE b BETWEEN -1 AND -2 AND c CONTAINS 'x' AND d CONTAINS KEY 'y' AND e LIKE 'z'"
                        + " | SELECT a FROM t WHERE b BETWEEN ? AND ? AND c CONTAINS ? AND d CONTAINS KEY ? AND e LIKE ? | -1 -2 'x' 'y' 'z'",
                "SELECT a FROM t ORDER BY v ANN OF [0.1, -0.2] LIMIT 3 | SELECT a FROM t ORDER BY v ANN OF ? LIMIT ? | [0.1,-0.2] 3",
                "SELECT a FROM t WHERE b > '2024-01-01' - 2d | x | x",
                "SELECT a FROM t WHERE b > '2024-01-01' + 2d | x | x",
                "UPDATE t SET n = 'a' + ' ' + '1' WHERE id = 1 | UPDATE t SET n = 'a' + ' ' + '1' WHERE id = ? | 1",
                "INSERT INTO t (a, u, l) VALUES (?, {street: '12 Main', zip: ?}, ['1st', ?])"
                        + " | INSERT INTO t (a, u, l) VALUES (?, {street: '12 Main', zip: ?}, ['1st', ?]) | ?0 ?1 ?2",
                "UPDATE c SET ttl = ttl - 1, timestamp = timestamp - 2 WHERE id = 1"
                        + " | UPDATE c SET ttl = ttl - ?, timestamp = timestamp - ? WHERE id = ? | 1 2 1",
                "SELECT CAST(a AS vector<float, 3>), COUNT(1), f(b, 2d) FROM t WHERE c = 3"
                        + " | SELECT CAST(a AS vector<float, 3>), COUNT(1), f(b, 2d) FROM t WHERE c = ? | 3",
                "SELECT a FROM t WHERE b = 1 + 2 AND c = 3 | SELECT a FROM t WHERE b = 1 + 2 AND c = ? | 3",
                "BEGIN BATCH UPDATE t SET a = 1 WHERE b = ?; APPLY BATCH | BEGIN BATCH UPDATE t SET a = 1 WHERE b = ?; APPLY BATCH | ?0",
                "CREATE TABLE t (a int PRIMARY KEY) WITH comment = 'x' | CREATE TABLE t (a int PRIMARY KEY) WITH comment = 'x' | ",
            })
    void shouldMarkEachValue(String cql, String text, String values) {
        if (text.equals("x")) {
            assertThatThrownBy(() -> ParameterizedStatement.of(cql))
                    .isInstanceOf(UnsupportedSqlException.class)
                    .hasMessageContaining("'2024-01-01'");
            return;
        }
        ParameterizedStatement marked = ParameterizedStatement.of(cql);

        assertThat(marked.text()).isEqualTo(text);
        assertThat(shown(marked)).isEqualTo(values == null ? "" : values);
        assertThat(marked.tried()).isFalse();
        assertThat(marked.certain()).isSameAs(marked);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT (int)1, (text)'a', (int)-2 FROM t WHERE id = 5 | SELECT (int)?, (text)?, (int)? FROM t WHERE id = ?"
                        + " | SELECT (int)1, (text)'a', (int)-2 FROM t WHERE id = ?",
                "SELECT COUNT(1), m['k'], f(a, 2) FROM t WHERE id = ? | SELECT COUNT(1), m[?], f(a, ?) FROM t WHERE id = ?"
                        + " | SELECT COUNT(1), m['k'], f(a, 2) FROM t WHERE id = ?",
                "SELECT a FROM t WHERE token(a) > token(5) AND b = 1 | SELECT a FROM t WHERE token(a) > token(?) AND b = ?"
                        + " | SELECT a FROM t WHERE token(a) > token(5) AND b = ?",
                "INSERT INTO t (a, b) VALUES (f((1), [2]), 3) | INSERT INTO t (a, b) VALUES (f((?), ?), ?)"
                        + " | INSERT INTO t (a, b) VALUES (f((1), [2]), ?)",
                "SELECT a FROM t WHERE b = floor(c, 1h, 'x') | SELECT a FROM t WHERE b = floor(c, 1h, ?)"
                        + " | SELECT a FROM t WHERE b = floor(c, 1h, 'x')",
            })
    void shouldKnowWhereTheServerMayNotKnowTheType(String cql, String all, String certain) {
        ParameterizedStatement marked = ParameterizedStatement.of(cql);

        assertThat(marked.text()).isEqualTo(all);
        assertThat(marked.tried()).isTrue();
        assertThat(marked.certain().text()).isEqualTo(certain);
        assertThat(marked.certain().tried()).isFalse();
    }

    @Test
    void shouldNotLeaveWhatMayBeADateInAFunction() {
        ParameterizedStatement marked = ParameterizedStatement.of("SELECT a FROM t WHERE b > f('2024-02-30')");

        assertThat(marked.text()).isEqualTo("SELECT a FROM t WHERE b > f(?)");
        assertThatThrownBy(marked::certain)
                .isInstanceOf(UnsupportedSqlException.class)
                .hasMessageContaining("'2024-02-30'")
                .hasMessageContaining("give it as a parameter");
        assertThatThrownBy(() -> ParameterizedStatement.of("INSERT INTO t (a) VALUES ([now(), '2024-02-30'])"))
                .isInstanceOf(UnsupportedSqlException.class);
    }

    @Test
    void shouldMakeOneTextOfTextsThatDifferInValues() {
        assertThat(ParameterizedStatement.of("SELECT a FROM t WHERE b = 1 AND c IN ('x', 'y')")
                        .text())
                .isEqualTo(ParameterizedStatement.of("SELECT a FROM t WHERE b = -22.5 AND c IN ('it''s')")
                        .text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1", "-1", "'a'", "[1, 2]", "{'a': 1}", "{}", "(1, null)", "{f: 1, \"G\": NaN}", "[-Infinity]"})
    void shouldReadOneLiteral(String text) {
        assertThat(CqlLiteral.read(text)).isNotNull();
        assertThat(CqlLiteral.read(" " + text + " ")).isEqualTo(CqlLiteral.read(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "null",
                "[1",
                "[1]]",
                "[1,]",
                "[,1]",
                "{1: }",
                "{1: 2, 3}",
                "{f: 1, 2: 3}",
                "(1",
                "()",
                "1 2",
                "?",
                "[?]",
                "now()",
                "'a",
                "- 0x1",
                "[1] [2]",
                "{f}"
            })
    void shouldReadNothingElse(String text) {
        assertThat(CqlLiteral.read(text)).isNull();
    }
}
