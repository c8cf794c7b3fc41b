package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.value.Streams;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.net.MalformedURLException;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The many getters of a result: each by index and by label, all of them one conversion of the current row's value. */
abstract class ResultSetGetters extends UnservedResultSet {

    /** Returns the current row's value at {@code index}, from 1, as {@code type}; remembers whether it was null. */
    abstract <T> @Nullable T read(int index, @Nullable Class<T> type, @Nullable Calendar calendar) throws SQLException;

    private <T> @Nullable T read(int index, Class<T> type) throws SQLException {
        return read(index, type, null);
    }

    @Override
    public @Nullable String getString(int index) throws SQLException {
        return read(index, String.class);
    }

    @Override
    public @Nullable String getString(String label) throws SQLException {
        return getString(findColumn(label));
    }

    @Override
    public @Nullable BigDecimal getBigDecimal(int index) throws SQLException {
        return read(index, BigDecimal.class);
    }

    @Override
    public @Nullable BigDecimal getBigDecimal(String label) throws SQLException {
        return getBigDecimal(findColumn(label));
    }

    @Override
    public @Nullable Date getDate(int index) throws SQLException {
        return read(index, Date.class);
    }

    @Override
    public @Nullable Date getDate(String label) throws SQLException {
        return getDate(findColumn(label));
    }

    @Override
    public @Nullable Time getTime(int index) throws SQLException {
        return read(index, Time.class);
    }

    @Override
    public @Nullable Time getTime(String label) throws SQLException {
        return getTime(findColumn(label));
    }

    @Override
    public @Nullable Timestamp getTimestamp(int index) throws SQLException {
        return read(index, Timestamp.class);
    }

    @Override
    public @Nullable Timestamp getTimestamp(String label) throws SQLException {
        return getTimestamp(findColumn(label));
    }

    @Override
    public @Nullable Object getObject(int index) throws SQLException {
        return read(index, Object.class);
    }

    @Override
    public @Nullable Object getObject(String label) throws SQLException {
        return getObject(findColumn(label));
    }

    @Override
    public @Nullable String getNString(int index) throws SQLException {
        return getString(index);
    }

    @Override
    public @Nullable String getNString(String label) throws SQLException {
        return getNString(findColumn(label));
    }

    @Override
    public byte @Nullable [] getBytes(int index) throws SQLException {
        return read(index, byte[].class);
    }

    @Override
    public byte @Nullable [] getBytes(String label) throws SQLException {
        return getBytes(findColumn(label));
    }

    @Override
    public boolean getBoolean(int index) throws SQLException {
        Boolean value = read(index, Boolean.class);
        return value != null && value;
    }

    @Override
    public boolean getBoolean(String label) throws SQLException {
        return getBoolean(findColumn(label));
    }

    @Override
    public byte getByte(int index) throws SQLException {
        Byte value = read(index, Byte.class);
        return value == null ? 0 : value;
    }

    @Override
    public byte getByte(String label) throws SQLException {
        return getByte(findColumn(label));
    }

    @Override
    public short getShort(int index) throws SQLException {
        Short value = read(index, Short.class);
        return value == null ? 0 : value;
    }

    @Override
    public short getShort(String label) throws SQLException {
        return getShort(findColumn(label));
    }

    @Override
    public int getInt(int index) throws SQLException {
        Integer value = read(index, Integer.class);
        return value == null ? 0 : value;
    }

    @Override
    public int getInt(String label) throws SQLException {
        return getInt(findColumn(label));
    }

    @Override
    public long getLong(int index) throws SQLException {
        Long value = read(index, Long.class);
        return value == null ? 0 : value;
    }

    @Override
    public long getLong(String label) throws SQLException {
        return getLong(findColumn(label));
    }

    @Override
    public float getFloat(int index) throws SQLException {
        Float value = read(index, Float.class);
        return value == null ? 0 : value;
    }

    @Override
    public float getFloat(String label) throws SQLException {
        return getFloat(findColumn(label));
    }

    @Override
    public double getDouble(int index) throws SQLException {
        Double value = read(index, Double.class);
        return value == null ? 0 : value;
    }

    @Override
    public double getDouble(String label) throws SQLException {
        return getDouble(findColumn(label));
    }

    @Override
    public @Nullable Date getDate(int index, Calendar calendar) throws SQLException {
        return read(index, Date.class, calendar);
    }

    @Override
    public @Nullable Date getDate(String label, Calendar calendar) throws SQLException {
        return getDate(findColumn(label), calendar);
    }

