package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CurrentTimes;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Scanner;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns spans of T-SQL into CQL, token by token: text that is CQL is copied byte for byte, and other text is replaced,
 * dropped or refused by name.
 */
final class Normaliser {

    static final String NOW = CurrentTimes.NOW;

    private final Tokens tokens;
    private final Schema schema;
    private final TableHints hints;

    /** For each token: null to copy it, empty to drop it, or its replacement. */
    private final @Nullable String[] edits;

    /** The tokens that are replaced by a marker for a value drawn from a sequence, and its index. */
    private final Map<Integer, Integer> draws = new HashMap<>();

    /** What follows a token; null while nothing is added. */
    private @Nullable Map<Integer, String> additions;

    /** The table that is named, and the first and last token of its name. */
    private CqlInsert.@Nullable Table named;

    private int firstOfNamed = -1;
    private int lastOfNamed = -1;
    private boolean hasNow;

    /** Whether bare words that only CQL reserves are names: in CQL's own statements some of them are keywords. */
    private boolean quotesWords;

    Normaliser(Tokens tokens, Schema schema) {
        this.tokens = tokens;
        this.schema = schema;
        this.hints = new TableHints(tokens);
        this.edits = new @Nullable String[tokens.size()];
    }

    Schema schema() {
        return schema;
    }

    void drop(int from, int to) {
        for (int token = from; token < to; token++) {
            edits[token] = "";
        }
    }

    void replace(int token, String cql) {
        edits[token] = cql;
        hasNow |= cql.equals(NOW);
    }

    /** Replaces a span of tokens by a value that was calculated. */
    void fold(int from, int to, String value) {
        replace(from, value);
        drop(from + 1, to);
    }

    /** Returns whether the current time was written, which is its day where a date is wanted. */
    boolean hasNow() {
        return hasNow;
    }

    /** Adds text behind a token, whatever becomes of the token itself. */
    void add(int token, String cql) {
        if (additions == null) {
            additions = new HashMap<>();
        }
        additions.merge(token, cql, String::concat);
    }

    private @Nullable String addition(int token) {
        return additions == null ? null : additions.get(token);
    }

    /** Sets the table that the next statement names: a name in brackets may differ from it, or from its columns, in case. */
    void namesOf(TableName table) {
        named = table.first() < 0 ? null : TableName.internal(tokens, table.first());
        firstOfNamed = table.first();
        lastOfNamed =
                table.first() < 0 ? -1 : TableName.read(tokens, table.first()).end() - 1;
    }

    /** Returns a name as CQL writes it; one in brackets as the schema has it, whatever its case. */
    private String cqlName(int token) {
        if (tokens.kind(token) != Kind.BRACKETED || named == null) {
            return tokens.cqlName(token);
        }
        String keyspace = named.keyspace();
        if (token == lastOfNamed) {
            return Identifiers.toCql(schema.tableLike(keyspace, named.name()));
        }
        if (token >= firstOfNamed && token < lastOfNamed) {
            return tokens.cqlTable(token);
        }
        String cql = tokens.cqlName(token);
        if (tokens.isWord(token - 1, "as")) {
            return cql;
        }
        CqlInsert.Table exact = new CqlInsert.Table(keyspace, schema.tableLike(keyspace, named.name()));
        return Identifiers.toCql(schema.columnLike(exact, Identifiers.toInternal(cql)));
    }

    /** Sets whether the next statement is one whose names may be words that only CQL reserves. */
    void quoteWords(boolean quotes) {
        quotesWords = quotes;
        namesOf(TableName.NONE);
    }

    /** Replaces a span of tokens by a marker. */
    void replaceByMarker(int from, int to, int parameter) {
        replace(from, "?");
        drop(from + 1, to);
        draws.put(from, parameter);
    }

    boolean isDropped(int token) {
        String edit = edits[token];
        return edit != null && edit.isEmpty();
    }

    /** Marks what has to change in a span of tokens. */
    void normalise(int from, int to) {
        normalise(from, to, TableName.NONE);
    }

    /**
     * Marks what has to change in a span of tokens.
     *
     * @param table the only table of the statement, whose name or alias CQL does not take in front of a column
     */
    void normalise(int from, int to, TableName table) {
        if (table.first() >= 0) {
            namesOf(table);
        }
        for (int token = from; token < to; token++) {
            if (edits[token] != null) {
                continue;
            }
            switch (tokens.kind(token)) {
                case WORD, QUOTED, BRACKETED -> token = name(token, to, table);
                case NATIONAL -> replace(token, tokens.text(token).substring(1));
                case VARIABLE -> throw variable(token);
                case SYMBOL -> symbol(token);
                default -> {}
            }
        }
    }

