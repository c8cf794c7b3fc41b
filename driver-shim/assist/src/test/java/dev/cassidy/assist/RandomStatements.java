package dev.cassidy.assist;

import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.TableModel;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** SELECTs at random over tables, in what T-SQL and H2 have in common. */
public final class RandomStatements {

    private final Random random;
    private final List<TableModel> tables;
    private final List<@Nullable Object> parameters = new ArrayList<>();
    private final boolean blanks;
    private int aliases;

    RandomStatements(Random random, List<TableModel> tables) {
        this(random, tables, false);
    }

    /** @param blanks whether strings may have a blank at the end */
    public RandomStatements(Random random, List<TableModel> tables, boolean blanks) {
        this.random = random;
        this.tables = tables;
        this.blanks = blanks;
    }

    /** The parameters of the statements so far. */
    public List<@Nullable Object> parameters() {
        return parameters;
    }

    /** A table in FROM: its name there, and its columns. */
    private record From(String alias, List<ColumnModel> columns) {}

    /** A statement of one of the two forms. */
    public String mixed() {
        return random.nextInt(3) == 0 ? byKeys() : statement();
    }

    /** A statement of which every row's place is decided; some of its rows may be left out. */
    public String ordered() {
        return mixed()
                + " ORDER BY " + any(List.of("1, 2", "2, 1", "1 DESC, 2", "2 DESC, 1 DESC"))
                + any(List.of(
                        "", "", " OFFSET 0 ROWS FETCH NEXT 2 ROWS ONLY", " OFFSET 1 ROWS FETCH NEXT 3 ROWS ONLY"));
    }

    String statement() {
        String with = "";
        String body;
        if (random.nextInt(8) == 0) {
            TableModel table = any(tables);
            From inner = new From("w", table.columns());
            with = "WITH w AS (SELECT * FROM " + table.name()
                    + (random.nextBoolean()
                            ? ""
                            : " WHERE " + condition(List.of(new From(table.name(), table.columns())), List.of(), 1))
                    + ") ";
            From second = new From("w2", inner.columns());
            String on = random.nextBoolean() ? "" : " JOIN w w2 ON " + join(inner, second);
            body = "SELECT w.a, w.s FROM w" + on + " WHERE " + condition(List.of(inner), List.of(), 2);
        } else {
            body = select(List.of(), true);
            if (random.nextInt(10) == 0) {
                body += " UNION " + (random.nextBoolean() ? "ALL " : "") + select(List.of(), true);
            }
        }
        return with + body;
    }

    /** A SELECT whose tables are read by keys, or by parts of them, for which the tables before give the values. */
    private String byKeys() {
        TableModel first = any(tables);
        List<From> from = new ArrayList<>(List.of(new From("k0", first.columns())));
        StringBuilder text = new StringBuilder(first.name() + " k0");
        for (int i = 1; i < 2 + random.nextInt(2); i++) {
            TableModel table = any(tables);
            From added = new From("k" + i, table.columns());
            List<String> key = new ArrayList<>(table.partitionKey());
            key.addAll(table.clustering()
                    .subList(0, random.nextInt(table.clustering().size() + 1)));
            From before = any(from);
            text.append(random.nextInt(3) == 0 ? " LEFT JOIN " : " JOIN ")
                    .append(table.name() + " " + added.alias() + " ON ")
                    .append(key.stream()
                            .map(each -> added.alias() + "." + each + " = "
                                    + column(List.of(before), List.of("s", "u").contains(each)))
                            .collect(Collectors.joining(" AND ")));
            from.add(added);
        }
        String where = random.nextInt(3) > 0 ? "" : " WHERE " + condition(List.of(from.get(0)), List.of(), 1);
        List<From> last = List.of(from.get(from.size() - 1));
        return "SELECT " + column(last, false) + ", " + column(last, true) + " FROM " + text + where;
    }

