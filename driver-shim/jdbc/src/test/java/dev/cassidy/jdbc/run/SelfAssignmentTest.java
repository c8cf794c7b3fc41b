package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.insert.CqlInsert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelfAssignmentTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET n = n + 1 WHERE id = 1 IF EXISTS | n | n = n + 1",
                "UPDATE t SET n = n - ? WHERE id = 1 IF n = 2  | n | n = n - ?",
                "UPDATE t SET N = 1 + n WHERE id = 1 IF EXISTS | n | N = 1 + n",
                "UPDATE t SET n += 1 WHERE id = 1 IF EXISTS    | n | n += 1",
                "UPDATE t SET n -= -1 WHERE id = 1 IF EXISTS   | n | n -= -1",
                "UPDATE t SET a = 1, \"S\" = \"S\" + 'x,y' WHERE id = 1 IF EXISTS | S | \"S\" = \"S\" + 'x,y'",
                "UPDATE t USING TTL 5 SET l = [1, 2], s = s + ? WHERE id = 1 IF EXISTS | s | s = s + ?",
            })
    void shouldFindTheColumnThatIsComputedFromItself(String cql, String column, String written) {
        assertThat(SelfAssignment.of(cql))
                .containsExactly(new SelfAssignment(new CqlInsert.Table(null, "t"), column, written));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET n = -1, m = ? WHERE id = 1 IF n = 1",
                "UPDATE t SET s = 'a + s' WHERE id = 1 IF EXISTS",
                "UPDATE t SET d = now() - 1h WHERE id = 1 IF EXISTS",
                "UPDATE t SET m['n'] = -1 WHERE id = 1 IF EXISTS",
                "UPDATE t SET n",
                "UPDATE",
                "INSERT INTO t (id, n) VALUES (1, -1) IF NOT EXISTS",
                "DELETE FROM t WHERE id = -1 IF EXISTS"
            })
    void shouldPassOverAnyOther(String cql) {
        assertThat(SelfAssignment.of(cql)).isEmpty();
    }

    @Test
    void shouldLookIntoBatches() {
        assertThat(SelfAssignment.of("BEGIN BATCH UPDATE k.t SET n = n + 1 WHERE id = 1 IF EXISTS;"
                        + " UPDATE u SET a = 1, m += 2 WHERE id = 1; DELETE FROM t WHERE id = 1 APPLY BATCH"))
                .containsExactly(
                        new SelfAssignment(new CqlInsert.Table("k", "t"), "n", "n = n + 1"),
                        new SelfAssignment(new CqlInsert.Table(null, "u"), "m", "m += 2"));
    }
}
