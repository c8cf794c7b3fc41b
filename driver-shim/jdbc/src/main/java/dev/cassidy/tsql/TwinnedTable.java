package dev.cassidy.tsql;

import dev.cassidy.definition.Twin;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Tokens;
import java.util.Set;

/** Writes CREATE TABLE of CQL with the twins of columns: of those in its primary key, and in its clustering order, in their place. */
final class TwinnedTable {

    private final Tokens tokens;
    private final Set<String> columns;
    private final StringBuilder text = new StringBuilder();
    private int copied;

    private TwinnedTable(Tokens tokens, Set<String> columns) {
        this.tokens = tokens;
        this.columns = columns;
    }

    /**
     * Returns a statement with twins.
     *
     * @param cql a CREATE TABLE whose columns stand in brackets
     * @param columns those that get a twin, internal names; at least one
     */
    static String of(String cql, Set<String> columns) {
        return new TwinnedTable(new Tokens(cql), columns).write();
    }

    private String write() {
        int open = 0;
        while (!tokens.isEnd(open) && !tokens.isSymbol(open, '(')) {
            open++;
        }
        int close = tokens.afterClosing(open) - 1;
        copyTo(tokens.end(open));
        columns.stream().sorted().forEach(column -> text.append(Identifiers.toCql(Twin.nameOf(column)))
                .append(" text, "));
        int element = open + 1;
        for (int token = open + 1; token < close; token = tokens.afterClosing(token)) {
            element = tokens.isSymbol(token - 1, ',') ? token : element;
            if (!tokens.isWord(token, "primary") || !tokens.isWord(token + 1, "key")) {
                continue;
            }
            if (tokens.isSymbol(token + 2, '(')) {
                names(token + 2, tokens.afterClosing(token + 2));
            } else {
                key(token, element, close);
            }
        }
        for (int token = close; !tokens.isEnd(token); token++) {
            if (tokens.isWord(token, "order") && tokens.isWord(token + 1, "by") && tokens.isSymbol(token + 2, '(')) {
                names(token + 2, tokens.afterClosing(token + 2));
            }
        }
        copyTo(tokens.text.length());
        return text.toString();
    }

    /** {@code name text PRIMARY KEY} */
    private void key(int primary, int element, int close) {
        String column = Identifiers.toInternal(tokens.cqlName(element));
        if (columns.contains(column)) {
            copyTo(tokens.start(primary));
            copied = tokens.end(primary + 1);
            copyTo(tokens.start(close));
            text.append(", PRIMARY KEY (")
                    .append(Identifiers.toCql(Twin.nameOf(column)))
                    .append(')');
        }
    }

    private void names(int from, int to) {
        for (int token = from; token < to; token++) {
            String column = tokens.kind(token).isName() ? Identifiers.toInternal(tokens.cqlName(token)) : "";
            if (columns.contains(column)) {
                copyTo(tokens.start(token));
                text.append(Identifiers.toCql(Twin.nameOf(column)));
                copied = tokens.end(token);
            }
        }
    }

    private void copyTo(int end) {
        text.append(tokens.text, copied, Math.max(copied, end));
        copied = Math.max(copied, end);
    }
}
