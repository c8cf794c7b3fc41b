package dev.cassidy.jdbc.value;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A date, a time or both, read from a text: {@code 20240131}, {@code 2024-1-31}, {@code 2024-01-31T09:05:00.5}, {@code
 * 2024-01-31 9:05 PM}, {@code 09:05}; with an offset ({@code Z}, {@code +0100}, {@code +01:00}) or without. A year of
 * four digits that comes first is followed by month and day, whatever the language of the session would be in SQL Server.
 * Every text has one meaning, or is refused: Cassandra's own reading takes 30 February for 1 March, and 24:00 for the
 * next day.
 *
 * @param date null for a time alone
 * @param time null for a date alone
 * @param offset null if the text has none
 */
record DateTimeText(
        @Nullable LocalDate date,
        @Nullable LocalTime time,
        @Nullable ZoneOffset offset) {

    /** SQL Server's errors: a text in no known form, and one that no calendar or clock knows. */
    private static final int NO_FORM = 241;

    private static final int OUT_OF_RANGE = 242;

    /** SQL Server reads years of two digits up to this one as of this century. */
    private static final int LAST_OF_TWO_DIGITS = 49;

    private static final int LONGEST = 64;

    private static final String TIME =
            "(?<h>[0-9]{1,2}):(?<m>[0-9]{1,2})(:(?<s>[0-9]{1,2})([.](?<f>[0-9]{1,9}))?)?" + "( ?(?<half>[AP])M)?";
    private static final String OFFSET = " ?(?<zone>Z|UTC|GMT|[-+][0-9]{1,2}(:?[0-9]{2}(:[0-9]{2})?)?)";
    private static final Pattern CLOCK = Pattern.compile(TIME);
    private static final Pattern UNDASHED =
            Pattern.compile("(?<y>[0-9]{4})(?<mo>[0-9]{2})(?<d>[0-9]{2})" + "([T ]" + TIME + "(" + OFFSET + ")?)?");
    private static final Pattern YEAR_FIRST =
            Pattern.compile("(?<y>[0-9]{4}|[-+][0-9]{4,9})(?<sep>[-/.])(?<mo>[0-9]{1,2})\\k<sep>(?<d>[0-9]{1,2})"
                    + "((T| +)" + TIME + "(" + OFFSET + ")?|(?<dayzone>Z|[-+][0-9]{2}:?[0-9]{2}))?");
    private static final Pattern ORDERED = Pattern.compile(
            "(?<a>[0-9]{1,4})(?<sep>[-/.])(?<b>[0-9]{1,2})\\k<sep>(?<c>[0-9]{1,4})" + "( +" + TIME + ")?");

    /**
     * Reads a text.
     *
     * @param type of the value, for messages
     * @param example of a text that is read
     */
    static DateTimeText read(String text, DateOrder order, String type, String example) throws ConversionException {
        String stripped = text.strip();
        if (stripped.length() > LONGEST) {
            throw noForm(text, type, example);
        }
        String upper = stripped.toUpperCase(Locale.ROOT);
        Matcher clock = CLOCK.matcher(upper);
        if (clock.matches()) {
            return new DateTimeText(null, time(clock, text, type, example), null);
        }
        Matcher undashed = UNDASHED.matcher(upper);
        if (undashed.matches()) {
            return dated(undashed, text, type, example, offset(undashed.group("zone"), text, type, example));
        }
        Matcher yearFirst = YEAR_FIRST.matcher(upper);
        if (yearFirst.matches()) {
            String dayZone = yearFirst.group("dayzone");
            String zone = dayZone == null ? yearFirst.group("zone") : dayZone;
            return dated(yearFirst, text, type, example, offset(zone, text, type, example));
        }
        Matcher ordered = ORDERED.matcher(upper);
        if (ordered.matches()) {
            return ordered(ordered, order, text, type, example);
        }
        throw noForm(text, type, example);
    }

    private static DateTimeText dated(
            Matcher matcher, String text, String type, String example, @Nullable ZoneOffset offset)
            throws ConversionException {
        LocalDate date = date(number(matcher, "y"), number(matcher, "mo"), number(matcher, "d"), text, type, example);
        return new DateTimeText(date, time(matcher, text, type, example), offset);
    }

    private static DateTimeText ordered(Matcher matcher, DateOrder order, String text, String type, String example)
            throws ConversionException {
        if (order == DateOrder.NONE) {
            throw ConversionException.datetime(
                    text,
                    type,
                    "in SQL Server its order depends on the language of the session: write " + example
                            + ", or connect with dateFormat=mdy or dmy",
                    NO_FORM);
        }
        String year = matcher.group(order == DateOrder.YMD ? "a" : "c");
        int month = number(matcher, order == DateOrder.MDY ? "a" : "b");
        int day = number(matcher, order == DateOrder.DMY ? "a" : order == DateOrder.MDY ? "b" : "c");
        if (year.length() != 4 && year.length() != 2) {
            throw ConversionException.datetime(
                    text, type, "with dateFormat=" + order.name().toLowerCase(Locale.ROOT), NO_FORM);
        }
        int written = Integer.parseInt(year);
        int full = year.length() == 4 ? written : written + (written > LAST_OF_TWO_DIGITS ? 1900 : 2000);
        return new DateTimeText(date(full, month, day, text, type, example), time(matcher, text, type, example), null);
    }

    private static LocalDate date(int year, int month, int day, String text, String type, String example)
            throws ConversionException {
        try {
            return LocalDate.of(year, month, day);
        } catch (DateTimeException e) {
            throw ConversionException.datetime(text, type, "no calendar has this day; write " + example, OUT_OF_RANGE);
        }
    }

    private static @Nullable LocalTime time(Matcher matcher, String text, String type, String example)
            throws ConversionException {
        if (matcher.group("h") == null) {
            return null;
        }
        int hour = number(matcher, "h");
        String half = matcher.group("half");
        if (half != null) {
            if (hour < 1 || hour > 12) {
                throw noForm(text, type, example);
            }
            hour = hour % 12 + (half.equals("P") ? 12 : 0);
        }
        String fraction = matcher.group("f");
        try {
            return LocalTime.of(
                    hour,
                    number(matcher, "m"),
                    matcher.group("s") == null ? 0 : number(matcher, "s"),
                    fraction == null ? 0 : Integer.parseInt((fraction + "00000000").substring(0, 9)));
        } catch (DateTimeException e) {
            throw ConversionException.datetime(text, type, "no clock has this time; write " + example, OUT_OF_RANGE);
        }
    }

    private static @Nullable ZoneOffset offset(@Nullable String zone, String text, String type, String example)
            throws ConversionException {
        if (zone == null) {
            return null;
        }
        if (Character.isLetter(zone.charAt(0))) {
            return ZoneOffset.UTC;
        }
        String digits = zone.substring(1).replace(":", "");
        // h, hh, hmm, hhmm or hhmmss; the last is of a time before clocks had zones.
        String padded = (digits.length() % 2 == 0 ? digits : "0" + digits) + "0000";
        int sign = zone.charAt(0) == '-' ? -1 : 1;
        try {
            return ZoneOffset.ofHoursMinutesSeconds(
                    sign * Integer.parseInt(padded.substring(0, 2)),
                    sign * Integer.parseInt(padded.substring(2, 4)),
                    sign * Integer.parseInt(padded.substring(4, 6)));
        } catch (DateTimeException e) {
            throw noForm(text, type, example);
        }
    }

    private static int number(Matcher matcher, String group) {
        return Integer.parseInt(matcher.group(group));
    }

    private static ConversionException noForm(String text, String type, String example) {
        return ConversionException.datetime(text, type, example, NO_FORM);
    }
}
