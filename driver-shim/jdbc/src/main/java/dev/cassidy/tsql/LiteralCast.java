package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code CAST(literal AS type)} or {@code CONVERT(type, literal)}, computed here: CQL casts columns only. What SQL Server
 * would cut off or round is refused.
 *
 * @param end the token after it
 * @param literal the result, as CQL writes it
 * @param cqlType the type of the result; null if the column that takes it has to decide
 */
record LiteralCast(int end, String literal, @Nullable String cqlType) {

    private static final Pattern WHOLE = Pattern.compile("\\s*[-+]?[0-9]{1,30}\\s*");
    private static final Pattern NUMBER = Pattern.compile("\\s*[-+]?([0-9]{1,60}(\\.[0-9]{0,60})?|\\.[0-9]{1,60})\\s*");
    private static final Pattern SIZES = Pattern.compile("\\s*([0-9]{1,6})\\s*(?:,\\s*([0-9]{1,3})\\s*)?");
    private static final Pattern UUID = Pattern.compile("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");

    /** SQL Server's length of a text that is cast without one. */
    private static final int TEXT_LENGTH = 30;

    /** What a type is named with: {@code decimal(10, 2)}. */
    private record Target(String name, List<Integer> sizes, int end) {}

    /** Reads the cast that begins at a token; null if nothing, or not a literal, is cast there. */
    static @Nullable LiteralCast read(Tokens tokens, int token) {
        if (!tokens.isAnyWord(token, "cast", "convert") || !tokens.isSymbol(token + 1, '(')) {
            return null;
        }
        int end = tokens.afterClosing(token + 1);
        return tokens.isWord(token, "cast") ? cast(tokens, token + 2, end) : convert(tokens, token + 2, end);
    }

    private static @Nullable LiteralCast cast(Tokens tokens, int from, int end) {
        int as = from;
        while (as < end && !tokens.isWord(as, "as")) {
            as++;
        }
        LiteralTerm literal = as < end ? LiteralTerm.read(tokens, from, as) : null;
        Target target = literal == null ? null : target(tokens, as + 1);
        return literal == null || target == null || target.end != end - 1 ? null : of(literal, target, end);
    }

    private static @Nullable LiteralCast convert(Tokens tokens, int from, int end) {
        Target target = target(tokens, from);
        if (target == null || !tokens.isSymbol(target.end, ',')) {
            return null;
        }
        int comma = target.end + 1;
        while (comma < end - 1 && !tokens.isSymbol(comma, ',')) {
            comma++;
        }
        LiteralTerm literal = LiteralTerm.read(tokens, target.end + 1, comma);
        if (literal != null && comma < end - 1) {
            throw new UnsupportedSqlException("CONVERT with a style", "write the value in the form that it shall have");
        }
        return literal == null ? null : of(literal, target, end);
    }

    private static @Nullable Target target(Tokens tokens, int type) {
        Kind kind = tokens.kind(type);
        if (kind != Kind.WORD && kind != Kind.BRACKETED) {
            return null;
        }
        String name = tokens.content(type).toLowerCase(Locale.ROOT);
        if (!tokens.isSymbol(type + 1, '(')) {
            return new Target(name, List.of(), type + 1);
        }
        int after = tokens.afterClosing(type + 1);
        String sizes = tokens.text.substring(tokens.end(type + 1), tokens.start(after - 1));
        if (sizes.strip().equalsIgnoreCase("max")) {
            return new Target(name, List.of(Integer.MAX_VALUE), after);
        }
        ColumnTypes.requireSize(name + "(" + sizes + ")", "");
        Matcher matcher = SIZES.matcher(sizes);
        if (!matcher.matches()) {
            return null;
        }
        int first = Integer.parseInt(matcher.group(1));
        return new Target(
                name,
                matcher.group(2) == null ? List.of(first) : List.of(first, Integer.parseInt(matcher.group(2))),
                after);
    }

    private static @Nullable LiteralCast of(LiteralTerm literal, Target target, int end) {
        String cql =
                switch (target.name) {
                    case "int", "integer" -> "int";
                    case "bigint" -> "bigint";
                    case "smallint", "tinyint" -> "smallint";
                    case "bit" -> "boolean";
                    case "decimal", "dec", "numeric", "money", "smallmoney" -> "decimal";
                    case "float" -> "double";
                    case "real" -> "float";
                    case "varchar", "nvarchar", "char", "nchar", "text", "ntext" -> "text";
                    case "uniqueidentifier" -> "uuid";
                    case "date", "datetime", "datetime2", "smalldatetime", "time" -> "";
                    default -> null;
                };
        if (cql == null) {
            return null;
        }
        if (literal.type() == LiteralTerm.Type.NULL) {
            return new LiteralCast(end, "NULL", cql.isEmpty() ? "timestamp" : cql);
        }
        String result =
                switch (cql) {
                    case "int" -> whole(literal, target, Integer.MIN_VALUE, Integer.MAX_VALUE);
                    case "bigint" -> whole(literal, target, Long.MIN_VALUE, Long.MAX_VALUE);
                    case "smallint" ->
                        target.name.equals("tinyint")
                                ? whole(literal, target, 0, 255)
                                : whole(literal, target, Short.MIN_VALUE, Short.MAX_VALUE);
                    case "boolean" -> bit(literal, target);
                    case "decimal" -> decimal(literal, target);
                    case "double", "float" -> number(literal, target).toString();
                    case "text" -> text(literal, target);
                    case "uuid" -> uuid(literal, target);
                    default -> date(literal, target);
                };
        return new LiteralCast(end, result, cql.isEmpty() ? null : cql);
    }

