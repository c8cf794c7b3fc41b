package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatementTextTest {

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            SELECT a FROM t WHERE b = 'it''s' AND c=N'x' AND d >= -1.5 ; SELECT a FROM t WHERE b = ? AND c=? AND d >= ?
            SELECT a FROM t WHERE b IN (1, 2,3) AND c IN (?)           ; SELECT a FROM t WHERE b IN (?) AND c IN (?)
            INSERT INTO t (a, b) SELECT 1, ?, b, 0xff FROM u           ; INSERT INTO t (a, b) SELECT ?, ?, b, ? FROM u
            SELECT a FROM t WHERE b IN (1, -2,+3) AND c IN (1, b, 2)   ; SELECT a FROM t WHERE b IN (?) AND c IN (?, b, ?)
            SELECT -1, a - 1, 2 -1, (3) - 1, f(1, 2) FROM t            ; SELECT ?, a - ?, ? -?, (?) - ?, f(?, ?) FROM t
            INSERT INTO t (a, b) VALUES (1, ?), (?,-2),('x', N'y')     ; INSERT INTO t (a, b) VALUES (?, ?)
            INSERT INTO t (a, b) VALUES (1, ?), (2, a), (3, 4), (5, 6) ; INSERT INTO t (a, b) VALUES (?, ?), (?, a), (?, ?), (?, ?)
            INSERT INTO t (a, b) VALUES (1, 2), (3)                    ; INSERT INTO t (a, b) VALUES (?, ?), (?)
            SELECT [a b], "c" FROM t -- a comment with 1               ; SELECT [a b], "c" FROM t
            UPDATE t SET a = a + 1 WHERE b LIKE '%x'                   ; UPDATE t SET a = a + ? WHERE b LIKE ?
            """)
    void shouldShowNoValues(String sql, String shown) {
        assertThat(StatementText.of(sql).text()).isEqualTo(shown);
    }

    @Test
    void shouldBeTheSameForTheSameStatement() {
        String hash = StatementText.of("SELECT a FROM t\n\tWHERE b IN (?, ?)").hash();
        assertThat(hash).matches("[0-9a-f]{12}");
        assertThat(StatementText.of("SELECT a  FROM t WHERE b IN ('x', 'y', 'z')")
                        .hash())
                .isEqualTo(hash);
        assertThat(StatementText.of("SELECT a FROM t WHERE c IN (?, ?)").hash()).isNotEqualTo(hash);
    }

    @Test
    void shouldBeShortened() {
        String shown =
                StatementText.of("SELECT " + "a, ".repeat(200) + "a FROM t").shown();
        assertThat(shown).hasSize(303).endsWith("...");
    }
}
