package dev.cassidy.assist.eval;

import dev.cassidy.assist.eval.Types.Family;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.List;
import java.util.Set;

/** Writes calls of mathematical functions. Many of them give the type of their argument. */
final class NumberCalls {

    private static final Set<String> OF_FLOATS = Set.of("sqrt", "square", "exp", "log", "log10");
    private static final Set<String> OF_ANY = Set.of("abs", "sign", "ceiling", "floor", "round", "power", "str", "pi");

    NumberCalls() {}

    boolean knows(String name) {
        return OF_FLOATS.contains(name) || OF_ANY.contains(name);
    }

    Typed write(String name, List<Typed> all) {
        if (OF_FLOATS.contains(name)) {
            Arguments.count(name, all, 1, 1);
            return Typed.of("F_" + name.toUpperCase(java.util.Locale.ROOT) + "(" + real(all.get(0)) + ")", Types.FLOAT);
        }
        return switch (name) {
            case "pi" -> {
                Arguments.count(name, all, 0, 0);
                yield Typed.of("CAST(" + Math.PI + " AS DOUBLE PRECISION)", Types.FLOAT);
            }
            case "str" -> {
                Arguments.count(name, all, 1, 3);
                yield Typed.of(
                        "F_STR(" + real(all.get(0)) + ", " + whole(all, 1, "10") + ", " + whole(all, 2, "0") + ")",
                        Types.text(false, 8_000));
            }
            case "round" -> round(all);
            case "power" -> power(all);
            default -> {
                Arguments.count(name, all, 1, 1);
                yield simple(name, number(name, all.get(0)));
            }
        };
    }

    private static String real(Typed value) {
        return Casts.implicit(value, Types.FLOAT).sql();
    }

    private static String whole(List<Typed> all, int index, String otherwise) {
        return index < all.size() ? Casts.implicit(all.get(index), Types.BIGINT).sql() : otherwise;
    }

    private static Typed number(String name, Typed value) {
        if (value.unknown() || value.isText() || Types.family(value.type()) == Family.BIT) {
            return Casts.implicit(value, Types.FLOAT);
        }
        if (!Types.family(value.type()).isNumber()) {
            throw EvaluationException.rule(
                    8116, "Argument data type " + value.type() + " is invalid for argument 1 of " + name + " function");
        }
        // The type of a REAL is FLOAT here, and that of a small whole number INT.
        return switch (value.type().name()) {
            case REAL -> Casts.implicit(value, Types.FLOAT);
            case TINYINT, SMALLINT -> Casts.implicit(value, Types.INT);
            case SMALLMONEY -> Casts.implicit(value, Types.MONEY);
            default -> value;
        };
    }

    private static Typed simple(String name, Typed value) {
        SqlType type = value.type();
        Family family = Types.family(type);
        if (family == Family.APPROXIMATE) {
            return Typed.of("F_" + name.toUpperCase(java.util.Locale.ROOT) + "FLOAT(" + value.sql() + ")", type);
        }
        boolean rounded = name.equals("ceiling") || name.equals("floor");
        if (family == Family.WHOLE && rounded) {
            return Typed.of(value.sql(), type);
        }
        SqlType result = rounded && family == Family.DECIMAL ? Types.decimal(type.precision(), 0) : type;
        return Typed.of(
                "CAST(F_" + name.toUpperCase(java.util.Locale.ROOT) + "(" + exact(value) + ") AS " + Types.h2(result)
                        + ")",
                result);
    }

    private static String exact(Typed value) {
        return Types.family(value.type()) == Family.WHOLE ? "CAST(" + value.sql() + " AS NUMERIC(19, 0))" : value.sql();
    }

    private static Typed round(List<Typed> all) {
        Arguments.count("round", all, 2, 3);
        Typed value = number("round", all.get(0));
        String digits = whole(all, 1, "0");
        String truncate = whole(all, 2, "0");
        SqlType type = value.type();
        if (Types.family(type) == Family.APPROXIMATE) {
            return Typed.of("F_ROUNDFLOAT(" + value.sql() + ", " + digits + ", " + truncate + ")", type);
        }
        int precision = Types.family(type) == Family.WHOLE ? 38 : type.precision();
        String rounded = "F_ROUND(" + exact(value) + ", " + digits + ", " + truncate + ", " + precision + ", "
                + type.scale() + ")";
        return Typed.of("CAST(" + rounded + " AS " + Types.h2(type) + ")", type);
    }

    private static Typed power(List<Typed> all) {
        Arguments.count("power", all, 2, 2);
        Typed base = number("power", all.get(0));
        String exponent = real(all.get(1));
        return switch (Types.family(base.type())) {
            case WHOLE ->
                Typed.of(
                        "CAST(F_POWERWHOLE(CAST(" + base.sql() + " AS BIGINT), " + exponent + ") AS "
                                + Types.h2(base.type()) + ")",
                        base.type());
            case APPROXIMATE -> Typed.of("F_POWER(" + base.sql() + ", " + exponent + ")", Types.FLOAT);
            default -> {
                // Of a decimal with its scale.
                SqlType type = Types.family(base.type()) == Family.MONEY
                        ? base.type()
                        : Types.decimal(38, base.type().scale());
                yield Typed.of(
                        "CAST(F_EXACT(F_POWER(" + real(base) + ", " + exponent + ")) AS " + Types.h2(type) + ")", type);
            }
        };
    }
}