    @Override
    public @Nullable Time getTime(int index, Calendar calendar) throws SQLException {
        return read(index, Time.class, calendar);
    }

    @Override
    public @Nullable Time getTime(String label, Calendar calendar) throws SQLException {
        return getTime(findColumn(label), calendar);
    }

    @Override
    public @Nullable Timestamp getTimestamp(int index, Calendar calendar) throws SQLException {
        return read(index, Timestamp.class, calendar);
    }

    @Override
    public @Nullable Timestamp getTimestamp(String label, Calendar calendar) throws SQLException {
        return getTimestamp(findColumn(label), calendar);
    }

    @Override
    public <T> @Nullable T getObject(int index, Class<T> type) throws SQLException {
        return read(index, type);
    }

    @Override
    public <T> @Nullable T getObject(String label, Class<T> type) throws SQLException {
        return getObject(findColumn(label), type);
    }

    @Override
    @Deprecated
    public @Nullable BigDecimal getBigDecimal(int index, int scale) throws SQLException {
        BigDecimal value = getBigDecimal(index);
        try {
            return value == null ? null : value.setScale(scale);
        } catch (ArithmeticException e) {
            throw new SQLDataException(
                    "column " + index + " does not fit scale " + scale + ": " + value, SqlStates.OUT_OF_RANGE, e);
        }
    }

    @Override
    @Deprecated
    public @Nullable BigDecimal getBigDecimal(String label, int scale) throws SQLException {
        return getBigDecimal(findColumn(label), scale);
    }

    @Override
    public @Nullable InputStream getBinaryStream(int index) throws SQLException {
        byte[] bytes = getBytes(index);
        return bytes == null ? null : new ByteArrayInputStream(bytes);
    }

    @Override
    public @Nullable InputStream getBinaryStream(String label) throws SQLException {
        return getBinaryStream(findColumn(label));
    }

    @Override
    public @Nullable InputStream getAsciiStream(int index) throws SQLException {
        String text = getString(index);
        return text == null ? null : new ByteArrayInputStream(Streams.ascii(text));
    }

    @Override
    public @Nullable InputStream getAsciiStream(String label) throws SQLException {
        return getAsciiStream(findColumn(label));
    }

    @Override
    public @Nullable Reader getCharacterStream(int index) throws SQLException {
        String text = getString(index);
        return text == null ? null : new StringReader(text);
    }

    @Override
    public @Nullable Reader getCharacterStream(String label) throws SQLException {
        return getCharacterStream(findColumn(label));
    }

    @Override
    public @Nullable Reader getNCharacterStream(int index) throws SQLException {
        return getCharacterStream(index);
    }

    @Override
    public @Nullable Reader getNCharacterStream(String label) throws SQLException {
        return getNCharacterStream(findColumn(label));
    }

    @Override
    public @Nullable Blob getBlob(int index) throws SQLException {
        return read(index, Blob.class);
    }

    @Override
    public @Nullable Blob getBlob(String label) throws SQLException {
        return getBlob(findColumn(label));
    }

    @Override
    public @Nullable Clob getClob(int index) throws SQLException {
        return read(index, Clob.class);
    }

    @Override
    public @Nullable Clob getClob(String label) throws SQLException {
        return getClob(findColumn(label));
    }

    @Override
    public @Nullable URL getURL(int index) throws SQLException {
        String text = getString(index);
        try {
            return text == null ? null : new URL(text);
        } catch (MalformedURLException e) {
            throw new SQLDataException(
                    "column " + index + " is not a URL: '" + text.replace("'", "''") + "'", SqlStates.BAD_TEXT, e);
        }
    }

    @Override
    public @Nullable URL getURL(String label) throws SQLException {
        return getURL(findColumn(label));
    }

    @Override
    public @Nullable NClob getNClob(int index) throws SQLException {
        return read(index, NClob.class);
    }

    @Override
    public @Nullable NClob getNClob(String label) throws SQLException {
        return getNClob(findColumn(label));
    }

    /** Of a list, a set or a vector. */
    @Override
    public @Nullable Array getArray(int index) throws SQLException {
        return read(index, Array.class);
    }

    @Override
    public @Nullable Array getArray(String label) throws SQLException {
        return getArray(findColumn(label));
    }

    @Override
    public @Nullable Object getObject(int index, @Nullable Map<String, Class<?>> map) throws SQLException {
        Unserved.requireEmpty(map);
        return getObject(index);
    }

    @Override
    public @Nullable Object getObject(String label, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getObject(findColumn(label), map);
    }
}
