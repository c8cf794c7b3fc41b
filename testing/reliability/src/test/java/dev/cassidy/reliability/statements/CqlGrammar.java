package dev.cassidy.reliability.statements;

import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/** Generates CQL statements of every shape, of which Cassandra accepts most. */
final class CqlGrammar {

    private static final List<String> NAMES = List.of(
            "a",
            "b",
            "id",
            "Id",
            "name",
            "QTY",
            "k_1",
            "x9",
            "json",
            "ttl",
            "timestamp",
            "exists",
            "key",
            "type",
            "values1",
            "counter",
            "dbo1",
            "top",
            "output",
            "offset",
            "next",
            "identity",
            "d",
            "ts",
            "fn",
            "nocount");
    private static final List<String> QUOTED = List.of(
            "\"id\"",
            "\"Id\"",
            "\"\"",
            "\"a\"\"b\"",
            "\"\"\"\"",
            "\"select\"",
            "\"x; DROP TABLE t\"",
            "\"(\"",
            "\"/*\"",
            "\"--\"",
            "\"\u00e9\u6f22\"",
            "\"it's\"",
            "\" \"",
            "\"a.b\"",
            "\"$$\"",
            "\"?\"",
            "\":x\"",
            "\"\\\"");
    private static final List<String> STRINGS = List.of(
            "''",
            "'a'",
            "'it''s'",
            "''''",
            "'\"'",
            "'; INSERT INTO t (a) VALUES (1)'",
            "'/*'",
            "'--'",
            "'?'",
            "':x'",
            "'),('",
            "'$$'",
            "'\\'",
            "'\u00e9\u6f22\ud83d\ude00'",
            "'\n'",
            "$$a$$",
            "$$ it's; $ ?) $$",
            "$$$$",
            "$$\"/* $$",
            "'{ts '",
            "'[x]'",
            "'@@IDENTITY'",
            "$$--$$");
    private static final List<String> CONSTANTS = List.of(
            "1",
            "0",
            "-1",
            "0012",
            "9223372036854775808",
            "1.5",
            "-1.5e3",
            "1E-3",
            "true",
            "FALSE",
            "null",
            "NaN",
            "-Infinity",
            "-NaN",
            "-P1Y2M",
            "-PT4H",
            "P0001-02-03T04:05:06",
            "12d",
            "1.25",
            "0xCAFE",
            "0x",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "123e4567-e89b-12d3-a456-426614174000",
            "1y2mo3d",
            "-4h",
            "P1Y2M",
            "P1Y2M3DT4H5M6S",
            "5E2",
            "0x0",
            "infinity");
    private static final List<String> TYPES = List.of(
            "int",
            "bigint",
            "text",
            "list<int>",
            "map<text, frozen<set<uuid>>>",
            "tuple<int, text>",
            "frozen<a>",
            "ks.t",
            "vector<float, 3>",
            "\"T\"",
            "'Int32Type'",
            "counter",
            "timestamp");
    private static final List<String> OTHERS = List.of(
            "SELECT * FROM ks . t WHERE id = ? AND c IN ? LIMIT ? ALLOW FILTERING",
            "SELECT m [ 'k' ] , l [ 0 ] FROM t WHERE k = 'x' AND l CONTAINS ?",
            "SELECT JSON id , writetime ( a ) AS \"Time\" FROM t WHERE ( a , b ) > ( ? , ? )",
            "SELECT DISTINCT a , COUNT ( * ) FROM t GROUP BY a ORDER BY b DESC PER PARTITION LIMIT 2",
            "SELECT CAST ( a AS text ) , token ( a ) , f ( ? ) FROM t WHERE token ( a ) > -5",
            "SELECT { 'a' : 1 } , [ a , b ] , ( int ) 5 FROM t WHERE id = :x",
            "TRUNCATE t",
            "TRUNCATE TABLE ks . t",
            "USE ks",
            "DROP TABLE IF EXISTS t",
            "ALTER TABLE t ADD x int",
            "CREATE KEYSPACE k WITH replication = { 'class' : 'SimpleStrategy' , 'replication_factor' : 1 }",
            "CREATE INDEX i ON t ( values ( m ) )",
            "CREATE TYPE u ( a int , b frozen < list < text > > )",
            "GRANT SELECT ON t TO r",
            "LIST ROLES");

