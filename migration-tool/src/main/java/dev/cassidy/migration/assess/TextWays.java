package dev.cassidy.migration.assess;

import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Scanner;
import dev.cassidy.insert.StatementShape;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * By which way a statement reaches its rows, as far as its text and the old database tell. The tables are exact, as they are made
 * unless somebody says otherwise. Which columns of an old key lead to a partition is known of a key with one column alone. Whatever
 * only Cassandra could tell stays open, so that nothing is served here that a cluster with the same keys refuses.
 */
final class TextWays {

    private static final String KEY_OR_INDEX = "whether WHERE gives the partition key, or a column with an index";
    private static final String WHOLE_KEY = "whether WHERE gives the whole key of each row";
    private static final String TYPES = "whether each value and function is of its column's type";

    /**
     * A way.
     *
     * @param open on what it depends; if there is something, the kind is UNKNOWN
     */
    record Way(Access access, List<String> open) {
        Way {
            open = List.copyOf(open);
        }
    }

    private final OldDatabase old;
    private final int nodes;

    /** @param nodes the size of the datacenter for which costs are judged; 0 if it is not known */
    TextWays(OldDatabase old, int nodes) {
        this.old = old;
        this.nodes = nodes;
    }

    /** Returns the way of a step; empty if it reaches no rows of the application's. */
    Optional<Way> of(TsqlStep step) {
        if (step instanceof TsqlStep.Insert insert) {
            CqlInsert first = insert.rows().get(0).insert();
            CqlInsert.Table table = new CqlInsert.Table(first.keyspace().orElse(null), first.table());
            return old.table(table).map(known -> way(table, Access.Kind.KEY, texts(known, known.key())));
        }
        if (!(step instanceof TsqlStep.Cql cql)) {
            return Optional.empty();
        }
        boolean update = cql.keyword().equals("UPDATE");
        if (update || cql.keyword().equals("DELETE")) {
            return Optional.of(write(cql, update));
        }
        return CqlSelect.of(cql.text())
                .filter(select -> !String.valueOf(select.table().keyspace()).startsWith("system"))
                .map(select -> select(cql, select));
    }

    /** Returns by which way a read reaches its rows that the driver makes for a statement that it evaluates. */
    Access access(dev.cassidy.jdbc.plan.Plan.Assisted.Read read) {
        CqlInsert.Table table = new CqlInsert.Table(null, read.table());
        return switch (read.reach()) {
            case KEY -> access(table, Access.Kind.KEY, texts(read));
            case PARTITION -> access(table, Access.Kind.PARTITION, texts(read));
            // The new tables have no index.
            case INDEX, SCAN -> {
                Access scan =
                        scan(table, "All rows of " + shown(table) + " are").access();
                yield scan.with(Plan.indexes(scan.table(), read.table(), read.helpful(), texts(table, read.helpful())));
            }
        };
    }

    private List<String> texts(dev.cassidy.jdbc.plan.Plan.Assisted.Read read) {
        return old.table(new CqlInsert.Table(null, read.table()))
                .map(known -> texts(known, read.columns()))
                .orElse(List.of());
    }

    /** Returns the columns that have strings. */
    private List<String> texts(CqlInsert.Table table, List<String> columns) {
        return old.table(table).stream()
                .flatMap(known -> columns.stream().filter(column -> {
                    OldTable.Column found = known.columns().get(column);
                    return found != null && found.isText();
                }))
                .toList();
    }

    // ---- reads

    private Way select(TsqlStep.Cql cql, CqlSelect select) {
        OldTable table = old.table(select.table()).orElse(null);
        Way way = select.where().isEmpty()
                ? scan(select.table())
                : table == null ? open(select.table(), KEY_OR_INDEX) : byKey(cql, select, table);
        Tokens tokens = new Tokens(select.text(), Scanner.Language.CQL);
        List<String> open = new ArrayList<>(way.open());
        for (int token = 1; token < tokens.size(); token++) {
            if (tokens.isAnyWord(token, "order", "group") && tokens.isWord(token + 1, "by")) {
                open.add("whether ORDER BY and GROUP BY are by columns of the key");
                break;
            }
        }
        int behind = afterTable(tokens);
        if (!tokens.isEnd(behind) && !tokens.isAnyWord(behind, "where", "order", "group", "limit", "per", "allow")) {
            open.add("whether Cassandra takes " + tokens.text(behind).toUpperCase(Locale.ROOT));
        }
        if (tokens.isWord(1, "distinct")) {
            open.add("whether DISTINCT is by the partition key");
        }
        if (select.where().isEmpty() && table != null && !takesItems(cql, table)) {
            open.add(TYPES);
        }
        return open.equals(way.open()) ? way : new Way(way.access(), open);
    }

