package dev.cassidy.reliability.statements;

import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Rewrite;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Compares the product's results for a text with how Cassandra parses the text and the results. */
final class Judge {

    private static final long ID = 4711;
    private static final Pattern DBO = Pattern.compile("dbo(?!1)", Pattern.CASE_INSENSITIVE);

    private final CassandraParser cassandra;

    Judge(CassandraParser cassandra) {
        this.cassandra = cassandra;
    }

    /**
     * Judges any text; {@code absent} is the name of an identity column that it may leave out. Returns whether the text
     * is CQL.
     */
    boolean judge(String text, String absent) {
        Optional<CassandraParser.Parsed> parsed = cassandra.parse(text);
        if (parsed.isPresent() && !parsed.get().isComplete()) {
            require(CqlInsert.recognise(text).isEmpty(), "more columns than values are no insert", text);
            return false;
        }
        boolean commented = text.contains("--") || text.contains("//");
        if (parsed.isEmpty() && commented && cassandra.parse(text + "\n").isPresent()) {
            // Cassandra requires a line break after a comment, and a splice may add one.
            return false;
        }
        insert(text, absent, parsed);
        write(text, parsed);
        changes(text, parsed);
        batch(text, parsed);
        if (parsed.isPresent()) {
            script(text, parsed.get());
        } else {
            parsedUnlessRefusedByName(text);
        }
        return parsed.isPresent();
    }

    private static void require(boolean holds, String rule, String text) {
        if (!holds) {
            throw new AssertionError(rule + ": " + text);
        }
    }

    private static void requireEqual(Object actual, Object expected, String rule, String text) {
        if (!Objects.equals(actual, expected)) {
            throw new AssertionError(rule + ": " + actual + " for " + expected + ": " + text);
        }
    }

    // ---- inserts

    private void insert(String text, String absent, Optional<CassandraParser.Parsed> parsed) {
        Optional<CqlInsert> found = CqlInsert.recognise(text);
        if (parsed.isEmpty()) {
            found.filter(insert -> !insert.isJson()).ifPresent(insert -> staysRefused(insert, absent));
            return;
        }
        requireEqual(found.isPresent(), parsed.get().isInsert(), "an insert is recognised, and nothing else", text);
        if (found.isEmpty()) {
            return;
        }
        CqlInsert insert = found.get();
        requireEqual(insert.keyspace().orElse(null), parsed.get().keyspace(), "keyspace", text);
        requireEqual(insert.table(), parsed.get().table(), "table", text);
        requireEqual(insert.isJson(), parsed.get().isJson(), "JSON", text);
        requireEqual(insert.columns(), parsed.get().columns(), "columns", text);
        requireEqual(insert.isConditional(), parsed.get().isIfNotExists(), "IF NOT EXISTS", text);
        requireEqual(insert.markerCount(), parsed.get().markers().size(), "markers", text);
        if (insert.isJson()) {
            return;
        }
        values(insert, parsed.get());
        if (!insert.columns().contains(absent)) {
            added(insert, parsed.get(), absent);
        }
        replaced(insert, parsed.get());
    }

    private void staysRefused(CqlInsert insert, String absent) {
        // () VALUES () is the only text that is not CQL and becomes CQL: it stands for T-SQL's DEFAULT VALUES.
        if (insert.columns().isEmpty() || insert.columns().contains(absent)) {
            return;
        }
        String rewritten = insert.rewrite(absent).withLiteral(ID);
        require(
                cassandra.parse(rewritten).isEmpty(),
                "what Cassandra refuses it must refuse with an id",
                insert.text());
        String bound = insert.rewrite(absent).withMarker();
        require(cassandra.parse(bound).isEmpty(), "what Cassandra refuses it must refuse with a marker", insert.text());
    }

    /** Returns the tree with each tuple of one term as that term: in T-SQL, brackets around a term mean nothing. */
    private static String withoutSingles(String tree) {
        String open = "Tuples$Literal{[";
        String close = ";];}";
        String without = tree;
        for (int at = without.indexOf(open); at >= 0; at = without.indexOf(open, at)) {
            int first = at + open.length();
            int end = endOfFirst(without, first);
            if (without.startsWith(close, end)) {
                without = without.substring(0, at)
                        + without.substring(first, end)
                        + without.substring(end + close.length());
            } else {
                at++;
            }
        }
        return without;
    }

    /** Returns the only element of a tuple: Cassandra takes it for the term itself, unless the column is a tuple. */
    private static String withoutBrackets(String tree) {
        String open = "Tuples$Literal{[";
        String close = ";];}";
        String inside = tree.endsWith(";") ? tree.substring(0, tree.length() - 1) : tree;
        while (inside.startsWith(open) && endOfFirst(inside, open.length()) == inside.length() - close.length()) {
            inside = inside.substring(open.length(), inside.length() - close.length());
        }
        return inside;
    }

