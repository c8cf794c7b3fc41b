package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads a SELECT of INFORMATION_SCHEMA: columns of one view, conditions with {@code =} and IN, ORDER BY. */
final class SchemaQueryParser extends TokenReader {

    private final int select;
    private final int end;
    private TableName view = TableName.NONE;

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
        if (view.first() < 0 || !"information_schema".equalsIgnoreCase(view.keyspace())) {
            return null;
        }
        int afterView = alias(view.end());
        token = select + 1;
        int limit = word("top") ? top() : -1;
        List<SchemaQuery.Item> items = items(from);
        token = afterView;
        List<SchemaQuery.Condition> conditions = new ArrayList<>();
        if (word("where")) {
            do {
                conditions.add(condition());
            } while (word("and"));
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
        return new SchemaQuery(upper(String.valueOf(view.table())), items, conditions, order, limit);
    }

    private void require(boolean served) {
        if (!served) {
            throw new UnsupportedSqlException(
                    "this query of INFORMATION_SCHEMA, at '" + tokens.text(token) + "'",
                    "select columns of one view, with conditions of = and IN that AND joins; or use DatabaseMetaData");
        }
    }

    private static String upper(String name) {
        return name.toUpperCase(Locale.ROOT);
    }

    /** Passes the alias of the view; returns the token after it. */
    private int alias(int at) {
        int name = tokens.isWord(at, "as") ? at + 1 : at;
        if (name >= end
                || !tokens.kind(name).isName()
                || tokens.isAnyWord(name, "where", "order", "join", "inner", "left", "group", "with")) {
            return at;
        }
        view = view.withAlias(tokens.content(name), name + 1);
        return name + 1;
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
        if (symbol('*')) {
            require(token == from);
            return items;
        }
        do {
            boolean counts = tokens.isAnyWord(token, "count", "count_big") && tokens.isSymbol(token + 1, '(');
            String written = "";
            @Nullable String column = null;
            if (counts) {
                require(tokens.isSymbol(token + 2, '*') && tokens.isSymbol(token + 3, ')'));
                token += 4;
            } else {
                column = column();
                written = tokens.content(token - 1);
            }
            if (word("as") || (token < from && !tokens.isSymbol(token, ','))) {
                require(tokens.kind(token).isName() || isText());
                written = tokens.content(token++);
            }
            items.add(new SchemaQuery.Item(column, written));
        } while (symbol(','));
        require(token == from);
        return items;
    }

    private boolean isText() {
        return tokens.kind(token) == Kind.STRING || tokens.kind(token) == Kind.NATIONAL;
    }

    private String column() {
        while (tokens.kind(token).isName() && tokens.isSymbol(token + 1, '.')) {
            token += 2;
        }
        require(tokens.kind(token).isName());
        return upper(tokens.content(token++));
    }

    private SchemaQuery.Condition condition() {
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
        return new SchemaQuery.Condition(column, values);
    }

    private SchemaQuery.Value value() {
        int at = token++;
        if (tokens.kind(at) == Kind.MARKER) {
            return new SchemaQuery.Value("", tokens.markerIndex(at));
        }
        Kind kind = tokens.kind(at);
        if (kind != Kind.STRING && kind != Kind.NATIONAL && kind != Kind.NUMBER) {
            token = at;
            require(false);
        }
        return new SchemaQuery.Value(kind == Kind.NUMBER ? tokens.text(at) : tokens.content(at), -1);
    }
}
