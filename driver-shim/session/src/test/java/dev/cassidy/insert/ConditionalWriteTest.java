package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionalWriteTest {

    private static final Set<String> KEY = Set.of("id");
    private static final Set<String> NUMBERS = Set.of("id", "n", "m", "Big");

    private static ConditionalWrite of(String cql) {
        return ConditionalWrite.of(cql, KEY, NUMBERS, Set.of()).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "UPDATE t SET a = ? WHERE id = ? | UPDATE t SET a = ? WHERE id = ? IF $",
                "DELETE FROM k.t WHERE id = 1; | DELETE FROM k.t WHERE id = 1 IF $",
                "DELETE a FROM t WHERE id = 1 | DELETE a FROM t WHERE id = 1 IF $",
                "UPDATE t SET a = 1 WHERE a = 'and' AND id = 1 AND n >= -5 | UPDATE t SET a = 1 WHERE id = 1 IF $ AND a = 'and' AND n >= -5",
                "UPDATE t SET a = ?, n = ? WHERE id = ? AND n = ? | UPDATE t SET a = ?, n = ? WHERE id = ? IF $ AND n = ?",
                "UPDATE t SET n = n - ?, a = ? WHERE id = ? AND n >= ? | UPDATE t SET n = ?, a = ? WHERE id = ? IF $ AND n = ?",
                "UPDATE t SET n = 1 + n, \"Big\" = \"Big\" + 2 WHERE id = ? AND a < ? | UPDATE t SET n = ?, \"Big\" = ? WHERE id = ? IF $ AND n = ? AND \"Big\" = ? AND a < ?",
                "DELETE FROM t WHERE id = 1 AND a != ? AND n IS NOT NULL | DELETE FROM t WHERE id = 1 IF $ AND a != ? AND a != null AND n != null",
                "DELETE FROM t WHERE id = 1 AND \"Big\" != 2 | DELETE FROM t WHERE id = 1 IF $ AND \"Big\" != 2 AND \"Big\" != null",
                "DELETE FROM t WHERE id = 1 AND n IN (NULL, 1, null) | DELETE FROM t WHERE id = 1 IF $ AND n IN (1)",
                "UPDATE t SET l = l + ? WHERE id = 1 | UPDATE t SET l = l + ? WHERE id = 1 IF $",
            })
    void shouldMakeAWriteConditional(String cql, String expected) {
        assertThat(of(cql).text()).isEqualTo(expected.replace("$", "cassidy_tx >= 0xff"));
        assertThat(of(cql).keys()).isEmpty();
    }

    /** What is read stands behind IF, once for each column; what it is compared with is the caller's to check. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "UPDATE t SET a = 1 WHERE id = 1 AND s = 'x' | UPDATE t SET a = 1 WHERE id = 1 IF $ AND s = ? | s = 'x'",
                "UPDATE t SET a = ? WHERE id = ? AND s = ? AND b = ? | UPDATE t SET a = ? WHERE id = ? IF $ AND s = ? AND b = ? | s = 2",
                "DELETE FROM t WHERE s != ? AND id = 1 AND s != 'y' | DELETE FROM t WHERE id = 1 IF $ AND s = ? | s != 0, s != 'y'",
                "DELETE FROM t WHERE id = 1 AND \"S\" IN ('a', ?, NULL) AND s = 'b' | DELETE FROM t WHERE id = 1 IF $ AND \"S\" = ? AND s = ? | S IN 'a' 0 null, s = 'b'",
                "DELETE FROM t WHERE id = 1 AND s >= 'a' AND s IS NOT NULL | DELETE FROM t WHERE id = 1 IF $ AND s >= 'a' AND s != null | ``",
                "UPDATE t SET n = n + 1 WHERE id = 1 AND s = 'x' AND n > 3 | UPDATE t SET n = ? WHERE id = 1 IF $ AND n = ? AND s = ? | s = 'x'",
            })
    void shouldLeaveComparisonsByACollationToTheCaller(String cql, String expected, String matches) {
        ConditionalWrite write = ConditionalWrite.of(cql, KEY, NUMBERS, Set.of("s", "S"), Set.of())
                .orElseThrow();
        assertThat(write.text()).isEqualTo(expected.replace("$", "cassidy_tx >= 0xff"));
        assertThat(write.matches().stream()
                        .map(match -> match.column() + " " + match.operator() + " "
                                + match.values().stream()
                                        .map(each -> each.marker() >= 0 ? "" + each.marker() : "" + each.literal())
                                        .collect(Collectors.joining(" ")))
                        .collect(Collectors.joining(", ")))
                .isEqualTo(matches);
        assertThat(write.dependsOnRow()).isEqualTo(!matches.isEmpty());
        assertThat(write.markers())
                .filteredOn(ConditionalWrite.Source.Stood.class::isInstance)
                .hasSize((int) write.matches().stream()
                        .map(ConditionalWrite.Match::column)
                        .distinct()
                        .count());
        // What is compared with NULL alone finds no row.
        assertThat(write.compared()).hasSizeGreaterThanOrEqualTo(write.matches().size());
    }

    /** Several rows are those whose keys a query finds; the statement is sent for each. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "UPDATE t SET a = ? WHERE id = ? AND \"P\" = 2 | UPDATE t SET a = ? WHERE id = ? AND \"P\" = 2 IF cassidy_tx >= 0xff | `` | SELECT * FROM t WHERE id = ? AND \"P\" = 2",
                "DELETE FROM k.t WHERE id = 1 AND a <> 2 AND \"P\" = 2 | refused | `` | ``",
                "DELETE FROM k.t WHERE id = 1 AND a != 2 | DELETE FROM k.t WHERE id = ? AND \"P\" = ? IF cassidy_tx >= 0xff AND a != 2 AND a != null | SELECT id, \"P\" FROM k.t WHERE id = 1 | SELECT * FROM k.t WHERE id = ? AND \"P\" = ?",
                "UPDATE t SET n = n + 1 WHERE id IN (?, ?) | UPDATE t SET n = ? WHERE id = ? AND \"P\" = ? IF cassidy_tx >= 0xff AND n = ? | SELECT id, \"P\" FROM t WHERE id IN (?, ?) | SELECT * FROM t WHERE id = ? AND \"P\" = ?",
                "DELETE a FROM t WHERE id = 1 AND \"P\" > 2 | DELETE a FROM t WHERE id = ? AND \"P\" = ? IF cassidy_tx >= 0xff | SELECT id, \"P\" FROM t WHERE id = 1 AND \"P\" > 2 | SELECT * FROM t WHERE id = ? AND \"P\" = ?",
            })
    void shouldBeginWithTheMarkOfTheRow(String cql, String expected, String keys, String row) {
        Set<String> key = new LinkedHashSet<>(List.of("id", "P"));
        if (expected.equals("refused")) {
            assertThatExceptionOfType(UnsupportedSqlException.class)
                    .isThrownBy(() -> ConditionalWrite.of(cql, key, NUMBERS, Set.of()));
            return;
        }
        ConditionalWrite write =
                ConditionalWrite.of(cql, key, NUMBERS, Set.of()).orElseThrow();
        assertThat(write.text()).isEqualTo(expected);
        assertThat(write.keys()).isEqualTo(keys);
        assertThat(write.row()).isEqualTo(row);
    }

    @Test
    void shouldSayWhereValuesComeFrom() {
        ConditionalWrite write =
                of("UPDATE k.t USING TTL ? SET n = n - ?, a = ? WHERE a = ? AND id = ? AND n >= ? AND n < 9");

        assertThat(write.markers())
                .containsExactly(
                        new ConditionalWrite.Source.Given(0),
                        new ConditionalWrite.Source.New(0),
                        new ConditionalWrite.Source.Given(2),
                        new ConditionalWrite.Source.Given(4),
                        new ConditionalWrite.Source.Old(0),
                        new ConditionalWrite.Source.Given(3));
        assertThat(write.changes())
                .containsExactly(new ConditionalWrite.Change("n", true, new ConditionalWrite.Operand(1, null)));
        assertThat(write.checks())
                .containsExactly(
                        new ConditionalWrite.Check(0, ">=", new ConditionalWrite.Operand(5, null)),
                        new ConditionalWrite.Check(0, "<", new ConditionalWrite.Operand(-1, "9")));
        assertThat(write.compared()).containsExactly(List.of(new ConditionalWrite.Operand(3, null)));
        assertThat(write.row()).isEqualTo("SELECT * FROM k.t WHERE id = ?");
        assertThat(write.rowMarkers()).isEqualTo(List.of(new ConditionalWrite.Source.Given(4)));
    }

    @Test
    void shouldLeaveOutWhatIsNullAmongTheValuesOfIn() {
        String cql = "UPDATE t SET a = ? WHERE id = ? AND n IN (?, ?, ?) AND a = ?";
        ConditionalWrite write =
                ConditionalWrite.of(cql, KEY, NUMBERS, Set.of(2, 4)).orElseThrow();

        assertThat(write.text())
                .isEqualTo("UPDATE t SET a = ? WHERE id = ? IF cassidy_tx >= 0xff AND n IN (?) AND a = ?");
        assertThat(write.markers())
                .extracting(source -> ((ConditionalWrite.Source.Given) source).marker())
                .containsExactly(0, 1, 3, 5);
        assertThat(write.compared()).extracting(List::size).containsExactly(3, 1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET a = 1 WHERE id = 1 | false",
                "DELETE FROM t WHERE id IN (1, 2) | false",
                "UPDATE t SET n = n + 1 WHERE id = 1 | true",
                "DELETE FROM t WHERE id = 1 AND a = 3 | true",
                "DELETE FROM t WHERE id = 1 AND a IS NOT NULL | true",
            })
    void shouldKnowWhetherAConditionIsNeeded(String cql, boolean needed) {
        assertThat(of(cql).needsCondition()).isEqualTo(needed);
    }

    @Test
    void shouldLeaveWhatHasAConditionOrIsNoWriteOfARow() {
        assertThat(ConditionalWrite.of("UPDATE t SET a = 1 WHERE id = 1 IF n = 2", KEY, NUMBERS, Set.of()))
                .isEmpty();
        assertThat(ConditionalWrite.of("INSERT INTO t (id) VALUES (1)", KEY, NUMBERS, Set.of()))
                .isEmpty();
        assertThat(ConditionalWrite.of("TRUNCATE t", KEY, NUMBERS, Set.of())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "UPDATE t SET n = n * 2 WHERE id = 1 | SET n = n * 2",
                "UPDATE t SET n = 5 - n WHERE id = 1 | SET n = 5 - n",
                "UPDATE t SET n = n + n WHERE id = 1 | SET n = n + n",
                "UPDATE t SET n = n + 1, n = n + 2 WHERE id = 1 | SET of column n twice",
                "UPDATE t SET a = 1 WHERE id = 1 AND n IS NULL | 'n IS NULL' as the condition of a write",
                "UPDATE t SET a = 1 WHERE id = 1 AND n = f(2) | 'n = f(2)' as the condition of a write",
                "UPDATE t SET n = n + 1 WHERE id = 1 AND n IN (1, 2) | 'n IN (1, 2)' as the condition of a write",
                "DELETE FROM t WHERE n = 1 | DELETE without the key of its row",
            })
    void shouldRefuseByName(String cql, String construct) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> of(cql))
                .satisfies(e -> assertThat(e.construct()).isEqualTo(construct));
    }

    /** In CQL the statement means what it means: what it says itself stays behind the condition on the mark. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "UPDATE t SET a = ? WHERE id = ? | UPDATE t SET a = ? WHERE id = ? IF $ | SELECT * FROM t WHERE id = ?",
                "UPDATE k.t USING TTL ? SET n = :n WHERE id = :id; | UPDATE k.t USING TTL ? SET n = :n WHERE id = :id IF $ | SELECT * FROM k.t WHERE id = :id",
                "UPDATE t SET m['[x]'] = 1 WHERE id = 1 IF EXISTS | UPDATE t SET m['[x]'] = 1 WHERE id = 1 IF $ | SELECT * FROM t WHERE id = 1",
                "DELETE a FROM t WHERE id = 1 IF a = ? AND n > 3; | DELETE a FROM t WHERE id = 1 IF $ AND a = ? AND n > 3 | SELECT * FROM t WHERE id = 1",
                "DELETE FROM t WHERE id = 1 IF a = ? AND cassidy_tx >= 0xff | DELETE FROM t WHERE id = 1 IF a = ? AND cassidy_tx >= 0xff | SELECT * FROM t WHERE id = 1",
            })
    void shouldKeepTheStatementsOwnCondition(String cql, String expected, String row) {
        ConditionalWrite write = ConditionalWrite.ofRow(cql, KEY).orElseThrow();
        assertThat(write.text()).isEqualTo(expected.replace("$", "cassidy_tx >= 0xff"));
        assertThat(write.row()).isEqualTo(row);
    }

    @Test
    void shouldKeepTheMarkersInTheirOrder() {
        ConditionalWrite write = ConditionalWrite.ofRow("UPDATE t SET a = ?, l[?] = ? WHERE id = ? IF n = ?", KEY)
                .orElseThrow();
        assertThat(write.markers()).isEqualTo(List.of(given(0), given(1), given(2), given(3), given(4)));
        assertThat(write.rowMarkers()).isEqualTo(List.of(given(3)));
    }

    private static ConditionalWrite.Source given(int marker) {
        return new ConditionalWrite.Source.Given(marker);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DELETE FROM t WHERE id = 1 | DELETE of rows",
                "DELETE FROM t WHERE id = 1 AND p IN (2) | DELETE of rows",
                "UPDATE t SET a = 1 WHERE id = 1 AND p > 2 | UPDATE of rows",
                "UPDATE t SET a = 1 WHERE id = 1 AND p = 2 AND a = 3 | 'a = 3'",
            })
    void shouldNameWhatIsNotOneRowByItsKey(String cql, String construct) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> ConditionalWrite.ofRow(cql, new LinkedHashSet<>(List.of("id", "p"))))
                .withMessageContaining(construct);
    }

    @Test
    void shouldNotTakeAnotherStatementForOne() {
        assertThat(ConditionalWrite.ofRow("INSERT INTO t (id) VALUES (1)", KEY)).isEmpty();
        assertThat(ConditionalWrite.ofRow("SELECT * FROM t WHERE id = 1", KEY)).isEmpty();
    }
}