    /** Returns what stands behind the table's name. */
    private static int afterTable(Tokens tokens) {
        int token = find(tokens, "from", 1) + 2;
        return tokens.isSymbol(token, '.') ? token + 2 : token;
    }

    private Way scan(CqlInsert.Table table) {
        return scan(table, "Without WHERE the whole table is");
    }

    private Way scan(CqlInsert.Table table, String what) {
        String cost = what + " read, and nodes all over the cluster are asked";
        return new Way(
                new Access(
                        shown(table),
                        Access.Kind.FAN_OUT,
                        0,
                        cost,
                        nodes > Plan.MAX_NODES
                                ? cost + ": " + refusedInLarge()
                                        + ". Give the partition key in WHERE, or accept it: fanOut=allow:"
                                        + table.name()
                                : "",
                        Optional.empty(),
                        List.of(),
                        List.of()),
                List.of());
    }

    private static String refusedInLarge() {
        return "refused by default in a datacenter of more than " + Plan.MAX_NODES + " nodes";
    }

    private Way byKey(TsqlStep.Cql cql, CqlSelect select, OldTable table) {
        CqlInsert.Table name = select.table();
        List<String> columns = columns(select);
        if (findsNothing(cql) || select.filters() || !isPlain(select, table)) {
            return open(name, KEY_OR_INDEX);
        }
        Set<String> direct = direct(select);
        if (table.key().stream().noneMatch(direct::contains)) {
            return new Way(refused(select, table), List.of());
        }
        if (!direct.containsAll(table.key())) {
            return open(
                    name,
                    "whether the partition key is within "
                            + table.key().stream().filter(direct::contains).collect(Collectors.joining(", ")));
        }
        // Further conditions are filtered within the row, which IN does not go with.
        boolean further = columns.size() > table.key().size();
        boolean takes = takesItems(cql, table)
                && select.where().stream()
                        .allMatch(each -> takes(each, table) && !(further && each.by() == CqlSelect.By.IN));
        return takes ? way(name, Access.Kind.KEY, texts(table, columns)) : open(name, TYPES);
    }

    /** Of a table that is read by neither its key nor an index. */
    private Access refused(CqlSelect select, OldTable table) {
        List<String> columns = columns(select);
        String shown = shown(select.table());
        String key = table.key().stream()
                .map(column -> Identifiers.toCql(column) + " = ?")
                .collect(Collectors.joining(" AND "));
        List<String> indexes = indexes(select, table);
        String cost = ", by which each read asks nodes all over the cluster"
                + (nodes > Plan.MAX_NODES ? ", and is " + refusedInLarge() : "");
        String refusal = shown + " is read by " + String.join(", ", columns) + ", which neither gives its key ("
                + String.join(", ", table.key())
                + ") by = or IN nor is on an index: every node would read its part of the table. Give its key, " + key
                + (indexes.isEmpty()
                        ? ""
                        : "; or make the " + (indexes.size() == 1 ? "index" : "indexes") + " that the old database has"
                                + cost + ": " + String.join("; ", indexes));
        return new Access(shown, Access.Kind.REFUSED, 0, "", refusal, Optional.empty(), indexes, texts(table, columns));
    }

