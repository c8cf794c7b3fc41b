package dev.cassidy.jdbc.value;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneRules;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Year to fraction of the java.sql values, as they show them in a zone. Such a value is a number of milliseconds, but it
 * stands for its fields. java.util and java.time read fields from the same milliseconds in different ways: until about
 * 1900 their offsets differ in many zones, and before 1582-10-15 java.util counts by the Julian calendar. So the
 * milliseconds may not be passed from one to the other.
 */
final class ShownFields {

    /** The first local time at which java.util counts by the Gregorian calendar. */
    private static final LocalDateTime GREGORIAN = LocalDateTime.of(1582, 10, 15, 0, 0);

    private static final long GREGORIAN_MILLIS =
            GREGORIAN.toInstant(ZoneOffset.UTC).toEpochMilli();

    private static final int MILLI = 1_000_000;
    private static final int SECOND = 1_000;
    private static final long DAY = 86_400_000;

    private ShownFields() {}

    /**
     * Returns the fields that java.util shows of a moment.
     *
     * @param nanos of the second
     */
    static LocalDateTime of(long millis, int nanos, ZoneId zone, String type) throws ConversionException {
        long local;
        try {
            local = Math.addExact(millis, offset(millis, zone));
        } catch (ArithmeticException e) {
            throw ConversionException.outOfRange(millis + " ms", type, "64-bit milliseconds since 1970");
        }
        if (local >= GREGORIAN_MILLIS) {
            return LocalDateTime.ofEpochSecond(Math.floorDiv(local, SECOND), nanos, ZoneOffset.UTC);
        }
        Calendar calendar = calendar();
        calendar.setTimeInMillis(local);
        int year = calendar.get(Calendar.YEAR);
        int month = calendar.get(Calendar.MONTH) + 1;
        int day = calendar.get(Calendar.DAY_OF_MONTH);
        boolean beforeChrist = calendar.get(Calendar.ERA) == GregorianCalendar.BC;
        try {
            return LocalDateTime.of(
                    beforeChrist ? 1 - year : year,
                    month,
                    day,
                    calendar.get(Calendar.HOUR_OF_DAY),
                    calendar.get(Calendar.MINUTE),
                    calendar.get(Calendar.SECOND),
                    nanos);
        } catch (DateTimeException e) {
            throw ConversionException.datetime(
                    year + "-" + month + "-" + day,
                    type,
                    "only the Julian calendar has this day; give a java.time.LocalDate or LocalDateTime");
        }
    }

    /**
     * Returns the moment of which java.util shows these fields, in milliseconds; null if there is none, because its
     * clocks skip them.
     *
     * @param likely a moment that is returned if it is one; it decides where clocks show the same fields twice
     */
    static @Nullable Long millis(LocalDateTime fields, ZoneId zone, long likely, String type)
            throws ConversionException {
        LocalDateTime local = fields.truncatedTo(ChronoUnit.MILLIS);
        if (shows(likely, local, zone, type)) {
            return likely;
        }
        long asUtc = millisInUtc(local);
        // A change of clocks lies between the day before and the day after; two within two days there have never been.
        for (long near : new long[] {asUtc - DAY, asUtc + DAY}) {
            long millis = asUtc - offset(near, zone);
            if (shows(millis, local, zone, type)) {
                return millis;
            }
        }
        return null;
    }

    private static boolean shows(long millis, LocalDateTime local, ZoneId zone, String type)
            throws ConversionException {
        return of(millis, (int) Math.floorMod(millis, (long) SECOND) * MILLI, zone, type)
                .equals(local);
    }

    private static long millisInUtc(LocalDateTime local) {
        if (!local.isBefore(GREGORIAN)) {
            return local.toInstant(ZoneOffset.UTC).toEpochMilli();
        }
        Calendar calendar = calendar();
        int year = local.getYear();
        calendar.clear();
        calendar.set(Calendar.ERA, year > 0 ? GregorianCalendar.AD : GregorianCalendar.BC);
        LocalTime time = local.toLocalTime();
        calendar.set(
                year > 0 ? year : 1 - year,
                local.getMonthValue() - 1,
                local.getDayOfMonth(),
                time.getHour(),
                time.getMinute(),
                time.getSecond());
        return calendar.getTimeInMillis() + time.getNano() / MILLI;
    }

    private static Calendar calendar() {
        return new GregorianCalendar(TimeZone.getTimeZone("UTC"), Locale.ROOT);
    }

    /** Returns java.util's offset from UTC, in milliseconds. */
    private static long offset(long millis, ZoneId zone) {
        ZoneRules rules = zone.getRules();
        if (rules.isFixedOffset()) {
            // java.util does not know every name of such a zone, and would take another one for it.
            return rules.getOffset(Instant.EPOCH).getTotalSeconds() * (long) SECOND;
        }
        TimeZone timeZone = zone.equals(ZoneId.systemDefault()) ? TimeZone.getDefault() : TimeZone.getTimeZone(zone);
        return timeZone.getOffset(millis);
    }
}
