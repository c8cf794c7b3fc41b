package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the condition of an IF that asks whether a table, column, index or sequence exists: {@code OBJECT_ID('t') IS
 * NULL}, {@code COL_LENGTH('t', 'c') IS NULL}, {@code NOT EXISTS (SELECT ... FROM sys.objects WHERE ...)}, and the same
 * of sys.tables, sysobjects, sys.columns, sys.indexes, sys.sequences and INFORMATION_SCHEMA.
 */
final class IfParser extends TokenReader {

    private static final String SERVED =
            "an IF may ask whether a table, column, index or sequence exists, by OBJECT_ID('t') IS NULL, COL_LENGTH('t',"
                    + " 'c') IS NULL or EXISTS (SELECT ... FROM sys.tables WHERE name = 't')";

    /** Where a query looks. */
    private enum Catalog {
        OBJECTS,
        COLUMNS,
        INDEXES,
        SEQUENCES,
        /** What Cassandra never has: keys, checks, views, procedures. */
        NOTHING
    }

    // What the conditions of a query say.
    private @Nullable String keyspace;
    private @Nullable String name;
    private CqlInsert.@Nullable Table object;
    private @Nullable String table;
    private final Set<String> types = new HashSet<>();

    IfParser(Tokens tokens, int condition) {
        super(tokens, condition);
    }

    /**
     * A condition.
     *
     * @param exists whether the object must exist
     * @param end the token after the condition
     */
    record Condition(SchemaObject object, boolean exists, int end) {}

    /** Reads the condition; null if it asks for something else than an object of the schema. */
    @Nullable
    Condition read() {
        int brackets = 0;
        while (tokens.isSymbol(token, '(')) {
            brackets++;
            token++;
        }
        boolean not = word("not");
        @Nullable SchemaObject found;
        boolean exists;
        if (tokens.isWord(token, "exists") && tokens.isSymbol(token + 1, '(') && tokens.isWord(token + 2, "select")) {
            int close = tokens.afterClosing(token + 1);
            found = query(token + 3, close - 1);
            exists = true;
            token = close;
        } else if (isCall("object_id") || isCall("col_length")) {
            found = call();
            if (!word("is")) {
                return null;
            }
            exists = word("not");
            if (!word("null")) {
                return null;
            }
        } else {
            return null;
        }
        if (found == null) {
            return null;
        }
        while (brackets > 0) {
            if (!symbol(')')) {
                return null;
            }
            brackets--;
        }
        return new Condition(found, exists != not, token);
    }

    // ---- functions

    private boolean isCall(String function) {
        return tokens.isWord(token, function) && tokens.isSymbol(token + 1, '(') && isText(token + 2);
    }

    private SchemaObject call() {
        boolean column = tokens.isWord(token, "col_length");
        CqlInsert.Table named = named(token + 2);
        int close = tokens.afterClosing(token + 1);
        @Nullable
        String second = tokens.isSymbol(token + 3, ',') && isText(token + 4) ? tokens.content(token + 4) : null;
        token = close;
        if (column) {
            if (second == null) {
                throw new UnsupportedSqlException("COL_LENGTH of anything but two strings", SERVED);
            }
            return new SchemaObject(SchemaObject.Kind.COLUMN, named.keyspace(), named.name(), internal(second));
        }
        return new SchemaObject(second == null ? SchemaObject.Kind.ANY : kind(Set.of(type(second))), named);
    }

    /** Returns the internal form of a name that a text holds as it is. */
    private static String internal(String content) {
        return Identifiers.toInternal(Identifiers.bracketedToCql(content));
    }

    private static String type(String text) {
        return text.strip().toUpperCase(Locale.ROOT);
    }

    private static SchemaObject.Kind kind(Set<String> types) {
        if (types.isEmpty()) {
            return SchemaObject.Kind.ANY;
        }
        if (types.contains("U") || types.contains("USER_TABLE") || types.contains("BASE TABLE")) {
            return SchemaObject.Kind.TABLE;
        }
        return types.contains("SO") || types.contains("SEQUENCE_OBJECT")
                ? SchemaObject.Kind.SEQUENCE
                : SchemaObject.Kind.NOTHING;
    }

