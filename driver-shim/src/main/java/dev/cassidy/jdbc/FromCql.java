package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;

/** A column's value, as the driver's codec gave it, in the Java type that the caller asks for. */
@SuppressWarnings("JavaUtilDate") // JDBC is made of it.
final class FromCql {

    @FunctionalInterface
    private interface Conversion {
        Object convert(Object value, ZoneId zone) throws Unfit;
    }

    private static final Map<Class<?>, Conversion> CONVERSIONS = Map.ofEntries(
            Map.entry(Object.class, (value, zone) -> natural(value)),
            Map.entry(String.class, (value, zone) -> text(value)),
            Map.entry(
                    Byte.class, (value, zone) -> (byte) Numbers.integer(value, Byte.MIN_VALUE, Byte.MAX_VALUE, "byte")),
            Map.entry(Short.class, (value, zone) ->
                    (short) Numbers.integer(value, Short.MIN_VALUE, Short.MAX_VALUE, "short")),
            Map.entry(Integer.class, (value, zone) ->
                    (int) Numbers.integer(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "int")),
            Map.entry(Long.class, (value, zone) -> Numbers.integer(value, Long.MIN_VALUE, Long.MAX_VALUE, "long")),
            Map.entry(Float.class, (value, zone) -> Numbers.floatValue(value, "float")),
            Map.entry(Double.class, (value, zone) -> Numbers.doubleValue(value, "double")),
            Map.entry(BigDecimal.class, (value, zone) -> Numbers.decimal(value, "BigDecimal")),
            Map.entry(BigInteger.class, (value, zone) -> Numbers.bigInteger(value, "BigInteger")),
            Map.entry(Boolean.class, (value, zone) -> Numbers.bool(value)),
            Map.entry(byte[].class, (value, zone) -> bytes(value)),
            Map.entry(Timestamp.class, Temporals::timestamp),
            Map.entry(Date.class, Temporals::date),
            Map.entry(Time.class, Temporals::time),
            Map.entry(
                    java.util.Date.class,
                    (value, zone) ->
                            new java.util.Date(Temporals.timestamp(value, zone).getTime())),
            Map.entry(Instant.class, (value, zone) -> Temporals.instant(value, zone, "Instant")),
            Map.entry(LocalDateTime.class, (value, zone) -> Temporals.localDateTime(value, zone, "LocalDateTime")),
            Map.entry(LocalDate.class, (value, zone) -> localDate(value, zone)),
            Map.entry(LocalTime.class, (value, zone) -> localTime(value, zone)),
            Map.entry(OffsetDateTime.class, (value, zone) -> Temporals.instant(value, zone, "OffsetDateTime")
                    .atOffset(ZoneOffset.UTC)),
            Map.entry(ZonedDateTime.class, (value, zone) -> Temporals.instant(value, zone, "ZonedDateTime")
                    .atZone(zone)),
            Map.entry(UUID.class, (value, zone) -> ToCql.uuid(value, "UUID")),
            Map.entry(InetAddress.class, (value, zone) -> ToCql.inet(value)),
            Map.entry(Duration.class, (value, zone) -> duration(value)),
            Map.entry(Period.class, (value, zone) -> period(value)));

    private FromCql() {}

    /** @param value not null */
    static <T> T convert(Object value, Class<T> target, ZoneId zone) throws Unfit {
        Conversion conversion = CONVERSIONS.get(target);
        if (conversion != null) {
            return target.cast(conversion.convert(value, zone));
        }
        if (target.isInstance(value)) {
            return target.cast(value);
        }
        throw Unfit.type(value, target.getName());
    }

    /** What getObject gives without a type: what a SQL Server application expects of the like column. */
    static Object natural(Object value) throws Unfit {
        if (value instanceof Byte small) {
            return small.shortValue();
        }
        if (value instanceof Instant) {
            return Temporals.timestamp(value, ZoneId.systemDefault());
        }
        if (value instanceof LocalDate) {
            return Temporals.date(value, ZoneId.systemDefault());
        }
        if (value instanceof ByteBuffer) {
            return bytes(value);
        }
        return value;
    }

    private static String text(Object value) throws Unfit {
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof Instant) {
            return Temporals.timestamp(value, ZoneId.systemDefault()).toString();
        }
        if (value instanceof InetAddress address) {
            return address.getHostAddress();
        }
        if (value instanceof ByteBuffer) {
            return HexFormat.of().withUpperCase().formatHex(bytes(value));
        }
        return value.toString();
    }

    /** Unlike a write, a read may ask for a part: the column keeps the whole. */
    private static LocalDate localDate(Object value, ZoneId zone) throws Unfit {
        return value instanceof Instant instant
                ? LocalDate.ofInstant(instant, zone)
                : Temporals.localDate(value, zone, "LocalDate");
    }

    private static LocalTime localTime(Object value, ZoneId zone) throws Unfit {
        return value instanceof Instant instant
                ? LocalTime.ofInstant(instant, zone)
                : Temporals.localTime(value, zone, "LocalTime");
    }

    private static byte[] bytes(Object value) throws Unfit {
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes;
        }
        throw Unfit.type(value, "byte[]");
    }

    private static Duration duration(Object value) throws Unfit {
        if (value instanceof CqlDuration duration && duration.getMonths() == 0 && duration.getDays() == 0) {
            return Duration.ofNanos(duration.getNanoseconds());
        }
        throw Unfit.type(value, "Duration, which has no days or months");
    }

    private static Period period(Object value) throws Unfit {
        if (value instanceof CqlDuration duration && duration.getNanoseconds() == 0) {
            return Period.of(0, duration.getMonths(), duration.getDays());
        }
        throw Unfit.type(value, "Period, which has no time of day");
    }
}
