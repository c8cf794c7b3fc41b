package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AssignmentsTest {

    private static List<String> shown(String cql) {
        return Assignments.of(cql).orElseThrow().all().stream()
                .map(each -> each.column() + "=" + shown(each.value()) + " '" + cql.substring(each.start(), each.end())
                        + "'")
                .toList();
    }

    private static String shown(CqlInsert.Value value) {
        return value instanceof CqlInsert.Value.Marker marker
                ? "marker " + marker.index() + (marker.name() == null ? "" : " " + marker.name())
                : value instanceof CqlInsert.Value.Null ? "null" : "term";
    }

    @Test
    void shouldReadWhatAnInsertGives() {
        assertThat(shown("INSERT INTO k.t (a, \"B\", c, d) VALUES (?, 'x''y', null, ?)"))
                .containsExactly("a=marker 0 '?'", "B=term ''x''y''", "c=null 'null'", "d=marker 1 '?'");
        assertThat(Assignments.of("INSERT INTO k.t (a) VALUES (1)").orElseThrow())
                .satisfies(found -> {
                    assertThat(found.insert()).isTrue();
                    assertThat(found.keyspace()).isEqualTo("k");
                    assertThat(found.table()).isEqualTo("t");
                });
    }

    /** The markers before and behind it count, and are of other columns. */
    @Test
    void shouldReadWhatAnUpdateGivesAColumnAsAWhole() {
        assertThat(shown(
                        "UPDATE t USING TTL ? AND TIMESTAMP 5 SET a = ?, n = n + ?, m[?] = ?, \"B\" = f(?, 1), c = NULL,"
                                + " u.x = ?, d = -1.5 WHERE id = ? IF e = ?"))
                .containsExactly(
                        "a=marker 1 '?'", "n=term 'n + ?'", "B=term 'f(?, 1)'", "c=null 'NULL'", "d=term '-1.5'");
        assertThat(shown("update K.\"T\" set a = :x, b = :Y where id = :x"))
                .containsExactly("a=marker 0 x ':x'", "b=marker 1 y ':Y'");
        assertThat(Assignments.of("update K.\"T\" set a = 1 where id = 1").orElseThrow())
                .satisfies(found -> {
                    assertThat(found.insert()).isFalse();
                    assertThat(found.keyspace()).isEqualTo("k");
                    assertThat(found.table()).isEqualTo("T");
                });
    }

    /** Cassandra reads it as the type of its column. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "(text)'x'                         | 'x'",
                "(text) $$x$$                      | $$x$$",
                "(int)4                            | 4",
                "(decimal)-0.04                    | -0.04",
                "((decimal)(0.04))                 | 0.04",
                "(bigint)((int)4)                  | 4",
                "(text)NULL                        | null",
                "(smallint)?                       | marker 2",
                "(smallint)((int) :N)              | marker 2 n",
                "(frozen<map<text, int>>){'a': 1}  | {'a': 1}",
                "(k.\"T\")?                        | marker 2",
                "('org.x.LongType')5               | 5",
                "(text, int)'x'                    | (text, int)'x'",
                "(1) - 2                           | (1) - 2",
                "(NaN) - 2                         | (NaN) - 2",
                "(f(1)) - 2                        | (f(1)) - 2",
                "(int)4 + 1                        | 4 + 1",
                "(4)                               | 4",
                "(1, 2)                            | (1, 2)"
            })
    void shouldReadThroughATypeBeforeATerm(String term, String expected) {
        String insert = "INSERT INTO t (x, y, a, b) VALUES (?, (int)?, " + term + ", ?)";
        String update = "UPDATE t SET x = ?, y = (int)?, a = " + term + " WHERE id = ?";
        for (String cql : List.of(insert, update)) {
            CqlInsert.Value value =
                    Assignments.of(cql).orElseThrow().all().get(2).value();
            assertThat(
                            value instanceof CqlInsert.Value.Term text
                                    ? text.text()
                                    : value instanceof CqlInsert.Value.IntegerLiteral number
                                            ? number.value().toString()
                                            : shown(value))
                    .isEqualTo(expected);
        }
    }

    @Test
    void shouldReadTheChangesOfABatch() {
        assertThat(Assignments.ofBatch("BEGIN UNLOGGED BATCH USING TIMESTAMP 5 INSERT INTO a (b) VALUES ('update x');"
                        + " UPDATE k.c SET d = 1, \"update\" = 'apply' WHERE e = 2 delete f FROM g WHERE h = 3;"
                        + " UPDATE i SET j += 1 WHERE l = 4 APPLY BATCH"))
                .extracting(Assignments::keyspace, Assignments::table, found -> found.all().stream()
                        .map(Assignments.Assignment::column)
                        .toList())
                .containsExactly(
                        tuple("k", "c", List.of("d", "update")),
                        tuple(null, "g", List.of("f")),
                        tuple(null, "i", List.of("j")));
        assertThat(Assignments.ofBatch("UPDATE t SET a = 1 WHERE id = 1")).isEmpty();
        assertThat(Assignments.ofBatch("BEGIN BATCH UPDATE t SET a = 'x")).isEmpty();
    }

    /** What is added is not what the column is given. */
    @Test
    void shouldTellWhatTheServerComputesFromTheColumn() {
        String cql =
                "UPDATE t SET a += 5, \"B\" -= ?, c = c + ?, d = 5+d, e = e -1, f = f(?), g = - 1, h = ?, m[?] += 1"
                        + " WHERE id = ?";
        assertThat(shown(cql))
                .containsExactly(
                        "a=term '5'",
                        "B=term '?'",
                        "c=term 'c + ?'",
                        "d=term '5+d'",
                        "e=term 'e -1'",
                        "f=term 'f(?)'",
                        "g=term '- 1'",
                        "h=marker 3 '?'");
        assertThat(Assignments.of(cql).orElseThrow().all())
                .filteredOn(Assignments.Assignment::ofItself)
                .extracting(Assignments.Assignment::column)
                .containsExactly("a", "B", "c", "d", "e");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET N = 1 + n WHERE id = 1 IF EXISTS                                   | n",
                "UPDATE t SET n -= -1 WHERE id = 1 IF EXISTS                                     | n",
                "UPDATE t SET a = 1, \"S\" = \"S\" + 'x,y' WHERE id = 1 IF EXISTS                  | S",
                "UPDATE t USING TTL 5 SET l = [1, 2], s = s + ? WHERE id = 1 IF s = 'l + l'      | s",
                "BEGIN BATCH UPDATE k.t SET n = n + 1 WHERE id = 1 IF EXISTS; UPDATE u SET a = 1, m += 2 WHERE id = 1;"
                        + " DELETE FROM t WHERE id = 1 APPLY BATCH                                   | n,m",
                "UPDATE t SET n = -1, m = ? WHERE id = 1 IF n = 1                                | ''",
                "UPDATE t SET s = 'a + s' WHERE id = 1 IF EXISTS                                 | ''",
                "UPDATE t SET d = now() - 1h WHERE id = 1 IF EXISTS                              | ''",
                "UPDATE t SET m['n'] = -1 WHERE id = 1 IF EXISTS                                 | ''",
                "INSERT INTO t (id, n) VALUES (1, -1) IF NOT EXISTS                              | ''"
            })
    void shouldTellWhichColumnsTheServerComputes(String cql, String columns) {
        List<Assignments> all = Assignments.of(cql).map(List::of).orElseGet(() -> Assignments.ofBatch(cql));
        assertThat(all)
                .flatExtracting(Assignments::all)
                .filteredOn(Assignments.Assignment::ofItself)
                .extracting(Assignments.Assignment::column)
                .containsExactly(columns.isEmpty() ? new String[0] : columns.split(","));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | true",
                "IF e = (text)? | true",
                "IF e = (text)NULL | true",
                "IF EXISTS | false",
                "IF e = 1 | false",
                "IF e >= ? AND f <= :f | false",
                "IF e = 1 AND f = ? | true",
                "IF e = :e | true",
                "IF e = null | true",
                "IF e != 1 | true",
                "IF e IN (1, null) | true"
            })
    void shouldTellWhetherAnUpdateMayCreateItsRow(String condition, boolean creates) {
        assertThat(Assignments.of("UPDATE t SET a = 1 WHERE id = ? " + condition)
                        .orElseThrow()
                        .creates())
                .isEqualTo(creates);
    }

    @Test
    void shouldReadWhichColumnsADeleteEmpties() {
        assertThat(shown("DELETE a, m['k'], \"B\", u.x, l[?], c FROM k.t USING TIMESTAMP 5 WHERE id = ?"))
                .containsExactly("a=null 'a'", "B=null '\"B\"'", "c=null 'c'");
        assertThat(Assignments.of("delete a from K.\"T\" where id = 1").orElseThrow())
                .satisfies(found -> {
                    assertThat(found.insert()).isFalse();
                    assertThat(found.keyspace()).isEqualTo("k");
                    assertThat(found.table()).isEqualTo("T");
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t JSON '{}'",
                "DELETE FROM t WHERE id = 1",
                "DELETE m['k'], u.x, l[?] FROM t WHERE id = 1",
                "DELETE a",
                "SELECT a FROM t",
                "BEGIN BATCH UPDATE t SET a = 1 WHERE id = 1; APPLY BATCH",
                "UPDATE",
                "UPDATE t",
                "UPDATE 'x",
                ""
            })
    void shouldReadNothingElse(String cql) {
        assertThat(Assignments.of(cql)).isEmpty();
    }
}
