package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CqlWriteTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            INSERT INTO t (a) VALUES (?)                   | INSERT INTO t (a) VALUES (?)\\nUSING TIMESTAMP ?~               | 1
            INSERT INTO t (a) VALUES (?) USING TTL ?       | INSERT INTO t (a) VALUES (?) USING TTL ?\\nAND TIMESTAMP ?~     | 2
            INSERT INTO t (a) VALUES (?) -- the end        | INSERT INTO t (a) VALUES (?) -- the end\\nUSING TIMESTAMP ?~    | 1
            INSERT INTO t JSON ? DEFAULT UNSET             | INSERT INTO t JSON ? DEFAULT UNSET\\nUSING TIMESTAMP ?~         | 1
            INSERT INTO t (a) VALUES ('using timestamp')   | INSERT INTO t (a) VALUES ('using timestamp')\\nUSING TIMESTAMP ?~ | 0
            UPDATE t SET a = ? WHERE k = ?                 | UPDATE t \\nUSING TIMESTAMP ? SET a = ? WHERE k = ?              | 0
            UPDATE t USING TTL ? SET a = ? WHERE k = ?     | UPDATE t USING TTL ? \\nAND TIMESTAMP ? SET a = ? WHERE k = ?    | 1
            update ks."Set" set a = ? where k = ?          | update ks."Set" \\nUSING TIMESTAMP ? set a = ? where k = ?       | 0
            DELETE FROM t WHERE k = ?                      | DELETE FROM t \\nUSING TIMESTAMP ? WHERE k = ?                   | 0
            DELETE m[?] FROM t WHERE k = ?                 | DELETE m[?] FROM t \\nUSING TIMESTAMP ? WHERE k = ?              | 1
            """)
    void shouldSpliceATimestampInWhereItBelongs(String cql, String spliced, int index) {
        CqlWrite write = CqlWrite.recognise(cql).orElseThrow();

        assertThat(write.withTimestampMarker())
                .isEqualTo(spliced.replace("\\n", "\n").replace("~", " "));
        assertThat(write.timestampMarkerIndex()).isEqualTo(index);
        assertThat(write.isTimestamped()).isFalse();
        assertThat(write.isConditional()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            UPDATE t SET a = 1 WHERE k = 2                                        | a
            UPDATE t SET A = f(1, b), "B" = {1: 2, 3: 4}, c[d] = 5 WHERE k = 2    | a,B,c
            UPDATE k.t USING TTL 5 SET a = a + ?, b.x = 1 WHERE k IN (1, 2) IF e = 1 AND g = 2 | a,b
            DELETE a, b FROM t WHERE k = 2                                        | ``
            INSERT INTO t (a, b) VALUES (1, 2)                                    | ``
            """)
    void shouldTellWhatSetAssigns(String cql, String assigned) {
        assertThat(CqlWrite.recognise(cql).orElseThrow().assigned())
                .containsExactlyInAnyOrder(assigned.isEmpty() ? new String[0] : assigned.split(","));
    }

    @Test
    void shouldSpliceALiteralBeforeTheSemicolon() {
        CqlWrite write = CqlWrite.recognise("INSERT INTO t (a) VALUES (1);").orElseThrow();

        assertThat(write.withTimestamp(42)).isEqualTo("INSERT INTO t (a) VALUES (1)\nUSING TIMESTAMP 42 ;");
        assertThat(CqlWrite.recognise("INSERT INTO t (a) VALUES (1);;\n;")
                        .orElseThrow()
                        .withTimestamp(42))
                .isEqualTo("INSERT INTO t (a) VALUES (1)\nUSING TIMESTAMP 42 ;;\n;");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t USING TTL 5 SET a = 1.5e3WHERE k = 5E2IF EXISTS",
                "UPDATE t SET a = 0xCAFEWHERE k = 5if a = 1",
                "DELETE FROM t WHERE k = 1y2mo3d IF EXISTS",
                "DELETE FROM t WHERE k = 123e4567-e89b-12d3-a456-426614174000IF EXISTS",
            })
    void shouldSeeAWordDirectlyAfterANumber(String cql) {
        assertThat(CqlWrite.recognise(cql).orElseThrow().isConditional()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            BEGIN BATCH UPDATE t SET a = 1 WHERE k = 1 IF a = 0; APPLY BATCH                | true
            begin unlogged batch insert into t (a) values (1)if not exists apply batch       | true
            BEGIN BATCH DELETE FROM t WHERE k = 1; UPDATE t SET a = 1 WHERE k = 2IF EXISTS; APPLY BATCH | true
            BEGIN BATCH INSERT INTO t (a) VALUES (' if '); APPLY BATCH                       | false
            BEGIN BATCH UPDATE t SET "if" = $$ if $$ WHERE k = 1 /* if */; APPLY BATCH -- if | false
            BEGIN BATCH UPDATE t SET iffy = 1 WHERE k = 1; APPLY BATCH                       | false
            """)
    void shouldRecogniseAConditionalBatch(String cql, boolean conditional) {
        assertThat(CqlWrite.isConditionalBatch(cql)).isEqualTo(conditional);
    }

    @Test
    void shouldNameTheTable() {
        CqlWrite write = CqlWrite.recognise("UPDATE Shop.\"Orders\" SET a = 1 WHERE k = 1")
                .orElseThrow();

        assertThat(write.keyspace()).contains("shop");
        assertThat(write.table()).isEqualTo("Orders");
        assertThat(CqlWrite.recognise("DELETE FROM T WHERE k = 1").orElseThrow().table())
                .isEqualTo("t");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (a) VALUES (1) IF NOT EXISTS",
                "UPDATE t SET a = 1 WHERE k = 1 IF a = 2",
                "DELETE FROM t WHERE k = 1 IF EXISTS"
            })
    void shouldSeeACondition(String cql) {
        assertThat(CqlWrite.recognise(cql).orElseThrow().isConditional()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (a) VALUES ('if') -- if",
                "UPDATE t SET \"if\" = 'if' WHERE k = 1",
                "DELETE FROM t WHERE k = $$if$$ /* if */"
            })
    void shouldNotTakeOtherTextForACondition(String cql) {
        assertThat(CqlWrite.recognise(cql).orElseThrow().isConditional()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (a) VALUES (1) USING TIMESTAMP 5",
                "UPDATE t USING TTL 3 AND TIMESTAMP ? SET a = 1 WHERE k = 1",
                "DELETE FROM t USING TIMESTAMP 5 WHERE k = 1"
            })
    void shouldKeepTheTimestampOfTheStatement(String cql) {
        CqlWrite write = CqlWrite.recognise(cql).orElseThrow();

        assertThat(write.isTimestamped()).isTrue();
        assertThatThrownBy(write::withTimestampMarker).hasMessageContaining("has a write timestamp already");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SELECT * FROM t",
                "BEGIN BATCH INSERT INTO t (a) VALUES (1) APPLY BATCH",
                "UPDATE t",
                "DELETE FROM t",
                "INSERT INTO t (a) VALUES ('open",
                "INSERT INTO t (a) VALUES (1); DROP TABLE t",
                "TRUNCATE t"
            })
    void shouldNotRecogniseOtherStatements(String cql) {
        assertThat(CqlWrite.recognise(cql)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET a = 1 WHERE id = 1 | UPDATE \"K\".t SET a = 1 WHERE id = 1",
                "DELETE \"from\" FROM \"T\" WHERE id = 1 | DELETE \"from\" FROM \"K\".\"T\" WHERE id = 1",
                "INSERT INTO t (id) VALUES (1) | INSERT INTO \"K\".t (id) VALUES (1)",
                "DELETE FROM k.t WHERE id = 1 | DELETE FROM k.t WHERE id = 1",
            })
    void shouldPutTheKeyspaceBeforeItsTable(String cql, String expected) {
        assertThat(CqlWrite.recognise(cql).orElseThrow().textIn("K")).isEqualTo(expected);
    }
}
