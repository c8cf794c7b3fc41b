package dev.cassidy.reliability.statements;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** Generates T-SQL inserts that must be served, each with the CQL that it stands for. */
final class TsqlGrammar {

    private static final Pattern NOT_ALLOWED = Pattern.compile("[^a-z0-9_ ]+");

    /**
     * A script with one insert.
     *
     * @param steps the number of its steps
     * @param identity the name of an identity column that it leaves out
     * @param output the internal names of its OUTPUT columns
     */
    record Case(Pieces pieces, String sql, int steps, String identity, List<String> output, List<Row> rows) {}

    /**
     * A row as CQL.
     *
     * @param head the text before the columns
     * @param parameters for each marker, the index of the script's parameter
     */
    record Row(String head, List<String> columns, List<String> values, String tail, List<Integer> parameters) {

        /** Returns the CQL insert with the identity's {@code id}. */
        String cql(long id) {
            return head + "(" + String.join(", ", columns) + ") VALUES (" + String.join(", ", values) + ")" + tail;
        }
    }

    private record Value(List<String> sql, String cql, int markers) {}

    private static final List<String> STRINGS = List.of(
            "''",
            "'a'",
            "'it''s'",
            "'/* '",
            "'--'",
            "'?), ('",
            "'[x]'",
            "'; DROP TABLE t'",
            "'\u00e9\u6f22'",
            "'\"'",
            "'@@IDENTITY'",
            "'GETDATE()'",
            "'dbo.t'");
    private static final List<String> SAME = List.of(
            "1",
            "-1",
            "0",
            "1.5",
            "-1.5e3",
            "9223372036854775807",
            "NULL",
            "true",
            "0xCAFE",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "['a', 1]",
            "{'k': [1, 2]}",
            "{f: 'x', \"g\": null}",
            "(1, 'x')",
            "{1, 2}",
            "f(1, 'x')",
            "[true]",
            "[null, 'a']");
    private static final List<String> WORDS = List.of("a", "Name", "QTY", "x_1", "top1", "dboo", "Output1", "K9");
    private static final List<String> BRACKETED = List.of(
            "a b",
            "Order",
            "select",
            "x]y",
            "a\"b",
            "it's",
            "\u00e9",
            "Order Details",
            "1a",
            "a.b",
            "--",
            "/*",
            "a;b",
            "?",
            "(",
            "_x",
            "");
    private static final List<String> CLOCKS =
            List.of("GETDATE", "getutcdate", "SYSDATETIME", "SysUtcDateTime", "sysdatetimeoffset");

    private final RandomGenerator random;
    private int markers;

    TsqlGrammar(RandomGenerator random) {
        this.random = random;
    }

