package dev.cassidy.jdbc.run;

import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Scanner;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a statement of CQL names columns that count.
 *
 * @param items by the index of a result's column: the column that counts which it shows, or null; none of a statement that writes
 * @param elsewhere one that is named anywhere else, where Cassandra would take what the row began with for its value; null if none is
 */
record CountedSelect(List<@Nullable String> items, @Nullable String elsewhere) {

    private static final CountedSelect NONE = new CountedSelect(List.of(), null);

    /** Reads a SELECT, UPDATE or DELETE. */
    static CountedSelect of(String cql, Set<String> counted) {
        try {
            Tokens tokens = new Tokens(cql, Scanner.Language.CQL);
            return new Reader(tokens, counted).read();
        } catch (UnsupportedSqlException e) {
            // No statement that the server could read.
            return NONE;
        }
    }

    /** Returns a column that counts which the WHERE of a SELECT in T-SQL names; null if it names none. */
    static @Nullable String ofConditions(String sql, Set<String> counted) {
        Tokens tokens = new Tokens(sql);
        int token = 0;
        while (!tokens.isEnd(token) && !tokens.isWord(token, "where")) {
            token = tokens.afterClosing(token);
        }
        for (; !tokens.isEnd(token); token++) {
            String name = tokens.kind(token).isName() ? tokens.content(token).toLowerCase(Locale.ROOT) : "";
            for (String column : counted) {
                if (column.toLowerCase(Locale.ROOT).equals(name)) {
                    return column;
                }
            }
        }
        return null;
    }

    /** Returns whether a column of the result counts. */
    boolean shows() {
        return items.stream().anyMatch(each -> each != null);
    }

    private static final class Reader {

        private final Tokens tokens;
        private final Set<String> counted;
        private final List<@Nullable String> items = new ArrayList<>();
        private @Nullable String elsewhere;

        Reader(Tokens tokens, Set<String> counted) {
            this.tokens = tokens;
            this.counted = counted;
        }

        CountedSelect read() {
            boolean select = tokens.isWord(0, "select");
            int from = tokens.isWord(0, "update") ? 0 : next(1, "from");
            if (select) {
                items(from);
            } else if (from > 1) {
                look(1, from);
            }
            int after = TableName.read(tokens, from + 1).end();
            look(Math.max(after, from + 1), tokens.size());
            return new CountedSelect(items, elsewhere);
        }

        private int next(int start, String word) {
            int token = start;
            while (!tokens.isEnd(token) && !tokens.isWord(token, word)) {
                token = tokens.afterClosing(token);
            }
            return token;
        }

        private void items(int from) {
            boolean whole = tokens.isAnyWord(1, "distinct", "json") && from > 2 && !tokens.isSymbol(2, ',');
            int start = whole ? 2 : 1;
            for (int token = start; token <= from; ) {
                if (token < from && !tokens.isSymbol(token, ',')) {
                    token = tokens.afterClosing(token);
                    continue;
                }
                item(start, token, whole);
                start = token + 1;
                token++;
            }
        }

        private void item(int from, int to, boolean whole) {
            boolean alias = to - from > 2 && tokens.isWord(to - 2, "as");
            int end = alias ? to - 2 : to;
            String column = end - from == 1 ? column(from) : null;
            if (column != null && !whole) {
                items.add(column);
                return;
            }
            items.add(null);
            look(from, end);
            if (end - from == 1 && tokens.isSymbol(from, '*')) {
                elsewhere = counted.iterator().next();
            }
        }

        private void look(int from, int to) {
            for (int token = from; token < to && !tokens.isEnd(token); token++) {
                String column = column(token);
                elsewhere = column == null ? elsewhere : column;
            }
        }

        private @Nullable String column(int token) {
            if (tokens.kind(token) != Kind.END && tokens.kind(token).isName()) {
                String name = Identifiers.toInternal(tokens.cqlName(token));
                return Stream.of(name).filter(counted::contains).findFirst().orElse(null);
            }
            return null;
        }
    }
}