    // ---- queries

    private @Nullable SchemaObject query(int from, int end) {
        int at = from;
        while (at < end && !tokens.isWord(at, "from")) {
            at = tokens.opens(at) ? tokens.afterClosing(at) : at + 1;
        }
        TableName source = TableName.read(tokens, at + 1);
        @Nullable Catalog catalog = catalog(source);
        if (at >= end || catalog == null) {
            return null;
        }
        if (catalog == Catalog.NOTHING) {
            return new SchemaObject(SchemaObject.Kind.NOTHING, null, null, "");
        }
        token = source.end();
        word("as");
        if (tokens.kind(token).isName() && !tokens.isWord(token, "where")) {
            token++;
        }
        if (token < end && !word("where")) {
            throw unknown(token);
        }
        while (token < end) {
            // All of them must hold, so that brackets around some say nothing.
            while (symbol('(')) {}
            condition(catalog);
            while (token < end && symbol(')')) {}
            if (token < end && !word("and")) {
                throw unknown(token);
            }
        }
        return object(catalog);
    }

    private static @Nullable Catalog catalog(TableName source) {
        @Nullable String keyspace = source.keyspace();
        @Nullable String table = source.table();
        if (table == null) {
            return null;
        }
        String owner = keyspace == null ? "" : keyspace.toLowerCase(Locale.ROOT);
        String view = table.toLowerCase(Locale.ROOT);
        if (owner.equals("information_schema")) {
            return switch (view) {
                case "tables" -> Catalog.OBJECTS;
                case "columns" -> Catalog.COLUMNS;
                case "sequences" -> Catalog.SEQUENCES;
                case "table_constraints",
                        "referential_constraints",
                        "check_constraints",
                        "constraint_column_usage",
                        "key_column_usage",
                        "views",
                        "routines" -> Catalog.NOTHING;
                default -> null;
            };
        }
        if (!owner.isEmpty() && !owner.equals("sys")) {
            return null;
        }
        return switch (view) {
            case "sysobjects" -> Catalog.OBJECTS;
            case "syscolumns" -> Catalog.COLUMNS;
            case "sysindexes" -> Catalog.INDEXES;
            default -> owner.isEmpty() ? null : ofSys(view);
        };
    }

    private static @Nullable Catalog ofSys(String view) {
        return switch (view) {
            case "objects", "all_objects", "tables" -> Catalog.OBJECTS;
            case "columns", "all_columns" -> Catalog.COLUMNS;
            case "indexes" -> Catalog.INDEXES;
            case "sequences" -> Catalog.SEQUENCES;
            case "foreign_keys",
                    "check_constraints",
                    "default_constraints",
                    "key_constraints",
                    "foreign_key_columns",
                    "views",
                    "procedures",
                    "triggers",
                    "synonyms" -> Catalog.NOTHING;
            default -> null;
        };
    }

    /** Reads one of the conditions between the ANDs. */
    private void condition(Catalog catalog) {
        if (tokens.isWord(token, "objectproperty") && tokens.isSymbol(token + 1, '(')) {
            property();
            return;
        }
        int start = token;
        if (tokens.kind(token).isName() && tokens.isSymbol(token + 1, '.')) {
            token += 2;
        }
        if (!tokens.kind(token).isName()) {
            throw unknown(start);
        }
        String column = tokens.content(token++).toLowerCase(Locale.ROOT);
        if (word("in") && tokens.isSymbol(token, '(')) {
            int close = tokens.afterClosing(token);
            boolean type = column.equals("type") || column.equals("xtype");
            for (int at = token + 1; at < close - 1; at++) {
                if (!type || !(isText(at) || tokens.isSymbol(at, ','))) {
                    throw unknown(start);
                }
                if (isText(at)) {
                    types.add(type(tokens.content(at)));
                }
            }
            token = close;
            return;
        }
        if (!symbol('=')) {
            throw unknown(start);
        }
        equal(catalog, column, start);
    }