    /** Returns what stands behind the types before a term, which Cassandra reads as the type of its column. */
    private static String withoutTypes(String tree) {
        String open = "TypeCast{";
        String inside = withoutBrackets(tree);
        while (inside.startsWith(open) && inside.endsWith("}")) {
            int term = endOfFirst(inside, open.length()) + 1;
            inside = withoutBrackets(inside.substring(term, inside.length() - 1));
        }
        return inside;
    }

    private static int endOfFirst(String tree, int from) {
        int depth = 0;
        for (int at = from; at < tree.length(); at++) {
            char c = tree.charAt(at);
            if (c == ';' && depth == 0) {
                return at;
            }
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        }
        return -1;
    }

    /** Compares the value of each column, as the check of explicit ids sees it. */
    private static void values(CqlInsert insert, CassandraParser.Parsed parsed) {
        List<String> trees = parsed.values(Integer.MAX_VALUE);
        for (int i = 0; i < trees.size(); i++) {
            if (insert.columns().indexOf(insert.columns().get(i)) < i) {
                continue;
            }
            CqlInsert.Value value = insert.value(insert.columns().get(i)).orElseThrow();
            String tree = withoutTypes(trees.get(i));
            if (tree.startsWith("AbstractMarker$Raw{")) {
                int index = Integer.parseInt(tree.substring(tree.indexOf('{') + 1, tree.indexOf(';')));
                requireEqual(
                        value,
                        new CqlInsert.Value.Marker(index, parsed.markers().get(index)),
                        "a marker's index and name",
                        insert.text());
            } else if (tree.startsWith("Constants$Literal{INTEGER;")) {
                String digits = tree.split(";")[1];
                requireEqual(
                        value, new CqlInsert.Value.IntegerLiteral(new BigInteger(digits)), "an integer", insert.text());
            } else if (tree.startsWith("Constants$NullLiteral")) {
                requireEqual(value, new CqlInsert.Value.Null(), "NULL", insert.text());
            } else {
                boolean negated = value instanceof CqlInsert.Value.IntegerLiteral && tree.contains("INTEGER;");
                require(negated || value instanceof CqlInsert.Value.Term, "a term: " + value + tree, insert.text());
            }
        }
    }

    private void added(CqlInsert insert, CassandraParser.Parsed parsed, String column) {
        Rewrite rewrite = insert.rewrite(column);
        List<String> columns = new ArrayList<>(insert.columns());
        columns.add(column);
        boolean bound = isEven(insert.text());
        String text = bound ? rewrite.withMarker() : rewrite.withLiteral(ID);
        CassandraParser.Parsed after = parsedAgain(text);
        int marker = bound ? rewrite.markerIndex() : Integer.MAX_VALUE;
        List<String> values = after.values(marker);
        int last = values.size() - 1;
        requireEqual(after.columns(), columns, "only the identity's column is added", text);
        requireEqual(
                values.subList(0, last), parsed.values(Integer.MAX_VALUE), "only the identity's value is added", text);
        requireEqual(values.get(last), bound ? markerTree(marker) : literal(), "the identity's value", text);
        unchanged(after, parsed, marker, text);
    }

    /** Decides, by the text alone, which of two forms is judged, because both would take twice the time. */
    private static boolean isEven(String text) {
        return text.hashCode() % 2 == 0;
    }

    private void replaced(CqlInsert insert, CassandraParser.Parsed parsed) {
        for (int i = 0; i < insert.columns().size(); i++) {
            String column = insert.columns().get(i);
            CqlInsert.Value given = insert.value(column).orElseThrow();
            if (given instanceof CqlInsert.Value.Null && insert.columns().indexOf(column) == i) {
                Rewrite rewrite = insert.rewrite(column);
                for (boolean bound : new boolean[] {false, true}) {
                    String text = bound ? rewrite.withMarker() : rewrite.withLiteral(ID);
                    CassandraParser.Parsed after = parsedAgain(text);
                    int marker = bound ? rewrite.markerIndex() : Integer.MAX_VALUE;
                    List<String> values = new ArrayList<>(parsed.values(Integer.MAX_VALUE));
                    values.set(i, bound ? markerTree(marker) : literal());
                    requireEqual(after.columns(), parsed.columns(), "the columns stay", text);
                    requireEqual(after.values(marker), values, "the identity's value alone is replaced", text);
                    unchanged(after, parsed, marker, text);
                }
            }
        }
    }

