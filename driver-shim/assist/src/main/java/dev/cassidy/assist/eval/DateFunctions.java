package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The functions of dates, as H2 calls them: a date at midnight, and a time on 1900-01-01. Null gives null. */
public final class DateFunctions {

    private static final int FIRST_YEAR_OF_DATETIME = 1753;
    private static final long TICKS_A_SECOND = 300;
    private static final long NANOS = 1_000_000_000L;
    private static final LocalDate A_SUNDAY = LocalDate.of(1899, 12, 31);

    private DateFunctions() {}

    /** DATETIME: rounded to 1/300 s, with three digits. */
    public static @Nullable LocalDateTime datetime(@Nullable LocalDateTime value) {
        return value == null ? null : rounded(value, Running.current().zone());
    }

    /** As {@link #datetime}, of a value of the statement itself. */
    static LocalDateTime rounded(LocalDateTime value, ZoneId zone) {
        return Moments.marked(ticks(value), value, zone);
    }

    private static LocalDateTime ticks(LocalDateTime value) {
        inRange(value, FIRST_YEAR_OF_DATETIME, "datetime");
        long ticks = (value.get(ChronoField.NANO_OF_SECOND) * TICKS_A_SECOND + NANOS / 2) / NANOS;
        // Of a third of a second's hundredth: .000, .003, .007.
        long millis = (ticks * 10 + 1) / 3;
        return inRange(
                value.truncatedTo(ChronoUnit.SECONDS).plus(millis, ChronoUnit.MILLIS),
                FIRST_YEAR_OF_DATETIME,
                "datetime");
    }

    /** SMALLDATETIME: rounded to the minute; 29.998 s are rounded down. */
    public static @Nullable LocalDateTime smalldatetime(@Nullable LocalDateTime value) {
        if (value == null) {
            return null;
        }
        LocalDateTime ticks = ticks(value);
        LocalDateTime minute = value.truncatedTo(ChronoUnit.MINUTES);
        boolean up = !ticks.isBefore(minute.plusSeconds(30));
        LocalDateTime rounded = up ? minute.plusMinutes(1) : minute;
        if (rounded.isBefore(DateTexts.DAY_ZERO) || rounded.isAfter(LocalDateTime.of(2079, 6, 6, 23, 59))) {
            throw outOfRange("smalldatetime");
        }
        return Moments.marked(rounded, value, Running.current().zone());
    }

    private static LocalDateTime inRange(LocalDateTime value, int firstYear, String type) {
        if (value.getYear() < firstYear || value.getYear() > 9999) {
            throw outOfRange(type);
        }
        return value;
    }

    private static EvaluationException outOfRange(String type) {
        return new EvaluationException(
                242, "22007", "The conversion to a " + type + " data type resulted in an out-of-range value");
    }

    /** A day by its number, as CAST(n AS DATETIME) has it. */
    public static @Nullable LocalDateTime days(@Nullable Long days) {
        return plusdays(DateTexts.DAY_ZERO, days);
    }

    /** The operators + and - of a DATETIME. */
    public static @Nullable LocalDateTime plusdays(@Nullable LocalDateTime value, @Nullable Long days) {
        if (value == null || days == null) {
            return null;
        }
        if (Math.abs(days) > 4_000_000) {
            throw EvaluationException.overflow("datetime");
        }
        return inRange(value.plusDays(days), FIRST_YEAR_OF_DATETIME, "datetime");
    }

    /** A time as a moment. */
    public static @Nullable LocalDateTime ondayzero(@Nullable LocalTime time) {
        return time == null ? null : DateTexts.DAY_ZERO.toLocalDate().atTime(time);
    }

    /** A DATETIMEOFFSET by its own clock. */
    public static @Nullable LocalDateTime local(@Nullable OffsetDateTime value) {
        return value == null ? null : value.toLocalDateTime();
    }

    /** DATETIME2 with so many digits, rounded. */
    public static @Nullable LocalDateTime scaled(@Nullable LocalDateTime value, int digits) {
        return value == null
                ? null
                : Moments.marked(
                        Moments.rounded(value, digits), value, Running.current().zone());
    }

    /** A DATETIMEOFFSET by the clocks of the statement's zone. */
    public static @Nullable LocalDateTime inzone(@Nullable OffsetDateTime value) {
        return value == null
                ? null
                : Moments.shown(value.toInstant(), Running.current().zone());
    }

    /** The moment at which the clocks of the statement's zone show a time, as a DATETIMEOFFSET. */
    public static @Nullable OffsetDateTime atzone(@Nullable LocalDateTime value) {
        return value == null
                ? null
                : Moments.moment(value, Running.current().zone()).atOffset(ZoneOffset.UTC);
    }

