package dev.cassidy.migration.rows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns values of Cassandra into what a column of the source takes: the way back of {@link Conversion}. What the source then
 * stores may still differ, because its type has fewer digits, so rows are compared after they were written.
 */
final class SourceValue {

    private SourceValue() {}

    /**
     * Gives a statement its parameter.
     *
     * @param engine the source's name
     * @param value as Cassandra's Java type; null for NULL
     * @param zone in which dates and times without one are
     * @throws RowRefused if no value of the source's type says the same
     */
    static void bind(
            PreparedStatement statement,
            int index,
            MovedColumn column,
            @Nullable Object value,
            String engine,
            ZoneId zone)
            throws SQLException {
        boolean postgres = engine.startsWith("PostgreSQL");
        if (value == null) {
            statement.setNull(index, engine.startsWith("SQL Server") ? type(column) : Types.NULL);
            return;
        }
        try {
            switch (column.tsql().kind()) {
                case INTEGER, DECIMAL -> statement.setBigDecimal(index, number(value));
                case BIT -> statement.setBoolean(index, bit(value));
                case REAL, DOUBLE -> {
                    if (value instanceof Float single) {
                        statement.setFloat(index, single);
                    } else {
                        statement.setDouble(
                                index,
                                value instanceof Double twice
                                        ? twice
                                        : number(value).doubleValue());
                    }
                }
                case TEXT -> {
                    if (postgres) {
                        // Its own types that are texts here, such as json, take no varchar.
                        statement.setObject(index, value.toString(), Types.OTHER);
                    } else {
                        statement.setString(index, value.toString());
                    }
                }
                case BINARY -> statement.setBytes(index, bytes(value));
                case DATE -> statement.setObject(index, dateTime(value, zone).toLocalDate());
                case LOCAL_DATE_TIME -> statement.setObject(index, dateTime(value, zone));
                case OFFSET_DATE_TIME ->
                    statement.setObject(
                            index,
                            value instanceof Instant instant
                                    ? instant.atOffset(ZoneOffset.UTC)
                                    : dateTime(value, ZoneOffset.UTC).atOffset(ZoneOffset.UTC));
                case TIME -> statement.setObject(index, value);
                case UUID -> {
                    if (postgres) {
                        statement.setObject(index, UUID.fromString(value.toString()));
                    } else {
                        statement.setString(index, value.toString());
                    }
                }
                case NONE -> throw new IllegalArgumentException("a type that is not copied");
            }
        } catch (ArithmeticException | DateTimeException | IllegalArgumentException e) {
            throw new RowRefused(
                    column.qualifiedName() + " is " + column.tsql().text() + ", which cannot hold " + value + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private static BigDecimal number(Object value) {
        if (value instanceof BigDecimal exact) {
            return exact;
        }
        return value instanceof BigInteger whole ? new BigDecimal(whole) : new BigDecimal(value.toString());
    }

    private static boolean bit(Object value) {
        return value instanceof Boolean yes ? yes : number(value).signum() != 0;
    }

    private static byte[] bytes(Object value) {
        ByteBuffer buffer = ((ByteBuffer) value).duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static LocalDateTime dateTime(Object value, ZoneId zone) {
        return value instanceof LocalDate date ? date.atStartOfDay() : LocalDateTime.ofInstant((Instant) value, zone);
    }

    private static int type(MovedColumn column) {
        return switch (column.tsql().kind()) {
            case INTEGER -> Types.BIGINT;
            case BIT -> Types.BIT;
            case DECIMAL -> Types.DECIMAL;
            case REAL, DOUBLE -> Types.DOUBLE;
            case TEXT -> Types.NVARCHAR;
            case BINARY -> Types.VARBINARY;
            case DATE -> Types.DATE;
            case TIME -> Types.TIME;
            case LOCAL_DATE_TIME -> Types.TIMESTAMP;
            case OFFSET_DATE_TIME -> Types.TIMESTAMP_WITH_TIMEZONE;
            case UUID -> Types.CHAR;
            case NONE -> Types.NULL;
        };
    }
}
