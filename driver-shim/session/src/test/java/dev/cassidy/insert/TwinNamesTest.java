package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TwinNamesTest {

    private static String in(String cql) {
        return TwinNames.in(cql, Set.of("name", "Zone"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT name FROM t WHERE name = ? | SELECT name FROM t WHERE cassidy_eq_name = ?",
                "select * from t where NAME in (?, 'x') | select * from t where cassidy_eq_name in (?, 'x')",
                "SELECT a FROM t WHERE a = 1 AND name >= 'a' AND name < 'b' LIMIT 5"
                        + " | SELECT a FROM t WHERE a = 1 AND cassidy_eq_name >= 'a' AND cassidy_eq_name < 'b' LIMIT 5",
                "SELECT a FROM t WHERE a = 1 ORDER BY name DESC, b LIMIT ?"
                        + " | SELECT a FROM t WHERE a = 1 ORDER BY cassidy_eq_name DESC, b LIMIT ?",
                "SELECT name, COUNT(*) FROM t WHERE a = 'name' GROUP BY a, name ORDER BY name"
                        + " | SELECT name, COUNT(*) FROM t WHERE a = 'name' GROUP BY a, cassidy_eq_name ORDER BY cassidy_eq_name",
                "SELECT a FROM t WHERE \"Zone\" = 'x' | SELECT a FROM t WHERE \"cassidy_eq_Zone\" = 'x'",
                "SELECT a FROM t WHERE (a, name) > (1, ?) | SELECT a FROM t WHERE (a, cassidy_eq_name) > (1, ?)",
                "SELECT a FROM t WHERE (a, name) IN ((?, ?), (1, 'x'))"
                        + " | SELECT a FROM t WHERE (a, cassidy_eq_name) IN ((?, ?), (1, 'x'))",
                "SELECT a FROM t WHERE name IN ('a', NULL) | SELECT a FROM t WHERE cassidy_eq_name IN ('a', NULL)",
                "SELECT a FROM t WHERE token(name) > ? | SELECT a FROM t WHERE token(cassidy_eq_name) > ?",
                "UPDATE t SET name = ?, a = 1 WHERE name = ? IF name = 'x'"
                        + " | UPDATE t SET name = ?, a = 1 WHERE cassidy_eq_name = ? IF name = 'x'",
                "DELETE FROM t WHERE name = ? | DELETE FROM t WHERE cassidy_eq_name = ?",
                "DELETE a FROM t WHERE name = ?; | DELETE a FROM t WHERE cassidy_eq_name = ?;",
                "SELECT name FROM t | SELECT name FROM t",
                "SELECT a FROM t WHERE a = lower(name) | SELECT a FROM t WHERE a = lower(name)"
            })
    void shouldNameTwinsWhereTheKeyIsMeant(String cql, String expected) {
        assertThat(in(cql)).isEqualTo(expected);
    }

    @Test
    void shouldRefuseValuesThatTheServerAloneKnows() {
        for (String condition : new String[] {
            "name = lower('X')",
            "name = 'a' + ?",
            "token(name) > token('x')",
            "name = (text) ?",
            "(a, name) > ?",
            "(a, name) IN ?",
            "(a, name) IN (?, ?)"
        }) {
            assertThatThrownBy(() -> in("SELECT a FROM t WHERE " + condition))
                    .as(condition)
                    .isInstanceOf(UnsupportedSqlException.class)
                    .hasMessageContaining(condition);
        }
    }
}