    /** A time as a DATETIMEOFFSET: in UTC. */
    public static @Nullable OffsetDateTime offset(@Nullable LocalDateTime value) {
        return value == null ? null : value.atOffset(ZoneOffset.UTC);
    }

    /** DATEADD. */
    public static @Nullable LocalDateTime dateadd(String part, @Nullable Long number, @Nullable LocalDateTime value) {
        if (number == null || value == null) {
            return null;
        }
        if (number < Integer.MIN_VALUE || number > Integer.MAX_VALUE) {
            throw EvaluationException.overflow("int");
        }
        LocalDateTime moved =
                switch (DatePart.valueOf(part)) {
                    case YEAR -> value.plusYears(number);
                    case QUARTER -> value.plusMonths(3 * number);
                    case MONTH -> value.plusMonths(number);
                    case DAYOFYEAR, DAY, WEEKDAY -> value.plusDays(number);
                    case WEEK, ISO_WEEK -> value.plusWeeks(number);
                    case HOUR -> value.plusHours(number);
                    case MINUTE -> value.plusMinutes(number);
                    case SECOND -> value.plusSeconds(number);
                    case MILLISECOND -> value.plus(number, ChronoUnit.MILLIS);
                    case MICROSECOND -> value.plus(number, ChronoUnit.MICROS);
                    case NANOSECOND -> value.plusNanos(number);
                };
        if (moved.getYear() < 1 || moved.getYear() > 9999) {
            throw new EvaluationException(517, "22008", "Adding a value to a date column caused an overflow");
        }
        return moved;
    }

    /** DATEDIFF, and DATEDIFF_BIG: how many boundaries are between the two. */
    public static @Nullable Long datediff(String part, @Nullable LocalDateTime from, @Nullable LocalDateTime to) {
        if (from == null || to == null) {
            return null;
        }
        long days = ChronoUnit.DAYS.between(from.toLocalDate(), to.toLocalDate());
        return switch (DatePart.valueOf(part)) {
            case YEAR -> (long) to.getYear() - from.getYear();
            case QUARTER -> quarters(to) - quarters(from);
            case MONTH -> months(to) - months(from);
            case DAYOFYEAR, DAY, WEEKDAY -> days;
            // Whatever DATEFIRST says, a week begins on Sunday.
            case WEEK -> weeks(to) - weeks(from);
            case ISO_WEEK ->
                throw EvaluationException.rule(
                        9806, "The datepart iso_week is not supported by date function datediff");
            case HOUR -> between(from, to, ChronoUnit.HOURS);
            case MINUTE -> between(from, to, ChronoUnit.MINUTES);
            case SECOND -> between(from, to, ChronoUnit.SECONDS);
            case MILLISECOND -> between(from, to, ChronoUnit.MILLIS);
            case MICROSECOND -> between(from, to, ChronoUnit.MICROS);
            case NANOSECOND -> ChronoUnit.NANOS.between(from, to);
        };
    }

    private static long between(LocalDateTime from, LocalDateTime to, ChronoUnit unit) {
        return unit.between(from.truncatedTo(unit), to.truncatedTo(unit));
    }

    private static long months(LocalDateTime value) {
        return value.getYear() * 12L + value.getMonthValue();
    }

    private static long quarters(LocalDateTime value) {
        return value.getYear() * 4L + (value.getMonthValue() - 1) / 3;
    }

    private static long weeks(LocalDateTime value) {
        return Math.floorDiv(ChronoUnit.DAYS.between(A_SUNDAY, value.toLocalDate()), 7L);
    }

    /** The count of DATEDIFF, which is an INT. */
    public static @Nullable Integer counted(@Nullable Long count) {
        if (count != null && (count < Integer.MIN_VALUE || count > Integer.MAX_VALUE)) {
            throw new EvaluationException(
                    535,
                    "22003",
                    "The datediff function resulted in an overflow. Try to use datediff with a less precise datepart");
        }
        return count == null ? null : (int) (long) count;
    }

    /** DATEPART. */
    public static @Nullable Integer datepart(String part, @Nullable LocalDateTime value) {
        if (value == null) {
            return null;
        }
        return switch (DatePart.valueOf(part)) {
            case YEAR -> value.getYear();
            case QUARTER -> (value.getMonthValue() - 1) / 3 + 1;
            case MONTH -> value.getMonthValue();
            case DAYOFYEAR -> value.getDayOfYear();
            case DAY -> value.getDayOfMonth();
            case WEEK -> {
                LocalDate first = value.toLocalDate().withDayOfYear(1);
                yield (value.getDayOfYear() - 2 + weekday(first)) / 7 + 1;
            }
            case WEEKDAY -> weekday(value.toLocalDate());
            case HOUR -> value.getHour();
            case MINUTE -> value.getMinute();
            case SECOND -> value.getSecond();
            case MILLISECOND -> value.getNano() / 1_000_000;
            case MICROSECOND -> value.getNano() / 1_000;
            case NANOSECOND -> value.getNano();
            case ISO_WEEK -> value.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
        };
    }