    /** Appends a span of tokens as marked, and the text between them. */
    void copy(CqlBuilder out, int from, int to) {
        boolean first = true;
        int gapBefore = from;
        for (int token = from; token < to; token++) {
            String addition = addition(token);
            if (isDropped(token)) {
                if (addition != null) {
                    out.append(addition);
                }
                continue;
            }
            if (!first) {
                // One of the gaps around dropped tokens must stay, or two words become one.
                boolean adjacent = tokens.start(token) == tokens.end(token - 1);
                gap(out, adjacent ? gapBefore : token);
            }
            first = false;
            gapBefore = token + 1;
            String edit = edits[token];
            if (edit != null) {
                out.token(edit, 0, edit.length());
                Integer draw = draws.get(token);
                if (draw != null) {
                    out.parameter(draw);
                }
            } else if (token > from && edits[token - 1] == null && addition(token - 1) == null) {
                out.append(tokens.text, tokens.start(token), tokens.end(token));
            } else {
                out.token(tokens.text, tokens.start(token), tokens.end(token));
            }
            if (edit == null) {
                if (tokens.kind(token) == Kind.MARKER) {
                    out.parameter(tokens.markerIndex(token));
                }
            }
            if (addition != null) {
                out.append(addition);
            }
        }
    }

    private void gap(CqlBuilder out, int beforeToken) {
        int from = beforeToken == 0 ? 0 : tokens.end(beforeToken - 1);
        int to = tokens.start(beforeToken);
        if (to - from > 3 && isForeignComment(tokens.text.substring(from, to))) {
            out.append(" ");
        } else {
            out.append(tokens.text, from, to);
        }
    }

    // In CQL comments do not nest, and a carriage return ends one: the rest of T-SQL's comment would be read as code.
    private static boolean isForeignComment(String gap) {
        return (gap.contains("/*") || gap.indexOf('\r') >= 0)
                && new Scanner(gap, Scanner.Language.CQL).next() != Kind.END;
    }

    /** Handles a name and what belongs to it; returns its last token. */
    private int name(int token, int to, TableName table) {
        int last = chainEnd(token, to);
        if (last > token) {
            boolean draws = token != firstOfNamed && tokens.isAnyWord(last, "nextval", "currval");
            if (draws && !table.isQualifier(tokens, token) && !table.isKeyspace(tokens, token)) {
                throw sequence(tokens.text.substring(tokens.start(token), tokens.end(last)), tokens.text(last - 2));
            }
            chain(token, last, table);
            return last;
        }
        if (table.isQualifier(tokens, token) && tokens.isSymbol(token + 1, '.') && tokens.isSymbol(token + 2, '*')) {
            drop(token, token + 2);
            return token + 2;
        }
        if (tokens.kind(token) == Kind.BRACKETED) {
            replace(token, cqlName(token));
            return token;
        }
        return tokens.kind(token) == Kind.WORD ? word(token, to) : token;
    }

    /** Returns the last token of {@code a.b.c} or {@code a..b}. */
    private int chainEnd(int token, int to) {
        int last = token;
        while (last + 2 < to && tokens.isSymbol(last + 1, '.')) {
            int following = tokens.isSymbol(last + 2, '.') ? last + 3 : last + 2;
            if (following >= to || !tokens.kind(following).isName()) {
                break;
            }
            last = following;
        }
        return last;
    }

    private void chain(int from, int last, TableName table) {
        int start = from;
        for (int token = from; token < last; token++) {
            boolean emptySchema = tokens.isSymbol(token, '.') && tokens.isSymbol(token + 1, '.');
            if (emptySchema) {
                drop(token, token + 1);
            } else if (tokens.kind(token).isName() && tokens.content(token).equalsIgnoreCase("dbo")) {
                drop(token, token + 2);
                token++;
            }
        }
        while (start < last && isDropped(start)) {
            start++;
        }
        boolean function = tokens.isSymbol(last + 1, '(');
        if (from != table.first() && !function) {
            start = dropQualifier(start, last, table);
        }
        for (int token = start; token <= last; token++) {
            if (tokens.kind(token) == Kind.BRACKETED && !isDropped(token)) {
                replace(token, cqlName(token));
            } else if (quotesWords
                    && tokens.kind(token) == Kind.WORD
                    && !isDropped(token)
                    && Words.isReservedName(tokens, token)) {
                replace(token, Words.cqlName(tokens, token));
            }
        }
    }

    private int dropQualifier(int start, int last, TableName table) {
        int token = start;
        if (table.isKeyspace(tokens, token) && token + 4 <= last && table.isTable(tokens, token + 2)) {
            token += 2;
        } else if (!table.isQualifier(tokens, token)) {
            return start;
        }
        if (token >= last || isField(token, table)) {
            return start;
        }
        drop(start, token + 2);
        return token + 2;
    }