    /** {@code $} stands for a name that may have a keyspace, and {@code @} for a name without one. */
    private static final List<String> DEFINITIONS = List.of(
            "TRUNCATE $",
            "TRUNCATE TABLE $",
            "TRUNCATE COLUMNFAMILY $",
            "CREATE KEYSPACE @ WITH replication = { 'class' : 'x' }",
            "CREATE SCHEMA IF NOT EXISTS @ WITH durable_writes = true",
            "ALTER KEYSPACE IF EXISTS @ WITH durable_writes = true",
            "DROP KEYSPACE @",
            "DROP SCHEMA IF EXISTS @",
            "CREATE TABLE $ ( a int PRIMARY KEY )",
            "CREATE COLUMNFAMILY IF NOT EXISTS $ ( a int , PRIMARY KEY ( a ) )",
            "ALTER TABLE $ ADD x int",
            "ALTER TABLE IF EXISTS $ WITH comment = 'on x'",
            "ALTER COLUMNFAMILY $ DROP x",
            "DROP TABLE $",
            "DROP COLUMNFAMILY IF EXISTS $",
            "CREATE INDEX ON $ ( a )",
            "CREATE INDEX IF NOT EXISTS @ ON $ ( keys ( a ) )",
            "CREATE CUSTOM INDEX @ ON $ ( a ) USING 'x' WITH OPTIONS = { 'on' : 'x' }",
            "CREATE INDEX $ ON $ ( a )",
            "DROP INDEX $",
            "DROP INDEX IF EXISTS $",
            "CREATE MATERIALIZED VIEW $ AS SELECT * FROM $ WHERE a IS NOT NULL PRIMARY KEY ( a )",
            "CREATE MATERIALIZED VIEW IF NOT EXISTS $ AS SELECT a FROM $ WHERE a IS NOT NULL PRIMARY KEY ( a )",
            "ALTER MATERIALIZED VIEW IF EXISTS $ WITH comment = 'x'",
            "DROP MATERIALIZED VIEW $",
            "CREATE TRIGGER @ ON $ USING 'x'",
            "CREATE TRIGGER IF NOT EXISTS @ ON $ USING 'x'",
            "DROP TRIGGER @ ON $",
            "DROP TRIGGER IF EXISTS @ ON $",
            "CREATE TYPE IF NOT EXISTS $ ( a int )",
            "ALTER TYPE $ ADD b text",
            "ALTER TYPE IF EXISTS $ RENAME a TO b",
            "DROP TYPE $",
            "DROP TYPE IF EXISTS $",
            "CREATE OR REPLACE FUNCTION $ ( a int ) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS $$ return 1; $$",
            "CREATE FUNCTION IF NOT EXISTS $ ( ) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'x'",
            "DROP FUNCTION IF EXISTS $ ( int )",
            "DROP FUNCTION $",
            "CREATE OR REPLACE AGGREGATE $ ( int ) SFUNC f STYPE int FINALFUNC f INITCOND 0",
            "CREATE AGGREGATE IF NOT EXISTS $ ( int ) SFUNC f STYPE int",
            "DROP AGGREGATE $ ( int )",
            "DROP AGGREGATE IF EXISTS $",
            "SELECT a FROM $ WHERE a = 1",
            "USE @",
            "CREATE ROLE @",
            "CREATE USER IF NOT EXISTS @ WITH PASSWORD 'x'",
            "ALTER ROLE IF EXISTS @ WITH LOGIN = true",
            "DROP ROLE IF EXISTS @",
            "ADD IDENTITY 'x' TO ROLE 'y'",
            "DROP IDENTITY IF EXISTS 'x'",
            "GRANT MODIFY ON KEYSPACE @ TO @",
            "GRANT ALL PERMISSIONS ON TABLE $ TO @",
            "REVOKE MODIFY ON $ FROM @",
            "LIST ALL PERMISSIONS ON $",
            "DESCRIBE TABLE $",
            "DESCRIBE KEYSPACE @");