    /** {@code OBJECTPROPERTY(id, N'IsUserTable') = 1} */
    private void property() {
        int start = token;
        int close = tokens.afterClosing(token + 1);
        if (!isText(close - 2)
                || !tokens.isSymbol(close, '=')
                || !tokens.text(close + 1).equals("1")) {
            throw unknown(start);
        }
        types.add(
                switch (tokens.content(close - 2).toLowerCase(Locale.ROOT)) {
                    case "isusertable", "istable" -> "U";
                    default -> "OTHER";
                });
        token = close + 2;
    }

    private void equal(Catalog catalog, String column, int start) {
        switch (column) {
            case "object_id", "id", "parent_object_id" -> {
                if (!isCall("object_id")) {
                    throw unknown(start);
                }
                object = named(token + 2);
                token = tokens.afterClosing(token + 1);
            }
            case "schema_id", "uid" -> {
                if (!isCall("schema_id")) {
                    throw unknown(start);
                }
                owner(tokens.content(token + 2));
                token = tokens.afterClosing(token + 1);
            }
            case "is_ms_shipped" -> {
                if (!tokens.text(token).equals("0")) {
                    throw unknown(start);
                }
                token++;
            }
            default -> text(catalog, column, start);
        }
    }

    private void text(Catalog catalog, String column, int start) {
        if (column.endsWith("_catalog")
                && tokens.isWord(token, "db_name")
                && tokens.isSymbol(token + 1, '(')
                && tokens.isSymbol(token + 2, ')')) {
            token += 3;
            return;
        }
        if (!isText(token)) {
            throw unknown(start);
        }
        String content = tokens.content(token++);
        switch (column) {
            case "name" -> name = internal(content);
            case "table_name" -> {
                if (catalog == Catalog.OBJECTS) {
                    name = internal(content);
                } else {
                    table = internal(content);
                }
            }
            case "column_name", "sequence_name" -> name = internal(content);
            case "table_schema", "sequence_schema" -> owner(content);
            case "table_catalog", "sequence_catalog" -> keyspace = internal(content);
            case "type", "xtype", "type_desc", "table_type" -> types.add(type(content));
            default -> throw unknown(start);
        }
    }

    /** The schema dbo is the keyspace itself. */
    private void owner(String schema) {
        keyspace = schema.equalsIgnoreCase("dbo") ? keyspace : internal(schema);
    }

    private SchemaObject object(Catalog catalog) {
        CqlInsert.Table known = object == null ? new CqlInsert.Table(null, "") : object;
        @Nullable String ofTable = object == null ? table : known.name();
        @Nullable String inKeyspace = known.keyspace() == null ? keyspace : known.keyspace();
        if (catalog == Catalog.OBJECTS || catalog == Catalog.SEQUENCES) {
            @Nullable String named = name != null ? name : ofTable;
            if (named == null) {
                throw new UnsupportedSqlException("an IF about an object without its name", SERVED);
            }
            SchemaObject.Kind kind = catalog == Catalog.SEQUENCES ? SchemaObject.Kind.SEQUENCE : kind(types);
            return new SchemaObject(kind, new CqlInsert.Table(inKeyspace, named));
        }
        if (name == null || ofTable == null) {
            throw new UnsupportedSqlException("an IF about a column or index without its table and name", SERVED);
        }
        return new SchemaObject(
                catalog == Catalog.COLUMNS ? SchemaObject.Kind.COLUMN : SchemaObject.Kind.INDEX,
                inKeyspace,
                ofTable,
                name);
    }

    private UnsupportedSqlException unknown(int at) {
        return new UnsupportedSqlException("'" + tokens.text(at) + "' in the condition of an IF", SERVED);
    }
}