    /** Each condition needs one: the server does not filter what an index finds. None if one cannot be. */
    private static List<String> indexes(CqlSelect select, OldTable table) {
        List<String> columns = columns(select);
        List<String> indexes = new ArrayList<>();
        for (CqlSelect.Restriction restriction : select.where()) {
            String column = restriction.columns().get(0);
            OldTable.Column type = table.columns().get(column);
            boolean serves = type != null
                    && !table.key().equals(List.of(column))
                    && table.isIndexed(column, columns)
                    && !type.cql().equals("blob")
                    && (restriction.isDirect() || (restriction.by() == CqlSelect.By.RANGE && !type.isText()));
            if (!serves) {
                return List.of();
            }
            indexes.addAll(Plan.indexes(
                    shown(select.table()),
                    select.table().name(),
                    List.of(column),
                    type != null && type.isText() ? List.of(column) : List.of()));
        }
        return indexes;
    }

    /** Returns whether Cassandra surely makes what stands in front of FROM. */
    private static boolean takesItems(TsqlStep.Cql cql, OldTable table) {
        if (cql.calculation() != null) {
            return false;
        }
        Tokens tokens = new Tokens(cql.text(), Scanner.Language.CQL);
        int token = 1;
        while (!tokens.isWord(token, "from")) {
            int after = afterItem(tokens, token, table);
            if (after < 0) {
                return false;
            }
            if (tokens.isWord(after, "as") && tokens.kind(after + 1).isName()) {
                after += 2;
            }
            if (!tokens.isSymbol(after, ',')) {
                return tokens.isWord(after, "from");
            }
            token = after + 1;
        }
        return false;
    }

    /** Returns the token after a column, a count, or the least or greatest of a column; -1 after anything else. */
    private static int afterItem(Tokens tokens, int token, OldTable table) {
        if (tokens.isSymbol(token, '*')) {
            return token + 1;
        }
        if (tokens.isAnyWord(token, "count", "min", "max") && tokens.isSymbol(token + 1, '(')) {
            boolean rows = tokens.isWord(token, "count")
                    && (tokens.isSymbol(token + 2, '*')
                            || tokens.text(token + 2).equals("1"));
            boolean takes = rows || table.columns().containsKey(name(tokens, token + 2));
            return takes && tokens.isSymbol(token + 3, ')') ? token + 4 : -1;
        }
        return table.columns().containsKey(name(tokens, token)) ? token + 1 : -1;
    }

    // ---- writes

    private Way write(TsqlStep.Cql cql, boolean update) {
        CqlWrite write = CqlWrite.recognise(cql.text()).orElse(null);
        if (write == null) {
            return open(new CqlInsert.Table(null, "?"), WHOLE_KEY);
        }
        CqlInsert.Table name = new CqlInsert.Table(write.keyspace().orElse(null), write.table());
        OldTable table = old.table(name).orElse(null);
        Tokens tokens = new Tokens(cql.text(), Scanner.Language.CQL);
        int where = find(tokens, "where", 1);
        CqlSelect rows = where < 0
                ? null
                : CqlSelect.of("SELECT * FROM t " + cql.text().substring(tokens.start(where)))
                        .orElse(null);
        if (table == null
                || rows == null
                || write.isConditional()
                || write.isTimestamped()
                || findsNothing(cql)
                || !isPlain(rows, table)) {
            return open(name, WHOLE_KEY);
        }
        Set<String> direct = direct(rows);
        if (table.key().stream().noneMatch(direct::contains)) {
            return new Way(refusedWrite(name, table, update), List.of());
        }
        if (table.key().stream().anyMatch(write.assigned()::contains)) {
            return open(name, "whether SET gives the key the value that WHERE gives it");
        }
        String refusal = refusalOfExact(cql.text(), table);
        if (!refusal.isEmpty()) {
            return new Way(refused(name, refusal), List.of());
        }
        if (!direct.containsAll(table.key())) {
            // The keys of the rows are read first.
            return open(name, "whether WHERE gives the partition key");
        }
        boolean takes = rows.where().stream().allMatch(each -> takesCondition(each, table))
                && (update ? takesAssignments(tokens, where, table) : tokens.isWord(1, "from"));
        return takes ? way(name, Access.Kind.KEY, texts(table, columns(rows))) : open(name, TYPES);
    }

