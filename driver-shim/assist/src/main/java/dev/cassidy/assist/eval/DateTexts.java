package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.SessionLanguage;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads dates of strings in the formats that SQL Server takes, in the order of the session, with English names. */
final class DateTexts {

    /** The day of a time without a date. */
    static final LocalDateTime DAY_ZERO = LocalDateTime.of(1900, 1, 1, 0, 0);

    private static final Pattern TIME = Pattern.compile(
            "([0-9]{1,2}+)(?::([0-9]{1,2}+)(?::([0-9]{1,2}+)(?:[.:]([0-9]{1,9}+))?+)?+)?+\\s*+([aApP][mM])?+");
    private static final Pattern PARTS = Pattern.compile("([0-9]{1,4}+)([-/.])([0-9]{1,2}+)\\2([0-9]{1,4}+)");
    private static final Pattern OFFSET = Pattern.compile("[+-][0-9]{2}:[0-9]{2}");
    private static final int OFFSET_LENGTH = 6;
    private static final Pattern DIGITS = Pattern.compile("[0-9]{8}+|[0-9]{6}+");
    private static final Pattern NAMED = Pattern.compile("([A-Za-z]{3,9}+)\\s++([0-9]{1,2}+),?+\\s++([0-9]{4}+)");
    private static final Pattern NAMED_AFTER = Pattern.compile("([0-9]{1,2}+)[\\s-]([A-Za-z]{3,9}+)[\\s-]([0-9]{4}+)");

