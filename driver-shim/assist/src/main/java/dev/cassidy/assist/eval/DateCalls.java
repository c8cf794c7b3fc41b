package dev.cassidy.assist.eval;

import dev.cassidy.assist.eval.Types.Family;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.SessionLanguage;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import net.sf.jsqlparser.expression.Expression;

/** Writes calls of functions of dates. The current time is one value for the whole statement. */
final class DateCalls {

    private static final Set<String> NAMES = Set.of(
            "getdate",
            "getutcdate",
            "sysdatetime",
            "sysutcdatetime",
            "current_timestamp",
            "dateadd",
            "datediff",
            "datediff_big",
            "datepart",
            "datename",
            "year",
            "month",
            "day",
            "eomonth",
            "datefromparts",
            "isdate",
            "format");

    private final Writers writers;

    DateCalls(Writers writers) {
        this.writers = writers;
    }

    boolean knows(String name) {
        return NAMES.contains(name);
    }

    Typed write(String name, List<Expression> all, Scope scope) {
        return switch (name) {
            case "getdate", "current_timestamp" ->
                now(name, all, writers.writing().now(), Types.DATETIME);
            case "getutcdate" -> now(name, all, writers.writing().utcNow(), Types.DATETIME);
            case "sysdatetime" -> now(name, all, writers.writing().now(), Types.DATETIME2);
            case "sysutcdatetime" -> now(name, all, writers.writing().utcNow(), Types.DATETIME2);
            case "dateadd" -> dateAdd(all, scope);
            case "datediff", "datediff_big" -> dateDiff(name, all, scope);
            case "datepart", "datename" -> {
                Arguments.count(name, all, 2, 2);
                DatePart part = DatePart.of(all.get(0), name);
                Typed value = argument(all.get(1), scope);
                checkPart(part, value, name);
                String call = "(" + part(part) + ", " + value.moment() + ")";
                yield name.equals("datepart")
                        ? Typed.of("F_DATEPART" + call, Types.INT)
                        : Typed.of("F_DATENAME" + call, Types.text(true, 30));
            }
            case "year", "month", "day" -> {
                Arguments.count(name, all, 1, 1);
                Typed value = argument(all.get(0), scope);
                DatePart part = DatePart.valueOf(name.toUpperCase(Locale.ROOT));
                checkPart(part, value, name);
                yield Typed.of("F_DATEPART(" + part(part) + ", " + value.moment() + ")", Types.INT);
            }
            case "eomonth" -> {
                Arguments.count(name, all, 1, 2);
                Typed value = argument(all.get(0), scope);
                String months = all.size() == 2 ? whole(all.get(1), scope) : "0";
                yield Typed.of("F_EOMONTH(" + value.moment() + ", " + months + ")", Types.DATE);
            }
            case "datefromparts" -> {
                Arguments.count(name, all, 3, 3);
                yield Typed.of(
                        "F_DATEFROMPARTS(" + whole(all.get(0), scope) + ", " + whole(all.get(1), scope) + ", "
                                + whole(all.get(2), scope) + ")",
                        Types.DATE);
            }
            case "isdate" -> {
                Arguments.count(name, all, 1, 1);
                Typed value = writers.value(all.get(0), scope);
                if (!value.isText() && !value.unknown()) {
                    throw new NotEvaluatedException(
                            "ISDATE of " + value.type(), "only strings are tried", "Leave it out");
                }
                yield Typed.of("F_ISDATE(" + Arguments.string(value).sql() + ")", Types.INT);
            }
            case "format" -> format(all, scope);
            default -> throw Arguments.unknown(name);
        };
    }

    private static String part(DatePart part) {
        return "'" + part.name() + "'";
    }

    private Typed now(String name, List<Expression> all, LocalDateTime time, SqlType type) {
        Arguments.count(name, all, 0, 0);
        LocalDateTime value = type.equals(Types.DATETIME)
                ? DateFunctions.rounded(time, writers.writing().zone())
                : time;
        return writers.writing().bind(value, type);
    }

    private String whole(Expression expression, Scope scope) {
        Typed value = writers.value(expression, scope);
        return Casts.explicit(value, Types.BIGINT, DateStyles.NO_STYLE, false).sql();
    }