    private static void unchanged(
            CassandraParser.Parsed after, CassandraParser.Parsed before, int addedMarker, String text) {
        List<String> markers = new ArrayList<>(before.markers());
        if (addedMarker < Integer.MAX_VALUE) {
            markers.add(addedMarker, null);
        }
        requireEqual(after.markers(), markers, "the markers keep their order", text);
        requireEqual(after.keyspace(), before.keyspace(), "keyspace", text);
        requireEqual(after.table(), before.table(), "table", text);
        requireEqual(
                after.attributes(addedMarker), before.attributes(Integer.MAX_VALUE), "TTL and timestamp stay", text);
        requireEqual(after.isIfNotExists(), before.isIfNotExists(), "IF NOT EXISTS stays", text);
    }

    private CassandraParser.Parsed parsedAgain(String text) {
        return cassandra
                .parse(text)
                .orElseThrow(() -> new AssertionError("what Cassandra takes it must take with an id: " + text));
    }

    private static String literal() {
        return "Constants$Literal{INTEGER;" + ID + ";org.apache.cassandra.db.marshal.Int32Type;};";
    }

    private static String markerTree(int index) {
        return "AbstractMarker$Raw{" + index + ";};";
    }

    // ---- writes of a transaction

    private void write(String text, Optional<CassandraParser.Parsed> parsed) {
        Optional<CqlWrite> found = CqlWrite.recognise(text);
        if (parsed.isEmpty()) {
            found.filter(write -> !write.isTimestamped())
                    .ifPresent(write -> require(
                            cassandra.parse(write.withTimestamp(5)).isEmpty(),
                            "what Cassandra refuses it must refuse with a timestamp",
                            text));
            return;
        }
        requireEqual(found.isPresent(), parsed.get().isWrite(), "a write is recognised, and nothing else", text);
        if (found.isEmpty()) {
            return;
        }
        CqlWrite write = found.get();
        requireEqual(write.keyspace().orElse(null), parsed.get().keyspace(), "a write's keyspace", text);
        requireEqual(write.table(), parsed.get().table(), "a write's table", text);
        requireEqual(write.isConditional(), parsed.get().isConditional(), "a write's IF", text);
        requireEqual(write.isTimestamped(), parsed.get().isTimestamped(), "a write's timestamp", text);
        if (write.isTimestamped()) {
            return;
        }
        boolean bound = isEven(text);
        CassandraParser.Parsed stamped = parsedAgain(bound ? write.withTimestampMarker() : write.withTimestamp(ID));
        int marker = bound ? write.timestampMarkerIndex() : Integer.MAX_VALUE;
        requireEqual(stamped.timestamp(), bound ? markerTree(marker) : literal(), "the timestamp given", text);
        requireEqual(stamped.treeWithoutTimestamp(marker), parsed.get().tree(), "only the timestamp is given", text);
    }

    /**
     * A statement that changes Cassidy's own tables must not be taken for something else, whatever is between its
     * words.
     */
    private static void changes(String text, Optional<CassandraParser.Parsed> parsed) {
        List<List<String>> found = CqlChange.of(text).stream()
                .map(change -> Arrays.asList(change.keyspace(), lower(change.name())))
                .toList();
        // Cassandra keeps the case of a function whose name is a keyword.
        parsed.map(statement -> statement.changed().stream()
                        .map(change -> Arrays.asList(change.get(0), lower(change.get(1))))
                        .toList())
                .ifPresent(changed -> requireEqual(found, changed, "what is changed", text));
    }

    private static String lower(String name) {
        return name == null ? null : name.toLowerCase(Locale.ROOT);
    }

    private void batch(String text, Optional<CassandraParser.Parsed> parsed) {
        List<CqlInsert.Table> found = CqlInsert.tablesOfBatch(text);
        if (parsed.isPresent()) {
            List<CqlInsert.Table> inserts = parsed.get().isBatch()
                    ? parsed.get().batched().stream()
                            .filter(CassandraParser.Parsed::isInsert)
                            .map(insert -> new CqlInsert.Table(insert.keyspace(), insert.table()))
                            .toList()
                    : List.of();
            requireEqual(found, inserts, "the tables of a batch's inserts", text);
        }
    }

    // ---- T-SQL

