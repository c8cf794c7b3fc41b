package dev.cassidy.assist.eval;

import dev.cassidy.assist.eval.Types.Family;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.SqlType.Name;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.Locale;

/** Writes conversions, of which T-SQL makes many by itself. H2's own ones round where T-SQL truncates, and read other formats. */
final class Casts {

    private static final int DEFAULT_LENGTH = 30;

    private Casts() {}

    /** Reads a type of CAST and CONVERT, where a string without a length has 30. */
    static SqlType type(String written) {
        String bare = Names.bare(written.trim());
        SqlType type = SqlType.parse(bare)
                .orElseThrow(() -> new NotEvaluatedException(
                        "The type " + written, "Cassandra has none for it", "Cast to another type"));
        SqlType.wrongSize(bare).ifPresent(wrong -> {
            throw EvaluationException.rule(wrong.number(), "The type " + written + ": " + wrong.rule());
        });
        boolean sized = bare.indexOf('(') >= 0 || bare.toLowerCase(Locale.ROOT).equals("sysname");
        return !sized && type.length() == 1 ? new SqlType(type.name(), DEFAULT_LENGTH, 0, 0) : type;
    }

    /** Returns a value in the type that T-SQL gives it by itself. A string stays as long as it is. */
    static Typed implicit(Typed value, SqlType to) {
        if (value.unknown()) {
            return Typed.of("CAST(NULL AS " + Types.h2(to) + ")", to);
        }
        Family from = Types.family(value.type());
        Family target = Types.family(to);
        if (from == Family.TEXT && target == Family.TEXT) {
            return Typed.of(value.sql(), to);
        }
        if (value.type().equals(to)) {
            return value;
        }
        boolean never = (from.isNumber() || from == Family.BIT)
                && target.isTemporal()
                && to.name() != Name.DATETIME
                && to.name() != Name.SMALLDATETIME;
        if (never || (from.isTemporal() && (target.isNumber() || target == Family.BIT))) {
            throw clash(value.type(), to);
        }
        return convert(value, to, DateStyles.NO_STYLE, false, true);
    }

    /**
     * Returns what CAST and CONVERT give.
     *
     * @param style of CONVERT
     * @param attempt whether NULL is given for what cannot be converted
     */
    static Typed explicit(Typed value, SqlType to, int style, boolean attempt) {
        if (value.unknown()) {
            return Typed.of("CAST(NULL AS " + Types.h2(to) + ")", to);
        }
        if (attempt && Types.family(value.type()) != Family.TEXT && !cannotFail(value.type(), to)) {
            throw new NotEvaluatedException(
                    "TRY_CAST of " + value.type() + " as " + to,
                    "only strings are tried",
                    "Write CASE WHEN the value is in the range THEN CAST(...) END");
        }
        return convert(value, to, style, attempt, false);
    }

    private static boolean cannotFail(SqlType from, SqlType to) {
        return from.equals(to)
                || (Types.family(to) == Family.TEXT && (to.length() == SqlType.MAX || to.length() >= 50))
                || (Types.family(to) == Family.APPROXIMATE && Types.family(from).isNumber())
                || (Types.family(from) == Family.WHOLE && to.name() == Name.BIGINT);
    }

    private static EvaluationException clash(SqlType from, SqlType to) {
        return EvaluationException.rule(206, "Operand type clash: " + from + " is incompatible with " + to);
    }

    private static Typed convert(Typed value, SqlType to, int style, boolean attempt, boolean implicit) {
        return switch (Types.family(to)) {
            case TEXT -> Typed.of(TextCasts.text(value, to, style, attempt), to);
            case WHOLE -> Typed.of(whole(value, to, attempt), to);
            case DECIMAL, MONEY -> Typed.of(exact(value, to, attempt), to);
            case APPROXIMATE -> Typed.of(approximate(value, to, attempt), to);
            case BIT -> Typed.of(bit(value, to, attempt), to);
            case DATE, TIME, MOMENT, OFFSET -> Typed.of(temporal(value, to, style, attempt, implicit), to);
            case UUID -> {
                if (value.isText()) {
                    yield Typed.of("F_UUIDOF(" + value.sql() + ", " + attempt + ")", to);
                }
                throw clash(value.type(), to);
            }
            case BINARY -> {
                if (Types.family(value.type()) == Family.BINARY
                        && (to.length() == SqlType.MAX
                                || to.length() >= value.type().length())
                        && to.name() != Name.BINARY) {
                    yield Typed.of(value.sql(), to);
                }
                throw new NotEvaluatedException(
                        "A conversion of " + value.type() + " to " + to,
                        "bytes are only compared",
                        "Convert it in the application");
            }
        };
    }

    private static String whole(Typed value, SqlType to, boolean attempt) {
        String sql = value.sql();
        String target =
                switch (Types.family(value.type())) {
                    case BIT -> "CASE WHEN " + sql + " THEN 1 WHEN NOT " + sql + " THEN 0 END";
                    // CAST rounds, as SQL Server does with money.
                    case WHOLE, MONEY -> sql;
                    case DECIMAL -> "F_TRUNCATED(" + sql + ")";
                    case APPROXIMATE -> "F_TRUNCATED(F_EXACT(" + sql + "))";
                    case TEXT -> "F_WHOLEOF(" + sql + ", '" + to.name() + "', " + attempt + ")";
                    default -> throw clash(value.type(), to);
                };
        return to.name() == Name.TINYINT
                ? "F_TINYINT(CAST(" + target + " AS BIGINT))"
                : "CAST(" + target + " AS " + Types.h2(to) + ")";
    }