    private static String whole(LiteralTerm literal, Target target, long lowest, long highest) {
        if (literal.type() == LiteralTerm.Type.TEXT
                && !WHOLE.matcher(literal.content()).matches()) {
            throw failed(literal, target, 245);
        }
        BigDecimal number = number(literal, target);
        BigInteger whole;
        try {
            whole = number.toBigIntegerExact();
        } catch (ArithmeticException e) {
            throw lost(literal, target);
        }
        if (whole.compareTo(BigInteger.valueOf(lowest)) < 0 || whole.compareTo(BigInteger.valueOf(highest)) > 0) {
            throw overflow(literal, target);
        }
        return whole.toString();
    }

    private static String bit(LiteralTerm literal, Target target) {
        String content = literal.content().strip().toLowerCase(Locale.ROOT);
        return switch (content) {
            case "1", "true" -> "true";
            case "0", "false" -> "false";
            default -> throw new UnsupportedSqlException(shown(literal, target), "write 0 or 1");
        };
    }

    private static String decimal(LiteralTerm literal, Target target) {
        boolean money = target.name.endsWith("money");
        int scale = money ? 4 : target.sizes.size() > 1 ? target.sizes.get(1) : 0;
        int precision =
                money ? (target.name.equals("money") ? 19 : 10) : target.sizes.isEmpty() ? 18 : target.sizes.get(0);
        BigDecimal number;
        try {
            number = number(literal, target).setScale(scale);
        } catch (ArithmeticException e) {
            throw lost(literal, target);
        }
        if (number.precision() > precision) {
            throw overflow(literal, target);
        }
        return number.toPlainString();
    }

    private static BigDecimal number(LiteralTerm literal, Target target) {
        if (literal.isNumber()
                && literal.number().scale() > -100
                && literal.number().scale() < 100) {
            return literal.number();
        }
        if (literal.type() == LiteralTerm.Type.TEXT
                && NUMBER.matcher(literal.content()).matches()) {
            return new BigDecimal(literal.content().strip());
        }
        throw failed(literal, target, 8114);
    }

    private static String text(LiteralTerm literal, Target target) {
        if (literal.type() != LiteralTerm.Type.TEXT && literal.type() != LiteralTerm.Type.INT) {
            throw new UnsupportedSqlException(shown(literal, target), "write the string that it shall be");
        }
        int length = target.name.endsWith("text")
                ? Integer.MAX_VALUE
                : target.sizes.isEmpty() ? TEXT_LENGTH : target.sizes.get(0);
        String content = literal.content();
        boolean padded = target.name.equals("char") || target.name.equals("nchar");
        if (content.length() > length || (padded && content.length() < length)) {
            throw new UnsupportedSqlException(
                    shown(literal, target),
                    padded
                            ? "write the string with its blanks"
                            : "it would cut the string off: write the string that remains");
        }
        return literal.type() == LiteralTerm.Type.TEXT ? literal.text() : "'" + content + "'";
    }

    private static String uuid(LiteralTerm literal, Target target) {
        String content = literal.content();
        if (content.startsWith("{") && content.endsWith("}")) {
            content = content.substring(1, content.length() - 1);
        }
        if (literal.type() != LiteralTerm.Type.TEXT || !UUID.matcher(content).matches()) {
            throw failed(literal, target, 8169);
        }
        return content;
    }

    private static String date(LiteralTerm literal, Target target) {
        boolean withTime = literal.content().length() > 10;
        if (literal.type() != LiteralTerm.Type.TEXT || (withTime && target.name.equals("date"))) {
            throw new UnsupportedSqlException(
                    shown(literal, target), "write the date or time as a string, '2024-01-31'");
        }
        return literal.text();
    }

    private static String shown(LiteralTerm literal, Target target) {
        return "CAST(" + literal.text() + " AS " + target.name + ")";
    }

    private static UnsupportedSqlException lost(LiteralTerm literal, Target target) {
        return new UnsupportedSqlException(
                shown(literal, target), "digits would be lost: write the number that shall remain");
    }

    private static UnsupportedSqlException failed(LiteralTerm literal, Target target, int number) {
        return UnsupportedSqlException.asSqlServer(
                number,
                "Conversion failed when converting the value " + literal.text() + " to data type " + target.name + ": "
                        + shown(literal, target) + "; give a value of that type");
    }

    private static UnsupportedSqlException overflow(LiteralTerm literal, Target target) {
        return UnsupportedSqlException.asSqlServer(
                8115,
                "Arithmetic overflow error converting " + literal.text() + " to data type " + target.name + ": "
                        + shown(literal, target) + "; give a value within its range");
    }
}
