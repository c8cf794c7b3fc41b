package dev.cassidy.jdbc.error;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.lang.reflect.InvocationTargetException;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

    private static final int MOST_VALUES = 10_000;

    /** Messages of conversions show as much of a long text. */
    private static final int SHOWN = 60;

    private static final Pattern QUOTED = Pattern.compile("'((?:[^']|'')*)'");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.$]*");

    /** Cassandra quotes a constant by parentheses, too. */
    private static final Pattern CONSTANT = Pattern.compile("(constant |String was: )\\(?[^)]*\\)?", Pattern.DOTALL);

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

        void add(String value) {
            if (values.size() >= MOST_VALUES) {
                incomplete = true;
            } else if (!value.isBlank()) {
                values.add(value);
                values.add(value.replace("'", "''"));
                if (value.length() > SHOWN) {
                    values.add(value.substring(0, SHOWN));
                }
            }
        }

        void addValue(@Nullable Object value) {
            if (value instanceof byte[] bytes) {
                add(HexFormat.of().formatHex(bytes));
            } else if (value instanceof BigDecimal decimal) {
                add(decimal.toPlainString());
                add(decimal.toString());
            } else if (value instanceof Collection<?> parts) {
                parts.forEach(this::addValue);
            } else if (value instanceof Object[] parts) {
                for (Object part : parts) {
                    addValue(part);
                }
            } else if (value != null) {
                add(value.toString());
            }
        }
    }

    private final Known texts = new Known();
    private final Known batch = new Known();
    private final Map<Object, Known> parameters = new HashMap<>();
    private final Set<String> names = new HashSet<>();

    /** Takes the literals of a statement as values, and its words as names. */
    public void addText(@Nullable String sql) {
        addText(sql, texts);
    }

    /** As {@link #addText}, of an entry of a batch. */
    public void addBatch(@Nullable String sql) {
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
        for (int i = 0; !tokens.isEnd(i); i++) {
            Kind kind = tokens.kind(i);
            if (kind.isName() || kind == Kind.VARIABLE) {
                if (names.size() < MOST_VALUES) {
                    names.add(tokens.content(i).toLowerCase(Locale.ROOT));
                }
            } else if (kind != Kind.SYMBOL && kind != Kind.MARKER) {
                known.add(tokens.text(i));
                known.add(tokens.content(i));
            }
        }
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
        for (Known each : parameters.values()) {
            each.values.forEach(batch::add);
            batch.incomplete |= each.incomplete;
        }
    }

    /** Forgets the text that has run. */
    public void clearTexts() {
        texts.clear();
        names.clear();
    }

    /** Forgets the entries of a batch. */
    public void clearBatch() {
        batch.clear();
    }

    /** Returns the message without values; {@code numbers} says whether its numbers may be values. */
    String message(@Nullable String message, boolean numbers) {
        if (message == null) {
            return "";
        }
        List<Known> all = new ArrayList<>(parameters.values());
        all.add(texts);
        all.add(batch);
        if (all.stream().anyMatch(known -> known.incomplete)) {
            return WITHHELD;
        }
        String text = message;
        List<String> longestFirst = new ArrayList<>();
        all.forEach(known -> longestFirst.addAll(known.values));
        longestFirst.sort(Comparator.comparingInt(String::length).reversed());
        for (String value : longestFirst) {
            text = without(text, value);
        }
        text = CONSTANT.matcher(text).replaceAll("$1" + MASK);
        text = QUOTED.matcher(text)
                .replaceAll(
                        found -> Matcher.quoteReplacement(isName(found.group(1)) ? found.group() : "'" + MASK + "'"));
        text = Lines.escaped(text);
        return numbers ? NUMBER.matcher(text).replaceAll(Matcher.quoteReplacement(MASK)) : text;
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
        String message = message(e.getMessage(), numbers);
        SQLException copy = e instanceof BatchUpdateException batch
                ? new BatchUpdateException(
                        message, e.getSQLState(), e.getErrorCode(), batch.getLargeUpdateCounts(), null)
                : sameClass(e, message);
        copy.setStackTrace(e.getStackTrace());
        Throwable cause = e.getCause();
        if (cause != null && copy.getCause() == null) {
            try {
                copy.initCause(cause(cause, numbers, 0));
            } catch (IllegalStateException alreadyGiven) {
                copy.addSuppressed(cause(cause, numbers, 0));
            }
        }
        return copy;
    }

    private static SQLException sameClass(SQLException e, String message) {
        for (Class<?> type = e.getClass(); type != SQLException.class; type = type.getSuperclass()) {
            if (type.getName().startsWith("java.sql.")) {
                try {
                    return (SQLException) type.getConstructor(String.class, String.class, int.class)
                            .newInstance(message, e.getSQLState(), e.getErrorCode());
                } catch (NoSuchMethodException | InstantiationException | IllegalAccessException missing) {
                    // Its superclass has one.
                } catch (InvocationTargetException failed) {
                    throw new IllegalStateException(failed);
                }
            }
        }
        return new SQLException(message, e.getSQLState(), e.getErrorCode());
    }

    /** Stands for a cause, whose class may have no room for another message. */
    private static final class Redacted extends Exception {
        private static final long serialVersionUID = 1;

        Redacted(String message) {
            super(message);
        }
    }

    private Throwable cause(Throwable e, boolean numbers, int depth) {
        Throwable copy = e instanceof SQLException sql
                ? sameClass(sql, message(e.getMessage(), numbers))
                : new Redacted(e.getClass().getName() + ": " + message(e.getMessage(), numbers));
        copy.setStackTrace(e.getStackTrace());
        Throwable cause = e.getCause();
        if (cause != null && cause != e && depth < 20) {
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
