package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Values of Java: which type of T-SQL they have, and how they go to H2 and come back. */
final class Values {

    private Values() {}

    /** Returns the type of a parameter with that value. */
    static SqlType typeOf(Object value) {
        if (value instanceof Boolean) {
            return Types.BIT;
        } else if (value instanceof Byte || value instanceof Short) {
            return Types.SMALLINT;
        } else if (value instanceof Integer) {
            return Types.INT;
        } else if (value instanceof Long) {
            return Types.BIGINT;
        } else if (value instanceof BigDecimal decimal) {
            int scale = Math.max(0, decimal.scale());
            int precision = Math.max(decimal.precision() - decimal.scale() + scale, scale);
            if (precision > 38) {
                throw EvaluationException.overflow("numeric");
            }
            return Types.decimal(Math.max(1, precision), scale);
        } else if (value instanceof Float) {
            return Types.REAL;
        } else if (value instanceof Double) {
            return Types.FLOAT;
        } else if (value instanceof String text) {
            return Types.text(true, Math.max(1, text.length()));
        } else if (value instanceof byte[] || value instanceof ByteBuffer) {
            return new SqlType(Name.VARBINARY, SqlType.MAX, 0, 0);
        } else if (value instanceof LocalDate) {
            return Types.DATE;
        } else if (value instanceof LocalTime) {
            return new SqlType(Name.TIME, 0, 0, 7);
        } else if (value instanceof Instant || value instanceof LocalDateTime) {
            return Types.DATETIME2;
        } else if (value instanceof OffsetDateTime) {
            return new SqlType(Name.DATETIMEOFFSET, 0, 0, 7);
        } else if (value instanceof UUID) {
            return Types.UNIQUEIDENTIFIER;
        }
        throw new NotEvaluatedException(
                "A value of " + value.getClass().getName(), "T-SQL has no type for it", "Leave its column out");
    }

    /**
     * Returns the value that H2 takes for a type.
     *
     * @param zone whose clocks show the times
     */
    static Object toH2(Object value, SqlType type, ZoneId zone) {
        if (value instanceof Instant instant) {
            return type.name() == Name.DATETIMEOFFSET ? instant.atOffset(ZoneOffset.UTC) : Moments.shown(instant, zone);
        } else if (value instanceof LocalDateTime time) {
            return Moments.rounded(time, 7);
        } else if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes;
        } else if (value instanceof BigDecimal decimal && Types.family(type).isExact()) {
            return exact(decimal, type);
        }
        return value;
    }

    /** H2 would round in silence. */
    private static BigDecimal exact(BigDecimal value, SqlType type) {
        if (value.signum() == 0) {
            return value;
        }
        BigDecimal shortest = value.stripTrailingZeros();
        if (shortest.scale() > type.scale()
                || shortest.precision() - shortest.scale() > type.precision() - type.scale()) {
            throw new NotEvaluatedException(
                    "The value " + value.toPlainString(),
                    "it has more digits than its type " + type,
                    "Declare the column with all of its digits");
        }
        return value;
    }

    /** Returns the value of a result. */
    static @Nullable Object fromH2(@Nullable Object value, SqlType type, ZoneId zone) {
        if (value == null) {
            return null;
        }
        if (value instanceof LocalDateTime time && Moments.isLater(time)) {
            return Moments.moment(time, zone);
        }
        return switch (type.name()) {
            case TINYINT, SMALLINT -> ((Number) value).shortValue();
            default -> value;
        };
    }

    /** Returns the class of which H2 is asked for a value. */
    static Class<?> classOf(SqlType type) {
        return switch (type.name()) {
            case BIT -> Boolean.class;
            case TINYINT, SMALLINT, INT -> Integer.class;
            case BIGINT -> Long.class;
            case DECIMAL, NUMERIC, MONEY, SMALLMONEY -> BigDecimal.class;
            case REAL -> Float.class;
            case FLOAT -> Double.class;
            case CHAR, VARCHAR, NCHAR, NVARCHAR, TEXT, NTEXT, XML -> String.class;
            case BINARY, VARBINARY, IMAGE -> byte[].class;
            case DATE -> LocalDate.class;
            case TIME -> LocalTime.class;
            case DATETIME, DATETIME2, SMALLDATETIME -> LocalDateTime.class;
            case DATETIMEOFFSET -> OffsetDateTime.class;
            case UNIQUEIDENTIFIER -> UUID.class;
        };
    }
}
