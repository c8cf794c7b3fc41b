package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The primary keys that {@code ALTER TABLE ... ADD ... PRIMARY KEY} gives to tables which the same script created before.
 * Cassandra needs the key when it creates a table. Looks through the script once, when it is first asked.
 */
final class LaterKeys {

    /**
     * A key.
     *
     * @param primary the token of PRIMARY
     * @param open the token of the bracket in front of its columns
     */
    record Key(int primary, int open) {}

    private final Tokens tokens;
    private final Set<Integer> taken = new HashSet<>();

    /** The keys of each table, by the tokens of PRIMARY. */
    private @Nullable Map<CqlInsert.Table, NavigableMap<Integer, Key>> keys;

    LaterKeys(Tokens tokens) {
        this.tokens = tokens;
    }

    /** Returns the first key of the table behind a token, which its ALTER TABLE then need not add; null if there is none. */
    @Nullable
    Key take(CqlInsert.Table table, int behind) {
        Map<CqlInsert.Table, NavigableMap<Integer, Key>> known = keys;
        if (known == null) {
            known = find();
            keys = known;
        }
        NavigableMap<Integer, Key> ofTable = known.get(table);
        Map.Entry<Integer, Key> next = ofTable == null ? null : ofTable.higherEntry(behind);
        if (next == null) {
            return null;
        }
        taken.add(next.getKey());
        return next.getValue();
    }

    /** Returns whether the key at a token was {@link #take taken}. */
    boolean isTaken(int primary) {
        return taken.contains(primary);
    }

    private Map<CqlInsert.Table, NavigableMap<Integer, Key>> find() {
        Map<CqlInsert.Table, NavigableMap<Integer, Key>> found = new HashMap<>();
        for (int token = 0; !tokens.isEnd(token); token++) {
            if (tokens.isWord(token, "alter") && tokens.isWord(token + 1, "table")) {
                TableName table = TableName.read(tokens, token + 2);
                @Nullable Key key = table.first() < 0 ? null : key(table.end());
                if (key != null) {
                    found.computeIfAbsent(TableName.internal(tokens, token + 2), absent -> new TreeMap<>())
                            .put(key.primary(), key);
                }
            }
        }
        return found;
    }

    /** Returns the key among what an ALTER TABLE adds. */
    private @Nullable Key key(int action) {
        boolean checks = tokens.isWord(action, "with") && tokens.isAnyWord(action + 1, "check", "nocheck");
        int add = checks ? action + 2 : action;
        if (!tokens.isWord(add, "add")) {
            return null;
        }
        int token = add;
        do {
            int element = tokens.isWord(token + 1, "constraint") ? token + 3 : token + 1;
            if (tokens.isWord(element, "primary") && tokens.isWord(element + 1, "key")) {
                int open = tokens.isAnyWord(element + 2, "clustered", "nonclustered") ? element + 3 : element + 2;
                return tokens.isSymbol(open, '(') ? new Key(element, open) : null;
            }
            token = comma(element);
        } while (token >= 0);
        return null;
    }

    /** Returns the next comma of the statement outside of brackets; -1 if there is none. */
    private int comma(int from) {
        int depth = 0;
        for (int token = from; !tokens.isEnd(token); token++) {
            depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
            if (depth == 0 && tokens.isSymbol(token, ',')) {
                return token;
            }
            // At ALTER even within brackets: otherwise many of them would each read the script to its end.
            if (depth < 0
                    || tokens.isSymbol(token, ';')
                    || tokens.isWord(token, "alter")
                    || (depth == 0 && tokens.isAnyWord(token, "create", "insert", "go", "end"))) {
                return -1;
            }
        }
        return -1;
    }
}
