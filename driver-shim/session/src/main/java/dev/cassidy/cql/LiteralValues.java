package dev.cassidy.cql;

import com.datastax.oss.protocol.internal.util.Bytes;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What CQL's literals stand for, as far as a rule or a check says something of their kind. */
final class LiteralValues {

    private LiteralValues() {}

    /** Returns what a value that the statement writes out stands for; null for others, and for NULL. */
    static @Nullable Object of(CqlInsert.Value value) {
        return value instanceof CqlInsert.Value.IntegerLiteral number
                ? new BigDecimal(number.value())
                : value instanceof CqlInsert.Value.Term term ? of(term.text()) : null;
    }

    /** Returns what a literal stands for; null for an expression, and for a literal of which no rule and no check says anything. */
    static @Nullable Object of(String literal) {
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
