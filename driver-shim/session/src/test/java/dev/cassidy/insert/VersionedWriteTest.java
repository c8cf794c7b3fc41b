package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cassidy.insert.VersionedWrite.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VersionedWriteTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "UPDATE t SET a = ?, version = ? WHERE id = ? AND version = ? | UPDATE t SET a = ? , version = ? WHERE id = ? IF version = ?",
                "UPDATE t SET a=?,version=version+1 WHERE version=? AND id=? | UPDATE t SET a=? , version= ? WHERE id=? IF version = ?",
                "UPDATE t SET version = 1 + version WHERE id = 1 AND version = 4 AND b = 2 | UPDATE t SET version = 5 WHERE id = 1 AND b = 2 IF version = 4",
                "UPDATE t SET version = version - 2 WHERE id = 1 AND version = -4 | UPDATE t SET version = -6 WHERE id = 1 IF version = -4",
                "UPDATE t USING TTL ? SET a = [?, ?], m['where'] = {'and': ?} WHERE id = ? AND version = ? | UPDATE t USING TTL ? SET a = [?, ?] , m['where'] = {'and': ?} WHERE id = ? IF version = ?",
                "UPDATE t SET a = ? WHERE id = ? | UPDATE t SET a = ? WHERE id = ? IF EXISTS",
                "UPDATE set SET a = 1 WHERE id = 1 AND VERSION = 'x' | UPDATE set SET a = 1 WHERE id = 1 IF version = 'x'",
                "DELETE FROM t WHERE id = ? AND version = ? | DELETE FROM t WHERE id = ? IF version = ?",
                "DELETE a, b FROM t USING TIMESTAMP ? WHERE id = (1) AND version = NULL; | DELETE a, b FROM t USING TIMESTAMP ? WHERE id = (1) IF version = NULL",
                "DELETE FROM t WHERE id = ? | DELETE FROM t WHERE id = ? IF EXISTS",
            })
    void shouldMakeWritesConditional(String cql, String conditional) {
        assertThat(VersionedWrite.of(cql, "version"))
                .get()
                .extracting(VersionedWrite::text)
                .isEqualTo(conditional);
    }

    @Test
    void shouldReturnTheSourceOfEachValue() {
        VersionedWrite write = VersionedWrite.of(
                        "UPDATE t SET a = ?, version = version + 2, b = ? WHERE version = ? AND id = ?", "version")
                .orElseThrow();

        assertThat(write.text()).isEqualTo("UPDATE t SET a = ? , version = ? , b = ? WHERE id = ? IF version = ?");
        assertThat(write.markers())
                .containsExactly(
                        new Source(0, 0), new Source(2, 2), new Source(1, 0), new Source(3, 0), new Source(2, 0));
        assertThat(write.expected()).contains(2);
        assertThat(write.expectsNull()).isFalse();
        assertThat(VersionedWrite.of("DELETE FROM t WHERE id = 1 AND version = null", "version"))
                .get()
                .returns(true, VersionedWrite::expectsNull);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET a = 1 WHERE id = 1 IF version = 2",
                "DELETE FROM t WHERE id = 1 IF EXISTS",
                "SELECT * FROM t WHERE id = 1",
                "INSERT INTO t (id) VALUES (1)",
            })
    void shouldNotChangeOtherStatements(String cql) {
        assertThat(VersionedWrite.of(cql, "version")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "UPDATE t SET version = version + 1 WHERE id = ? | SET version = version + 1",
                "UPDATE t SET version = version + 1 WHERE id = ? AND version = 'x' | SET version = version + 1",
                "UPDATE t SET version = version + ? WHERE id = ? AND version = ? | SET version = version + ?",
                "UPDATE t SET version = version * 2 WHERE id = ? AND version = ? | SET version = version * 2",
                "UPDATE t SET a = 1 WHERE id = 1 AND version > 3 | 'version > 3' of version column version",
                "UPDATE t SET a = 1 WHERE id = 1 AND version IN (1, 2) | 'version IN (1, 2)' of version column version",
                "UPDATE t SET a = 1 WHERE id = 1 AND version = 1 AND version = 2 | 'version = 2' of version column version",
                "DELETE FROM t WHERE version = ? | WHERE version = ... alone",
            })
    void shouldRefuseByName(String cql, String construct) {
        assertThatExceptionOfType(UnsupportedSqlException.class)
                .isThrownBy(() -> VersionedWrite.of(cql, "version"))
                .satisfies(e -> assertThat(e.construct()).isEqualTo(construct));
    }

    @Test
    void shouldNameTheTablesOfABatch() {
        assertThat(VersionedWrite.tablesOfBatch(
                        "BEGIN BATCH INSERT INTO a (b) VALUES (1); UPDATE k.c SET d = 1 WHERE b = 2;"
                                + " DELETE FROM \"E\" WHERE b = 1; APPLY BATCH"))
                .containsExactly(
                        new CqlInsert.Table(null, "a"), new CqlInsert.Table("k", "c"), new CqlInsert.Table(null, "E"));
    }

    /** What CQL does not take for a comment is executed, so its tables must be seen. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN BATCH -- c\rINSERT INTO a (b) VALUES (1) APPLY BATCH",
                "BEGIN BATCH // c\rINSERT INTO a (b) VALUES (1) APPLY BATCH",
                "BEGIN BATCH /* /* */ INSERT INTO a (b) VALUES (1) APPLY BATCH",
                "BEGIN BATCH INSERT INTO a (b) VALUES (:b) APPLY BATCH"
            })
    void shouldReadABatchAsTheServerDoes(String cql) {
        assertThat(VersionedWrite.tablesOfBatch(cql)).containsExactly(new CqlInsert.Table(null, "a"));
    }

    @Test
    void shouldNameNoTablesOfAnotherText() {
        assertThat(VersionedWrite.tablesOfBatch("INSERT INTO a (b) VALUES (1)")).isEmpty();
    }
}
