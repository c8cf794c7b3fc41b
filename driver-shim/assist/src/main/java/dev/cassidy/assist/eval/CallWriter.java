package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;

/** Writes calls of functions. The functions that are not here are refused by name, and so are all of H2's own. */
final class CallWriter {

    private final Dialect dialect;
    private final NumberCalls numbers = new NumberCalls();
    private final DateCalls dates;

    CallWriter(Dialect dialect) {
        this.dialect = dialect;
        this.dates = new DateCalls(dialect);
    }

    static NotEvaluatedException unknown(String name) {
        return new NotEvaluatedException(
                "The function " + name,
                "it is not known here",
                "Call it in the application, on what the statement gives");
    }

    Typed write(Function function, Scope scope) {
        String name = function.getName().toLowerCase(Locale.ROOT);
        boolean plain = function.getNamedParameters() == null
                && !function.isEscaped()
                && function.getAttribute() == null
                && function.getKeep() == null
                && function.getOrderByElements() == null
                && function.getExtraKeyword() == null
                && function.getOnOverflowTruncate() == null
                && function.getNullHandling() == null
                && function.getHavingClause() == null
                && function.getLimit() == null
                && !function.isUnique()
                && function.getMultipartName().size() == 1;
        if (!plain) {
            throw unknown(function.toString());
        }
        List<Expression> parameters =
                function.getParameters() == null ? List.of() : List.copyOf(function.getParameters());
        if (AggregateWriter.isAggregate(name)) {
            return dialect.aggregates.aggregate(name, function.isDistinct(), parameters, scope);
        }
        if (function.isDistinct() || function.isAllColumns()) {
            throw unknown(function.toString());
        }
        if (dates.knows(name)) {
            return dates.write(name, parameters, scope);
        }
        if (name.equals("iif")) {
            count(name, parameters, 3, 3);
            return ExpressionWriter.cases(
                    List.of(dialect.conditions.write(parameters.get(0), scope)),
                    List.of(
                            dialect.expressions.write(parameters.get(1), scope),
                            dialect.expressions.write(parameters.get(2), scope)));
        }
        if (name.equals("try_convert")) {
            return tryConvert(parameters, scope);
        }
        List<Typed> arguments = parameters.stream()
                .map(each -> dialect.expressions.write(each, scope))
                .toList();
        return numbers.knows(name) ? numbers.write(name, arguments) : strings(name, arguments);
    }

    static void count(String name, List<?> arguments, int least, int most) {
        if (arguments.size() < least || arguments.size() > most) {
            throw EvaluationException.rule(
                    174,
                    "The " + name + " function requires " + least + (least == most ? "" : " to " + most)
                            + " argument(s): " + arguments.size());
        }
    }

    private Typed tryConvert(List<Expression> parameters, Scope scope) {
        count("try_convert", parameters, 2, 3);
        int style = parameters.size() == 3 ? style(parameters.get(2)) : Casts.NO_STYLE;
        return Casts.explicit(
                dialect.expressions.write(parameters.get(1), scope),
                Casts.type(parameters.get(0).toString()),
                style,
                true);
    }

    private static int style(Expression style) {
        if (!style.toString().matches("[0-9]{1,4}+")) {
            throw new NotEvaluatedException("A style of " + style, "it is no number", "Write a number");
        }
        return Integer.parseInt(style.toString());
    }

    Typed clock(String key) {
        String bare = key.replace("()", "");
        if (!bare.equalsIgnoreCase("CURRENT_TIMESTAMP")) {
            throw unknown(key);
        }
        return dates.write("getdate", List.of(), new Scope(null));
    }

    /** Returns a value as a string. */
    static Typed string(Typed value) {
        return value.isText() ? value : Casts.implicit(value, Types.text(false, SqlType.MAX));
    }

    private static String whole(Typed value) {
        return Casts.implicit(value, Types.BIGINT).sql();
    }

    /** Returns a call with one string that gives a string as long. */
    Typed text(String function, Typed argument) {
        Typed value = string(argument);
        return Typed.of(
                function + "(" + value.sql() + ")",
                Types.text(Types.isUnicode(value.type()), value.type().length()));
    }