    /** Returns the day's place in its week, from 1, by SET DATEFIRST. */
    private static int weekday(LocalDate day) {
        int first = Running.current().language().firstDay();
        if (first == 0) {
            throw new NotEvaluatedException(
                    "A day of a week", "SET DATEFIRST has no number from 1 to 7", "Write SET DATEFIRST 7");
        }
        return Math.floorMod(day.getDayOfWeek().getValue() - first, 7) + 1;
    }

    /** DATENAME in English. */
    public static @Nullable String datename(String part, @Nullable LocalDateTime value) {
        if (value == null) {
            return null;
        }
        return switch (DatePart.valueOf(part)) {
            case MONTH -> english(part, value.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH));
            case WEEKDAY -> english(part, value.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH));
            default -> String.valueOf(datepart(part, value));
        };
    }

    private static String english(String part, String name) {
        Running.current().requireEnglish("DATENAME of " + part);
        return name;
    }

    /** EOMONTH. */
    public static @Nullable LocalDate eomonth(@Nullable LocalDateTime value, @Nullable Long months) {
        if (value == null) {
            return null;
        }
        LocalDate moved = value.toLocalDate().withDayOfMonth(1).plusMonths(months == null ? 0 : months);
        if (moved.getYear() < 1 || moved.getYear() > 9999) {
            throw new EvaluationException(517, "22008", "Adding a value to a date column caused an overflow");
        }
        return moved.withDayOfMonth(moved.lengthOfMonth());
    }

    /** DATEFROMPARTS. */
    public static @Nullable LocalDate datefromparts(@Nullable Long year, @Nullable Long month, @Nullable Long day) {
        if (year == null || month == null || day == null) {
            return null;
        }
        try {
            if (year < 1 || year > 9999) {
                throw new DateTimeException("year");
            }
            return LocalDate.of((int) (long) year, Math.toIntExact(month), Math.toIntExact(day));
        } catch (DateTimeException | ArithmeticException e) {
            throw new EvaluationException(
                    289,
                    "22007",
                    "Cannot construct data type date, some of the arguments have values which are not valid");
        }
    }

    /** A string as a moment, for that type and style. */
    public static @Nullable LocalDateTime momentof(
            @Nullable String text, String type, int style, boolean attempt, boolean implicit) {
        if (text == null) {
            return null;
        }
        DateTexts.Offset offset = DateTexts.offset(text);
        boolean unknown = (type.equals("DATETIME") || type.equals("SMALLDATETIME")) && !implicit;
        if (offset == null || unknown) {
            return DateTexts.read(text, type, style, attempt);
        }
        if (!implicit || type.equals("DATE") || type.equals("TIME")) {
            throw new NotEvaluatedException(
                    "'" + text + "' as " + type.toLowerCase(Locale.ROOT),
                    "it has an offset",
                    "Write it without, or compare it with a datetimeoffset");
        }
        LocalDateTime time = DateTexts.read(offset.time(), type, style, attempt);
        return time == null
                ? null
                : Moments.shown(
                        time.toInstant(offset.offset()), Running.current().zone());
    }

    /**
     * A DATETIMEOFFSET of a string.
     *
     * @param implicit whether a time without an offset is one of the statement's zone, as where the driver binds it; otherwise of UTC
     */
    public static @Nullable OffsetDateTime offsetof(
            @Nullable String text, int style, boolean attempt, boolean implicit) {
        if (text == null) {
            return null;
        }
        DateTexts.Offset offset = DateTexts.offset(text);
        LocalDateTime time = DateTexts.read(offset == null ? text : offset.time(), "DATETIMEOFFSET", style, attempt);
        if (time == null) {
            return null;
        }
        if (offset != null) {
            return time.atOffset(offset.offset());
        }
        return implicit ? atzone(time) : offset(time);
    }

    /** A moment as a string, for that type and style. */
    public static @Nullable String datetext(@Nullable LocalDateTime value, String type, int scale, int style) {
        return value == null ? null : DateStyles.write(value, type, scale, style);
    }

    /** ISDATE. */
    public static Integer isdate(@Nullable String text) {
        return text != null && DateTexts.read(text, "DATETIME", 0, true) != null ? 1 : 0;
    }

    /** FORMAT of a moment. */
    public static @Nullable String formatdate(@Nullable LocalDateTime value, @Nullable String pattern) {
        return value == null || pattern == null ? null : Formats.moment(value, pattern);
    }

    /** FORMAT of a number. */
    public static @Nullable String formatnumber(java.math.@Nullable BigDecimal value, @Nullable String pattern) {
        return value == null || pattern == null ? null : Formats.number(value, pattern);
    }
}