    private String one(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private boolean rarely() {
        return random.nextInt(5) == 0;
    }

    /** A name in T-SQL and in CQL. */
    private record Name(String sql, String cql) {

        String internal() {
            return cql.substring(1, cql.length() - 1).replace("\"\"", "\"");
        }
    }

    private Name name(int number) {
        String word = one(WORDS) + number;
        return switch (random.nextInt(5)) {
            case 0 -> new Name('"' + word + '"', '"' + word + '"');
            case 1 -> new Name('[' + word + ']', '"' + word.toLowerCase(Locale.ROOT) + '"');
            case 2 -> {
                // It is not a plain word, so its case is kept.
                String exact = one(BRACKETED) + " " + number;
                yield new Name('[' + exact.replace("]", "]]") + ']', '"' + exact.replace("\"", "\"\"") + '"');
            }
            default -> new Name(word, '"' + word.toLowerCase(Locale.ROOT) + '"');
        };
    }

    private Value value(int depth) {
        return switch (random.nextInt(10)) {
            case 0, 1 -> new Value(List.of("?"), "?", 1);
            case 2 -> same(one(STRINGS));
            case 3 -> {
                String text = one(STRINGS);
                yield new Value(List.of((random.nextBoolean() ? "N" : "n") + text), text, 0);
            }
            case 4 -> new Value(List.of(one(CLOCKS), "(", ")"), "toTimestamp(now())", 0);
            case 5 -> new Value(List.of(random.nextBoolean() ? "NEWID" : "newSequentialId", "(", ")"), "uuid()", 0);
            case 6 ->
                depth > 0
                        ? same("5")
                        : new Value(
                                List.of("{", one(List.of("ts", "d", "t")), "'2026-01-01 00:00:00'", "}"),
                                "'2026-01-01 00:00:00'",
                                0);
            case 7 -> depth > 2 ? same("7") : list(value(depth + 1), value(depth + 1));
            default -> same(one(SAME));
        };
    }

    private static Value same(String text) {
        return new Value(List.of(text), text, 0);
    }

    private static Value list(Value left, Value right) {
        List<String> sql = new ArrayList<>(List.of("["));
        sql.addAll(left.sql);
        sql.add(",");
        sql.addAll(right.sql);
        sql.add("]");
        return new Value(sql, "[" + left.cql + ", " + right.cql + "]", left.markers + right.markers);
    }

    Case insert() {
        markers = 0;
        Pieces sql = new Pieces(random);
        int steps = 1;
        if (rarely()) {
            sql.add("SET", "NOCOUNT", "ON").add(random.nextBoolean() ? List.of(";") : List.of());
            steps++;
        }
        sql.add(random.nextBoolean() ? "INSERT" : "insert");
        if (random.nextInt(3) > 0) {
            sql.add("INTO");
        }
        String head = "INSERT INTO " + table(sql) + " ";
        if (rarely()) {
            sql.add("WITH", "(", "TABLOCK").add(random.nextBoolean() ? List.of(",", "ROWLOCK") : List.of());
            sql.add(")");
        }
        List<Name> columns = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        sql.add("(");
        for (int i = 0; i < count; i++) {
            columns.add(name(i));
            sql.add(i == 0 ? List.of() : List.of(",")).add(columns.get(i).sql());
        }
        sql.add(")");
        List<String> output = output(sql, columns);
        String identity =
                one(List.of("id", "Id", "a\"b", "x; DROP TABLE t --", "/*", "select", "", "\u00e9", "a.b", "')"));
        List<Row> rows = rows(sql, head, columns, identity);
        if (rarely()) {
            sql.add("USING", "TTL", "?");
            rows = rows.stream().map(this::withTtl).toList();
        }
        if (rarely()) {
            sql.add(random.nextBoolean() ? List.of(";") : List.of()).add("SELECT", "SCOPE_IDENTITY", "(", ")");
            steps++;
        }
        return new Case(sql, sql.text(), steps, identity, output, rows);
    }

    private Row withTtl(Row row) {
        List<Integer> parameters = new ArrayList<>(row.parameters);
        parameters.add(markers);
        return new Row(row.head, row.columns, row.values, " USING TTL ?", parameters);
    }

    /**
     * The name of a table or keyspace, which Cassandra allows letters, digits and {@code _} alone: a blank becomes {@code _}, and
     * other characters their numbers.
     */
    private Name tableName(int number) {
        Name name = name(number);
        boolean word = name.internal().matches("[A-Za-z_][A-Za-z0-9_]*");
        return word || !name.sql().startsWith("[")
                ? name
                : new Name(
                        name.sql(),
                        '"'
                                + NOT_ALLOWED
                                        .matcher(name.internal().toLowerCase(Locale.ROOT))
                                        .replaceAll(run -> "_x"
                                                + HexFormat.of()
                                                        .formatHex(run.group().getBytes(StandardCharsets.UTF_16BE))
                                                + "_")
                                        .replace(' ', '_')
                                + '"');
    }

    private String table(Pieces sql) {
        Name table = tableName(7);
        Name keyspace = tableName(8);
        switch (random.nextInt(5)) {
            case 0 -> sql.add("dbo", ".", table.sql());
            case 1 -> sql.add("[dbo]", ".", table.sql());
            case 2 -> {
                sql.add(keyspace.sql(), ".", "dbo", ".", table.sql());
                return keyspace.cql() + "." + table.cql();
            }
            case 3 -> {
                sql.add(keyspace.sql(), ".", ".", table.sql());
                return keyspace.cql() + "." + table.cql();
            }
            default -> sql.add(table.sql());
        }
        return table.cql();
    }

    private List<String> output(Pieces sql, List<Name> columns) {
        if (!rarely()) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        sql.add("OUTPUT");
        for (Name column : columns) {
            sql.add(names.isEmpty() ? List.of() : List.of(",")).add("INSERTED", ".", column.sql());
            if (random.nextBoolean()) {
                sql.add("AS", "[x y]");
            }
            names.add(column.internal());
        }
        return names;
    }

    private List<Row> rows(Pieces sql, String head, List<Name> columns, String identity) {
        List<Row> rows = new ArrayList<>();
        int count = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
        sql.add("VALUES");
        for (int row = 0; row < count; row++) {
            List<String> names = new ArrayList<>();
            List<String> values = new ArrayList<>();
            List<Integer> parameters = new ArrayList<>();
            sql.add(row == 0 ? List.of() : List.of(",")).add("(");
            for (int i = 0; i < columns.size(); i++) {
                sql.add(i == 0 ? List.of() : List.of(","));
                if (random.nextInt(12) == 0) {
                    sql.add("DEFAULT");
                    continue;
                }
                Value value = value(0);
                sql.add(value.sql);
                names.add(columns.get(i).cql());
                values.add(value.cql);
                for (int marker = 0; marker < value.markers; marker++) {
                    parameters.add(markers++);
                }
            }
            sql.add(")");
            names.add('"' + identity.replace("\"", "\"\"") + '"');
            values.add("4711");
            rows.add(new Row(head, names, values, "", parameters));
        }
        return rows;
    }
}
