package dev.cassidy.assist.tree;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.RecentStatements;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.CCJSqlParserConstants;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.Token;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.delete.Delete;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.update.Update;
import org.jspecify.annotations.Nullable;

/**
 * Reads statements that the driver's own parser, or the server, has refused. What was read is remembered, also that it could not be
 * read. Safe for use by many threads.
 */
public final class StatementTrees {

    /** The worst of 1,493 statements of public projects took 0.11 s. */
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private static final int MAX_TOKENS = 10_000;

    /** What a message shows of a statement, beside words of SQL. */
    private static final Pattern SIGNS = Pattern.compile("[^\\w\\s'\"]{1,3}");

    /**
     * Of those outside of lists of values: each condition of a chain is a level of the tree, and visitors take their part of the stack for
     * each level.
     */
    private static final int MAX_NESTING_TOKENS = 1_000;

    private final RecentStatements<Optional<Statement>> known = new RecentStatements<>(StatementTrees::read);
    private final RecentStatements<Optional<WriteText>> writes = new RecentStatements<>(this::readWrite);

    /**
     * Returns what Cassandra has no words for, whatever the tables are: all of it, each with what to do instead. Empty if there is
     * nothing, or if the text is no single statement that can be read.
     */
    public List<String> unsupported(String sql) {
        return known.of(sql).map(UnsupportedParts::of).orElse(List.of());
    }

    /**
     * Returns a text that is one UPDATE, DELETE, MERGE or INSERT of a SELECT, or of VALUES with a subquery, for which a SELECT stands in the tree;
     * empty for any other.
     */
    public Optional<WriteText> change(String sql) {
        return writes.of(sql);
    }

    private Optional<WriteText> readWrite(String sql) {
        Tokens tokens;
        try {
            tokens = new Tokens(sql);
            int verb = WriteText.verb(tokens);
            if (tokens.isWord(verb, "merge")) {
                return MergeText.of(tokens).filter(this::isRead).map(merge -> merge);
            }
            return WriteText.Parts.of(tokens).flatMap(parts -> tree(sql, parts));
        } catch (UnsupportedSqlException e) {
            return Optional.empty();
        }
    }

    /** Returns whether what a MERGE joins can be read; its other parts are read with the names of its columns. */
    private boolean isRead(MergeText merge) {
        SpanBuilder joined = new SpanBuilder(merge.tokens());
        MergeText.Source source = merge.source();
        if (source.values()) {
            source.rows()
                    .forEach(row -> row.forEach(each ->
                            joined.add(joined.isEmpty() ? "SELECT " : ", ").add(each)));
        } else {
            joined.add("SELECT 1 FROM ").add(source.all());
        }
        return select(joined.text()).isPresent()
                && select(new SpanBuilder(merge.tokens())
                                .add("SELECT 1 WHERE ")
                                .add(merge.on())
                                .text())
                        .isPresent();
    }

    private Optional<WriteText> tree(String sql, WriteText.Parts parts) {
        return known.of(parts.text())
                .filter(statement -> statement instanceof Update
                        // JSqlParser reads the word alone, too.
                        || (statement instanceof Delete delete
                                && (delete.getTable() != null
                                        || (delete.getTables() != null
                                                && !delete.getTables().isEmpty())))
                        || (statement instanceof Insert insert
                                && insert.getSelect() != null
                                && !(insert.getSelect() instanceof Values)
                                && (parts.rows() == 0 || InsertedRows.isOf(insert.getSelect(), parts.rows()))))
                .map(statement -> new WriteText.Tree(
                        sql, statement, parts.deletes(), parts.parameters(), parts.top(), parts.output()));
    }

    /** Returns the tree of a text that is one SELECT; it must not be changed. Empty for any other. */
    public Optional<Select> select(String sql) {
        return known.of(sql).filter(Select.class::isInstance).map(Select.class::cast);
    }

    /**
     * Returns why a text that is one SELECT, UPDATE, DELETE or INSERT of T-SQL cannot be read, or from where on; empty if it can, or if it is none.
     */
    public Optional<String> unread(String sql) {
        try {
            Tokens tokens = new Tokens(sql);
            int verb = WriteText.verb(tokens);
            if (verb < 0 || !tokens.isAnyWord(verb, "select", "update", "delete", "insert") || isSeveral(tokens)) {
                return Optional.empty();
            }
            if (tokens.isWord(verb, "select")) {
                return parsed(sql).why(sql);
            }
            return WriteText.Parts.of(tokens)
                    .flatMap(parts -> parsed(parts.text()).why(sql));
        } catch (UnsupportedSqlException e) {
            return Optional.empty();
        }
    }