    /** Returns why an exact table refuses a write; empty if it does not. */
    private static String refusalOfExact(String cql, OldTable table) {
        Set<String> numbers = table.columns().entrySet().stream()
                .filter(each -> each.getValue().isExact())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        try {
            ConditionalWrite write = ConditionalWrite.of(cql, new LinkedHashSet<>(table.key()), numbers, Set.of())
                    .orElseThrow();
            return Assignments.of(write.text()).stream()
                    .flatMap(all -> all.all().stream())
                    .filter(Assignments.Assignment::ofItself)
                    .map(each ->
                            "SET of column " + each.column() + " by its own value is served for exact numbers alone:"
                                    + " read the row, and give the new value")
                    .findFirst()
                    .orElse("");
        } catch (UnsupportedSqlException e) {
            return StatementShape.withoutValues(String.valueOf(e.getMessage()), cql);
        }
    }

    private static Access refusedWrite(CqlInsert.Table name, OldTable table, boolean update) {
        return refused(
                name,
                (update ? "UPDATE" : "DELETE") + " of " + shown(name) + " does not give its key ("
                        + String.join(", ", table.key())
                        + ") by = or IN: read the keys of the rows first, and write each row by its key");
    }

    private static Access refused(CqlInsert.Table name, String refusal) {
        return new Access(shown(name), Access.Kind.REFUSED, 0, "", refusal, Optional.empty(), List.of(), List.of());
    }

    /**
     * Returns whether SET gives columns apart from the key a parameter or a literal of their types, or adds one to their own
     * value.
     */
    private static boolean takesAssignments(Tokens tokens, int where, OldTable table) {
        int token = find(tokens, "set", 1) + 1;
        boolean named = token == 3 || (token == 5 && tokens.isSymbol(2, '.'));
        if (!named) {
            return false;
        }
        while (true) {
            OldTable.Column column = table.columns().get(name(tokens, token));
            if (column == null || table.key().contains(name(tokens, token)) || !tokens.isSymbol(token + 1, '=')) {
                return false;
            }
            int after = afterValue(tokens, beforeValue(tokens, token), column);
            if (after > 0
                    && name(tokens, after + 1).equals(name(tokens, token))
                    && (tokens.isSymbol(after, '+') || tokens.isSymbol(after, '-'))) {
                after += 2;
            }
            if (after == where) {
                return true;
            }
            if (after < 0 || !tokens.isSymbol(after, ',')) {
                return false;
            }
            token = after + 1;
        }
    }

    /** Returns the token at which the value of an assignment begins, behind {@code n = n +}. */
    private static int beforeValue(Tokens tokens, int assignment) {
        boolean adds = name(tokens, assignment + 2).equals(name(tokens, assignment))
                && (tokens.isSymbol(assignment + 3, '+') || tokens.isSymbol(assignment + 3, '-'));
        return adds ? assignment + 4 : assignment + 2;
    }

    // ---- conditions

    /** As {@link #takes}, of a write: what it compares apart from its key is a condition, and may be unequal. */
    private static boolean takesCondition(CqlSelect.Restriction restriction, OldTable table) {
        if (restriction.by() != CqlSelect.By.OTHER) {
            return takes(restriction, table);
        }
        OldTable.Column column = table.columns().get(restriction.columns().get(0));
        Tokens tokens = new Tokens(restriction.text(), Scanner.Language.CQL);
        if (column == null) {
            return false;
        }
        boolean notNull = tokens.isWord(1, "is") && tokens.isWord(2, "not") && tokens.isWord(3, "null");
        boolean unequal = tokens.isSymbol(1, '!') && tokens.isSymbol(2, '=');
        int after = notNull ? 4 : unequal ? afterValue(tokens, 3, column) : -1;
        return after > 0 && tokens.isEnd(after);
    }

    /** Returns whether each condition is of one column of the table, and no two are of the same. */
    private static boolean isPlain(CqlSelect select, OldTable table) {
        List<String> columns = columns(select);
        return select.where().stream().allMatch(each -> each.columns().size() == 1 && !each.token())
                && new HashSet<>(columns).size() == columns.size()
                && table.columns().keySet().containsAll(columns);
    }

