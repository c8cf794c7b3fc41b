package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.NotAssistedException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Values as statements that are evaluated in the client have them. Of a time, T-SQL knows what the clock shows, and Cassandra the moment:
 * both are of the JVM's zone, as everywhere in the driver.
 */
public final class EvaluatedValues {

    private EvaluatedValues() {}

    /**
     * Returns the value of a parameter.
     *
     * @throws NotAssistedException naming a class of which T-SQL has no type
     */
    public static @Nullable Object ofParameter(@Nullable Parameter parameter) {
        Object value = parameter == null ? null : parameter.value();
        if (value == null
                || value instanceof Boolean
                || value instanceof Byte
                || value instanceof Short
                || value instanceof Integer
                || value instanceof Long
                || value instanceof BigDecimal
                || value instanceof Float
                || value instanceof Double
                || value instanceof String
                || value instanceof byte[]
                || value instanceof ByteBuffer
                || value instanceof LocalDate
                || value instanceof LocalTime
                || value instanceof LocalDateTime
                || value instanceof UUID) {
            return value;
        }
        if (value instanceof BigInteger number) {
            return new BigDecimal(number);
        }
        if (value instanceof Character character) {
            return character.toString();
        }
        if (value instanceof Date date) {
            return date.toLocalDate();
        }
        if (value instanceof Time time) {
            return time.toLocalTime();
        }
        if (value instanceof Timestamp timestamp) {
            return local(timestamp.toInstant());
        }
        if (value instanceof java.util.Date date) {
            return local(date.toInstant());
        }
        if (value instanceof Instant instant) {
            return local(instant);
        }
        if (value instanceof OffsetDateTime time) {
            return local(time.toInstant());
        }
        if (value instanceof ZonedDateTime time) {
            return local(time.toInstant());
        }
        throw new NotAssistedException("A parameter of " + value.getClass().getName()
                + " has no type in T-SQL. Give it as a string or a number");
    }

    private static LocalDateTime local(Instant instant) {
        return LocalDateTime.ofInstant(instant, ZoneId.systemDefault());
    }

    /** Returns a value that was read. */
    public static @Nullable Object ofCql(@Nullable Object value) {
        return value instanceof Instant instant ? local(instant) : value;
    }

    /** Returns a value as the driver's codecs give it. */
    public static @Nullable Object toCql(@Nullable Object value) {
        if (value instanceof LocalDateTime time) {
            return time.atZone(ZoneId.systemDefault()).toInstant();
        }
        if (value instanceof OffsetDateTime time) {
            return time.toInstant();
        }
        return value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value;
    }

    /** Returns the type of Cassandra's that has the values of a type. */
    public static DataType cqlType(SqlType type) {
        return switch (type.name()) {
            case BIT -> DataTypes.BOOLEAN;
            case TINYINT, SMALLINT -> DataTypes.SMALLINT;
            case INT -> DataTypes.INT;
            case BIGINT -> DataTypes.BIGINT;
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY -> DataTypes.DECIMAL;
            case REAL -> DataTypes.FLOAT;
            case FLOAT -> DataTypes.DOUBLE;
            case CHAR, VARCHAR, NCHAR, NVARCHAR, TEXT, NTEXT, XML -> DataTypes.TEXT;
            case BINARY, VARBINARY, IMAGE -> DataTypes.BLOB;
            case DATE -> DataTypes.DATE;
            case TIME -> DataTypes.TIME;
            case DATETIME, DATETIME2, SMALLDATETIME, DATETIMEOFFSET -> DataTypes.TIMESTAMP;
            case UNIQUEIDENTIFIER -> DataTypes.UUID;
        };
    }
}