    /** For a column that has the table's name. Only T-SQL has aliases. */
    private boolean isField(int column, TableName table) {
        return !table.hasAlias()
                && table.first() >= 0
                && schema.isField(TableName.internal(tokens, table.first()), internal(column), internal(column + 2));
    }

    private String internal(int name) {
        return Identifiers.toInternal(tokens.cqlName(name));
    }

    /** Handles a bare word; returns the last token that it used. */
    private int word(int token, int to) {
        if (quotesWords && Words.isReservedName(tokens, token)) {
            replace(token, Words.cqlName(tokens, token));
            return token;
        }
        boolean call = tokens.isSymbol(token + 1, '(');
        LiteralCast cast = call ? LiteralCast.read(tokens, token) : null;
        if (cast != null) {
            replace(token, cast.literal());
            drop(token + 1, cast.end());
            return cast.end() - 1;
        }
        if (call && tokens.isAnyWord(token, "ident_current", "ident_seed", "ident_incr")) {
            throw new UnsupportedSqlException(
                    tokens.text(token) + "()",
                    "no process knows which other process issued the last id of a table; read your own id with SELECT"
                            + " SCOPE_IDENTITY() or getGeneratedKeys(), and how far the sequence is with DBCC CHECKIDENT"
                            + " ('table') or sequences.admin().status(name)");
        }
        if (call && tokens.isWord(token, "scope_identity")) {
            throw new UnsupportedSqlException(
                    tokens.text(token) + "() within a statement",
                    "read it with a statement of its own, SELECT SCOPE_IDENTITY(), and pass it as a parameter");
        }
        if (call
                && tokens.isAnyWord(
                        token, "dateadd", "datediff", "datediff_big", "datename", "datepart", "datetrunc")) {
            throw new UnsupportedSqlException(
                    tokens.text(token).toUpperCase(Locale.ROOT), "calculate with dates and times in the application");
        }
        if (call && tokens.isAnyWord(token, "nextval", "currval") && tokens.kind(token + 2) == Kind.STRING) {
            throw sequence(tokens.text(token) + "(" + tokens.text(token + 2) + ")", tokens.content(token + 2));
        }
        if (call && tokens.isWord(token, "count_big")) {
            replace(token, "COUNT");
            return token;
        }
        if (call && tokens.isSymbol(token + 2, ')')) {
            String cql = function(token);
            if (cql != null) {
                replace(token, cql);
                drop(token + 1, token + 3);
                return token + 2;
            }
        }
        if (tokens.isWord(token, "next") && tokens.isWord(token + 1, "value") && tokens.isWord(token + 2, "for")) {
            throw new UnsupportedSqlException(
                    "NEXT VALUE FOR within a statement",
                    "give it as a whole value in VALUES, or read it with a statement of its own, SELECT NEXT VALUE FOR, and"
                            + " pass it as a parameter");
        }
        if (tokens.isWord(token, "current_timestamp") && isCompared(token)) {
            replace(token, NOW);
        }
        if (quotesWords && tokens.isWord(token, "collate") && Words.endsTerm(tokens, token - 1)) {
            collation(token);
            return token + 1;
        }
        if (tokens.isWord(token, "with") && tokens.isSymbol(token + 1, '(')) {
            int after = hints.end(token + 1, to);
            if (after > 0) {
                drop(token, after);
                return after - 1;
            }
        }
        return token;
    }

    /** As Oracle draws a number of a sequence; and PostgreSQL, by a function. */
    private static UnsupportedSqlException sequence(String construct, String name) {
        return new UnsupportedSqlException(
                construct,
                "draw the next number of a sequence with NEXT VALUE FOR " + name
                        + ", as a whole value in VALUES, or as a" + " statement of its own: SELECT NEXT VALUE FOR "
                        + name);
    }

    /** Leaves out a collation that compares as Cassandra does, code by code. */
    void collation(int collate) {
        String name = tokens.text(collate + 1).toLowerCase(Locale.ROOT);
        if (!name.endsWith("_bin") && !name.endsWith("_bin2")) {
            throw new UnsupportedSqlException(
                    "COLLATE " + tokens.text(collate + 1),
                    "Cassandra compares texts code by code, as a binary collation does: write and look up one form, such"
                            + " as lower case, and leave COLLATE out");
        }
        drop(collate, collate + 2);
    }

