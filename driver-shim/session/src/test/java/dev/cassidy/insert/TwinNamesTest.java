package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TwinNamesTest {

    private static String in(String cql) {
        Set<String> key = Set.of("name", "Zone");
        boolean selects = cql.regionMatches(true, 0, "select", 0, "select".length());
        return (selects ? TwinNames.ofSelect(cql, key, Set.of()) : TwinNames.ofWrite(cql, key, Set.of())).text();
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT mail FROM t WHERE mail = ? | SELECT mail FROM t WHERE cassidy_eq_mail = ?",
                "SELECT a FROM t WHERE MAIL IN (?, 'x') AND name = ? LIMIT 1"
                        + " | SELECT a FROM t WHERE cassidy_eq_mail IN (?, 'x') AND cassidy_eq_name = ? LIMIT 1",
                "SELECT a FROM t WHERE mail > ? | SELECT a FROM t WHERE mail > ?",
                "SELECT a FROM t WHERE mail LIKE 'a%' | SELECT a FROM t WHERE mail LIKE 'a%'",
                "SELECT a FROM t WHERE mail = lower(?) | SELECT a FROM t WHERE mail = lower(?)",
                "SELECT a FROM t WHERE a = 1 ORDER BY mail | SELECT a FROM t WHERE a = 1 ORDER BY mail",
                "SELECT a FROM t WHERE \"My Mail\" = 'x' | SELECT a FROM t WHERE \"cassidy_eq_My Mail\" = 'x'"
            })
    void shouldFindRowsByTwinsBesideColumns(String cql, String expected) {
        TwinNames.Named named = TwinNames.ofSelect(cql, Set.of("name"), Set.of("mail", "My Mail"));
        assertThat(named.text()).isEqualTo(expected);
        assertThat(named.markers()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET mail = ? WHERE a = ? | UPDATE t SET mail = ?, cassidy_eq_mail = ? WHERE a = ? | 0 0 1",
                "UPDATE t SET b = ?, mail = ?, c = ? WHERE name = ? AND mail = ?"
                        + " | UPDATE t SET b = ?, mail = ?, cassidy_eq_mail = ?, c = ? WHERE cassidy_eq_name = ? AND mail = ?"
                        + " | 0 1 1 2 3 4",
                "UPDATE t SET mail = 'x', \"My Mail\" = ? WHERE a = ?"
                        + " | UPDATE t SET mail = 'x', cassidy_eq_mail = 'x', \"My Mail\" = ?, \"cassidy_eq_My Mail\" = ?"
                        + " WHERE a = ? | 0 0 1",
                "UPDATE t SET mail = null, b = ? WHERE a = 1"
                        + " | UPDATE t SET mail = null, cassidy_eq_mail = null, b = ? WHERE a = 1 | 0",
                "UPDATE t SET mail = 5 WHERE a = 1 | UPDATE t SET mail = 5, cassidy_eq_mail = 5 WHERE a = 1 | ''",
                "UPDATE t SET b = ? WHERE a = ? AND mail = ? | UPDATE t SET b = ? WHERE a = ? AND mail = ? | 0 1 2",
                "DELETE b, mail FROM t WHERE a = ? | DELETE b, mail, cassidy_eq_mail FROM t WHERE a = ? | 0",
                "DELETE FROM t WHERE a = ? AND mail = ? | DELETE FROM t WHERE a = ? AND mail = ? | 0 1"
            })
    void shouldSetTwinsBesideColumns(String cql, String expected, String markers) {
        TwinNames.Named named = TwinNames.ofWrite(cql, Set.of("name"), Set.of("mail", "My Mail"));
        assertThat(named.text()).isEqualTo(expected);
        assertThat(named.markers().stream().map(String::valueOf).collect(Collectors.joining(" ")))
                .isEqualTo(markers);
    }

    @Test
    void shouldRefuseWhatAColumnWithATwinIsSetToByTheServer() {
        for (String set : new String[] {"mail = lower(?)", "mail = mail + 'x'", "mail += 'x'", "mail = :m"}) {
            String cql = "UPDATE t SET " + set + " WHERE a = 1";
            assertThatThrownBy(() -> TwinNames.ofWrite(cql, Set.of(), Set.of("mail")))
                    .as(set)
                    .isInstanceOf(UnsupportedSqlException.class)
                    .hasMessageContaining("SET mail");
        }
    }
}