    /** Text that is already CQL must have the same meaning after it was read as T-SQL, or be refused. */
    private void script(String text, CassandraParser.Parsed parsed) {
        Optional<TsqlScript> script = parsedUnlessRefusedByName(text);
        if (script.isEmpty()) {
            return;
        }
        // What an ALTER TABLE says of columns is noted in a step beside it, and is not sent.
        List<TsqlStep> sent = script.get().steps().stream()
                .filter(each -> !(each instanceof TsqlStep.AddColumns))
                .toList();
        requireEqual(sent.size(), 1, "one statement of CQL is one step", text);
        TsqlStep step = sent.get(0);
        if (step instanceof TsqlStep.Use) {
            require(parsed.isUse(), "USE", text);
            return;
        }
        String cql = text(step);
        if (parsed.hasFields()) {
            // In T-SQL, t.a names a column of t. It cannot be distinguished from a field of the column t.
            return;
        }
        if (parsed.hasListOfOneColumn()) {
            // In T-SQL, [a] names a column. It cannot be distinguished from a list with that column's value.
            return;
        }
        if (parsed.deletesColumnOfTablesName()) {
            // In T-SQL, it deletes rows.
            return;
        }
        if (parsed.hasArithmetic()) {
            // Calculated in T-SQL's types; what is left is CQL.
            require(cassandra.parse(cql).isPresent(), "what is left of arithmetic is CQL: " + cql, text);
            return;
        }
        // The keyspace is named dbo.
        if (!isWhole(cql, text) && !DBO.matcher(text).find()) {
            requireEqual(
                    withoutSingles(parsedAgain(cql).tree()),
                    withoutSingles(parsed.tree()),
                    "CQL read as T-SQL stays the same: " + cql,
                    text);
        }
        requireEqual(
                parameters(step),
                IntStream.range(0, parsed.markers().size()).boxed().toList(),
                "the parameters keep their order",
                text);
    }

    /** Returns whether the text is {@code cql}, byte for byte, except for blanks around it and semicolons after it. */
    private static boolean isWhole(String cql, String text) {
        int end = text.length();
        while (end > 0 && (text.charAt(end - 1) <= ' ' || text.charAt(end - 1) == ';')) {
            end--;
        }
        return text.substring(0, end).stripLeading().equals(cql);
    }

    /** Returns the script if it is served; a refusal must be by name. */
    Optional<TsqlScript> parsedUnlessRefusedByName(String text) {
        try {
            TsqlScript script = TsqlScript.parse(text);
            for (TsqlStep step : script.steps()) {
                for (int index : parameters(step)) {
                    require(index >= 0 && index < script.allParameters(), "parameter " + index, text);
                }
            }
            return Optional.of(script);
        } catch (UnsupportedSqlException e) {
            require(e.number() > 0 || e.getMessage().contains(" is not supported: "), "refused by name", text);
            return Optional.empty();
        } catch (RuntimeException | StackOverflowError e) {
            throw new AssertionError("refused otherwise than by name: " + text, e);
        }
    }

    private static String text(TsqlStep step) {
        if (step instanceof TsqlStep.Cql cql) {
            return cql.text();
        }
        if (step instanceof TsqlStep.Insert insert && insert.rows().size() == 1) {
            return insert.rows().get(0).insert().text();
        }
        if (step instanceof TsqlStep.CreateIndex index) {
            return index.plain();
        }
        throw new AssertionError("no CQL: " + step);
    }

    private static List<Integer> parameters(TsqlStep step) {
        if (step instanceof TsqlStep.Insert insert) {
            return insert.rows().stream()
                    .flatMap(row -> row.parameters().stream())
                    .toList();
        }
        return step instanceof TsqlStep.Cql cql ? cql.parameters() : List.of();
    }

    /** Judges T-SQL that must be served with the expected meaning. */
    void judge(TsqlGrammar.Case made) {
        TsqlScript script = parsedUnlessRefusedByName(made.sql())
                .orElseThrow(() -> new AssertionError("must be served: " + made.sql() + " -> " + refusal(made.sql())));
        List<TsqlStep.Insert> inserts = script.steps().stream()
                .filter(TsqlStep.Insert.class::isInstance)
                .map(TsqlStep.Insert.class::cast)
                .toList();
        requireEqual(inserts.size(), 1, "one insert", made.sql());
        requireEqual(script.steps().size(), made.steps(), "steps", made.sql());
        requireEqual(
                inserts.get(0).output().stream().map(TsqlStep.Output::column).toList(),
                made.output(),
                "output",
                made.sql());
        List<TsqlStep.Row> rows = inserts.get(0).rows();
        requireEqual(rows.size(), made.rows().size(), "rows", made.sql());
        for (int i = 0; i < rows.size(); i++) {
            String text = rows.get(i).insert().rewrite(made.identity()).withLiteral(ID);
            TsqlGrammar.Row expected = made.rows().get(i);
            CassandraParser.Parsed parsed = parsedAgain(text);
            requireEqual(
                    parsed.tree(), parsedAgain(expected.cql(ID)).tree(), text + " for " + expected.cql(ID), made.sql());
            requireEqual(rows.get(i).parameters(), expected.parameters(), "a row's parameters", made.sql());
        }
    }

    private static String refusal(String sql) {
        try {
            TsqlScript.parse(sql);
            return "";
        } catch (UnsupportedSqlException e) {
            return e.getMessage();
        }
    }
}
