package dev.cassidy.jdbc.value;

import dev.cassidy.jdbc.error.SqlStates;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parameters as they were when they were set. The application may reuse the object for the next row of a batch, and a
 * stream can be read only once, while a parameter may be used in many executions.
 */
public final class ParameterCopies {

    private ParameterCopies() {}

    @SuppressWarnings("JavaUtilDate") // JDBC uses java.util.Date.
    public static @Nullable Object of(@Nullable Object value) throws SQLException {
        if (value instanceof Date date) {
            return date.clone();
        }
        if (value instanceof Calendar calendar) {
            return calendar.clone();
        }
        if (value instanceof ByteBuffer buffer) {
            ByteBuffer source = buffer.duplicate();
            return ByteBuffer.allocate(source.remaining()).put(source).flip();
        }
        if (value instanceof Collection<?> collection) {
            return new ArrayList<>(collection);
        }
        if (value instanceof Map<?, ?> map) {
            return new LinkedHashMap<>(map);
        }
        if (value != null && value.getClass().isArray()) {
            int length = Array.getLength(value);
            Object copy = Array.newInstance(value.getClass().getComponentType(), length);
            System.arraycopy(value, 0, copy, 0, length);
            return copy;
        }
        return content(value);
    }

    private static @Nullable Object content(@Nullable Object value) throws SQLException {
        try {
            if (value instanceof InputStream stream) {
                return stream.readAllBytes();
            }
            if (value instanceof Reader reader) {
                StringWriter text = new StringWriter();
                reader.transferTo(text);
                return text.toString();
            }
        } catch (IOException e) {
            throw new SQLDataException("The stream could not be read: " + e, SqlStates.BAD_DATA, e);
        }
        if (value instanceof Blob blob) {
            return blob.getBytes(1, length(blob.length()));
        }
        if (value instanceof Clob clob) {
            return clob.getSubString(1, length(clob.length()));
        }
        if (value instanceof java.sql.Array array) {
            return of(array.getArray());
        }
        if (value instanceof Struct struct) {
            return new StructValue(struct.getSQLTypeName(), Arrays.asList(struct.getAttributes()));
        }
        return value;
    }

    private static int length(long length) throws SQLException {
        if (length > Integer.MAX_VALUE) {
            throw new SQLDataException(
                    "must be at most " + Integer.MAX_VALUE + ": length=" + length, SqlStates.BAD_DATA);
        }
        return (int) length;
    }
}
