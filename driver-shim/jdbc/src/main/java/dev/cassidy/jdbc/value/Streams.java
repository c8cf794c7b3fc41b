package dev.cassidy.jdbc.value;

import dev.cassidy.jdbc.error.SqlStates;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Parameters that are given with a length or a scale. */
public final class Streams {

    private Streams() {}

    public static byte[] bytes(InputStream stream, long length) throws SQLException {
        try {
            byte[] bytes = stream.readNBytes(requireLength(length));
            requireAll(bytes.length, length);
            return bytes;
        } catch (IOException e) {
            throw new SQLDataException("The stream could not be read: " + e, SqlStates.BAD_DATA, e);
        }
    }

    public static String text(Reader reader, long length) throws SQLException {
        try {
            char[] characters = new char[requireLength(length)];
            int read = 0;
            while (read < characters.length) {
                int more = reader.read(characters, read, characters.length - read);
                if (more < 0) {
                    break;
                }
                read += more;
            }
            requireAll(read, length);
            return new String(characters);
        } catch (IOException e) {
            throw new SQLDataException("The stream could not be read: " + e, SqlStates.BAD_DATA, e);
        }
    }

    /** Returns the bytes of a text that has only ASCII characters; replacing others by ? would change it. */
    public static byte[] ascii(String text) throws SQLException {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 127) {
                throw new SQLDataException(
                        "has a character beyond ASCII, at " + (i + 1) + ": '" + text.charAt(i)
                                + "'; read it as a character stream",
                        SqlStates.BAD_TEXT);
            }
        }
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the bytes of a text that is given as a binary, as pairs of hexadecimal digits. */
    public static byte[] hexadecimal(String text) throws SQLException {
        try {
            return HexFormat.of().parseHex(text);
        } catch (IllegalArgumentException e) {
            throw ConversionException.text(text, "binary", "pairs of hexadecimal digits, or give a byte[]")
                    .in("a value for a BINARY");
        }
    }

    /** The scale applies to decimals alone; digits beyond it are refused, not rounded. */
    public static @Nullable Object scaled(@Nullable Object value, int sqlType, int scale) throws SQLException {
        if (!(value instanceof BigDecimal decimal) || (sqlType != Types.DECIMAL && sqlType != Types.NUMERIC)) {
            return value;
        }
        try {
            return decimal.setScale(scale);
        } catch (ArithmeticException e) {
            throw new SQLDataException("does not fit scale " + scale + ": " + value, SqlStates.OUT_OF_RANGE, e);
        }
    }

    private static int requireLength(long length) throws SQLException {
        if (length < 0 || length > Integer.MAX_VALUE) {
            throw new SQLException(
                    "must be from 0 to " + Integer.MAX_VALUE + ": length=" + length, SqlStates.BAD_ARGUMENT);
        }
        return (int) length;
    }

    private static void requireAll(int read, long length) throws SQLException {
        if (read != length) {
            throw new SQLDataException(
                    "The stream ended early: length=" + length + ", read " + read, SqlStates.BAD_DATA);
        }
    }
}
