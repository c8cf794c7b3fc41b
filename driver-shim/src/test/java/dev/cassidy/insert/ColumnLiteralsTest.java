package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.tsql.TsqlScript;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnLiteralsTest {

    private static Optional<ColumnLiterals> of(String cql) {
        return CqlInsert.recognise(cql).map(ColumnLiterals::of).orElseGet(() -> ColumnLiterals.of(cql));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "INSERT INTO t (a, \"B\", c, d, e) VALUES (0, '20240131', f(1), ?, $$1$$) | a=0 B='20240131' e=$$1$$",
                "INSERT INTO t (a, b, c, d, e) VALUES (1, 'x', [0], -1, 10) IF NOT EXISTS USING TTL 1 | a=1",
                "INSERT INTO t (a, b, c) VALUES (1 + 1, (int)0, {'1'}) | ",
                "UPDATE t SET a = 0, b=1 WHERE c = '2024' AND d IN (0, '1', 2, f(0)) IF e != 1 | a=0 b=1 c='2024' d=0 d='1' e=1",
                "UPDATE t SET a = a + 1, m['1'] = 0, u.f = 0, l = [0], b = 1 + a WHERE c >= '1' AND d <= 1; | c='1' d=1",
                "UPDATE t USING TTL 1 SET a = ? WHERE (b, c) = (0, 1) | ",
                "DELETE a FROM t USING TIMESTAMP 1 WHERE b = 1 IF c = 0 | b=1 c=0",
                "SELECT a, f(0) FROM t WHERE b BETWEEN '1' AND '2' AND token(c) > 1 AND d = 0 LIMIT 1 ALLOW FILTERING | b='1' b='2' d=0",
                "SELECT a FROM t WHERE b > '2024-01-01' - 2d AND c IN (0 | ",
                "BEGIN BATCH UPDATE t SET a = 0 WHERE b = 1; APPLY BATCH | ",
                "CREATE TABLE t (a int PRIMARY KEY) WITH b = 1 | ",
            })
    void shouldFindLiteralsThatStandForAColumn(String cql, String expected) {
        String found = of(cql).map(literals -> literals.literals().stream()
                        .map(literal -> literal.column() + "=" + cql.substring(literal.start(), literal.end()))
                        .collect(Collectors.joining(" ")))
                .orElse(null);

        assertThat(found).isEqualTo(expected);
    }

    @Test
    void shouldNameTheTable() {
        for (String cql : new String[] {
            "INSERT INTO k.\"T\" (a) VALUES (0)",
            "UPDATE k.\"T\" SET a = 0 WHERE b = ?",
            "DELETE FROM k.\"T\" WHERE b = 1",
            "SELECT \"from\" FROM k.\"T\" WHERE b = '1'"
        }) {
            assertThat(of(cql).orElseThrow().table()).isEqualTo(new CqlInsert.Table("k", "T"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (a, b) VALUES (?, ?)",
                "INSERT INTO t (a, b) VALUES (2, N'Kettle 2000')",
                "UPDATE t SET a = 10 WHERE b = ?",
                "SELECT a FROM t WHERE b = 1.5 LIMIT 100"
            })
    void shouldCostNothingWithoutLiterals(String sql) {
        assertThat(TsqlScript.parse(sql).hasLiterals()).isFalse();
    }
}
