package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.tsql.TsqlScript;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CurrentTimesTest {

    private static Optional<CurrentTimes> of(String cql) {
        String now = cql.replace("NOW", CurrentTimes.NOW);
        return CqlInsert.recognise(now).map(CurrentTimes::of).orElseGet(() -> CurrentTimes.of(now));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO t (a, \"B\", c) VALUES (1, NOW, toDate(NOW)) | B",
                "UPDATE t SET a = NOW, b=1 WHERE c = NOW AND d > NOW IF e != NOW | a c d e",
                "UPDATE t SET m['1'] = NOW, u.f = NOW, l = [NOW] WHERE (b, c) = (NOW, NOW) | ",
                "DELETE a FROM t WHERE b = NOW | b",
                "SELECT a, f(NOW) FROM t WHERE b >= NOW AND c = NOW + 1d AND token(c) > NOW LIMIT 1 | b",
                "BEGIN BATCH UPDATE t SET a = NOW WHERE b = 1; APPLY BATCH | ",
                "CREATE TABLE t (a int PRIMARY KEY) WITH b = NOW | ",
            })
    void shouldFindTimesThatStandForAColumn(String cql, String expected) {
        String found = of(cql).map(times ->
                        times.places().stream().map(CurrentTimes.Place::column).collect(Collectors.joining(" ")))
                .orElse(null);

        assertThat(found).isEqualTo(expected);
    }

    @Test
    void shouldNameTheTable() {
        for (String cql : new String[] {
            "INSERT INTO k.\"T\" (a) VALUES (NOW)",
            "UPDATE k.\"T\" SET a = NOW WHERE b = ?",
            "DELETE FROM k.\"T\" WHERE b = NOW",
            "SELECT \"from\" FROM k.\"T\" WHERE b = NOW"
        }) {
            assertThat(of(cql).orElseThrow().table()).isEqualTo(new CqlInsert.Table("k", "T"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (a, b) VALUES (?, ?)",
                "INSERT INTO t (a, b) VALUES (2, N'20240131')",
                "UPDATE t SET a = 1 WHERE b = ?",
                "SELECT a FROM t WHERE b = 1.5 LIMIT 100"
            })
    void shouldCostNothingWithoutTimes(String sql) {
        assertThat(TsqlScript.parse(sql).hasTimes()).isFalse();
    }
}
