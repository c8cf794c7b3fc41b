package dev.cassidy.jdbc.error;

import com.datastax.oss.driver.api.core.data.GettableByIndex;
import com.datastax.oss.driver.api.core.servererrors.FunctionFailureException;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.StatementShape;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.BatchUpdateException;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.SQLData;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Removes values from messages: those that a statement is known to have, and what looks like one. Where that is not
 * certain, too much is removed. Not safe for use by many threads.
 */
public final class Redaction {

    /** Stands for a value. */
    public static final String MASK = "***";

    /** What a message is replaced with if not all values are known. */
    public static final String WITHHELD = "The message is withheld, as it may hold values (redactValues='true')";

    private static final int MAX_VALUES = 10_000;

    /** Messages of conversions show as much of a long text. */
    private static final int SHOWN = 60;

    /** A value may be of values of values; what is deeper is not checked. */
    private static final int DEEPEST = 20;

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.$]*");

    /** After these Cassandra shows a value without quotes, mostly in brackets. */
    private static final List<String> BEFORE_BRACKETS = List.of("constant ", "String was: ");

    /** A value may be a JSON text in a JSON text; what is deeper is not checked. */
    private static final int DEEPEST_JSON = 4;

    private static final Pattern NUMBER =
            Pattern.compile("0[xX][0-9a-fA-F]*|\\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\b"
                    + "|(?<![\\w.])[-+]?[0-9][0-9_.:,eE+-]*");

    /** Values that are known, and whether there are others. */
    private static final class Known {
        final Set<String> values = new HashSet<>();
        boolean incomplete;

        void clear() {
            values.clear();
            incomplete = false;
        }

        void addAll(Known others) {
            for (String each : others.values) {
                if (values.size() >= MAX_VALUES) {
                    incomplete = true;
                    return;
                }
                values.add(each);
            }
            incomplete |= others.incomplete;
        }

        void add(String value) {
            if (values.size() >= MAX_VALUES) {
                incomplete = true;
            } else if (!value.isBlank()) {
                addShown(value);
                if (value.length() > SHOWN) {
                    addShown(value.substring(0, SHOWN));
                }
                // The server may say of a part that it does not fit.
                List<String> parts = new ArrayList<>(StatementShape.partsOfJson(value));
                if (!parts.isEmpty()) {
                    // Without what stands between its values, which is no value.
                    parts.removeIf(part -> part.chars().noneMatch(Character::isLetterOrDigit));
                    parts.addAll(JsonEscapes.strings(value, MAX_VALUES));
                    parts.removeIf(String::isBlank);
                }
                if (values.size() + parts.size() > MAX_VALUES) {
                    incomplete = true;
                } else {
                    parts.forEach(this::addShown);
                }
            }
        }

        /** As messages show it: in quotes, and in one line. */
        private void addShown(String value) {
            String quoted = value.replace("'", "''");
            values.add(value);
            values.add(quoted);
            values.add(Lines.escaped(value));
            values.add(Lines.escaped(quoted));
        }

        void addValue(@Nullable Object value) {
            addValue(value, 0);
        }

        private void addValue(@Nullable Object value, int depth) {
            if (depth > DEEPEST) {
                incomplete = true;
            } else if (value instanceof byte[] bytes) {
                add(HexFormat.of().formatHex(bytes));
            } else if (value instanceof ByteBuffer buffer) {
                byte[] bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                add(HexFormat.of().formatHex(bytes));
            } else if (value instanceof BigDecimal decimal) {
                add(decimal.toPlainString());
                add(decimal.toString());
            } else if (value instanceof Iterable<?> parts && !(value instanceof Path)) {
                parts.forEach(part -> addValue(part, depth + 1));
            } else if (value instanceof Map<?, ?> map) {
                map.forEach((key, part) -> {
                    addValue(key, depth + 1);
                    addValue(part, depth + 1);
                });
            } else if (value instanceof Object[] parts) {
                for (Object part : parts) {
                    addValue(part, depth + 1);
                }
            } else if (value instanceof GettableByIndex parts) {
                for (int i = 0; i < parts.size(); i++) {
                    addValue(parts.getObject(i), depth + 1);
                }
            } else if (isContainer(value)) {
                // To read it would take its content from the driver.
                incomplete = true;
            } else if (value != null) {
                add(value.toString());
            }
        }

        private static boolean isContainer(@Nullable Object value) {
            return value instanceof InputStream
                    || value instanceof Reader
                    || value instanceof Blob
                    || value instanceof Clob
                    || value instanceof SQLXML
                    || value instanceof Array
                    || value instanceof Struct
                    || value instanceof SQLData
                    || (value != null && value.getClass().isArray());
        }
    }

    private final Known texts = new Known();
    private final Known batch = new Known();
    private final Known running = new Known();
    private final Known transaction = new Known();
    private final Map<Object, Known> parameters = new HashMap<>();
    private final Set<String> names = new HashSet<>();
    private boolean batchEnded;
    private boolean transactionEnded;

    /** Takes the literals of a statement as values, and its words as names. */
    public void addText(@Nullable String sql) {
        addText(sql, texts);
    }

    /** As {@link #addText}, of an entry of a batch. */
    public void addBatch(@Nullable String sql) {
        beginBatch();
        addText(sql, batch);
    }

    private void addText(@Nullable String sql, Known known) {
        if (sql == null) {
            return;
        }
        Tokens tokens;
        try {
            tokens = new Tokens(sql);
        } catch (UnsupportedSqlException e) {
            known.incomplete = true;
            return;
        }
        boolean values = false;
        for (int i = 0; !tokens.isEnd(i); i++) {
            Kind kind = tokens.kind(i);
            values |= tokens.isWord(i, "values");
            boolean value = kind == Kind.QUOTED && (values || isCompared(tokens, i));
            if (!value && (kind.isName() || kind == Kind.VARIABLE)) {
                if (names.size() < MAX_VALUES) {
                    names.add(tokens.content(i).toLowerCase(Locale.ROOT));
                }
            } else if (kind != Kind.SYMBOL && kind != Kind.MARKER) {
                known.add(tokens.text(i));
                known.add(tokens.content(i));
            }
        }
    }

    /** Where QUOTED_IDENTIFIER is off, a text may stand in double quotes. */
    private static boolean isCompared(Tokens tokens, int token) {
        return tokens.isSymbol(token - 1, '=')
                || tokens.isSymbol(token - 1, '<')
                || tokens.isSymbol(token - 1, '>')
                || tokens.isWord(token - 1, "like");
    }

    /** Takes a value of the call that is running. */
    public void addValue(@Nullable Object value) {
        texts.addValue(value);
    }

    /** Takes the value of a parameter, which replaces the one that it had. */
    public void setParameter(@Nullable Object parameter, @Nullable Object value) {
        Known known = new Known();
        known.addValue(value);
        parameters.put(String.valueOf(parameter), known);
    }

    /** The parameters have values of an entry of a batch now. */
    public void addParametersToBatch() {
        beginBatch();
        parameters.values().forEach(batch::addAll);
    }

    /** The parameters have the values of the statement that runs now. Its results may be read when they have others. */
    public void runParameters() {
        running.clear();
        parameters.values().forEach(running::addAll);
    }

    /** Forgets the text that has run. */
    public void clearTexts() {
        texts.clear();
        names.clear();
    }

    /** The entries of a batch are forgotten with the first one of the next: warnings may still show them. */
    public void endBatch() {
        batchEnded = true;
    }

    private void beginBatch() {
        if (batchEnded) {
            batchEnded = false;
            batch.clear();
        }
    }

    /** Takes what a statement holds that runs in this connection's transaction: a commit may send it later. */
    public void addTransaction(Redaction statement) {
        if (transactionEnded) {
            transactionEnded = false;
            transaction.clear();
            names.clear();
        }
        statement.all().forEach(transaction::addAll);
        if (names.size() < MAX_VALUES) {
            names.addAll(statement.names);
        }
    }

    /** The values of a transaction are forgotten with the first statement of the next. */
    public void endTransaction() {
        transactionEnded = true;
    }

    private List<Known> all() {
        List<Known> all = new ArrayList<>(parameters.values());
        all.addAll(List.of(texts, batch, running, transaction));
        return all;
    }

    /** Returns the message without values; {@code numbers} says whether its numbers may be values. */
    String message(@Nullable String message, boolean numbers) {
        if (message == null) {
            return "";
        }
        List<Known> all = all();
        if (all.stream().anyMatch(known -> known.incomplete)) {
            return WITHHELD;
        }
        String text = message;
        List<String> longestFirst = new ArrayList<>();
        all.stream().flatMap(known -> known.values.stream()).distinct().forEach(longestFirst::add);
        longestFirst.sort(Comparator.comparingInt(String::length).reversed());
        text = withoutKnown(text, longestFirst);
        text = withoutUnquoted(text);
        text = withoutDoublyQuoted(withoutQuoted(text));
        text = Lines.escaped(text);
        return numbers ? NUMBER.matcher(text).replaceAll(Matcher.quoteReplacement(MASK)) : text;
    }

    /** Also as JSON writes them. Where that shows one, the message is shown without its escapes. */
    private static String withoutKnown(String message, List<String> longestFirst) {
        String text = message;
        String shown = message;
        for (int depth = 0; depth <= DEEPEST_JSON; depth++) {
            String without = shown;
            for (String value : longestFirst) {
                without = without(without, value);
            }
            if (!without.equals(shown)) {
                text = without;
            }
            shown = JsonEscapes.decoded(without);
            if (shown.equals(without)) {
                break;
            }
        }
        return text;
    }

    /** Removes what Cassandra shows without quotes. */
    private static String withoutUnquoted(String text) {
        StringBuilder without = new StringBuilder(text.length());
        int colon = -1;
        int i = 0;
        while (i < text.length()) {
            int at = i;
            Optional<String> before = BEFORE_BRACKETS.stream()
                    .filter(each -> text.startsWith(each, at))
                    .findFirst();
            if (before.isPresent()) {
                without.append(before.get()).append(MASK);
                int end = text.indexOf(')', i + before.get().length());
                i = end < 0 ? text.length() : end + 1;
                continue;
            }
            boolean got = text.startsWith(", but got a", i);
            if (got || text.startsWith("execution of ", i)) {
                if (colon < i) {
                    int next = text.indexOf(": ", i);
                    colon = next < 0 ? text.length() : next;
                }
                if (colon < text.length() && (got || text.startsWith(" failed", colon - 7))) {
                    return without.append(text, i, colon + 2).append(MASK).toString();
                }
            }
            without.append(text.charAt(i));
            i++;
        }
        return without.toString();
    }

    /**
     * As {@link #withoutQuoted}, in double quotes. What is quoted may be a name of SQL, where a quote is doubled, or a text of
     * JSON, where it has a backslash, or neither. So from the first that is no name everything goes, up to the last quote; or
     * up to the end, if one of them has no other one.
     */
    private String withoutDoublyQuoted(String text) {
        int last = text.lastIndexOf('"');
        boolean even = text.chars().filter(c -> c == '"').count() % 2 == 0;
        int i = text.indexOf('"');
        while (i >= 0) {
            int end = text.indexOf('"', i + 1);
            if (end < 0 || !isName(text.substring(i + 1, end))) {
                return text.substring(0, i + 1) + MASK + (even ? text.substring(last) : "");
            }
            i = text.indexOf('"', end + 1);
        }
        return text;
    }

    /** By hand, because a regular expression would need a stack as deep as the text is long. */
    private String withoutQuoted(String text) {
        StringBuilder without = new StringBuilder(text.length());
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c != '\'' || isApostrophe(text, i)) {
                without.append(c);
                i++;
                continue;
            }
            // A quoted text may hold a quoted one.
            boolean inner = i + 2 < text.length()
                    && text.charAt(i + 1) == '\''
                    && Character.isLetterOrDigit(text.charAt(i + 2));
            int start = inner ? i + 2 : i + 1;
            int end = start;
            while (end < text.length() && (text.charAt(end) != '\'' || text.startsWith("''", end))) {
                end += text.charAt(end) == '\'' ? 2 : 1;
            }
            // What a message cuts off may not end.
            String quoted = text.substring(start, Math.min(end, text.length()));
            without.append('\'').append(isName(quoted) ? quoted : MASK).append('\'');
            i = end + 1;
        }
        return without.toString();
    }

    /** The one of "SQL Server's" opens nothing; that of {@code N'...'} does. */
    private static boolean isApostrophe(String text, int at) {
        if (at == 0 || !Character.isLetterOrDigit(text.charAt(at - 1))) {
            return false;
        }
        boolean sign = "NnXx".indexOf(text.charAt(at - 1)) >= 0;
        return !sign || (at > 1 && Character.isLetterOrDigit(text.charAt(at - 2)));
    }

    /** A short value may be a part of a word of the message. */
    private static String without(String text, String value) {
        if (!text.contains(value)) {
            return text;
        }
        String before = Character.isLetterOrDigit(value.charAt(0)) ? "(?<![A-Za-z0-9])" : "";
        String after = Character.isLetterOrDigit(value.charAt(value.length() - 1)) ? "(?![A-Za-z0-9])" : "";
        return value.length() > 3
                ? text.replace(value, MASK)
                : Pattern.compile(before + Pattern.quote(value) + after)
                        .matcher(text)
                        .replaceAll(Matcher.quoteReplacement(MASK));
    }

    private boolean isName(String quoted) {
        return NAME.matcher(quoted).matches() && names.contains(quoted.toLowerCase(Locale.ROOT));
    }

    /** Returns the same kind of error without values, in it, in its causes and in those that are chained to it. */
    public SQLException error(SQLException e) {
        SQLException copy = copy(e);
        SQLException last = copy;
        for (SQLException next = e.getNextException(); next != null; next = next.getNextException()) {
            SQLException redacted = copy(next);
            last.setNextException(redacted);
            last = redacted;
        }
        return copy;
    }

    private SQLException copy(SQLException e) {
        // These speak of nodes and times.
        boolean numbers = !(e instanceof SQLTransientException || e instanceof SQLNonTransientConnectionException);
        // A function of the server may have said anything.
        String message = SqlStates.ROUTINE_FAILED.equals(e.getSQLState()) ? WITHHELD : message(e.getMessage(), numbers);
        Throwable original = e.getCause();
        @Nullable Throwable cause = original == null || original == e ? null : cause(original, numbers, 0);
        SQLException copy;
        if (e instanceof BatchUpdateException batchUpdate) {
            // Its constructor alone takes a cause.
            copy = new BatchUpdateException(
                    message, e.getSQLState(), e.getErrorCode(), batchUpdate.getLargeUpdateCounts(), cause);
        } else {
            copy = SameError.with(e, message);
            if (cause != null) {
                copy.initCause(cause);
            }
        }
        copy.setStackTrace(e.getStackTrace());
        return copy;
    }

    /** Returns an error of the same kind without values, for one that JDBC does not know. */
    public RuntimeException unchecked(RuntimeException e) {
        String message = messageOfCause(e, true);
        RuntimeException copy = new IllegalStateException(e.getClass().getName() + ": " + message);
        if (e.getClass().getName().startsWith("java.")) {
            try {
                copy = e.getClass().getConstructor(String.class).newInstance(message);
            } catch (ReflectiveOperationException missing) {
                // The other one names the class.
            }
        }
        copy.setStackTrace(e.getStackTrace());
        Throwable cause = e.getCause();
        if (cause != null && copy.getCause() == null) {
            copy.initCause(cause(cause, true, 0));
        }
        return copy;
    }

    /** Returns an error without values. One of the JVM is returned as it is: it speaks of memory and of classes. */
    public Error fatal(Error e) {
        if (e instanceof VirtualMachineError || e instanceof LinkageError) {
            return e;
        }
        String message = messageOfCause(e, true);
        Error copy = e instanceof AssertionError
                ? new AssertionError(message)
                : new Error(e.getClass().getName() + ": " + message);
        copy.setStackTrace(e.getStackTrace());
        Throwable cause = e.getCause();
        if (cause != null) {
            copy.initCause(cause(cause, true, 0));
        }
        return copy;
    }

    /** Stands for a cause, whose class may have no room for another message. */
    private static final class Redacted extends Exception {
        private static final long serialVersionUID = 1;

        Redacted(String message) {
            super(message);
        }
    }

    /** The JDK quotes what it cannot read in many ways; what it says of connections holds no values. */
    private String messageOfCause(Throwable e, boolean numbers) {
        boolean quotes = numbers && e.getClass().getName().startsWith("java.");
        return quotes || e instanceof FunctionFailureException ? MASK : message(e.getMessage(), numbers);
    }

    private Throwable cause(Throwable e, boolean numbers, int depth) {
        Throwable copy = e instanceof SQLException sql
                ? SameError.with(sql, message(e.getMessage(), numbers))
                : new Redacted(e.getClass().getName() + ": " + messageOfCause(e, numbers));
        copy.setStackTrace(e.getStackTrace());
        Throwable cause = e.getCause();
        if (cause != null && cause != e && depth < DEEPEST) {
            copy.initCause(cause(cause, numbers, depth + 1));
        }
        return copy;
    }

    /** Returns the chain without values. */
    public @Nullable SQLWarning warning(@Nullable SQLWarning first) {
        SQLWarning copy = null;
        SQLWarning last = null;
        for (SQLWarning each = first; each != null; each = each.getNextWarning()) {
            SQLWarning redacted =
                    new SQLWarning(message(each.getMessage(), true), each.getSQLState(), each.getErrorCode());
            if (last == null) {
                copy = redacted;
            } else {
                last.setNextWarning(redacted);
            }
            last = redacted;
        }
        return copy;
    }
}
