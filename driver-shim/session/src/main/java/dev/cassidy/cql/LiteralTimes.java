package dev.cassidy.cql;

import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What CQL's literals of dates and times stand for. Of one without a zone the server alone knows the zone: each is taken as one of
 * UTC, and keeps the zone that it has when it is written again. Days and minutes are rounded alike in every zone.
 */
final class LiteralTimes {

    private static final Pattern TIME_OF_DAY = Pattern.compile("(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,9}))?)?");

    private static final Pattern MOMENT = Pattern.compile("([+-]?\\d{1,9})-(\\d{1,2})-(\\d{1,2})(?:[Tt ]+("
            + TIME_OF_DAY.pattern() + "))?\\s*([A-Za-z+-][\\w:+/-]*)?");

    private static final DateTimeFormatter WRITTEN =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT);

    private static final DateTimeFormatter WRITTEN_TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.nnnnnnnnn", Locale.ROOT);

    /** Cassandra counts the days of a date from this one before 1970 on. */
    private static final BigInteger FIRST_DAY = BigInteger.ONE.shiftLeft(31);

    private LiteralTimes() {}

    /** Returns what a literal gives a column of dates or times; null for other columns, and for what is no such literal. */
    static @Nullable Object of(CqlInsert.Value value, ColumnRule rule) {
        SqlType type = rule.column().type();
        if (type == null) {
            return null;
        }
        try {
            return switch (type.name()) {
                case DATETIME, SMALLDATETIME, DATETIME2, DATETIMEOFFSET -> instant(value);
                case DATE -> date(value);
                case TIME -> time(value);
                default -> null;
            };
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            // The server refuses the statement.
            return null;
        }
    }

    /** Returns the literal of what is stored in place of another literal. */
    static String text(CqlInsert.Value value, Object stored) {
        boolean number = value instanceof CqlInsert.Value.IntegerLiteral;
        if (stored instanceof LocalTime time) {
            return number ? Long.toString(time.toNanoOfDay()) : "'" + WRITTEN_TIME.format(time) + "'";
        }
        if (!(stored instanceof Instant instant)) {
            throw new IllegalArgumentException("no time: " + stored);
        }
        if (number) {
            return Long.toString(instant.toEpochMilli());
        }
        Matcher moment = MOMENT.matcher(content(value));
        String zone = moment.matches() && moment.group(9) != null ? moment.group(9) : "";
        return "'" + WRITTEN.format(LocalDateTime.ofInstant(instant, ZoneOffset.UTC)) + zone + "'";
    }

    private static @Nullable Instant instant(CqlInsert.Value value) {
        if (value instanceof CqlInsert.Value.IntegerLiteral number) {
            return Instant.ofEpochMilli(number.value().longValueExact());
        }
        Matcher moment = MOMENT.matcher(content(value));
        if (!moment.matches()) {
            return null;
        }
        LocalTime time = moment.group(4) == null ? LocalTime.MIDNIGHT : timeOfDay(moment.group(4));
        return day(moment).atTime(time == null ? LocalTime.MIDNIGHT : time).toInstant(ZoneOffset.UTC);
    }

    private static @Nullable LocalDate date(CqlInsert.Value value) {
        if (value instanceof CqlInsert.Value.IntegerLiteral number) {
            return LocalDate.ofEpochDay(number.value().subtract(FIRST_DAY).longValueExact());
        }
        Matcher moment = MOMENT.matcher(content(value));
        return moment.matches() && moment.group(4) == null && moment.group(9) == null ? day(moment) : null;
    }

    private static LocalDate day(Matcher moment) {
        return LocalDate.of(
                Integer.parseInt(moment.group(1)),
                Integer.parseInt(moment.group(2)),
                Integer.parseInt(moment.group(3)));
    }

    private static @Nullable LocalTime time(CqlInsert.Value value) {
        return value instanceof CqlInsert.Value.IntegerLiteral number
                ? LocalTime.ofNanoOfDay(number.value().longValueExact())
                : timeOfDay(content(value));
    }

    private static @Nullable LocalTime timeOfDay(String text) {
        Matcher time = TIME_OF_DAY.matcher(text);
        if (!time.matches()) {
            return null;
        }
        String fraction = time.group(4) == null ? "" : time.group(4);
        return LocalTime.of(
                Integer.parseInt(time.group(1)),
                Integer.parseInt(time.group(2)),
                time.group(3) == null ? 0 : Integer.parseInt(time.group(3)),
                Integer.parseInt((fraction + "000000000").substring(0, 9)));
    }

    /** Returns the content of a text; empty for what is no text. */
    private static String content(CqlInsert.Value value) {
        return value instanceof CqlInsert.Value.Term term
                        && CqlLiteral.read(term.text()) instanceof CqlLiteral.Text text
                ? text.content()
                : "";
    }
}
