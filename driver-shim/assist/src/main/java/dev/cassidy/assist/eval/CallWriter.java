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

    private final Writers writers;
    private final AggregateWriter aggregates;
    private final NumberCalls numbers = new NumberCalls();
    private final DateCalls dates;

    CallWriter(Writers writers, AggregateWriter aggregates) {
        this.writers = writers;
        this.aggregates = aggregates;
        this.dates = new DateCalls(writers);
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
            throw Arguments.unknown(function.toString());
        }
        List<Expression> parameters =
                function.getParameters() == null ? List.of() : List.copyOf(function.getParameters());
        if (AggregateWriter.isAggregate(name)) {
            return aggregates.aggregate(name, function.isDistinct(), parameters, scope);
        }
        if (function.isDistinct() || function.isAllColumns()) {
            throw Arguments.unknown(function.toString());
        }
        if (dates.knows(name)) {
            return dates.write(name, parameters, scope);
        }
        if (name.equals("iif")) {
            Arguments.count(name, parameters, 3, 3);
            return Cases.write(
                    List.of(writers.condition(parameters.get(0), scope)),
                    List.of(writers.value(parameters.get(1), scope), writers.value(parameters.get(2), scope)));
        }
        if (name.equals("try_convert")) {
            return tryConvert(parameters, scope);
        }
        List<Typed> arguments =
                parameters.stream().map(each -> writers.value(each, scope)).toList();
        return numbers.knows(name) ? numbers.write(name, arguments) : strings(name, arguments);
    }

    private Typed tryConvert(List<Expression> parameters, Scope scope) {
        Arguments.count("try_convert", parameters, 2, 3);
        int style = parameters.size() == 3 ? style(parameters.get(2)) : DateStyles.NO_STYLE;
        return Casts.explicit(
                writers.value(parameters.get(1), scope),
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
            throw Arguments.unknown(key);
        }
        return dates.write("getdate", List.of(), new Scope(null));
    }

    private static String whole(Typed value) {
        return Casts.implicit(value, Types.BIGINT).sql();
    }

    /** Returns a call with one string that gives a string as long. */
    Typed text(String function, Typed argument) {
        Typed value = Arguments.string(argument);
        return Typed.of(
                function + "(" + value.sql() + ")",
                Types.text(Types.isUnicode(value.type()), value.type().length()));
    }

    private Typed strings(String name, List<Typed> all) {
        return switch (name) {
            case "upper", "lower", "ltrim", "rtrim", "trim", "reverse" -> {
                Arguments.count(name, all, 1, 1);
                yield text("F_" + name.toUpperCase(Locale.ROOT), all.get(0));
            }
            case "len" -> {
                Arguments.count(name, all, 1, 1);
                yield Typed.of("F_LEN(" + Arguments.string(all.get(0)).sql() + ")", Types.INT);
            }
            case "datalength" -> datalength(all);
            case "substring" -> {
                Arguments.count(name, all, 3, 3);
                yield call("F_SUBSTRING", all.get(0), all.subList(1, 3));
            }
            case "left", "right" -> {
                Arguments.count(name, all, 2, 2);
                yield call("F_" + name.toUpperCase(Locale.ROOT), all.get(0), all.subList(1, 2));
            }
            case "charindex" -> {
                Arguments.count(name, all, 2, 3);
                String start = all.size() == 3 ? whole(all.get(2)) : "1";
                yield Typed.of(
                        "F_CHARINDEX(" + Arguments.string(all.get(0)).sql() + ", "
                                + Arguments.string(all.get(1)).sql() + ", " + start + ")",
                        Types.INT);
            }
            case "replace" -> {
                Arguments.count(name, all, 3, 3);
                String arguments =
                        all.stream().map(each -> Arguments.string(each).sql()).collect(Collectors.joining(", "));
                boolean unicode = all.stream().anyMatch(each -> Types.isUnicode(each.type()));
                yield Typed.of("F_REPLACE(" + arguments + ")", Types.text(unicode, unicode ? 4_000 : 8_000));
            }
            case "stuff" -> {
                Arguments.count(name, all, 4, 4);
                boolean unicode = Types.isUnicode(all.get(0).type())
                        || Types.isUnicode(all.get(3).type());
                yield Typed.of(
                        "F_STUFF(" + Arguments.string(all.get(0)).sql() + ", " + whole(all.get(1)) + ", "
                                + whole(all.get(2)) + ", "
                                + Arguments.string(all.get(3)).sql() + ")",
                        Types.text(unicode, SqlType.MAX));
            }
            case "replicate" -> replicate(all);
            case "space" -> {
                Arguments.count(name, all, 1, 1);
                yield Typed.of("F_SPACE(" + whole(all.get(0)) + ")", Types.text(false, 8_000));
            }
            case "concat" -> concat(all);
            case "concat_ws" -> concatWs(all);
            case "ascii", "unicode" -> {
                Arguments.count(name, all, 1, 1);
                yield Typed.of(
                        "F_" + name.toUpperCase(Locale.ROOT) + "("
                                + Arguments.string(all.get(0)).sql() + ")",
                        Types.INT);
            }
            case "char" -> {
                Arguments.count(name, all, 1, 1);
                yield Typed.of("F_CHARACTER(" + whole(all.get(0)) + ")", Types.text(false, 1));
            }
            case "nchar" -> {
                Arguments.count(name, all, 1, 1);
                yield Typed.of("F_NCHAR(" + whole(all.get(0)) + ")", Types.text(true, 1));
            }
            case "isnull" -> isNull(all);
            case "coalesce" -> {
                Arguments.count(name, all, 1, Integer.MAX_VALUE);
                SqlType type = Cases.common(all);
                yield Typed.of(
                        "COALESCE("
                                + all.stream()
                                        .map(each -> Casts.implicit(each, type).sql())
                                        .collect(Collectors.joining(", "))
                                + ")",
                        type);
            }
            case "nullif" -> {
                Arguments.count(name, all, 2, 2);
                yield Cases.write(
                        List.of(Comparisons.write(writers.writing(), all.get(0), "=", all.get(1))),
                        List.of(Typed.nullLiteral(), all.get(0)));
            }
            case "choose" -> choose(all);
            case "newid" -> {
                Arguments.count(name, all, 0, 0);
                yield Typed.of("RANDOM_UUID()", Types.UNIQUEIDENTIFIER);
            }
            case "isnumeric" -> {
                Arguments.count(name, all, 1, 1);
                Types.Family family = Types.family(all.get(0).type());
                yield Typed.of(
                        family.isNumber()
                                ? "CASE WHEN " + all.get(0).sql() + " IS NULL THEN 0 ELSE 1 END"
                                : "F_ISNUMERIC(" + Arguments.string(all.get(0)).sql() + ")",
                        Types.INT);
            }
            default -> throw Arguments.unknown(name);
        };
    }

    private static Typed call(String function, Typed text, List<Typed> numbers) {
        Typed value = Arguments.string(text);
        String rest = numbers.stream().map(CallWriter::whole).collect(Collectors.joining(", "));
        return Typed.of(
                function + "(" + value.sql() + ", " + rest + ")",
                Types.text(Types.isUnicode(value.type()), value.type().length()));
    }

    private static Typed datalength(List<Typed> all) {
        Arguments.count("datalength", all, 1, 1);
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
        Arguments.count("replicate", all, 2, 2);
        Typed value = Arguments.string(all.get(0));
        boolean unicode = Types.isUnicode(value.type());
        boolean max = value.type().length() == SqlType.MAX && all.get(0).isText();
        // H2's strings have a million characters.
        int most = max ? 1_000_000 : unicode ? 4_000 : 8_000;
        return Typed.of(
                "F_REPLICATE(" + value.sql() + ", " + whole(all.get(1)) + ", " + most + ")",
                Types.text(unicode, max ? SqlType.MAX : most));
    }

    private static Typed concat(List<Typed> all) {
        Arguments.count("concat", all, 2, 254);
        boolean unicode = all.stream().anyMatch(each -> Types.isUnicode(each.type()));
        int length = 0;
        List<String> arguments = new ArrayList<>();
        for (Typed each : all) {
            Typed value = Arguments.string(each);
            // What is no string is shorter than that.
            length = Types.joined(length, each.isText() ? value.type().length() : 41);
            arguments.add(value.sql());
        }
        return Typed.of("F_CONCAT(" + String.join(", ", arguments) + ")", Types.text(unicode, length));
    }

    private static Typed concatWs(List<Typed> all) {
        Arguments.count("concat_ws", all, 3, 254);
        boolean unicode = all.stream().anyMatch(each -> Types.isUnicode(each.type()));
        String arguments =
                all.stream().map(each -> Arguments.string(each).sql()).collect(Collectors.joining(", "));
        return Typed.of("F_CONCATWS(" + arguments + ")", Types.text(unicode, SqlType.MAX));
    }

    /** The result has the type of the first one, and a string is cut to its length. */
    private static Typed isNull(List<Typed> all) {
        Arguments.count("isnull", all, 2, 2);
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
        Arguments.count("choose", all, 2, 254);
        String index = Casts.explicit(all.get(0), Types.INT, DateStyles.NO_STYLE, false)
                .sql();
        List<String> conditions = new ArrayList<>();
        List<Typed> results = new ArrayList<>(all.subList(1, all.size()));
        for (int i = 1; i < all.size(); i++) {
            conditions.add("(" + index + " = " + i + ")");
        }
        results.add(Typed.nullLiteral());
        return Cases.write(conditions, results);
    }
}
