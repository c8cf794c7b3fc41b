package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where one CQL INSERT, UPDATE, DELETE or SELECT itself gives a column the current time, or compares it with that: what
 * T-SQL's GETDATE() becomes, which CQL writes as a timestamp and a column of dates takes as a day alone. It has nothing to do
 * with DEFAULT GETDATE().
 *
 * @param table the only one of the statement
 * @param places in the order of the statement
 */
public record CurrentTimes(CqlInsert.Table table, List<Place> places) {

    /** T-SQL's GETDATE() and the like, as CQL. */
    public static final String NOW = "toTimestamp(now())";

    /** How many tokens {@link #NOW} has. */
    private static final int NOW_TOKENS = 6;

    /**
     * A place of {@link #NOW}.
     *
     * @param column the internal name of the column whose value it is, or is compared with
     * @param start where it begins in the statement
     * @param end where it ends, exclusive
     */
    public record Place(String column, int start, int end) {}

    public CurrentTimes {
        places = List.copyOf(places);
    }

    /** Finds the places in an INSERT; empty if there are none. */
    public static Optional<CurrentTimes> of(CqlInsert insert) {
        return found(new CqlInsert.Table(insert.keyspace().orElse(null), insert.table()), insert.times());
    }

    /** Finds the places in an UPDATE, DELETE or SELECT of one table; empty if there are none. */
    public static Optional<CurrentTimes> of(String cql) {
        Tokens tokens = new Tokens(cql);
        int table = table(tokens);
        return tokens.kind(table).isName()
                ? found(TableName.internal(tokens, table), places(tokens))
                : Optional.empty();
    }

    private static Optional<CurrentTimes> found(CqlInsert.Table table, List<Place> places) {
        return places.isEmpty() ? Optional.empty() : Optional.of(new CurrentTimes(table, places));
    }

    private static int table(Tokens tokens) {
        if (tokens.isWord(0, "update")) {
            return 1;
        }
        int token = 0;
        if (tokens.isAnyWord(0, "select", "delete")) {
            int depth = 0;
            while (!tokens.isEnd(token) && !(depth == 0 && tokens.isWord(token, "from"))) {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                token++;
            }
            return token + 1;
        }
        return tokens.size();
    }

    private static List<Place> places(Tokens tokens) {
        List<Place> found = new ArrayList<>();
        int depth = 0;
        for (int token = 1; !tokens.isEnd(token); token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && tokens.kind(token).isName() && begins(tokens, token)) {
                compared(tokens, token, found);
            }
        }
        return found;
    }

    /** After a dot, the name would be a field's. */
    private static boolean begins(Tokens tokens, int name) {
        return tokens.isSymbol(name - 1, ',') || tokens.isAnyWord(name - 1, "set", "where", "and", "if");
    }

    private static void compared(Tokens tokens, int name, List<Place> found) {
        int value = name + 1;
        while (tokens.isSymbol(value, '=')
                || tokens.isSymbol(value, '<')
                || tokens.isSymbol(value, '>')
                || tokens.isSymbol(value, '!')) {
            value++;
        }
        if (value > name + 1 && isNow(tokens, value) && ends(tokens, value + NOW_TOKENS)) {
            found.add(new Place(
                    Identifiers.toInternal(tokens.cqlName(name)),
                    tokens.start(value),
                    tokens.end(value + NOW_TOKENS - 1)));
        }
    }

    /** Returns whether the term before a token is whole. */
    private static boolean ends(Tokens tokens, int token) {
        return tokens.isEnd(token)
                || tokens.kind(token) == Kind.WORD
                || tokens.isSymbol(token, ',')
                || tokens.isSymbol(token, ';');
    }

    private static boolean isNow(Tokens tokens, int token) {
        return tokens.isWord(token, "totimestamp")
                && tokens.text.startsWith(NOW, tokens.start(token))
                && tokens.isWord(token + 2, "now");
    }
}
