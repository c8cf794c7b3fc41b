package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CqlChangeTest {

    private static String shown(String cql) {
        return CqlChange.of(cql).stream().map(change -> change.shown("here")).collect(Collectors.joining("; "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            INSERT INTO cassidy.seq (seq) VALUES ('a')                        | INSERT cassidy.seq
            insert into Cassidy . SEQ (seq) values ('a') if not exists        | INSERT cassidy.seq
            INSERT INTO cassidy.seq JSON '{}'                                 | INSERT cassidy.seq
            INSERT INTO "cassidy"."seq" (seq) VALUES ('a')                    | INSERT cassidy.seq
            INSERT INTO "Cassidy"."Seq" (seq) VALUES ('a')                    | INSERT "Cassidy"."Seq"
            INSERT INTO seq (seq) VALUES ('a')                                | INSERT here.seq
            /* x */INSERT/**/INTO--y\\ncassidy//z\\n./* "." */seq(a)VALUES(1)    | INSERT cassidy.seq
            UPDATE cassidy_dc1.reserve SET next = 0                           | UPDATE cassidy_dc1.reserve
            UPDATE"cassidy_dc1".reserve USING TTL 1 SET next = 0 WHERE seq=?  | UPDATE cassidy_dc1.reserve
            update reserve set next = 0                                       | UPDATE here.reserve
            DELETE FROM cassidy.seq WHERE seq = 'a'                           | DELETE cassidy.seq
            DELETE next, "from", usage['from'], l[?] FROM a.b WHERE seq = 'a' | DELETE a.b
            DELETE FROM seq USING TIMESTAMP 1 WHERE seq = 'a' IF EXISTS       | DELETE here.seq
            TRUNCATE cassidy.seq                                              | TRUNCATE cassidy.seq
            truncate table cassidy.seq;                                       | TRUNCATE cassidy.seq
            TRUNCATE COLUMNFAMILY "seq"                                       | TRUNCATE here.seq
            TRUNCATE "table"                                                  | TRUNCATE here."table"
            CREATE KEYSPACE cassidy WITH replication = {'class': 'x'}         | CREATE KEYSPACE cassidy
            CREATE SCHEMA IF NOT EXISTS "cassidy" WITH replication = {}       | CREATE SCHEMA cassidy
            ALTER KEYSPACE IF EXISTS cassidy WITH durable_writes = false      | ALTER KEYSPACE cassidy
            DROP KEYSPACE IF EXISTS cassidy                                   | DROP KEYSPACE cassidy
            CREATE TABLE IF NOT EXISTS cassidy.t (a int PRIMARY KEY)          | CREATE TABLE cassidy.t
            CREATE COLUMNFAMILY t (a int PRIMARY KEY)                         | CREATE COLUMNFAMILY here.t
            CREATE TABLE exists (a int PRIMARY KEY)                           | CREATE TABLE here.exists
            ALTER TABLE cassidy.seq ADD IF NOT EXISTS x int                   | ALTER TABLE cassidy.seq
            ALTER TABLE IF EXISTS seq DROP floor                              | ALTER TABLE here.seq
            DROP TABLE IF EXISTS cassidy.seq                                  | DROP TABLE cassidy.seq
            CREATE INDEX ON cassidy.seq (next)                                | CREATE INDEX cassidy.seq
            CREATE INDEX IF NOT EXISTS "on" ON cassidy.seq (next)             | CREATE INDEX cassidy.seq
            CREATE CUSTOM INDEX i ON seq (values(m)) USING 'x'                | CREATE INDEX here.seq
            DROP INDEX IF EXISTS cassidy.i                                    | DROP INDEX cassidy.i
            CREATE MATERIALIZED VIEW IF NOT EXISTS a.v AS SELECT * FROM a.b   | CREATE MATERIALIZED VIEW a.v
            ALTER MATERIALIZED VIEW a.v WITH comment = ''                     | ALTER MATERIALIZED VIEW a.v
            DROP MATERIALIZED VIEW IF EXISTS v                                | DROP MATERIALIZED VIEW here.v
            CREATE TRIGGER IF NOT EXISTS tr ON cassidy.seq USING 'x'          | CREATE TRIGGER cassidy.seq
            DROP TRIGGER IF EXISTS tr ON cassidy.seq                          | DROP TRIGGER cassidy.seq
            CREATE TYPE IF NOT EXISTS cassidy.ty (a int)                      | CREATE TYPE cassidy.ty
            ALTER TYPE ty RENAME a TO b                                       | ALTER TYPE here.ty
            DROP TYPE IF EXISTS cassidy.ty                                    | DROP TYPE cassidy.ty
            CREATE OR REPLACE FUNCTION a.f (i int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS '' | CREATE FUNCTION a.f
            DROP FUNCTION IF EXISTS a.f (int)                                 | DROP FUNCTION a.f
            CREATE AGGREGATE IF NOT EXISTS a.g (int) SFUNC f STYPE int        | CREATE AGGREGATE a.g
            DROP AGGREGATE g                                                  | DROP AGGREGATE here.g
            """)
    void shouldNameTheChange(String cql, String change) {
        assertThat(shown(cql.replace("\\n", "\n"))).isEqualTo(change);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "SELECT * FROM cassidy.seq",
                "SELECT JSON * FROM cassidy.seq",
                "USE cassidy",
                "GRANT MODIFY ON KEYSPACE cassidy TO r",
                "REVOKE ALL PERMISSIONS ON TABLE cassidy.seq FROM r",
                "LIST ALL PERMISSIONS ON cassidy.seq",
                "DESCRIBE TABLE cassidy.seq",
                "CREATE ROLE cassidy",
                "ALTER USER cassidy WITH PASSWORD 'x'",
                "DROP ROLE IF EXISTS cassidy",
                "EXPLAIN UPDATE cassidy.seq SET a = 1",
                "UPDATE",
                "UPDATE 'cassidy'.seq SET a = 1",
                "INSERT cassidy.seq (a) VALUES (1)",
                "DELETE cassidy.seq WHERE a = 1",
                "UPDATE \"cassidy.seq SET a = 1",
                "/* UPDATE cassidy.seq SET a = 1 */",
                "-- UPDATE cassidy.seq SET a = 1",
                "'UPDATE cassidy.seq SET a = 1'"
            })
    void shouldIgnoreOtherStatements(String cql) {
        assertThat(CqlChange.of(cql)).isEmpty();
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
        assertThat(CqlChange.of(cql)).containsExactly(new CqlChange("INSERT", null, "a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"BEGIN BATCH", "begin unlogged batch", "BEGIN COUNTER BATCH USING TIMESTAMP ?"})
    void shouldNameEachWriteOfABatch(String begin) {
        String batch =
                begin + " INSERT INTO a.b (c) VALUES ('UPDATE x.y SET')UPDATE \"A\".b SET c = 1.5DELETE m['from']"
                        + " FROM d WHERE k = $$INSERT INTO$$; insert into e json '{}' APPLY BATCH;";

        assertThat(CqlChange.of(batch))
                .containsExactly(
                        new CqlChange("INSERT", "a", "b"),
                        new CqlChange("UPDATE", "A", "b"),
                        new CqlChange("DELETE", null, "d"),
                        new CqlChange("INSERT", null, "e"));
    }

    /** Cassandra needs no blank after these. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-NaN",
                "-nan",
                "-Infinity",
                "1d",
                "1y2mo",
                "1.5",
                "1.",
                "2e-1",
                "-0",
                "-P1Y",
                "-P1Y2M3DT4H",
                "-PT1S",
                "-P3W",
                "P0001-02-03T04:05:06",
                "123e4567-e89b-12d3-a456-426614174000",
                "'x'",
                "$$x$$"
            })
    void shouldNameWhatFollowsAConstantDirectly(String constant) {
        assertThat(CqlChange.of("BEGIN BATCH UPDATE a.b SET v = 1 WHERE k = " + constant
                        + "UPDATE cassidy_dc1.reserve SET next = 0 WHERE seq = 'x' APPLY BATCH"))
                .containsExactly(new CqlChange("UPDATE", "a", "b"), new CqlChange("UPDATE", "cassidy_dc1", "reserve"));
    }

    @Test
    void shouldNameAKeyspaceByItself() {
        assertThat(CqlChange.of("DROP KEYSPACE \"Odd.Name\""))
                .isEqualTo(List.of(new CqlChange("DROP KEYSPACE", "Odd.Name", null)));
    }
}