    /** A SELECT of one number and one string. */
    private String select(List<From> outer, boolean top) {
        List<From> from = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        text.append(item(from, outer));
        // JOIN binds closer than a comma.
        int sinceComma = 0;
        for (int joins = random.nextInt(4) - 1; joins > 0; joins--) {
            List<From> before = List.copyOf(from.subList(sinceComma, from.size()));
            String kind = any(
                    List.of(" JOIN ", " JOIN ", " INNER JOIN ", " LEFT JOIN ", " RIGHT JOIN ", ", ", " CROSS JOIN "));
            String item = item(from, outer);
            From added = from.get(from.size() - 1);
            text.append(kind).append(item);
            sinceComma = kind.equals(", ") ? from.size() - 1 : sinceComma;
            if (!kind.equals(", ") && !kind.equals(" CROSS JOIN ")) {
                text.append(" ON ").append(join(any(before), added));
                if (random.nextInt(3) == 0) {
                    text.append(" AND ").append(condition(from.subList(sinceComma, from.size()), List.of(), 1));
                }
            }
        }
        String where = random.nextInt(8) == 0 ? "" : " WHERE " + condition(from, outer, 2) + keys(from, outer);
        String one = column(from, false);
        String other = column(from, true);
        if (!top) {
            return "SELECT " + (random.nextInt(6) == 0 ? "COUNT(*)" : one) + " FROM " + text + where;
        }
        return switch (random.nextInt(6)) {
            case 0 -> "SELECT COUNT(*), MAX(" + other + ") FROM " + text + where;
            case 1 ->
                "SELECT " + one + ", MIN(" + other + ") FROM " + text + where + " GROUP BY " + one
                        + (random.nextBoolean() ? "" : " HAVING COUNT(*) > 1");
            case 2 -> "SELECT DISTINCT " + one + ", " + other + " FROM " + text + where;
            case 3 ->
                "SELECT ROW_NUMBER() OVER (PARTITION BY " + one + " ORDER BY " + other + "), " + other + " FROM " + text
                        + where;
            default -> "SELECT " + one + ", " + other + " FROM " + text + where;
        };
    }

    private String item(List<From> from, List<From> outer) {
        TableModel table = any(tables);
        String alias = "x" + aliases++;
        if (random.nextInt(6) == 0) {
            From inner = new From("i" + alias, table.columns());
            String shape =
                    switch (random.nextInt(5)) {
                        case 0 -> "SELECT * FROM " + table.name() + " " + inner.alias();
                        case 1 -> "SELECT DISTINCT a, b, c, d, s, u FROM " + table.name() + " " + inner.alias();
                        case 2 ->
                            "SELECT a, ROW_NUMBER() OVER (ORDER BY a, b, c, d, s, u) AS b, c, d, s, u FROM "
                                    + table.name() + " " + inner.alias();
                        case 3 -> "SELECT a, b, c, d, s, u FROM " + table.name() + " " + inner.alias();
                        default ->
                            "SELECT a, MIN(b) AS b, MAX(c) AS c, COUNT(*) AS d, s, u FROM " + table.name() + " "
                                    + inner.alias();
                    };
            String where = random.nextBoolean() ? "" : " WHERE " + condition(List.of(inner), List.of(), 1);
            String group = shape.contains("COUNT") ? " GROUP BY a, s, u" : "";
            from.add(new From(alias, table.columns()));
            String first = shape.startsWith("SELECT a, b, c, d, s, u")
                    ? " ORDER BY a, b, c, d, s, u OFFSET 0 ROWS FETCH FIRST 3 ROWS ONLY"
                    : "";
            return "(" + shape + where + group + first + ") " + alias;
        }
        from.add(new From(alias, table.columns()));
        return table.name() + (random.nextBoolean() ? " AS " : " ") + alias;
    }

    /** What is said of the first columns of tables, of which most are keys. */
    private String keys(List<From> from, List<From> outer) {
        List<From> values = new ArrayList<>(from);
        values.addAll(outer);
        StringBuilder text = new StringBuilder();
        for (From each : from) {
            for (int i = 0; i < 2 && random.nextInt(3) > 0; i++) {
                String name = each.columns().get(i).name();
                boolean string = each.columns().get(i).isString();
                text.append(" AND ")
                        .append(each.alias())
                        .append('.')
                        .append(name)
                        .append(" = ");
                text.append(random.nextBoolean() ? value(string) : column(values, string));
            }
        }
        return text.toString();
    }

    private String join(From one, From other) {
        boolean text = random.nextInt(4) == 0;
        String first = column(List.of(one), text) + " = " + column(List.of(other), text);
        return random.nextInt(3) == 0
                ? first + " AND " + column(List.of(other), text) + " = " + column(List.of(one), text)
                : first;
    }