    private Typed strings(String name, List<Typed> all) {
        return switch (name) {
            case "upper", "lower", "ltrim", "rtrim", "trim", "reverse" -> {
                count(name, all, 1, 1);
                yield text("F_" + name.toUpperCase(Locale.ROOT), all.get(0));
            }
            case "len" -> {
                count(name, all, 1, 1);
                yield Typed.of("F_LEN(" + string(all.get(0)).sql() + ")", Types.INT);
            }
            case "datalength" -> datalength(all);
            case "substring" -> {
                count(name, all, 3, 3);
                yield call("F_SUBSTRING", all.get(0), all.subList(1, 3));
            }
            case "left", "right" -> {
                count(name, all, 2, 2);
                yield call("F_" + name.toUpperCase(Locale.ROOT), all.get(0), all.subList(1, 2));
            }
            case "charindex" -> {
                count(name, all, 2, 3);
                String start = all.size() == 3 ? whole(all.get(2)) : "1";
                yield Typed.of(
                        "F_CHARINDEX(" + string(all.get(0)).sql() + ", "
                                + string(all.get(1)).sql() + ", " + start + ")",
                        Types.INT);
            }
            case "replace" -> {
                count(name, all, 3, 3);
                String arguments = all.stream().map(each -> string(each).sql()).collect(Collectors.joining(", "));
                boolean unicode = all.stream().anyMatch(each -> Types.isUnicode(each.type()));
                yield Typed.of("F_REPLACE(" + arguments + ")", Types.text(unicode, unicode ? 4_000 : 8_000));
            }
            case "stuff" -> {
                count(name, all, 4, 4);
                boolean unicode = Types.isUnicode(all.get(0).type())
                        || Types.isUnicode(all.get(3).type());
                yield Typed.of(
                        "F_STUFF(" + string(all.get(0)).sql() + ", " + whole(all.get(1)) + ", " + whole(all.get(2))
                                + ", " + string(all.get(3)).sql() + ")",
                        Types.text(unicode, SqlType.MAX));
            }
            case "replicate" -> replicate(all);
            case "space" -> {
                count(name, all, 1, 1);
                yield Typed.of("F_SPACE(" + whole(all.get(0)) + ")", Types.text(false, 8_000));
            }
            case "concat" -> concat(all);
            case "concat_ws" -> concatWs(all);
            case "ascii", "unicode" -> {
                count(name, all, 1, 1);
                yield Typed.of(
                        "F_" + name.toUpperCase(Locale.ROOT) + "("
                                + string(all.get(0)).sql() + ")",
                        Types.INT);
            }
            case "char" -> {
                count(name, all, 1, 1);
                yield Typed.of("F_CHARACTER(" + whole(all.get(0)) + ")", Types.text(false, 1));
            }
            case "nchar" -> {
                count(name, all, 1, 1);
                yield Typed.of("F_NCHAR(" + whole(all.get(0)) + ")", Types.text(true, 1));
            }
            case "isnull" -> isNull(all);
            case "coalesce" -> {
                count(name, all, 1, Integer.MAX_VALUE);
                SqlType type = ExpressionWriter.common(all);
                yield Typed.of(
                        "COALESCE("
                                + all.stream()
                                        .map(each -> Casts.implicit(each, type).sql())
                                        .collect(Collectors.joining(", "))
                                + ")",
                        type);
            }
            case "nullif" -> {
                count(name, all, 2, 2);
                yield ExpressionWriter.cases(
                        List.of(dialect.conditions.compared(all.get(0), "=", all.get(1))),
                        List.of(Typed.nullLiteral(), all.get(0)));
            }
            case "choose" -> choose(all);
            case "newid" -> {
                count(name, all, 0, 0);
                yield Typed.of("RANDOM_UUID()", Types.UNIQUEIDENTIFIER);
            }
            case "isnumeric" -> {
                count(name, all, 1, 1);
                Types.Family family = Types.family(all.get(0).type());
                yield Typed.of(
                        family.isNumber()
                                ? "CASE WHEN " + all.get(0).sql() + " IS NULL THEN 0 ELSE 1 END"
                                : "F_ISNUMERIC(" + string(all.get(0)).sql() + ")",
                        Types.INT);
            }
            default -> throw unknown(name);
        };
    }

