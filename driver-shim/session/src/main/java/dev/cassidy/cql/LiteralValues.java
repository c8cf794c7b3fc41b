package dev.cassidy.cql;

import com.datastax.oss.protocol.internal.util.Bytes;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What CQL's literals stand for, as far as a rule or a check says something of their kind. */
final class LiteralValues {

    private static final Pattern NO_NUMBER = Pattern.compile("-?\\s*(?:NaN|Infinity)", Pattern.CASE_INSENSITIVE);

    /** Longer values are not shown whole. */
    private static final int SHOWN = 100;

    private LiteralValues() {}

    /** Returns what a value that the statement writes out stands for; null for others, and for NULL. */
    static @Nullable Object of(CqlInsert.Value value) {
        return value instanceof CqlInsert.Value.IntegerLiteral number
                ? new BigDecimal(number.value())
                : value instanceof CqlInsert.Value.Term term ? of(term.text()) : null;
    }

    /** Returns what a literal stands for; null for an expression, and for a literal of which no rule and no check says anything. */
    static @Nullable Object of(String literal) {
        if (NO_NUMBER.matcher(literal).matches()) {
            // In no collection, CQL has them for numbers with a binary point alone.
            return literal.toLowerCase(Locale.ROOT).endsWith("nan")
                    ? Double.NaN
                    : literal.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        CqlLiteral read = CqlLiteral.read(literal);
        if (read instanceof CqlLiteral.Text text) {
            return text.content();
        }
        if (read instanceof CqlLiteral.Truth truth) {
            return truth.value();
        }
        try {
            if (read instanceof CqlLiteral.Numeral number) {
                // Equal to another one only if the scale is, too.
                return new BigDecimal(number.digits());
            }
            return read instanceof CqlLiteral.Blob blob ? Bytes.fromHexString("0x" + blob.digits()) : null;
        } catch (IllegalArgumentException e) {
            // The server refuses the statement.
            return null;
        }
    }

    /**
     * Returns the literal of what a column stores of a value that the statement writes out; null if it stores it as it is, or if only
     * the server knows it.
     *
     * @throws ColumnValueException if SQL Server would refuse the value
     */
    static @Nullable String stored(CqlInsert.Value value, ColumnRule rule) {
        Object time = LiteralTimes.of(value, rule);
        if (time != null) {
            Object stored = rule.stored(time);
            return stored.equals(time) ? null : LiteralTimes.text(value, stored);
        }
        Object given = of(value);
        Object stored = given == null ? null : rule.stored(given);
        return stored == null || stored.equals(given) ? null : text(stored);
    }

    /** Returns a value for a message, as T-SQL writes it, and not more of it than a message has room for. */
    static String shown(@Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof Boolean truth) {
            return truth ? "1" : "0";
        }
        if (value instanceof Number) {
            return value.toString();
        }
        String text = text(value);
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + (text.endsWith("'") ? "...'" : "...");
    }

    /** Returns the literal of a value. */
    static String text(Object stored) {
        if (stored instanceof BigDecimal number) {
            return number.toPlainString();
        }
        return stored instanceof ByteBuffer bytes
                ? Bytes.toHexString(bytes)
                : "'" + stored.toString().replace("'", "''") + "'";
    }
}
