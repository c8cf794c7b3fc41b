package dev.cassidy.insert;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The literals of one CQL INSERT, UPDATE, DELETE or SELECT that may mean something else in T-SQL, depending on the type
 * of their column: 0 and 1, texts that begin with a digit, a sign or a point, uuids in quotes, 'true' and 'false'. A
 * literal counts only if it is the whole value for a column of the statement's table.
 *
 * @param table the only one of the statement
 * @param literals in the order of the text
 */
public record ColumnLiterals(CqlInsert.Table table, List<Literal> literals) {

    /** How many tokens {@link #NOW} has. */
    private static final int NOW_TOKENS = 6;

    /** A longer one is neither a bit, a number, a date nor a uuid. */
    private static final int LONGEST = 64;

    /**
     * A literal.
     *
     * @param column the internal name of the column whose value it is, or is compared with
     * @param start where it begins in the statement
     * @param end where it ends, exclusive
     * @param quoted whether it is a text
     * @param content the literal without its quotes
     */
    public record Literal(String column, int start, int end, boolean quoted, String content) {

        /** Returns whether it is the current time, which CQL writes as a timestamp. */
        public boolean isNow() {
            return !quoted && content.equals(NOW);
        }
    }

    /** T-SQL's GETDATE() and the like, as CQL. */
    public static final String NOW = "toTimestamp(now())";

    public ColumnLiterals {
        literals = List.copyOf(literals);
    }

    /** Finds the literals of an INSERT; empty if there are none. */
    public static Optional<ColumnLiterals> of(CqlInsert insert) {
        return found(new CqlInsert.Table(insert.keyspace().orElse(null), insert.table()), insert.literals());
    }

    /** Finds the literals of an UPDATE, DELETE or SELECT of one table; empty if there are none. */
    public static Optional<ColumnLiterals> of(String cql) {
        Tokens tokens = new Tokens(cql);
        int table = table(tokens);
        return tokens.kind(table).isName()
                ? found(TableName.internal(tokens, table), new Walk(tokens).literals())
                : Optional.empty();
    }

    private static Optional<ColumnLiterals> found(CqlInsert.Table table, List<Literal> literals) {
        return literals.isEmpty() ? Optional.empty() : Optional.of(new ColumnLiterals(table, literals));
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

    /** Returns whether a token is such a literal. */
    public static boolean is(Kind kind, String text, int start, int end) {
        int length = end - start;
        return switch (kind) {
            case NUMBER -> length == 1 && (text.charAt(start) == '0' || text.charAt(start) == '1');
            case STRING, NATIONAL ->
                length <= LONGEST
                        && (isBlank(text, start, end)
                                || beginsWithDigit(text, start, end)
                                || mayBeUuid(text, start, end)
                                || isTruth(text, start, end));
            default -> false;
        };
    }

    /** Cassandra takes a blank text for a date that is missing. */
    private static boolean isBlank(String text, int start, int end) {
        int content = text.indexOf('\'', start) + 1;
        // Of $$text$$ the quote may be another literal's.
        return content > start
                && content < end
                && text.substring(content, end - 1).isBlank();
    }

    /** A uuid may begin with a letter; SQL Server also takes it in braces. */
    private static boolean mayBeUuid(String text, int start, int end) {
        int content = text.indexOf('\'', start) + 1;
        int length = end - 1 - content;
        return content > start
                && (length == 36 || length == 38)
                && text.charAt(content + (length == 36 ? 23 : 24)) == '-';
    }

    /** {@code 'true'} and {@code 'false'} are values of a BIT. */
    private static boolean isTruth(String text, int start, int end) {
        int content = text.indexOf('\'', start) + 1;
        int length = end - 1 - content;
        return content > start
                && ((length == 4 && Scanner.is(text, content, "true"))
                        || (length == 5 && Scanner.is(text, content, "false")));
    }

    private static boolean beginsWithDigit(String text, int start, int end) {
        int at = start;
        while (at < end && "N'$-+. {".indexOf(Character.toUpperCase(text.charAt(at))) >= 0) {
            at++;
        }
        return at < end && text.charAt(at) >= '0' && text.charAt(at) <= '9';
    }

    /** Walks once over a statement. */
    private record Walk(Tokens tokens) {

        private List<Literal> literals() {
            List<Literal> found = new ArrayList<>();
            int depth = 0;
            for (int token = 1; !tokens.isEnd(token); token++) {
                depth += tokens.opens(token) ? 1 : tokens.closes(token) ? -1 : 0;
                if (depth == 0 && tokens.kind(token).isName() && begins(token)) {
                    compared(token, found);
                }
            }
            return found;
        }

        /** After a dot, the name would be a field's. */
        private boolean begins(int name) {
            return tokens.isSymbol(name - 1, ',') || tokens.isAnyWord(name - 1, "set", "where", "and", "if");
        }

        private void compared(int name, List<Literal> found) {
            int at = name + 1;
            if (tokens.isWord(at, "in") && tokens.isSymbol(at + 1, '(')) {
                int depth = 0;
                for (int item = at + 2; !tokens.isEnd(item) && depth >= 0; item++) {
                    boolean begins = item == at + 2 || tokens.isSymbol(item - 1, ',');
                    if (depth == 0 && begins && (tokens.isSymbol(item + 1, ',') || tokens.isSymbol(item + 1, ')'))) {
                        add(name, item, found);
                    }
                    depth += tokens.opens(item) ? 1 : tokens.closes(item) ? -1 : 0;
                }
            } else if (tokens.isWord(at, "between")) {
                add(name, at + 1, found);
                if (tokens.isWord(at + 2, "and") && ends(at + 4)) {
                    add(name, at + 3, found);
                }
            } else {
                int value = at;
                while (tokens.isSymbol(value, '=')
                        || tokens.isSymbol(value, '<')
                        || tokens.isSymbol(value, '>')
                        || tokens.isSymbol(value, '!')) {
                    value++;
                }
                if (value > at && ends(value + 1)) {
                    add(name, value, found);
                } else if (value > at && isNow(value) && ends(value + NOW_TOKENS)) {
                    int end = tokens.end(value + NOW_TOKENS - 1);
                    found.add(new Literal(column(name), tokens.start(value), end, false, NOW));
                }
            }
        }

        /** Returns whether the term before a token is whole. */
        private boolean ends(int token) {
            return tokens.isEnd(token)
                    || tokens.kind(token) == Kind.WORD
                    || tokens.isSymbol(token, ',')
                    || tokens.isSymbol(token, ';');
        }

        private String column(int name) {
            return Identifiers.toInternal(tokens.cqlName(name));
        }

        private boolean isNow(int token) {
            return tokens.isWord(token, "totimestamp")
                    && tokens.text.startsWith(NOW, tokens.start(token))
                    && tokens.isWord(token + 2, "now");
        }

        private void add(int name, int token, List<Literal> found) {
            if (is(tokens.kind(token), tokens.text, tokens.start(token), tokens.end(token))) {
                found.add(new Literal(
                        column(name),
                        tokens.start(token),
                        tokens.end(token),
                        tokens.kind(token) != Kind.NUMBER,
                        tokens.content(token)));
            }
        }
    }
}
