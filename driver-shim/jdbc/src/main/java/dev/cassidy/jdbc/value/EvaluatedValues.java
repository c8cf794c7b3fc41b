package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.NotAssistedException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Date;
import java.sql.SQLWarning;
import java.sql.Time;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Values as statements have them that are evaluated in the client. Of a time, T-SQL knows what the clock shows, and Cassandra the moment:
 * both are of the JVM's zone, as everywhere in the driver.
 */
public final class EvaluatedValues {

    private EvaluatedValues() {}

    /**
     * Returns the value of a parameter. Moments, days and times are what a parameter of the direct path is: in the zone of their calendar,
     * and of moments to the millisecond.
     *
     * @param warnings hear what was cut off
     * @throws NotAssistedException naming a class of which T-SQL has no type
     */
    public static @Nullable Object ofParameter(Parameter parameter, Consumer<SQLWarning> warnings)
            throws ConversionException {
        Object value = parameter.value();
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
                || value instanceof UUID) {
            return value;
        }
        if (value instanceof BigInteger number) {
            return new BigDecimal(number);
        }
        if (value instanceof Character character) {
            return character.toString();
        }
        ToCql conversion = new ToCql(parameter.given(), DateOrder.NONE, warnings);
        if (value instanceof Date) {
            return conversion.convert(value, DataTypes.DATE);
        }
        if (value instanceof Time) {
            return conversion.convert(value, DataTypes.TIME);
        }
        if (value instanceof LocalDateTime time && parameter.given() == null) {
            return isSkipped(time) ? time : conversion.convert(value, DataTypes.TIMESTAMP);
        }
        if (value instanceof OffsetDateTime || value instanceof ZonedDateTime) {
            Instant moment = (Instant) conversion.convert(value, DataTypes.TIMESTAMP);
            return moment.atOffset(
                    value instanceof OffsetDateTime time ? time.getOffset() : ((ZonedDateTime) value).getOffset());
        }
        if (Temporals.isMoment(value)) {
            return conversion.convert(value, DataTypes.TIMESTAMP);
        }
        throw new NotAssistedException("A parameter of " + value.getClass().getName()
                + " has no type in T-SQL. Give it as a string or a number");
    }

    /** Returns whether clocks of the JVM's zone never show a time. */
    private static boolean isSkipped(LocalDateTime time) {
        return ZoneId.systemDefault().getRules().getValidOffsets(time).isEmpty();
    }

    /** Returns a value as the driver's codecs give it, but for a time that clocks skip, which is no moment. */
    public static @Nullable Object toCql(@Nullable Object value) {
        if (value instanceof LocalDateTime time) {
            return isSkipped(time) ? time : time.atZone(ZoneId.systemDefault()).toInstant();
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