    private final RandomGenerator random;

    CqlGrammar(RandomGenerator random) {
        this.random = random;
    }

    String one(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private boolean rarely() {
        return random.nextInt(5) == 0;
    }

    private String word(String word) {
        return switch (random.nextInt(4)) {
            case 0 -> word.toLowerCase(Locale.ROOT);
            case 1 -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT);
            default -> word;
        };
    }

    String name() {
        return random.nextInt(4) == 0 ? one(QUOTED) : one(NAMES);
    }

    Pieces statement() {
        Pieces out = new Pieces(random);
        switch (random.nextInt(11)) {
            case 10 -> definition(out);
            case 0 -> update(out);
            case 1 -> delete(out);
            case 2 -> batch(out);
            case 3 -> out.add(one(OTHERS).split(" "));
            case 4 -> json(out);
            default -> insert(out);
        }
        int ends = random.nextInt(8);
        for (int i = 4; i < ends; i++) {
            out.add(";");
        }
        return out;
    }

    private void definition(Pieces out) {
        for (String piece : one(DEFINITIONS).split(" ")) {
            switch (piece) {
                case "$" -> table(out);
                case "@" -> out.add(name());
                default -> out.add(word(piece));
            }
        }
    }

    private void insert(Pieces out) {
        out.add(word("INSERT"), word("INTO"));
        table(out);
        int columns = 1 + random.nextInt(random.nextInt(20) == 0 ? 12 : 3);
        out.add("(");
        for (int i = 0; i < columns; i++) {
            out.add(i == 0 ? List.of() : List.of(",")).add(name());
        }
        out.add(")", word("VALUES"), "(");
        for (int i = 0; i < columns; i++) {
            out.add(i == 0 ? List.of() : List.of(","));
            term(out, 0);
        }
        out.add(")");
        tail(out);
    }

    private void json(Pieces out) {
        out.add(word("INSERT"), word("INTO"));
        table(out);
        out.add(word("JSON"), random.nextBoolean() ? one(STRINGS) : marker());
        if (rarely()) {
            out.add(word("DEFAULT"), word(random.nextBoolean() ? "UNSET" : "NULL"));
        }
        tail(out);
    }

    private void tail(Pieces out) {
        if (rarely()) {
            out.add(word("IF"), word("NOT"), word("EXISTS"));
        }
        if (rarely()) {
            using(out);
        }
    }

    private void using(Pieces out) {
        out.add(word("USING"));
        boolean ttl = random.nextBoolean();
        out.add(word(ttl ? "TTL" : "TIMESTAMP"), amount());
        if (random.nextBoolean()) {
            out.add(word("AND"), word(ttl ? "TIMESTAMP" : "TTL"), amount());
        }
    }

    private String amount() {
        return random.nextBoolean() ? marker() : one(List.of("1", "-1", "0", "1234567890123"));
    }

    private void table(Pieces out) {
        if (random.nextInt(3) == 0) {
            out.add(name(), ".");
        }
        out.add(name());
    }

    private String marker() {
        if (random.nextBoolean()) {
            return "?";
        }
        String gap = random.nextInt(4) == 0 ? one(List.of(" ", "\n", " /* x */ ", "--\n")) : "";
        return ":" + gap + name();
    }