    private static List<String> columns(CqlSelect select) {
        return select.where().stream().flatMap(each -> each.columns().stream()).toList();
    }

    private static Set<String> direct(CqlSelect select) {
        return select.where().stream()
                .filter(CqlSelect.Restriction::isDirect)
                .flatMap(each -> each.columns().stream())
                .collect(Collectors.toSet());
    }

    /** Returns whether a column is compared with parameters or literals of its type. */
    private static boolean takes(CqlSelect.Restriction restriction, OldTable table) {
        OldTable.Column column = table.columns().get(restriction.columns().get(0));
        if (column == null || restriction.by() == CqlSelect.By.OTHER) {
            return false;
        }
        Tokens tokens = new Tokens(restriction.text(), Scanner.Language.CQL);
        int token = 1;
        if (restriction.by() != CqlSelect.By.IN) {
            while (tokens.kind(token) == Kind.SYMBOL && "=<>".contains(tokens.text(token))) {
                token++;
            }
            int after = afterValue(tokens, token, column);
            return after > 0 && tokens.isEnd(after);
        }
        if (!tokens.isSymbol(2, '(')) {
            return false;
        }
        token = 3;
        while (true) {
            int after = afterValue(tokens, token, column);
            if (after < 0 || !tokens.isSymbol(after, ',')) {
                return after > 0 && tokens.isSymbol(after, ')') && tokens.isEnd(after + 1);
            }
            token = after + 1;
        }
    }

    /** Returns the token after a parameter, or a literal that the column takes; -1 if none stands there. */
    private static int afterValue(Tokens tokens, int token, OldTable.Column column) {
        if (tokens.kind(token) == Kind.MARKER) {
            return token + 1;
        }
        if (tokens.kind(token) == Kind.STRING) {
            return column.takes(tokens.content(token)) ? token + 1 : -1;
        }
        boolean minus = tokens.isSymbol(token, '-');
        int number = minus ? token + 1 : token;
        boolean takes = tokens.kind(number) == Kind.NUMBER
                && tokens.text(number).matches("[0-9]{1,18}(\\.[0-9]{1,18})?")
                && column.takes(new BigDecimal((minus ? "-" : "") + tokens.text(number)));
        return takes ? number + 1 : -1;
    }

    private static boolean findsNothing(TsqlStep.Cql cql) {
        return cql.guards().stream().anyMatch(Guard.NoRows.class::isInstance);
    }

    private static List<String> texts(OldTable table, List<String> columns) {
        return columns.stream()
                .filter(column -> {
                    OldTable.Column found = table.columns().get(column);
                    return found != null && found.isText() && !found.comparesAlike();
                })
                .toList();
    }

    // ---- tokens

    private static int find(Tokens tokens, String word, int from) {
        int depth = 0;
        for (int token = from; !tokens.isEnd(token); token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && tokens.isWord(token, word)) {
                return token;
            }
        }
        return -1;
    }

    /** Returns the internal name that stands there; empty if none does. */
    private static String name(Tokens tokens, int token) {
        return tokens.kind(token).isName() ? Identifiers.toInternal(tokens.text(token)) : "";
    }

    // ---- ways

    /** Returns that of a table of which nothing is known, by its internal name. */
    Access open(String table) {
        return access(new CqlInsert.Table(null, table), Access.Kind.UNKNOWN, List.of());
    }

    private static Way open(CqlInsert.Table table, String open) {
        return new Way(access(table, Access.Kind.UNKNOWN, List.of()), List.of(open));
    }

    private static Way way(CqlInsert.Table table, Access.Kind kind, List<String> texts) {
        return new Way(access(table, kind, texts), List.of());
    }

    private static Access access(CqlInsert.Table table, Access.Kind kind, List<String> texts) {
        return new Access(shown(table), kind, 0, "", "", Optional.empty(), List.of(), texts);
    }

    private static String shown(CqlInsert.Table table) {
        String keyspace = table.keyspace();
        return (keyspace == null ? "" : Identifiers.toCql(keyspace) + ".") + Identifiers.toCql(table.name());
    }
}