    /** A bare word after a comparison is no term of CQL, except in {@code c = c + 1}. */
    private boolean isCompared(int token) {
        boolean compared = token > 0
                && (tokens.isSymbol(token - 1, '=')
                        || tokens.isSymbol(token - 1, '<')
                        || tokens.isSymbol(token - 1, '>'));
        return compared
                && (tokens.kind(token + 1) != Kind.SYMBOL
                        || tokens.isSymbol(token + 1, ',')
                        || tokens.isSymbol(token + 1, ';'));
    }

    private @Nullable String function(int token) {
        if (tokens.isAnyWord(token, "getdate", "getutcdate", "sysdatetime", "sysutcdatetime", "sysdatetimeoffset")) {
            return NOW;
        }
        return tokens.isAnyWord(token, "newid", "newsequentialid") ? "uuid()" : null;
    }

    /** Says that between two tokens stands a SELECT that locks nothing. */
    void reads(int from, int to) {
        hints.reads(from, to);
    }

    /** Drops {@code (NOLOCK)} and the like, which T-SQL also takes without WITH; returns the token after them. */
    int dropHints(int open, int to) {
        int after = hints.begin(open) ? hints.end(open, to) : -1;
        if (after < 0) {
            return open;
        }
        drop(open, after);
        return after;
    }

    private void symbol(int token) {
        if (tokens.isSymbol(token, '{')) {
            escape(token);
        } else if (tokens.isSymbol(token, '.') || tokens.isSymbol(token, '+') || tokens.isSymbol(token, '$')) {
            number(token);
        } else if (tokens.isSymbol(token, '#')) {
            throw new UnsupportedSqlException("a temporary table", "create a table of the keyspace");
        } else if (tokens.isSymbol(token, '(') && tokens.isWord(token + 1, "select")) {
            throw new UnsupportedSqlException(
                    "a subquery", "run it as a statement of its own and pass its result as a parameter");
        }
    }

    /** T-SQL's numbers {@code .5}, {@code 5.}, {@code +5} and {@code $12.50}. */
    private void number(int token) {
        boolean point = isPoint(token);
        if (tokens.isSymbol(token, '.')) {
            // CQL's slice of a collection: s[1..5].
            if (tokens.isSymbol(token - 1, '.') || tokens.isSymbol(token + 1, '.')) {
                return;
            }
            if (point && Words.beginsTerm(tokens, token)) {
                replace(token, "0.");
            } else if (tokens.kind(token - 1) == Kind.NUMBER
                    && tokens.end(token - 1) == tokens.start(token)
                    && !point
                    && !tokens.kind(token + 1).isName()) {
                drop(token, token + 1);
            }
            return;
        }
        int digits = tokens.isSymbol(token + 1, '-') || isPoint(token + 1) ? token + 2 : token + 1;
        if (tokens.isSymbol(token, '$') && tokens.kind(digits) == Kind.NUMBER) {
            LiteralTerm.refuseCommaInMoney(tokens, digits);
            drop(token, token + 1);
        } else if (tokens.isSymbol(token, '+')
                && Words.beginsTerm(tokens, token)
                && (tokens.kind(token + 1) == Kind.NUMBER || isPoint(token + 1) || tokens.isSymbol(token + 1, '$'))) {
            drop(token, token + 1);
        }
    }

    /** Returns whether the token is the point of a number without digits before it. */
    private boolean isPoint(int token) {
        return tokens.isSymbol(token, '.')
                && tokens.kind(token + 1) == Kind.NUMBER
                && tokens.end(token) == tokens.start(token + 1);
    }

    /** {@code {ts '...'}}, {@code {d '...'}} and {@code {t '...'}}; a CQL map or type never begins like that. */
    private void escape(int token) {
        if (tokens.kind(token + 1) != Kind.WORD
                || tokens.closes(token + 2)
                || tokens.isSymbol(token + 2, ':')
                || tokens.isSymbol(token + 2, ',')
                || tokens.isSymbol(token + 2, '(')) {
            return;
        }
        if (tokens.isAnyWord(token + 1, "ts", "d", "t")
                && tokens.kind(token + 2) == Kind.STRING
                && tokens.isSymbol(token + 3, '}')) {
            replace(token, tokens.text(token + 2));
            drop(token + 1, token + 4);
        } else if (tokens.isAnyWord(token + 1, "fn", "call", "oj", "escape", "limit")) {
            throw new UnsupportedSqlException(
                    "the escape {" + tokens.text(token + 1) + " ...}", "write what CQL has for it");
        }
    }

    private UnsupportedSqlException variable(int token) {
        String name = tokens.text(token);
        if (name.equalsIgnoreCase("@@identity")) {
            return new UnsupportedSqlException(
                    "@@IDENTITY within a statement",
                    "read it with a statement of its own, SELECT @@IDENTITY, and pass it as a parameter");
        }
        return new UnsupportedSqlException("the variable " + name, "pass the value as a parameter, ?");
    }
}