    private static final List<String> MONTHS = List.of(
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december");

    /** Years of two digits up to this one are of the 21st century: SQL Server's "two digit year cutoff". */
    private static final int CUTOFF = 49;

    private DateTexts() {}

    /** A time of a string, and the offset after it. */
    record Offset(String time, ZoneOffset offset) {}

    /** Returns a string with an offset, {@code Z} or {@code +hh:mm}, in its parts; null if it has none. */
    static @Nullable Offset offset(String text) {
        String bare = text.strip();
        int length = bare.length();
        int begin = bare.endsWith("Z") || bare.endsWith("z") ? length - 1 : length - OFFSET_LENGTH;
        // There is no offset without a time.
        if (begin < 1 || bare.lastIndexOf(':', begin - 1) < 0) {
            return null;
        }
        String time = bare.substring(0, begin).strip();
        String written = bare.substring(begin);
        if (written.length() == 1) {
            return new Offset(time, ZoneOffset.UTC);
        }
        try {
            return OFFSET.matcher(written).matches() ? new Offset(time, ZoneOffset.of(written)) : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** @param attempt whether to return null for what is no date */
    static @Nullable LocalDateTime read(String text, String type, int style, boolean attempt) {
        LocalDateTime value = null;
        try {
            value = parse(text.strip(), type, style);
        } catch (DateTimeException e) {
            if (!attempt) {
                // A date of the right form that does not exist.
                throw new EvaluationException(
                        type.equals("DATE") || type.equals("DATETIME2") || type.equals("TIME") ? 241 : 242,
                        "22007",
                        "The conversion of the string '" + text + "' to " + type.toLowerCase(Locale.ROOT)
                                + " resulted in an out-of-range value");
            }
        }
        if (value == null && !attempt) {
            throw EvaluationException.date();
        }
        if (value != null && value.getYear() < 1753 && type.equals("DATETIME")) {
            if (!attempt) {
                throw new EvaluationException(
                        242, "22007", "The conversion to datetime resulted in an out-of-range value");
            }
            return null;
        }
        return value;
    }

    private static @Nullable LocalDateTime parse(String text, String type, int style) {
        if (text.isEmpty()) {
            return DAY_ZERO;
        }
        if (text.length() > 60) {
            return null;
        }
        int split = timeBegins(text);
        String day = split < 0 ? text : text.substring(0, split).strip();
        String clock = split < 0 ? "" : text.substring(split).strip();
        if (clock.startsWith("T")) {
            clock = clock.substring(1);
        }
        LocalTime time = clock.isEmpty() ? LocalTime.MIDNIGHT : time(clock);
        LocalDate date = day.isEmpty() ? DAY_ZERO.toLocalDate() : date(day, type, style);
        return time == null || date == null ? null : date.atTime(time);
    }

    /** Returns where the time begins: at the word with a colon, at T, or at the word before AM; -1 if there is none. */
    private static int timeBegins(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            Matcher hour =
                    Pattern.compile("(?:^|\\s)[0-9]{1,2}+\\s*+[aApP][mM]$").matcher(text);
            return hour.find() ? hour.start() : -1;
        }
        int begin = colon;
        while (begin > 0 && text.charAt(begin - 1) >= '0' && text.charAt(begin - 1) <= '9') {
            begin--;
        }
        return begin > 0 && text.charAt(begin - 1) == 'T' ? begin - 1 : begin;
    }

    private static @Nullable LocalTime time(String text) {
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        String half = matcher.group(5);
        if (half == null && matcher.group(2) == null) {
            return null;
        }
        int hour = Integer.parseInt(matcher.group(1));
        if (half != null) {
            if (hour > 12 || (hour == 0 && half.equalsIgnoreCase("PM"))) {
                throw new DateTimeException("hour");
            }
            hour = hour % 12 + (half.equalsIgnoreCase("PM") ? 12 : 0);
        }
        String fraction = matcher.group(4) == null ? "" : matcher.group(4);
        if (fraction.length() > 7) {
            return null;
        }
        boolean colon = !fraction.isEmpty() && text.charAt(matcher.start(4) - 1) == ':';
        // After a colon they are thousandths.
        String digits = colon ? "0".repeat(Math.max(0, 3 - fraction.length())) + fraction : fraction;
        return LocalTime.of(
                hour,
                matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2)),
                matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3)),
                Integer.parseInt((digits + "000000000").substring(0, 9)));
    }

    private static @Nullable LocalDate date(String text, String type, int style) {
        if (DIGITS.matcher(text).matches()) {
            int tail = text.length() - 4;
            return LocalDate.of(
                    year(text.substring(0, tail)),
                    Integer.parseInt(text.substring(tail, tail + 2)),
                    Integer.parseInt(text.substring(tail + 2)));
        }
        Matcher parts = PARTS.matcher(text);
        if (parts.matches()) {
            return parts(parts, type, style);
        }
        Matcher named = NAMED.matcher(text);
        if (named.matches()) {
            return named(named.group(1), named.group(2), named.group(3));
        }
        Matcher after = NAMED_AFTER.matcher(text);
        return after.matches() ? named(after.group(2), after.group(1), after.group(3)) : null;
    }

    private static @Nullable LocalDate parts(Matcher parts, String type, int style) {
        String first = parts.group(1);
        String last = parts.group(4);
        int middle = Integer.parseInt(parts.group(3));
        if (first.length() == 4) {
            return last.length() > 2 ? null : LocalDate.of(year(first), middle, Integer.parseInt(last));
        }
        if (first.length() > 2 || (last.length() != 4 && last.length() != 2)) {
            return null;
        }
        int one = Integer.parseInt(first);
        return switch (style) {
            case 0, 100 -> ordered(parts, type);
            case 1, 101, 10, 110 -> LocalDate.of(year(last), one, middle);
            case 3, 103, 4, 104, 5, 105 -> LocalDate.of(year(last), middle, one);
            case 2, 102, 11, 111 ->
                last.length() == 2 ? LocalDate.of(year(first), middle, Integer.parseInt(last)) : null;
            default ->
                throw new NotEvaluatedException(
                        "A date of a string with the style " + style + " for " + type,
                        "it is not known here",
                        "Write the date as yyyy-mm-dd");
        };
    }

    /** A string without a style: the session decides. */
    private static @Nullable LocalDate ordered(Matcher parts, String type) {
        SessionLanguage.Order order = Running.current().language().order();
        if (order == null) {
            // The direct path refuses it in the same words.
            String example = type.equals("DATE")
                    ? "a string such as 2024-01-31 or 20240131"
                    : "a string such as 2024-01-31 12:00:00, 2024-01-31T12:00:00Z or 20240131";
            throw new EvaluationException(
                    241,
                    "22007",
                    "is not " + type.toLowerCase(Locale.ROOT)
                            + " (in SQL Server its order depends on the language of the session: write " + example
                            + ", or connect with dateFormat=mdy or dmy): " + parts.group());
        }
        int one = Integer.parseInt(parts.group(1));
        int middle = Integer.parseInt(parts.group(3));
        String last = parts.group(4);
        return switch (order) {
            case MDY -> LocalDate.of(year(last), one, middle);
            case DMY -> LocalDate.of(year(last), middle, one);
            case YMD -> LocalDate.of(year(parts.group(1)), middle, Integer.parseInt(last));
        };
    }

    private static @Nullable LocalDate named(String month, String day, String year) {
        Running.current().requireEnglish("A date of a string with the name of a month");
        String word = month.toLowerCase(Locale.ROOT);
        for (int i = 0; i < MONTHS.size(); i++) {
            if (MONTHS.get(i).equals(word) || MONTHS.get(i).substring(0, 3).equals(word)) {
                return LocalDate.of(Integer.parseInt(year), i + 1, Integer.parseInt(day));
            }
        }
        return null;
    }

    private static int year(String digits) {
        int year = Integer.parseInt(digits);
        if (digits.length() > 2) {
            if (year < 1) {
                throw new DateTimeException("year");
            }
            return year;
        }
        return year <= CUTOFF ? 2000 + year : 1900 + year;
    }
}
