package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a SELECT of INFORMATION_SCHEMA, or of a view of sys that says the same: columns of one view, conditions with {@code =}
 * and IN, ORDER BY.
 */
final class SchemaQueryParser extends TokenReader {

    /** Views of sys, and what INFORMATION_SCHEMA calls them and their columns; {@code DATABASES} is ours. */
    private static final Map<String, String> SYS_VIEWS =
            Map.of("tables", "TABLES", "columns", "COLUMNS", "sequences", "SEQUENCES", "databases", "DATABASES");

    private static final Map<String, Map<String, String>> SYS_COLUMNS = Map.of(
            "TABLES", Map.of("name", "TABLE_NAME"),
            "COLUMNS", Map.of("name", "COLUMN_NAME", "column_id", "ORDINAL_POSITION"),
            "SEQUENCES",
                    Map.of(
                            "name", "SEQUENCE_NAME",
                            "start_value", "START_VALUE",
                            "minimum_value", "MINIMUM_VALUE",
                            "maximum_value", "MAXIMUM_VALUE",
                            "increment", "INCREMENT"),
            "DATABASES", Map.of("name", "NAME", "compatibility_level", "COMPATIBILITY_LEVEL"));

    private final int select;
    private final int end;
    private final List<SchemaQuery.Condition> conditions = new ArrayList<>();
    private TableName view = TableName.NONE;
    private String name = "";
    private boolean sys;

    SchemaQueryParser(Tokens tokens, int select, int end) {
        super(tokens, select);
        this.select = select;
        this.end = end;
    }

    /** Reads the query; null if it is one of another schema. */
    @Nullable
    SchemaQuery read() {
        int from = select;
        while (from < end && !tokens.isWord(from, "from")) {
            from++;
        }
        view = TableName.read(tokens, from + 1);
        if (view.first() < 0 || view.keyspace() == null || !isView()) {
            return null;
        }
        int afterView = alias(view.end());
        token = select + 1;
        int limit = word("top") ? top() : -1;
        List<SchemaQuery.Item> items = items(from);
        token = afterView;
        if (sys && name.equals("TABLES")) {
            conditions.add(new SchemaQuery.Condition("TABLE_TYPE", List.of(literal("BASE TABLE"))));
        }
        if (word("where")) {
            conditions();
        }
        List<SchemaQuery.Order> order = new ArrayList<>();
        if (word("order")) {
            require(word("by"));
            do {
                String column = column();
                boolean descending = word("desc");
                require(!descending || !tokens.isWord(token, "asc"));
                word("asc");
                order.add(new SchemaQuery.Order(column, descending));
            } while (symbol(','));
        }
        require(token == end);
        return new SchemaQuery(name, items, conditions, order, limit);
    }

    private boolean isView() {
        String table = String.valueOf(view.table());
        if ("information_schema".equalsIgnoreCase(view.keyspace())) {
            name = upper(table);
            return true;
        }
        sys = "sys".equalsIgnoreCase(view.keyspace());
        name = SYS_VIEWS.getOrDefault(table.toLowerCase(Locale.ROOT), "");
        return sys && !name.isEmpty();
    }

    private void require(boolean served) {
        if (!served) {
            throw new UnsupportedSqlException(
                    "this query of " + (sys ? "sys" : "INFORMATION_SCHEMA") + ", at '" + tokens.text(token) + "'",
                    "select columns of one view, with conditions of = and IN that AND joins"
                            + (sys ? ", or ask INFORMATION_SCHEMA" : "") + "; or use DatabaseMetaData");
        }
    }

    private static String upper(String name) {
        return name.toUpperCase(Locale.ROOT);
    }

    /** Passes the alias of the view, and its hints; returns the token after them. */
    private int alias(int at) {
        int alias = tokens.isWord(at, "as") ? at + 1 : at;
        int after = at;
        if (alias < end
                && tokens.kind(alias).isName()
                && !tokens.isAnyWord(alias, "where", "order", "join", "inner", "left", "group", "with")) {
            view = view.withAlias(tokens.content(alias), alias + 1);
            after = alias + 1;
        }
        return new TableHints(tokens).after(after, end);
    }

    private int top() {
        boolean bracket = symbol('(');
        String number = tokens.text(token);
        require(tokens.kind(token) == Kind.NUMBER && number.matches("[0-9]{1,9}"));
        token++;
        require(!bracket || symbol(')'));
        return Integer.parseInt(number);
    }

