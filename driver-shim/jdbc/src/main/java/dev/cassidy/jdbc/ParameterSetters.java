package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.Streams;
import dev.cassidy.jdbc.value.Temporals;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.ZoneId;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/**
 * The many setters of a prepared statement, which all do the same: they keep the value as it is when it is given, and
 * it is converted when the column's type is known.
 */
abstract class ParameterSetters extends CassidyStatement implements PreparedStatement {

    ParameterSetters(CassidyConnection connection) throws SQLException {
        super(connection);
    }

    /**
     * @param index from 1
     * @param zone of values that have none; null for that of the JVM
     */
    abstract void set(int index, @Nullable Object value, @Nullable ZoneId zone) throws SQLException;

    private void set(int index, @Nullable Object value) throws SQLException {
        set(index, value, null);
    }

    /** Fails on a byte that is not ASCII, where a charset by name would change it. */
    private static Reader ascii(InputStream value) {
        return new InputStreamReader(value, StandardCharsets.US_ASCII.newDecoder());
    }

    @Override
    public void setBoolean(int index, boolean value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setByte(int index, byte value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setShort(int index, short value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setInt(int index, int value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setLong(int index, long value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setFloat(int index, float value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setDouble(int index, double value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setBigDecimal(int index, @Nullable BigDecimal value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setString(int index, @Nullable String value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setNString(int index, @Nullable String value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setDate(int index, @Nullable Date value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setTime(int index, @Nullable Time value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setTimestamp(int index, @Nullable Timestamp value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setAsciiStream(int index, @Nullable InputStream value) throws SQLException {
        set(index, value == null ? null : ascii(value));
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setNCharacterStream(int index, @Nullable Reader value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setClob(int index, @Nullable Clob value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setClob(int index, @Nullable Reader value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setNClob(int index, @Nullable NClob value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setNClob(int index, @Nullable Reader value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setBlob(int index, @Nullable Blob value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setBlob(int index, @Nullable InputStream value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setURL(int index, @Nullable URL value) throws SQLException {
        set(index, value == null ? null : value.toExternalForm());
    }

    @Override
    public void setBytes(int index, byte @Nullable [] value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setDate(int index, @Nullable Date value, Calendar calendar) throws SQLException {
        set(index, value, Temporals.zone(calendar));
    }

    @Override
    public void setTime(int index, @Nullable Time value, Calendar calendar) throws SQLException {
        set(index, value, Temporals.zone(calendar));
    }

    @Override
    public void setTimestamp(int index, @Nullable Timestamp value, Calendar calendar) throws SQLException {
        set(index, value, Temporals.zone(calendar));
    }

    @Override
    public void setAsciiStream(int index, @Nullable InputStream value, int length) throws SQLException {
        setAsciiStream(index, value, (long) length);
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value, int length) throws SQLException {
        setBinaryStream(index, value, (long) length);
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value, int length) throws SQLException {
        setCharacterStream(index, value, (long) length);
    }

    @Override
    public void setAsciiStream(int index, @Nullable InputStream value, long length) throws SQLException {
        setCharacterStream(index, value == null ? null : ascii(value), length);
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value, long length) throws SQLException {
        set(index, value == null ? null : Streams.bytes(value, length));
    }

    @Override
    public void setBlob(int index, @Nullable InputStream value, long length) throws SQLException {
        setBinaryStream(index, value, length);
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value, long length) throws SQLException {
        set(index, value == null ? null : Streams.text(value, length));
    }

    @Override
    public void setNCharacterStream(int index, @Nullable Reader value, long length) throws SQLException {
        setCharacterStream(index, value, length);
    }

    @Override
    public void setClob(int index, @Nullable Reader value, long length) throws SQLException {
        setCharacterStream(index, value, length);
    }

    @Override
    public void setNClob(int index, @Nullable Reader value, long length) throws SQLException {
        setCharacterStream(index, value, length);
    }

    @Override
    public void setNull(int index, int sqlType) throws SQLException {
        set(index, null);
    }

    @Override
    public void setNull(int index, int sqlType, String typeName) throws SQLException {
        set(index, null);
    }

    @Override
    public void setObject(int index, @Nullable Object value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setObject(int index, @Nullable Object value, int targetType) throws SQLException {
        set(index, value == null ? null : given(value, targetType));
    }

    /**
     * The column decides on the type; a value that does not fit it is refused. But a moment that is given as a DATE is its day,
     * whatever the column, and a string that is given as a binary is its bytes, as hexadecimal digits.
     */
    private static Object given(Object value, int targetType) throws SQLException {
        return switch (targetType) {
            case Types.DATE -> day(value);
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY ->
                value instanceof String text ? Streams.hexadecimal(text) : value;
            default -> value;
        };
    }

    private static Object day(Object moment) throws SQLException {
        try {
            return Temporals.day(moment, Temporals.zone(null));
        } catch (ConversionException e) {
            throw e.in("a value for a DATE");
        }
    }

    @Override
    public void setObject(int index, @Nullable Object value, @Nullable SQLType targetType) throws SQLException {
        Integer type = targetType == null ? null : targetType.getVendorTypeNumber();
        setObject(index, value, type == null ? Types.OTHER : type);
    }

    @Override
    public void setObject(int index, @Nullable Object value, int targetType, int scaleOrLength) throws SQLException {
        setObject(index, Streams.scaled(value, targetType, scaleOrLength), targetType);
    }

    @Override
    public void setObject(int index, @Nullable Object value, @Nullable SQLType targetType, int scaleOrLength)
            throws SQLException {
        Integer type = targetType == null ? null : targetType.getVendorTypeNumber();
        setObject(index, value, type == null ? Types.OTHER : type, scaleOrLength);
    }

    @Override
    public void setArray(int index, @Nullable Array value) throws SQLException {
        set(index, value);
    }

    @Override
    public void setRef(int index, Ref value) throws SQLException {
        throw Unserved.method("PreparedStatement.setRef(int, Ref)");
    }

    @Override
    public void setRowId(int index, RowId value) throws SQLException {
        throw Unserved.method("PreparedStatement.setRowId(int, RowId)");
    }

    @Override
    public void setSQLXML(int index, SQLXML value) throws SQLException {
        throw Unserved.method("PreparedStatement.setSQLXML(int, SQLXML)");
    }

    @Override
    @Deprecated
    public void setUnicodeStream(int index, InputStream value, int length) throws SQLException {
        throw Unserved.method("PreparedStatement.setUnicodeStream(int, InputStream, int)");
    }
}