    private static boolean isSeveral(Tokens tokens) {
        for (int token = 0; !tokens.isEnd(token); token++) {
            if (tokens.isSymbol(token, ';') && !tokens.isEnd(token + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the tree of a text that is one statement, to its end; empty for any other. */
    static Optional<Statement> read(String sql) {
        return Optional.ofNullable(parsed(sql).statement());
    }

    /**
     * @param statement null if the text cannot be read
     * @param text what JSqlParser has read
     * @param why why it cannot be read; empty if that is not known
     * @param last the last token that was read; null if another reason is known
     */
    private record Parsed(
            @Nullable Statement statement,
            String text,
            String why,
            @Nullable Token last) {

        static Parsed refused(String why) {
            return new Parsed(null, "", why, null);
        }

        /** @param sql the statement as it is written, in which places are told */
        Optional<String> why(String sql) {
            if (statement != null) {
                return Optional.empty();
            }
            Token next = last == null ? null : last.next;
            if (next == null) {
                return Optional.of(why.isEmpty() ? "in this form" : "since " + why);
            }
            if (next.kind == CCJSqlParserConstants.EOF) {
                return Optional.of("since it ends where more is expected, such as a closing bracket");
            }
            // Any other word may be a value: messages show none.
            String shown = isKeyword(next) || SIGNS.matcher(next.image).matches()
                    ? "'" + next.image + "'"
                    : Character.isLetter(next.image.codePointAt(0)) && next.image.indexOf('\'') < 0
                            ? "a word"
                            : "a literal";
            String place = text.equals(sql) ? " in line " + next.beginLine + ", column " + next.beginColumn : "";
            return Optional.of("from " + shown + place + " on");
        }
    }

    /** Returns whether the parser has a name for the word. */
    private static boolean isKeyword(Token token) {
        String kind = CCJSqlParserConstants.tokenImage[token.kind];
        // Those of several spellings have a name.
        return kind.startsWith("<K_") || kind.equalsIgnoreCase('"' + token.image + '"');
    }

    private static Parsed parsed(String sql) {
        Tokens tokens;
        try {
            tokens = new Tokens(sql);
        } catch (UnsupportedSqlException e) {
            // Nested too deeply, among others: JSqlParser reads by recursive descent, and would end with the stack.
            return Parsed.refused(notRead(e));
        }
        if (tokens.isEnd(0)) {
            return Parsed.refused("it is empty");
        }
        if (!tokens.isEnd(MAX_TOKENS)) {
            return Parsed.refused("it has more than " + MAX_TOKENS + " tokens");
        }
        if (!isFlat(tokens)) {
            return Parsed.refused("it has more than " + MAX_NESTING_TOKENS + " tokens outside of lists of values");
        }
        if (!Backslashes.canHide(sql)) {
            return Parsed.refused("it has the character U+E05C");
        }
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        try {
            CCJSqlParser parser = new CCJSqlParser(Backslashes.hidden(tokens, endWithoutOption(tokens)))
                    .withSquareBracketQuotation(true);
            // By the JDK's one timer: JSqlParser's own way would start a thread for each statement.
            var unused = ended.completeOnTimeout(false, LONGEST.toMillis(), TimeUnit.MILLISECONDS)
                    .thenAccept(inTime -> parser.interrupted = !inTime);
            Statement statement = parser.Statement();
            return parser.getToken(1).kind == CCJSqlParserConstants.EOF
                    ? new Parsed(statement, sql, "", null)
                    : new Parsed(null, sql, "", parser.token);
        } catch (ParseException e) {
            return new Parsed(null, sql, "", e.currentToken);
        } catch (UnsupportedSqlException e) {
            return Parsed.refused(notRead(e));
        } catch (RuntimeException | StackOverflowError e) {
            // Its lexer and its tree fail on some texts in their own ways. What refused the statement has said so
            // already.
            return Parsed.refused("");
        } finally {
            ended.complete(true);
        }
    }

    private static String notRead(UnsupportedSqlException e) {
        return "this is in it: " + e.getMessage();
    }

    /** Returns whether a text is short but for its lists of values, such as {@code (?, ?, ?)}, which have one level. */
    private static boolean isFlat(Tokens tokens) {
        int nesting = 0;
        for (int token = 0; !tokens.isEnd(token); token++) {
            if (tokens.isSymbol(token, '(')) {
                token = afterValues(tokens, token + 1);
            }
            if (++nesting > MAX_NESTING_TOKENS) {
                return false;
            }
        }
        return true;
    }

    /** Returns the bracket that closes a list of nothing but values; the token before its first one if it has something else. */
    private static int afterValues(Tokens tokens, int first) {
        int token = first;
        while (true) {
            boolean signed = tokens.isSymbol(token, '-') && tokens.kind(token + 1) == Kind.NUMBER;
            token += signed ? 1 : 0;
            boolean value =
                    switch (tokens.kind(token)) {
                        case STRING, NATIONAL, NUMBER, MARKER -> true;
                        default -> false;
                    };
            if (!value) {
                return first - 1;
            }
            if (tokens.isSymbol(token + 1, ')')) {
                return token + 1;
            }
            if (!tokens.isSymbol(token + 1, ',')) {
                return first - 1;
            }
            token += 2;
        }
    }

    /** Returns where the text ends without OPTION, which JSqlParser does not know and which decides about no row. */
    private static int endWithoutOption(Tokens tokens) {
        int end = 0;
        while (!tokens.isEnd(end)) {
            boolean option =
                    tokens.isWord(end, "option") && tokens.opens(end + 1) && tokens.isEnd(tokens.afterClosing(end + 1));
            if (option) {
                return tokens.start(end);
            }
            end = tokens.opens(end) ? tokens.afterClosing(end) : end + 1;
        }
        return tokens.text.length();
    }
}