    private static Typed call(String function, Typed text, List<Typed> numbers) {
        Typed value = string(text);
        String rest = numbers.stream().map(CallWriter::whole).collect(Collectors.joining(", "));
        return Typed.of(
                function + "(" + value.sql() + ", " + rest + ")",
                Types.text(Types.isUnicode(value.type()), value.type().length()));
    }

    private static Typed datalength(List<Typed> all) {
        count("datalength", all, 1, 1);
        Typed value = all.get(0);
        SqlType type = value.type();
        if (value.isText()) {
            return Typed.of(
                    Types.isUnicode(type)
                            ? "(2 * CHAR_LENGTH(" + value.sql() + "))"
                            : "F_DATALENGTH(" + value.sql() + ")",
                    Types.INT);
        }
        if (Types.family(type) == Types.Family.BINARY) {
            return Typed.of("OCTET_LENGTH(" + value.sql() + ")", Types.INT);
        }
        int bytes =
                switch (type.name()) {
                    case BIT, TINYINT -> 1;
                    case SMALLINT -> 2;
                    case INT, REAL, SMALLMONEY, SMALLDATETIME -> 4;
                    case BIGINT, FLOAT, MONEY, DATETIME -> 8;
                    case DATE -> 3;
                    case UNIQUEIDENTIFIER -> 16;
                    default ->
                        throw new NotEvaluatedException(
                                "DATALENGTH of " + type, "it depends on how it is stored", "Leave it out");
                };
        return Typed.of("CASE WHEN " + value.sql() + " IS NULL THEN NULL ELSE " + bytes + " END", Types.INT);
    }

    private static Typed replicate(List<Typed> all) {
        count("replicate", all, 2, 2);
        Typed value = string(all.get(0));
        boolean unicode = Types.isUnicode(value.type());
        boolean max = value.type().length() == SqlType.MAX && all.get(0).isText();
        // H2's strings have a million characters.
        int most = max ? 1_000_000 : unicode ? 4_000 : 8_000;
        return Typed.of(
                "F_REPLICATE(" + value.sql() + ", " + whole(all.get(1)) + ", " + most + ")",
                Types.text(unicode, max ? SqlType.MAX : most));
    }

    private static Typed concat(List<Typed> all) {
        count("concat", all, 2, 254);
        boolean unicode = all.stream().anyMatch(each -> Types.isUnicode(each.type()));
        int length = 0;
        List<String> arguments = new ArrayList<>();
        for (Typed each : all) {
            Typed value = string(each);
            // What is no string is shorter than that.
            length = Types.joined(length, each.isText() ? value.type().length() : 41);
            arguments.add(value.sql());
        }
        return Typed.of("F_CONCAT(" + String.join(", ", arguments) + ")", Types.text(unicode, length));
    }

    private static Typed concatWs(List<Typed> all) {
        count("concat_ws", all, 3, 254);
        boolean unicode = all.stream().anyMatch(each -> Types.isUnicode(each.type()));
        String arguments = all.stream().map(each -> string(each).sql()).collect(Collectors.joining(", "));
        return Typed.of("F_CONCATWS(" + arguments + ")", Types.text(unicode, SqlType.MAX));
    }

    /** The result has the type of the first one, and a string is cut to its length. */
    private static Typed isNull(List<Typed> all) {
        count("isnull", all, 2, 2);
        Typed first = all.get(0);
        if (first.unknown()) {
            return all.get(1);
        }
        Typed second = Casts.implicit(all.get(1), first.type());
        boolean cut = first.isText() && first.type().length() != SqlType.MAX;
        String replacement = cut ? "F_CUT(" + second.sql() + ", " + first.type().length() + ")" : second.sql();
        return Typed.of("COALESCE(" + first.sql() + ", " + replacement + ")", first.type());
    }

    private static Typed choose(List<Typed> all) {
        count("choose", all, 2, 254);
        String index =
                Casts.explicit(all.get(0), Types.INT, Casts.NO_STYLE, false).sql();
        List<String> conditions = new ArrayList<>();
        List<Typed> results = new ArrayList<>(all.subList(1, all.size()));
        for (int i = 1; i < all.size(); i++) {
            conditions.add("(" + index + " = " + i + ")");
        }
        results.add(Typed.nullLiteral());
        return ExpressionWriter.cases(conditions, results);
    }
}