    private static String exact(Typed value, SqlType to, boolean attempt) {
        String sql = value.sql();
        String target =
                switch (Types.family(value.type())) {
                    case BIT -> "CASE WHEN " + sql + " THEN 1 WHEN NOT " + sql + " THEN 0 END";
                    case WHOLE, DECIMAL, MONEY -> sql;
                    case APPROXIMATE -> "F_EXACT(" + sql + ")";
                    case TEXT ->
                        (Types.family(to) == Family.MONEY ? "F_MONEYOF(" : "F_DECIMALOF(") + sql + ", " + to.precision()
                                + ", " + to.scale() + ", " + attempt + ")";
                    default -> throw clash(value.type(), to);
                };
        return "CAST(" + target + " AS " + Types.h2(to) + ")";
    }

    private static String approximate(Typed value, SqlType to, boolean attempt) {
        String sql = value.sql();
        return switch (Types.family(value.type())) {
            case BIT -> "CAST(CASE WHEN " + sql + " THEN 1 WHEN NOT " + sql + " THEN 0 END AS " + Types.h2(to) + ")";
            case WHOLE, DECIMAL, MONEY, APPROXIMATE -> "CAST(" + sql + " AS " + Types.h2(to) + ")";
            case TEXT -> "CAST(F_FLOATOF(" + sql + ", " + attempt + ") AS " + Types.h2(to) + ")";
            default -> throw clash(value.type(), to);
        };
    }

    private static String bit(Typed value, SqlType to, boolean attempt) {
        return switch (Types.family(value.type())) {
            case BIT -> value.sql();
            case WHOLE, DECIMAL, MONEY, APPROXIMATE -> "(" + value.sql() + " <> 0)";
            case TEXT -> "F_BITOF(" + value.sql() + ", " + attempt + ")";
            default -> throw clash(value.type(), to);
        };
    }

    private static String temporal(Typed value, SqlType to, int style, boolean attempt, boolean implicit) {
        Family from = Types.family(value.type());
        if (to.name() == Name.DATETIMEOFFSET && (from == Family.OFFSET || from == Family.TEXT || implicit)) {
            return "CAST(" + withOffset(value, style, attempt, implicit) + " AS TIMESTAMP(" + to.scale()
                    + ") WITH TIME ZONE)";
        }
        boolean kept = from == Family.MOMENT
                && (value.type().scale() <= to.scale() || value.type().name() == Name.SMALLDATETIME)
                && (to.name() == Name.DATETIME2
                        || (to.name() == Name.DATETIME && value.type().name() == Name.SMALLDATETIME));
        if (kept) {
            return value.sql();
        }
        String moment =
                switch (from) {
                    case TEXT ->
                        "F_MOMENTOF(" + value.sql() + ", '" + to.name() + "', " + Math.max(style, 0) + ", " + attempt
                                + ", " + implicit + ")";
                    case MOMENT -> Types.family(to) == Family.MOMENT ? value.sql() : value.moment();
                    case OFFSET -> implicit ? "F_INZONE(" + value.sql() + ")" : value.moment();
                    case DATE, TIME -> value.moment();
                    case WHOLE -> "F_DAYS(CAST(" + value.sql() + " AS BIGINT))";
                    default ->
                        throw new NotEvaluatedException(
                                "A conversion of " + value.type() + " to " + to,
                                "its rounding is not known",
                                "Convert it in the application");
                };
        if (from == Family.WHOLE && to.name() != Name.DATETIME && to.name() != Name.SMALLDATETIME) {
            throw clash(value.type(), to);
        }
        if ((from == Family.DATE && to.name() == Name.TIME) || (from == Family.TIME && to.name() == Name.DATE)) {
            throw clash(value.type(), to);
        }
        return switch (to.name()) {
            case DATE -> "CAST(" + moment + " AS DATE)";
            case TIME -> "CAST(CAST(" + moment + " AS TIME(7)) AS TIME(" + to.scale() + "))";
            case DATETIME -> "F_DATETIME(" + moment + ")";
            case SMALLDATETIME -> "F_SMALLDATETIME(" + moment + ")";
            case DATETIME2 -> "F_SCALED(" + moment + ", " + to.scale() + ")";
            default -> "F_OFFSET(CAST(" + moment + " AS TIMESTAMP(" + to.scale() + ")))";
        };
    }

    /**
     * CAST gives a time the offset of UTC, as SQL Server's does. Without one the time is compared with, or becomes, a moment, which the
     * driver takes from the clocks of its zone.
     */
    private static String withOffset(Typed value, int style, boolean attempt, boolean implicit) {
        return switch (Types.family(value.type())) {
            case OFFSET -> value.sql();
            case TEXT ->
                "F_OFFSETOF(" + value.sql() + ", " + Math.max(style, 0) + ", " + attempt + ", " + implicit + ")";
            case MOMENT -> "F_ATZONE(" + value.sql() + ")";
            case DATE, TIME -> "F_ATZONE(" + value.moment() + ")";
            default -> throw clash(value.type(), Types.DATETIMEOFFSET);
        };
    }
}