    /** Returns a value as a date: a string is read as one, and a whole number is a day. */
    private Typed argument(Expression expression, Scope scope) {
        Typed value = writers.value(expression, scope);
        Family family = Types.family(value.type());
        if (value.unknown() || family == Family.WHOLE) {
            return Casts.implicit(value, Types.DATETIME);
        }
        if (family == Family.TEXT) {
            return Casts.implicit(value, Types.DATETIME2);
        }
        if (!family.isTemporal()) {
            throw EvaluationException.rule(
                    8116, "Argument data type " + value.type() + " is invalid for a function of dates");
        }
        if (family == Family.OFFSET) {
            throw new NotEvaluatedException(
                    "A function of a datetimeoffset", "some of them count in UTC", "Cast it to datetime2");
        }
        return value;
    }

    private static void checkPart(DatePart part, Typed value, String function) {
        Name type = value.type().name();
        if ((type == Name.DATE && part.isOfTime()) || (type == Name.TIME && !part.isOfTime())) {
            throw EvaluationException.rule(
                    9810,
                    "The datepart " + part.name().toLowerCase(Locale.ROOT) + " is not supported by date function "
                            + function + " for data type " + type.name().toLowerCase(Locale.ROOT));
        }
    }

    private Typed dateAdd(List<Expression> all, Scope scope) {
        Arguments.count("dateadd", all, 3, 3);
        DatePart part = DatePart.of(all.get(0), "dateadd");
        String number = whole(all.get(1), scope);
        Typed written = writers.value(all.get(2), scope);
        Typed value = written.isText() ? Casts.implicit(written, Types.DATETIME) : argument(all.get(2), scope);
        checkPart(part, value, "dateadd");
        if (part == DatePart.ISO_WEEK
                || (part == DatePart.NANOSECOND && value.type().name() != Name.DATETIME2)) {
            throw new NotEvaluatedException("DATEADD of " + part, "it is not known here", "Write another part");
        }
        String moved = "F_DATEADD(" + part(part) + ", " + number + ", " + value.moment() + ")";
        SqlType type = value.type();
        return Typed.of(
                switch (type.name()) {
                    case DATE -> "CAST(" + moved + " AS DATE)";
                    case TIME -> "CAST(" + moved + " AS TIME(7))";
                    case DATETIME -> "F_DATETIME(" + moved + ")";
                    case SMALLDATETIME -> "F_SMALLDATETIME(" + moved + ")";
                    default -> moved;
                },
                type);
    }

    private Typed dateDiff(String name, List<Expression> all, Scope scope) {
        Arguments.count(name, all, 3, 3);
        DatePart part = DatePart.of(all.get(0), name);
        String count =
                "F_DATEDIFF(" + part(part) + ", " + argument(all.get(1), scope).moment() + ", "
                        + argument(all.get(2), scope).moment() + ")";
        return name.equals("datediff")
                ? Typed.of("F_COUNTED(" + count + ")", Types.INT)
                : Typed.of(count, Types.BIGINT);
    }

    private Typed format(List<Expression> all, Scope scope) {
        Arguments.count("format", all, 2, 3);
        if (all.size() == 3 && !all.get(2).toString().toLowerCase(Locale.ROOT).matches("n?+'en-us'")) {
            throw new NotEvaluatedException(
                    "FORMAT with the culture " + all.get(2),
                    "only en-US is known",
                    "Format the value in the application");
        }
        if (all.size() == 2 && writers.writing().language().names() != SessionLanguage.Names.US_ENGLISH) {
            throw new NotEvaluatedException(
                    "FORMAT without a culture",
                    "it is that of SET LANGUAGE, and only en-US is known",
                    "Write FORMAT(..., 'en-US')");
        }
        Typed value = writers.value(all.get(0), scope);
        String pattern = Arguments.string(writers.value(all.get(1), scope)).sql();
        SqlType type = Types.text(true, 4_000);
        Family family = Types.family(value.type());
        if (family == Family.DATE || family == Family.MOMENT) {
            return Typed.of("F_FORMATDATE(" + value.moment() + ", " + pattern + ")", type);
        }
        if (value.unknown() || !family.isNumber()) {
            throw EvaluationException.rule(
                    8116, "Argument data type " + value.type() + " is invalid for argument 1 of format function");
        }
        String number = family == Family.APPROXIMATE
                ? "F_EXACT(" + value.sql() + ")"
                : "CAST(" + value.sql() + " AS NUMERIC(38, " + value.type().scale() + "))";
        return Typed.of("F_FORMATNUMBER(" + number + ", " + pattern + ")", type);
    }
}