    void term(Pieces out, int depth) {
        switch (random.nextInt(depth > 2 ? 6 : depth > 0 ? 12 : 16)) {
            case 0, 1 -> out.add(marker());
            case 2 -> out.add(one(STRINGS));
            case 3, 4, 5 -> out.add(one(CONSTANTS));
            case 6 -> sequence(out, "[", "]", depth);
            case 7 -> sequence(out, "{", "}", depth);
            case 8 -> sequence(out, "(", ")", depth);
            case 9 -> pairs(out, depth, false);
            case 10 -> pairs(out, depth, true);
            case 11 -> {
                out.add("(", one(TYPES), ")");
                term(out, depth + 1);
            }
            case 12 -> {
                if (rarely()) {
                    out.add(one(NAMES), ".");
                }
                out.add(one(List.of("now", "uuid", "f", "toTimestamp", "\"F\"", "blobAsInt", "token")));
                sequence(out, "(", ")", depth);
            }
            case 13 -> {
                term(out, depth + 1);
                out.add(one(List.of("+", "-", "*", "/", "%")));
                term(out, depth + 1);
            }
            case 14 -> {
                out.add("-");
                term(out, depth + 1);
            }
            default -> out.add(one(CONSTANTS));
        }
    }

    private void sequence(Pieces out, String open, String close, int depth) {
        out.add(open);
        int size = random.nextInt(3);
        for (int i = 0; i < size; i++) {
            out.add(i == 0 ? List.of() : List.of(","));
            term(out, depth + 1);
        }
        out.add(close);
    }

    private void pairs(Pieces out, int depth, boolean fields) {
        out.add("{");
        int size = random.nextInt(3);
        for (int i = 0; i < size; i++) {
            out.add(i == 0 ? List.of() : List.of(","));
            if (fields) {
                out.add(one(NAMES));
            } else {
                term(out, depth + 1);
            }
            out.add(":");
            term(out, depth + 1);
        }
        out.add("}");
    }

    private void update(Pieces out) {
        out.add(word("UPDATE"));
        table(out);
        if (rarely()) {
            using(out);
        }
        out.add(word("SET"));
        int sets = 1 + random.nextInt(3);
        for (int i = 0; i < sets; i++) {
            out.add(i == 0 ? List.of() : List.of(","));
            String column = name();
            out.add(column);
            switch (random.nextInt(4)) {
                case 0 -> out.add("[", one(CONSTANTS), "]", "=");
                case 1 -> out.add("=", column, random.nextBoolean() ? "+" : "-");
                case 2 -> out.add(".", one(NAMES), "=");
                default -> out.add("=");
            }
            term(out, 1);
        }
        where(out);
        conditions(out);
    }

    private void delete(Pieces out) {
        out.add(word("DELETE"));
        int columns = random.nextInt(3);
        for (int i = 0; i < columns; i++) {
            out.add(i == 0 ? List.of() : List.of(",")).add(name());
            if (rarely()) {
                out.add("[", one(CONSTANTS), "]");
            }
        }
        out.add(word("FROM"));
        table(out);
        if (rarely()) {
            out.add(word("USING"), word("TIMESTAMP"), amount());
        }
        where(out);
        conditions(out);
    }

    private void where(Pieces out) {
        out.add(word("WHERE"), name(), "=");
        term(out, 2);
        if (rarely()) {
            out.add(word("AND"), name(), word("IN"), "(");
            term(out, 2);
            out.add(",");
            term(out, 2);
            out.add(")");
        }
    }

    private void conditions(Pieces out) {
        if (rarely()) {
            out.add(word("IF"), word("EXISTS"));
        } else if (rarely()) {
            out.add(word("IF"), name(), one(List.of("=", "!=", ">")));
            term(out, 2);
        }
    }

    private void batch(Pieces out) {
        out.add(word("BEGIN"));
        if (rarely()) {
            out.add(word(one(List.of("UNLOGGED", "COUNTER"))));
        }
        out.add(word("BATCH"));
        if (rarely()) {
            out.add(word("USING"), word("TIMESTAMP"), amount());
        }
        int statements = random.nextInt(4);
        for (int i = 0; i < statements; i++) {
            switch (random.nextInt(4)) {
                case 0 -> update(out);
                case 1 -> delete(out);
                default -> insert(out);
            }
            out.add(random.nextBoolean() ? List.of(";") : List.of());
        }
        out.add(word("APPLY"), word("BATCH"));
    }
}
