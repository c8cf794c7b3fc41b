package dev.cassidy.jdbc.value;

import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.Temporal;
import java.util.Calendar;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Dates and times between Java and CQL. CQL's {@code timestamp} is an instant. A value without its own zone
 * (LocalDateTime, the text '2024-01-31 12:00:00') is taken in {@code zone}, both ways: the zone of the Calendar that
 * was given, otherwise the JVM's, as {@link Timestamp} does. So a LocalDateTime and a Timestamp of it are the same
 * value.
 */
@SuppressWarnings("JavaUtilDate") // JDBC uses java.util.Date.
public final class Temporals {

    /** As a Timestamp shows itself. Not by one: it would be moved where clocks of the JVM's zone, not of this, skip it. */
    private static final DateTimeFormatter SHOWN = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendPattern(" HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
            .toFormatter(Locale.ROOT);

    private Temporals() {}

    public static ZoneId zone(@Nullable Calendar calendar) {
        return calendar == null
                ? ZoneId.systemDefault()
                : calendar.getTimeZone().toZoneId();
    }

    static Instant instant(Object value, ZoneId zone, String type) throws ConversionException {
        if (value instanceof Instant instant) {
            return instant;
        }
        if (value instanceof Time) {
            throw ConversionException.type(value, type);
        }
        if (value instanceof java.util.Date date) {
            // Not date.toInstant(): java.sql.Date refuses it.
            return date instanceof Timestamp timestamp ? timestamp.toInstant() : Instant.ofEpochMilli(date.getTime());
        }
        if (value instanceof Calendar calendar) {
            return calendar.toInstant();
        }
        if (value instanceof OffsetDateTime offset) {
            return offset.toInstant();
        }
        if (value instanceof ZonedDateTime zoned) {
            return zoned.toInstant();
        }
        if (value instanceof LocalDateTime local) {
            return inZone(local, zone, type);
        }
        if (value instanceof LocalDate date) {
            return inZone(date.atStartOfDay(), zone, type);
        }
        if (value instanceof CharSequence text) {
            return instant(text.toString(), zone, DateOrder.NONE, type);
        }
        throw ConversionException.type(value, type);
    }

    private static Instant inZone(LocalDateTime local, ZoneId zone, String type) throws ConversionException {
        if (zone.getRules().getValidOffsets(local).isEmpty()) {
            throw ConversionException.datetime(
                    local, type, "clocks in " + zone + " skip it; give an OffsetDateTime or an Instant instead");
        }
        return local.atZone(zone).toInstant();
    }

    /** Reads a text; one without an offset is in {@code zone}. */
    static Instant instant(String text, ZoneId zone, DateOrder order, String type) throws ConversionException {
        String example = "text such as 2024-01-31 12:00:00, 2024-01-31T12:00:00Z or 20240131";
        DateTimeText read = DateTimeText.read(text, order, type, example);
        if (read.date() == null) {
            throw ConversionException.datetime(text, type, "it has no date: " + example);
        }
        LocalDateTime local = LocalDateTime.of(read.date(), read.time() == null ? LocalTime.MIDNIGHT : read.time());
        return read.offset() == null ? inZone(local, zone, type) : local.toInstant(read.offset());
    }

    /** Reads a text that has a date, and no time of day but midnight. */
    static LocalDate localDate(String text, DateOrder order, String type) throws ConversionException {
        String example = "text such as 2024-01-31 or 20240131";
        DateTimeText read = DateTimeText.read(text, order, type, example);
        if (read.date() == null) {
            throw ConversionException.datetime(text, type, "it has no date: " + example);
        }
        if (read.time() != null && !read.time().equals(LocalTime.MIDNIGHT)) {
            throw ConversionException.datetimeLoss(text, type, "it has a time of day; give its date alone");
        }
        return read.date();
    }

    /** Reads a text that is a time of day alone. */
    private static LocalTime localTime(String text, String type) throws ConversionException {
        String example = "text such as 12:34:56";
        DateTimeText read = DateTimeText.read(text, DateOrder.NONE, type, example);
        if (read.time() == null || read.date() != null) {
            throw ConversionException.datetime(text, type, example);
        }
        return read.time();
    }

    static LocalDateTime localDateTime(Object value, ZoneId zone, String type) throws ConversionException {
        if (value instanceof LocalDateTime local) {
            return local;
        }
        if (value instanceof OffsetDateTime offset) {
            return offset.toLocalDateTime();
        }
        if (value instanceof ZonedDateTime zoned) {
            return zoned.toLocalDateTime();
        }
        return LocalDateTime.ofInstant(instant(value, zone, type), zone);
    }

    static LocalDate localDate(Object value, ZoneId zone, String type) throws ConversionException {
        if (value instanceof LocalDate date) {
            return date;
        }
        if (value instanceof Date date) {
            // Its time of day is no part of a java.sql.Date, whatever its milliseconds say.
            return zone.equals(ZoneId.systemDefault())
                    ? date.toLocalDate()
                    : LocalDate.ofInstant(Instant.ofEpochMilli(date.getTime()), zone);
        }
        if (value instanceof CharSequence text) {
            return localDate(text.toString(), DateOrder.NONE, type);
        }
        LocalDateTime local = localDateTime(value, zone, type);
        if (!local.toLocalTime().equals(LocalTime.MIDNIGHT)) {
            throw ConversionException.datetimeLoss(value, type, "it has a time of day; give its date alone");
        }
        return local.toLocalDate();
    }

    /** Returns whether the value is a moment, of which a date is the day on which it lies. */
    static boolean isMoment(Object value) {
        return value instanceof LocalDateTime
                || value instanceof OffsetDateTime
                || value instanceof ZonedDateTime
                || value instanceof Instant
                || value instanceof Calendar
                || (value instanceof java.util.Date && !(value instanceof Date) && !(value instanceof Time));
    }

    /** Returns the day of a moment in {@code zone}; of everything else the value itself. */
    public static Object day(Object value, ZoneId zone) throws ConversionException {
        return isMoment(value) ? localDateTime(value, zone, "date").toLocalDate() : value;
    }

    static LocalTime localTime(Object value, ZoneId zone, String type) throws ConversionException {
        if (value instanceof LocalTime time) {
            return time;
        }
        if (value instanceof Time time) {
            // Not toLocalTime(), which drops the milliseconds.
            return LocalTime.ofInstant(Instant.ofEpochMilli(time.getTime()), zone);
        }
        if (value instanceof OffsetTime) {
            throw ConversionException.datetimeLoss(value, type, "it holds no offset; give a LocalTime");
        }
        if (value instanceof CharSequence text) {
            return localTime(text.toString(), type);
        }
        throw ConversionException.type(value, type);
    }

    static boolean isTemporal(Object value) {
        return value instanceof Temporal || value instanceof java.util.Date || value instanceof Calendar;
    }

    /** As {@link DateTimeText} reads it; a value without its own offset is in {@code zone}. */
    static String text(Object value, ZoneId zone) throws ConversionException {
        if (value instanceof Time time) {
            return localTime(time, zone, "text").toString();
        }
        if (value instanceof Date date) {
            return localDate(date, zone, "text").toString();
        }
        if (value instanceof ZonedDateTime zoned) {
            return zoned.toOffsetDateTime().toString();
        }
        if (value instanceof java.util.Date || value instanceof Calendar) {
            return SHOWN.format(localDateTime(value, zone, "text"));
        }
        return value.toString();
    }

    static Timestamp timestamp(Object value, ZoneId zone) throws ConversionException {
        try {
            return Timestamp.from(instant(value, zone, "Timestamp"));
        } catch (IllegalArgumentException e) {
            throw ConversionException.outOfRange(value, "java.sql.Timestamp", "read it as a java.time.Instant");
        }
    }

    static Date date(Object value, ZoneId zone) throws ConversionException {
        if (value instanceof Instant instant) {
            // JDBC defines getDate on a timestamp: the day on which it lies.
            return date(LocalDate.ofInstant(instant, zone), zone);
        }
        LocalDate local = localDate(value, zone, "java.sql.Date");
        Date date = zone.equals(ZoneId.systemDefault())
                ? Date.valueOf(local)
                : new Date(local.atStartOfDay(zone).toInstant().toEpochMilli());
        if (!localDate(date, zone, "java.sql.Date").equals(local)) {
            throw ConversionException.outOfRange(value, "java.sql.Date", "read it as a java.time.LocalDate");
        }
        return date;
    }

    static Time time(Object value, ZoneId zone) throws ConversionException {
        LocalTime local = value instanceof Instant instant
                ? LocalTime.ofInstant(instant, zone)
                : localTime(value, zone, "java.sql.Time");
        if (!local.truncatedTo(ChronoUnit.MILLIS).equals(local)) {
            throw ConversionException.datetimeLoss(
                    value, "java.sql.Time", "it holds milliseconds; read it as a java.time.LocalTime");
        }
        return new Time(local.atDate(LocalDate.EPOCH).atZone(zone).toInstant().toEpochMilli());
    }
}
