package dev.cassidy.jdbc.value;

import dev.cassidy.definition.SqlType;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.Temporal;
import java.util.Calendar;
import java.util.Locale;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Dates and times between Java and CQL. CQL's {@code timestamp} is an instant. A value without its own zone
 * (LocalDateTime, the text '2024-01-31 12:00:00') is taken in {@code zone}, both ways: the zone of the Calendar that
 * was given, otherwise the JVM's, as {@link Timestamp} does. So a LocalDateTime and a Timestamp of it are the same
 * value. A java.sql.Date, Time or Timestamp stands for the fields that it shows in the zone ({@link ShownFields}); what
 * is stored is the moment at which java.time's clocks show them there.
 */
@SuppressWarnings("JavaUtilDate") // JDBC uses java.util.Date.
public final class Temporals {

    /** As a Timestamp shows itself. Not by one: it would be moved where clocks of the JVM's zone, not of this, skip it. */
    private static final DateTimeFormatter SHOWN = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendPattern(" HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
            .toFormatter(Locale.ROOT);

    /** As SQL Server's DATETIME2 becomes a text; no digit is lost. */
    private static final DateTimeFormatter STORED = shownWith(7);

    private static final int NANOS_OF_MILLI = 1_000_000;

    /** Which day SQL Server adds to a TIME. */
    private static final LocalDate DAY_OF_READ_TIMES = LocalDate.of(1900, 1, 1);

    private Temporals() {}

    private static DateTimeFormatter shownWith(int digits) {
        return new DateTimeFormatterBuilder()
                .append(DateTimeFormatter.ISO_LOCAL_DATE)
                .appendLiteral(' ')
                .append(timeWith(digits))
                .toFormatter(Locale.ROOT);
    }

    /** @param digits of a second, at least */
    private static DateTimeFormatter timeWith(int digits) {
        return new DateTimeFormatterBuilder()
                .appendPattern("HH:mm:ss")
                .appendFraction(ChronoField.NANO_OF_SECOND, digits, 9, true)
                .toFormatter(Locale.ROOT);
    }

    /**
     * Returns the zone of values that have none.
     *
     * @param calendar null for the JVM's zone
     */
    public static ZoneId zone(@Nullable Calendar calendar) {
        return calendar == null ? ZoneId.systemDefault() : zone(calendar.getTimeZone());
    }

    private static ZoneId zone(TimeZone timeZone) {
        try {
            return timeZone.toZoneId();
        } catch (DateTimeException e) {
            // A name of the application's own. Without summer time, it is its offset.
            if (!timeZone.useDaylightTime()) {
                return ZoneOffset.ofTotalSeconds(timeZone.getRawOffset() / 1_000);
            }
            throw e;
        }
    }

    static Instant instant(Object value, ZoneId zone, String type) throws ConversionException {
        if (value instanceof Instant instant) {
            return instant;
        }
        if (value instanceof Time) {
            throw ConversionException.type(value, type);
        }
        if (value instanceof java.util.Date date) {
            return moment(date, zone, type);
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

    /** The moment at which the clocks of java.time show what {@code date} shows. */
    private static Instant moment(java.util.Date date, ZoneId zone, String type) throws ConversionException {
        LocalDateTime fields = fields(date, zone, type);
        if (date instanceof Date) {
            // Where clocks skip midnight the day begins later; it is the same day.
            return fields.atZone(zone).toInstant();
        }
        Instant own =
                date instanceof Timestamp timestamp ? timestamp.toInstant() : Instant.ofEpochMilli(date.getTime());
        // Of the two moments at which clocks show the same in autumn, the given one.
        return LocalDateTime.ofInstant(own, zone).equals(fields) ? own : inZone(fields, zone, type);
    }

    /** The fields that a value of java.util shows; a java.sql.Date at midnight, whatever its milliseconds say. */
    private static LocalDateTime fields(java.util.Date date, ZoneId zone, String type) throws ConversionException {
        long millis = date.getTime();
        int nanos = date instanceof Timestamp timestamp
                ? timestamp.getNanos()
                : (int) Math.floorMod(millis, 1_000L) * NANOS_OF_MILLI;
        LocalDateTime fields = ShownFields.of(millis, nanos, zone, type);
        return date instanceof Date ? fields.truncatedTo(ChronoUnit.DAYS) : fields;
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
        String example = "a string such as 2024-01-31 12:00:00, 2024-01-31T12:00:00Z or 20240131";
        DateTimeText read = DateTimeText.read(text, order, type, example);
        if (read.date() == null) {
            throw ConversionException.datetime(text, type, "it has no date: " + example);
        }
        LocalDateTime local = LocalDateTime.of(read.date(), read.time() == null ? LocalTime.MIDNIGHT : read.time());
        return read.offset() == null ? inZone(local, zone, type) : local.toInstant(read.offset());
    }

    /** Reads a text that has a date, and no time of day but midnight. */
    static LocalDate localDate(String text, DateOrder order, String type) throws ConversionException {
        String example = "a string such as 2024-01-31 or 20240131";
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
        String example = "a string such as 12:34:56";
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
        if (value instanceof java.util.Date date && !(value instanceof Time)) {
            return fields(date, zone, type);
        }
        return LocalDateTime.ofInstant(instant(value, zone, type), zone);
    }

    static LocalDate localDate(Object value, ZoneId zone, String type) throws ConversionException {
        if (value instanceof LocalDate date) {
            return date;
        }
        if (value instanceof Date date) {
            return fields(date, zone, type).toLocalDate();
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

    /** Returns a time of day on the day that SQL Server's driver gives it when it is written; everything else as it is. */
    static Object dated(Object value, ZoneId zone, String type) throws ConversionException {
        if (value instanceof OffsetTime time) {
            return time.atDate(LocalDate.EPOCH);
        }
        return value instanceof Time || value instanceof LocalTime
                ? localTime(value, zone, type).atDate(LocalDate.EPOCH)
                : value;
    }

    /** As {@link #dated}, of a time that is read. */
    static Object datedForReads(Object value) {
        return value instanceof LocalTime time ? time.atDate(DAY_OF_READ_TIMES) : value;
    }

    /** Returns whether a day says nothing, as it is one that a time of day gets. */
    static boolean isDayOfTimes(LocalDate day) {
        return day.equals(LocalDate.EPOCH) || day.equals(DAY_OF_READ_TIMES);
    }

    static LocalTime localTime(Object value, ZoneId zone, String type) throws ConversionException {
        if (value instanceof LocalTime time) {
            return time;
        }
        if (value instanceof Time time) {
            // Not toLocalTime(), which drops the milliseconds.
            return fields(time, zone, type).toLocalTime();
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

    /** Returns a text that has both a date and a time of day as a moment; everything else as it is. */
    static Object momentInText(Object value, String type) throws ConversionException {
        if (!(value instanceof CharSequence text)) {
            return value;
        }
        DateTimeText read = DateTimeText.read(text.toString(), DateOrder.NONE, type, "a string such as 2024-01-31");
        if (read.date() == null || read.time() == null) {
            return value;
        }
        LocalDateTime local = LocalDateTime.of(read.date(), read.time());
        return read.offset() == null ? local : local.toInstant(read.offset());
    }

    /** As {@link DateTimeText} reads it; a value without its own offset is in {@code zone}. */
    static String text(Object value, ZoneId zone) throws ConversionException {
        if (value instanceof Time time) {
            return localTime(time, zone, "text").toString();
        }
        if (value instanceof Date date) {
            return localDate(date, zone, "text").toString();
        }
        if (value instanceof OffsetDateTime offset) {
            return STORED.format(offset) + offsetText(offset.getOffset());
        }
        if (value instanceof ZonedDateTime zoned) {
            return text(zoned.toOffsetDateTime(), zone);
        }
        if (value instanceof java.util.Date || value instanceof Calendar || value instanceof LocalDateTime) {
            return STORED.format(localDateTime(value, zone, "text"));
        }
        return value.toString();
    }

    private static String offsetText(ZoneOffset offset) {
        return " " + (offset.getTotalSeconds() == 0 ? "+00:00" : offset.getId());
    }

    /**
     * As SQL Server's driver shows it.
     *
     * @param declared as which T-SQL has declared the column; null if it has not
     */
    static String shown(Instant instant, @Nullable SqlType declared, ZoneId zone) {
        if (declared != null && declared.name() == SqlType.Name.DATETIMEOFFSET) {
            // Of an offset nothing is stored.
            return shownWith(declared.scale()).format(instant.atOffset(ZoneOffset.UTC)) + offsetText(ZoneOffset.UTC);
        }
        return shown(LocalDateTime.ofInstant(instant, zone), declared);
    }

    /** As {@link #shown(Instant, SqlType, ZoneId)}. */
    static String shown(LocalDateTime time, @Nullable SqlType declared) {
        // As a Timestamp shows itself.
        return declared != null && declared.name() == SqlType.Name.DATETIME2
                ? shownWith(declared.scale()).format(time)
                : SHOWN.format(time);
    }

    /** As {@link #shown(Instant, SqlType, ZoneId)}. */
    static String shown(LocalTime time, @Nullable SqlType declared) {
        return declared == null ? time.toString() : timeWith(declared.scale()).format(time);
    }

    static Timestamp timestamp(Object value, ZoneId zone) throws ConversionException {
        if (value instanceof LocalDateTime local
                && zone.getRules().getValidOffsets(local).isEmpty()) {
            throw ConversionException.outOfRange(
                    value,
                    "java.sql.Timestamp",
                    "clocks in " + zone + " skip it; read it as a java.time.LocalDateTime");
        }
        Instant instant = instant(value, zone, "java.sql.Timestamp");
        Timestamp timestamp;
        try {
            timestamp = Timestamp.from(instant);
        } catch (IllegalArgumentException e) {
            throw ConversionException.outOfRange(value, "java.sql.Timestamp", "read it as a java.time.Instant");
        }
        LocalDateTime fields = LocalDateTime.ofInstant(instant, zone);
        long millis = shown(
                ShownFields.millis(fields, zone, timestamp.getTime(), "java.sql.Timestamp"),
                fields,
                zone,
                "java.sql.Timestamp",
                "Instant");
        if (millis != timestamp.getTime()) {
            int nanos = timestamp.getNanos();
            timestamp = new Timestamp(millis);
            timestamp.setNanos(nanos);
        }
        return timestamp;
    }

    private static long shown(@Nullable Long millis, Temporal fields, ZoneId zone, String type, String other)
            throws ConversionException {
        if (millis == null) {
            throw ConversionException.outOfRange(
                    fields, type, "java.util's calendar of " + zone + " skips it; read it as a java.time." + other);
        }
        return millis;
    }

    static Date date(Object value, ZoneId zone) throws ConversionException {
        // JDBC defines getDate on a timestamp: the day on which it lies.
        LocalDate local = value instanceof Instant instant
                ? LocalDate.ofInstant(instant, zone)
                : localDate(value, zone, "java.sql.Date");
        long likely;
        try {
            // In the JVM's zone as java.util makes the same date, which it shall equal also where midnight comes twice.
            likely = zone.equals(ZoneId.systemDefault())
                    ? Date.valueOf(local).getTime()
                    : local.atStartOfDay(zone).toInstant().toEpochMilli();
        } catch (ArithmeticException e) {
            throw ConversionException.outOfRange(value, "java.sql.Date", "read it as a java.time.LocalDate");
        }
        Long midnight = ShownFields.millis(local.atStartOfDay(), zone, likely, "java.sql.Date");
        if (midnight == null
                && ShownFields.of(likely, 0, zone, "java.sql.Date")
                        .toLocalDate()
                        .equals(local)) {
            // The clocks skip midnight, and show the day from its first moment on.
            midnight = likely;
        }
        return new Date(shown(midnight, local, zone, "java.sql.Date", "LocalDate"));
    }

    /** Of a time to the millisecond, which is all that it holds; {@link #isCut} says whether that loses something. */
    static Time time(Object value, ZoneId zone) throws ConversionException {
        LocalTime local = value instanceof Instant instant
                ? LocalTime.ofInstant(instant, zone)
                : localTime(value, zone, "java.sql.Time");
        if (!(value instanceof LocalTime) && isCut(local)) {
            throw ConversionException.datetimeLoss(
                    value, "java.sql.Time", "it holds milliseconds; read it as a java.time.LocalTime");
        }
        LocalDateTime fields = local.atDate(LocalDate.EPOCH);
        long likely = fields.atZone(zone).toInstant().toEpochMilli();
        Long millis = ShownFields.millis(fields, zone, likely, "java.sql.Time");
        return new Time(shown(millis, local, zone, "java.sql.Time", "LocalTime"));
    }

    /** Returns whether a java.sql.Time of this time lacks a part of it. */
    static boolean isCut(LocalTime time) {
        return !time.truncatedTo(ChronoUnit.MILLIS).equals(time);
    }
}
