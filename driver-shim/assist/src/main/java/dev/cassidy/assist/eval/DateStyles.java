package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import java.time.LocalDateTime;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Set;

/** The styles by which CONVERT writes a date, by Microsoft's "Date and time styles". */
final class DateStyles {

    /** CONVERT without a style. */
    static final int NO_STYLE = -1;

    private static final Set<Integer> KNOWN = Set.of(
            0, 100, 1, 101, 2, 102, 3, 103, 4, 104, 5, 105, 8, 108, 10, 110, 11, 111, 12, 112, 20, 120, 21, 121, 23,
            126);

    private DateStyles() {}

    static void check(int style, SqlType type) {
        if (style != NO_STYLE && !KNOWN.contains(style)) {
            throw new NotEvaluatedException(
                    "CONVERT of " + type + " with the style " + style,
                    "it is not known here",
                    "Write FORMAT or another style");
        }
        boolean short_ = type.name() == SqlType.Name.TIME || type.name() == SqlType.Name.DATE;
        boolean mixed = style == 0 || style == 100 || style == 126 || style == 20 || style == 120;
        if (short_ && mixed && style != 120 && style != 20 && style != 126) {
            throw new NotEvaluatedException(
                    "CONVERT of " + type + " with the style " + style, "it is not known here", "Write another style");
        }
    }

    /** @param style {@link Casts#NO_STYLE} for that of the type */
    static String write(LocalDateTime value, String type, int scale, int style) {
        boolean classic = type.equals("DATETIME") || type.equals("SMALLDATETIME");
        int number = style >= 0 ? style : classic ? 0 : 121;
        boolean date = !type.equals("TIME");
        boolean time = !type.equals("DATE");
        return switch (number) {
            case 0, 100 -> common(value);
            case 1, 101 -> date(value, "/", "mdy", number);
            case 2, 102 -> date(value, ".", "ymd", number);
            case 3, 103 -> date(value, "/", "dmy", number);
            case 4, 104 -> date(value, ".", "dmy", number);
            case 5, 105 -> date(value, "-", "dmy", number);
            case 10, 110 -> date(value, "-", "mdy", number);
            case 11, 111 -> date(value, "/", "ymd", number);
            case 12, 112 -> date(value, "", "ymd", number);
            case 23 -> date(value, "-", "ymd", 123);
            case 8, 108 -> seconds(value);
            case 20, 120 -> both(date, date(value, "-", "ymd", 120), " ", time, seconds(value));
            case 21, 121 ->
                both(date, date(value, "-", "ymd", 121), " ", time, seconds(value) + fraction(value, type, scale));
            case 126 ->
                both(
                        date,
                        date(value, "-", "ymd", 126),
                        "T",
                        time,
                        seconds(value)
                                + (value.get(ChronoField.NANO_OF_SECOND) == 0 && classic
                                        ? ""
                                        : fraction(value, type, scale)));
            default ->
                throw new NotEvaluatedException(
                        "CONVERT with the style " + style, "it is not known here", "Write FORMAT or another style");
        };
    }

    private static String both(boolean date, String day, String between, boolean time, String clock) {
        return date && time ? day + between + clock : date ? day : clock;
    }

    /** @param style years have two digits below 100 */
    private static String date(LocalDateTime value, String separator, String order, int style) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < order.length(); i++) {
            text.append(text.isEmpty() ? "" : separator);
            switch (order.charAt(i)) {
                case 'd' -> text.append(two(value.getDayOfMonth()));
                case 'm' -> text.append(two(value.getMonthValue()));
                default ->
                    text.append(
                            style < 100
                                    ? two(value.getYear() % 100)
                                    : String.format(Locale.ROOT, "%04d", value.getYear()));
            }
        }
        return text.toString();
    }

    private static String seconds(LocalDateTime value) {
        return two(value.getHour()) + ":" + two(value.getMinute()) + ":" + two(value.getSecond());
    }

    private static String fraction(LocalDateTime value, String type, int scale) {
        int digits = type.equals("DATETIME") || type.equals("SMALLDATETIME") ? 3 : scale;
        return digits == 0
                ? ""
                : "."
                        + String.format(Locale.ROOT, "%09d", value.get(ChronoField.NANO_OF_SECOND))
                                .substring(0, digits);
    }

    /** {@code Jan  2 2020  3:04PM}. */
    private static String common(LocalDateTime value) {
        Running.current().requireEnglish("A date as a string with the name of its month");
        int hour = value.getHour() % 12 == 0 ? 12 : value.getHour() % 12;
        return String.format(
                Locale.ROOT,
                "%s %2d %04d %2d:%02d%s",
                value.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH),
                value.getDayOfMonth(),
                value.getYear(),
                hour,
                value.getMinute(),
                value.getHour() < 12 ? "AM" : "PM");
    }

    private static String two(int number) {
        return number < 10 ? "0" + number : String.valueOf(number);
    }
}