    private List<SchemaQuery.Item> items(int from) {
        List<SchemaQuery.Item> items = new ArrayList<>();
        if (!sys && symbol('*')) {
            require(token == from);
            return items;
        }
        do {
            boolean counts = tokens.isAnyWord(token, "count", "count_big") && tokens.isSymbol(token + 1, '(');
            String written = "";
            @Nullable String column = null;
            @Nullable Integer number = null;
            if (counts) {
                require((tokens.isSymbol(token + 2, '*') || tokens.kind(token + 2) == Kind.NUMBER)
                        && tokens.isSymbol(token + 3, ')'));
                token += 4;
            } else if (tokens.kind(token) == Kind.NUMBER) {
                require(tokens.text(token).matches("[0-9]{1,9}"));
                number = Integer.valueOf(tokens.text(token++));
            } else if (tokens.isWord(token, "convert") && tokens.isSymbol(token + 1, '(')) {
                // CONVERT(bigint, c): the views have the types that are asked for.
                int close = tokens.afterClosing(token + 1) - 1;
                require(tokens.kind(token + 2) == Kind.WORD && tokens.isSymbol(token + 3, ','));
                token += 4;
                column = column();
                require(token++ == close);
            } else {
                column = column();
                written = tokens.content(token - 1);
            }
            if (word("as") || (token < from && !tokens.isSymbol(token, ','))) {
                require(tokens.kind(token).isName() || isText(token));
                written = tokens.content(token++);
            }
            items.add(new SchemaQuery.Item(column, written, number));
        } while (symbol(','));
        require(token == from);
        return items;
    }

    private String column() {
        while (tokens.kind(token).isName() && tokens.isSymbol(token + 1, '.')) {
            token += 2;
        }
        require(tokens.kind(token).isName());
        @Nullable
        String column = sys
                ? SYS_COLUMNS
                        .getOrDefault(name, Map.of())
                        .get(tokens.content(token).toLowerCase(Locale.ROOT))
                : upper(tokens.content(token));
        require(column != null);
        token++;
        return String.valueOf(column);
    }

    /** All of them must hold, so that brackets around some say nothing. */
    private void conditions() {
        int brackets = 0;
        do {
            while (symbol('(')) {
                brackets++;
            }
            condition();
            while (brackets > 0 && symbol(')')) {
                brackets--;
            }
        } while (word("and"));
        require(brackets == 0);
    }

    private void condition() {
        if (objectId()) {
            return;
        }
        if (isValue()) {
            SchemaQuery.Value value = value();
            require(symbol('='));
            conditions.add(new SchemaQuery.Condition(column(), List.of(value)));
            return;
        }
        String column = column();
        List<SchemaQuery.Value> values = new ArrayList<>();
        if (word("in")) {
            require(symbol('('));
            do {
                values.add(value());
            } while (symbol(','));
            require(symbol(')'));
        } else {
            require(symbol('='));
            values.add(value());
        }
        conditions.add(new SchemaQuery.Condition(column, values));
    }

    /** Reads {@code object_id = OBJECT_ID('t')}, the table in sys; false for any other condition. */
    private boolean objectId() {
        int at = tokens.isSymbol(token + 1, '.') ? token + 2 : token;
        boolean is = sys
                && tokens.isWord(at, "object_id")
                && tokens.isSymbol(at + 1, '=')
                && tokens.isWord(at + 2, "object_id")
                && tokens.isSymbol(at + 3, '(')
                && isText(at + 4)
                && tokens.isSymbol(at + 5, ')')
                && (name.equals("TABLES") || name.equals("COLUMNS"));
        if (!is) {
            return false;
        }
        CqlInsert.Table table = named(at + 4);
        conditions.add(new SchemaQuery.Condition("TABLE_NAME", List.of(literal(table.name()))));
        if (table.keyspace() != null) {
            conditions.add(new SchemaQuery.Condition("TABLE_SCHEMA", List.of(literal(table.keyspace()))));
        }
        token = at + 6;
        return true;
    }

    private static SchemaQuery.Value literal(String text) {
        return new SchemaQuery.Value(text, -1);
    }

    private boolean isValue() {
        Kind kind = tokens.kind(token);
        return kind == Kind.MARKER
                || kind == Kind.STRING
                || kind == Kind.NATIONAL
                || kind == Kind.NUMBER
                || isKeyspace();
    }

    private boolean isKeyspace() {
        return tokens.isWord(token, "db_name") && tokens.isSymbol(token + 1, '(') && tokens.isSymbol(token + 2, ')');
    }

    private SchemaQuery.Value value() {
        if (isKeyspace()) {
            token += 3;
            return SchemaQuery.Value.KEYSPACE;
        }
        require(isValue());
        int at = token++;
        if (tokens.kind(at) == Kind.MARKER) {
            return new SchemaQuery.Value("", tokens.markerIndex(at));
        }
        return literal(tokens.kind(at) == Kind.NUMBER ? tokens.text(at) : tokens.content(at));
    }
}