    private String condition(List<From> from, List<From> outer, int depth) {
        if (depth > 0 && random.nextInt(2) == 0) {
            String one = condition(from, outer, depth - 1);
            String other = condition(from, outer, depth - 1);
            return switch (random.nextInt(6)) {
                case 0 -> "(" + one + " OR " + other + ")";
                case 1 -> "NOT (" + one + " AND " + other + ")";
                case 2 -> "(" + one + ") AND " + other;
                default -> one + " AND " + other;
            };
        }
        boolean text = random.nextInt(4) == 0;
        String column = column(from, text);
        List<From> both = new ArrayList<>(from);
        both.addAll(outer);
        return switch (random.nextInt(depth > 0 ? 15 : 10)) {
            case 0, 1, 2 -> column + " = " + value(text);
            case 3 -> column + " IN (" + value(text) + ", " + value(text) + ")";
            case 4 -> "(" + column + " = " + value(text) + " OR " + column + " = " + value(text) + ")";
            case 9 ->
                "(" + (random.nextInt(3) == 0 ? "NOT " : "") + given() + " OR " + column + " = " + value(text) + ")";
            case 5 -> column + (random.nextBoolean() ? " IS NULL" : " <> " + value(text));
            case 6 -> outer.isEmpty() ? column + " = " + column(from, text) : column + " = " + column(outer, text);
            case 7 -> column + (text ? " LIKE 'x%'" : " BETWEEN 1 AND 3");
            case 8 -> column + " NOT IN (" + value(text) + ", " + value(text) + ")";
            case 10, 11 -> column + (random.nextInt(3) == 0 ? " NOT IN (" : " IN (") + one(text, both) + ")";
            case 12, 13 -> (random.nextInt(3) == 0 ? "NOT EXISTS (" : "EXISTS (") + select(both, false) + ")";
            default -> column + " = (SELECT " + (text ? "MAX(s)" : "MAX(a)") + " FROM " + scalar(both) + ")";
        };
    }

    /** A SELECT of one column. */
    private String one(boolean text, List<From> outer) {
        return one(text, outer, true);
    }

    private String one(boolean text, List<From> outer, boolean mayBeLimited) {
        TableModel table = any(tables);
        From inner = new From("y" + aliases++, table.columns());
        String distinct = random.nextInt(3) == 0 ? "DISTINCT " : "";
        String where = random.nextInt(3) == 0 ? "" : " WHERE " + condition(List.of(inner), outer, 1);
        String shown = column(List.of(inner), text);
        String group =
                switch (random.nextInt(mayBeLimited ? 6 : 1)) {
                    case 0 -> " GROUP BY " + shown + (random.nextBoolean() ? "" : " HAVING COUNT(*) > 1");
                    case 1 -> " ORDER BY " + shown + " OFFSET 0 ROWS FETCH FIRST 2 ROWS ONLY";
                    default -> "";
                };
        String select = "SELECT " + distinct + shown + " FROM " + table.name() + " " + inner.alias() + where + group;
        return group.isEmpty() && random.nextInt(3) == 0 ? select + " UNION " + one(text, outer, false) : select;
    }

    private String scalar(List<From> outer) {
        TableModel table = any(tables);
        From inner = new From("z" + aliases++, table.columns());
        return table.name() + " " + inner.alias() + " WHERE " + condition(List.of(inner), outer, 1);
    }

    private String column(List<From> from, boolean text) {
        return any(from).alias() + "." + any(text ? List.of("s", "u") : List.of("a", "b", "c", "d"));
    }

    private String value(boolean text) {
        int number = random.nextInt(5);
        String string = "xyzXY".substring(number, number + 1) + (blanks && random.nextInt(4) == 0 ? " " : "");
        if (random.nextInt(4) == 0) {
            parameters.add(random.nextInt(12) == 0 ? null : text ? (Object) string : number(number));
            return "?";
        }
        return text
                ? "'" + string + "'"
                : switch (random.nextInt(12)) {
                    case 0 -> "'" + number + "'";
                    case 1 -> number + ".0";
                    case 2 -> "CAST(" + number + " AS INT)";
                    default -> number + "";
                };
    }

    /** A number, in a type that its column may not have. */
    private Object number(int number) {
        return switch (random.nextInt(8)) {
            case 0 -> String.valueOf(number);
            case 1 -> new BigDecimal(number + ".00");
            case 2 -> (double) number;
            case 3 -> BigDecimal.valueOf(number).add(new BigDecimal("0.5"));
            default -> (long) number;
        };
    }

    /** A test of a parameter, as in a search by all that is given. */
    private String given() {
        parameters.add(random.nextInt(3) == 0 ? null : "x");
        return "? IS " + (random.nextInt(4) == 0 ? "NOT " : "") + "NULL";
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
