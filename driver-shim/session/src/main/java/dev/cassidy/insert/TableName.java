package dev.cassidy.insert;

import org.jspecify.annotations.Nullable;

/**
 * The one table of a statement, as columns may be qualified with it.
 *
 * @param first the token where the name begins; -1 if there is none
 * @param keyspace what stands before the table, without quotes
 * @param table the table, without quotes; hidden by the alias if there is one
 */
public record TableName(
        int first,
        int end,
        @Nullable String keyspace,
        @Nullable String table,
        @Nullable String alias) {

    public static final TableName NONE = new TableName(-1, -1, null, null, null);

    /** Reads {@code [[db.]schema.]table} at a token; {@link #end} is the token after it. */
    public static TableName read(Tokens tokens, int token) {
        if (!tokens.kind(token).isName()) {
            return NONE;
        }
        String keyspace = null;
        String table = tokens.content(token);
        int at = token + 1;
        while (tokens.isSymbol(at, '.')) {
            int following = tokens.isSymbol(at + 1, '.') ? at + 2 : at + 1;
            if (!tokens.kind(following).isName()) {
                break;
            }
            if (!table.equalsIgnoreCase("dbo")) {
                keyspace = table;
            }
            table = tokens.content(following);
            at = following + 1;
        }
        return new TableName(token, at, keyspace, table, null);
    }

    /** Reads a table's or sequence's name at a token, as Cassandra knows it; dbo is the keyspace itself. */
    public static CqlInsert.Table internal(Tokens tokens, int token) {
        return internal(tokens, token, read(tokens, token).end());
    }

    /** As {@link #internal(Tokens, int)}, of a name that ends before a token. */
    public static CqlInsert.Table internal(Tokens tokens, int token, int end) {
        String keyspace = null;
        String name = null;
        for (int at = token; at < end; at++) {
            if (tokens.kind(at).isName()) {
                keyspace = name == null || name.equals("dbo") ? keyspace : name;
                name = Identifiers.toInternal(tokens.cqlTable(at));
            }
        }
        if (name == null) {
            throw new UnsupportedSqlException("'" + tokens.text(token) + "' as a name", "give the name of the object");
        }
        return new CqlInsert.Table(keyspace, name);
    }

    public TableName withAlias(String name, int newEnd) {
        return new TableName(first, newEnd, keyspace, table, name);
    }

    public boolean hasAlias() {
        return alias != null;
    }

    /** Returns the name as CQL writes it; of one that was read without its alias. */
    public String cql(Tokens tokens) {
        String name = quoted(tokens, end - 1);
        for (int token = end - 2; token >= first; token--) {
            if (isKeyspace(tokens, token)) {
                return quoted(tokens, token) + "." + name;
            }
        }
        return name;
    }

    /** As {@link Tokens#cqlTable}, and a word that CQL reserves in quotes. */
    private static String quoted(Tokens tokens, int token) {
        boolean reserved = tokens.kind(token) == Kind.WORD
                && ReservedWords.isReservedByCqlAlone(tokens.text, tokens.start(token), tokens.end(token));
        String name = tokens.cqlTable(token);
        return reserved ? Identifiers.toCql(Identifiers.toInternal(name)) : name;
    }

    public boolean isKeyspace(Tokens tokens, int token) {
        return keyspace != null && is(tokens, token, keyspace);
    }

    public boolean isTable(Tokens tokens, int token) {
        return table != null && is(tokens, token, table);
    }

    public boolean isQualifier(Tokens tokens, int token) {
        return alias != null ? is(tokens, token, alias) : isTable(tokens, token);
    }

    private static boolean is(Tokens tokens, int token, String name) {
        return tokens.kind(token).isName() && tokens.content(token).equalsIgnoreCase(name);
    }
}
