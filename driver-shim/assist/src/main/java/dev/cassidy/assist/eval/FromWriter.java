package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import org.jspecify.annotations.Nullable;

/** Writes FROM: tables whose rows are in H2, subqueries, and joins of them. */
final class FromWriter {

    private final Writers writers;
    private final Set<String> beingDefined = new HashSet<>();

    FromWriter(Writers writers) {
        this.writers = writers;
    }

    /** Says that a common table expression is being written, in which its own name would be a recursion. */
    void defining(String name, boolean begins) {
        String key = name.toLowerCase(Locale.ROOT);
        if (begins) {
            beingDefined.add(key);
        } else {
            beingDefined.remove(key);
        }
    }

    String write(PlainSelect select, Scope scope) {
        List<Join> joins = select.getJoins() == null ? List.of() : select.getJoins();
        if (joins.isEmpty() || !joins.get(0).isFull()) {
            StringBuilder sql = new StringBuilder(item(select.getFromItem(), scope));
            joins(joins, scope, sql);
            return sql.toString();
        }
        StringBuilder sql = new StringBuilder(full(select.getFromItem(), joins.get(0), scope));
        joins(joins.subList(1, joins.size()), scope, sql);
        return sql.toString();
    }

    /**
     * Writes a FULL JOIN, which H2 lacks: the LEFT JOIN, and the rows of the right side that match none of the left. The same condition decides both,
     * so a row is in one of the two, as often as it is there.
     */
    private String full(FromItem first, Join join, Scope scope) {
        kindKnown(join);
        boolean two = isOne(first) && isOne(join.getFromItem());
        List<Expression> on = join.getOnExpressions() == null ? List.of() : List.copyOf(join.getOnExpressions());
        if (!two || on.size() != 1) {
            throw fullOfMore();
        }
        Scope sides = scope.beside();
        String left = item(first, sides);
        String right = item(join.getFromItem(), sides);
        String condition = writers.condition(on.get(0), sides);
        String source = writers.writing().alias();
        List<String> matched = new ArrayList<>();
        List<String> alone = new ArrayList<>();
        for (int side = 0; side < 2; side++) {
            Scope.Source each = sides.sources().get(side);
            List<Scope.Field> fields = new ArrayList<>();
            for (Scope.Field field : each.fields()) {
                Typed value = field.value();
                if (value == null) {
                    fields.add(field);
                    continue;
                }
                String name = "C" + matched.size();
                matched.add(value.sql() + " AS " + name);
                alone.add((side == 0 ? "CAST(NULL AS " + Types.h2(value.type()) + ")" : value.sql()) + " AS " + name);
                Typed shown = Typed.of(source + "." + name, value.type());
                writers.writing().sameColumn(value.sql(), shown.sql());
                fields.add(new Scope.Field(field.name(), shown));
            }
            scope.add(new Scope.Source(each.names(), fields));
        }
        scope.count(source + ".C0");
        // Each part counts its rows: H2 keeps all of them before it gives the first.
        return "(SELECT " + String.join(", ", matched) + " FROM " + left + " LEFT JOIN " + right + " ON " + condition
                + " WHERE F_STEP(" + sides.counted() + ") UNION ALL SELECT " + String.join(", ", alone) + " FROM "
                + right + " WHERE NOT EXISTS (SELECT 1 FROM " + left + " WHERE " + condition + ") AND F_STEP("
                + sides.counted(1) + ")) " + source;
    }

    private static boolean isOne(FromItem item) {
        return !(item instanceof ParenthesedFromItem);
    }

    private static NotEvaluatedException fullOfMore() {
        return new NotEvaluatedException(
                "FULL JOIN of more than two tables",
                "the first two of FROM alone are joined so",
                "Write the FULL JOIN of two as a subquery in FROM");
    }

    private void joins(@Nullable List<Join> joins, Scope scope, StringBuilder sql) {
        if (joins != null) {
            joins.forEach(each -> join(each, scope, sql));
        }
    }

    private void join(Join join, Scope scope, StringBuilder sql) {
        String kind = kind(join);
        sql.append(kind).append(item(join.getFromItem(), scope));
        List<Expression> on = join.getOnExpressions() == null ? List.of() : List.copyOf(join.getOnExpressions());
        boolean conditional = !kind.equals(", ") && !kind.equals(" CROSS JOIN ");
        if (on.size() != (conditional ? 1 : 0)) {
            throw new NotEvaluatedException(
                    "A join with " + on.size() + " ON", "each join needs its own", "Write ON after each join");
        }
        if (conditional) {
            sql.append(" ON ").append(writers.condition(on.get(0), scope));
        }
    }

    private static String kind(Join join) {
        if (join.isFull()) {
            throw fullOfMore();
        }
        kindKnown(join);
        if (join.isSimple()) {
            return ", ";
        }
        if (join.isCross()) {
            return " CROSS JOIN ";
        }
        if (join.isLeft()) {
            return " LEFT JOIN ";
        }
        if (join.isRight()) {
            return " RIGHT JOIN ";
        }
        if (join.isOuter()) {
            throw Unsupported.node(join);
        }
        return " JOIN ";
    }

    private static void kindKnown(Join join) {
        if (join.isApply()) {
            throw new NotEvaluatedException("APPLY", "H2 has none", "Write a join, or a subquery in the SELECT list");
        }
        if (join.isNatural()
                || join.isSemi()
                || join.isStraight()
                || join.isGlobal()
                || join.isWindowJoin()
                || !join.getUsingColumns().isEmpty()) {
            throw new NotEvaluatedException("This join", "T-SQL does not have it", "Write JOIN with ON");
        }
    }

    private String item(FromItem item, Scope scope) {
        if (item.getPivot() != null || item.getUnPivot() != null) {
            throw new NotEvaluatedException(
                    "PIVOT", "H2 has none", "Write SUM(CASE WHEN ... THEN ... END) for each column");
        }
        if (item instanceof Table table) {
            return table(table, scope);
        }
        if (item instanceof ParenthesedFromItem parenthesed) {
            if (parenthesed.getAlias() != null) {
                throw Unsupported.node(parenthesed);
            }
            StringBuilder sql = new StringBuilder(item(parenthesed.getFromItem(), scope));
            joins(parenthesed.getJoins(), scope, sql);
            return "(" + sql + ")";
        }
        // LateralSubSelect is a ParenthesedSelect too.
        if (item instanceof ParenthesedSelect subquery && item.getClass() == ParenthesedSelect.class) {
            return subquery(subquery, scope);
        }
        throw new NotEvaluatedException(
                item + " in FROM", "only tables and subqueries are", "Read what it gives by a statement of its own");
    }

    private String table(Table table, Scope scope) {
        String name = Names.bare(table.getName());
        Alias alias = table.getAlias();
        if (table.getSampleClause() != null) {
            throw new NotEvaluatedException("TABLESAMPLE", "its rows are not defined", "Write TOP");
        }
        Scope.Common common = table.getSchemaName() == null ? scope.common(name) : null;
        if (common != null) {
            return derived(common.written(), common.names(), alias == null ? name : Names.bare(alias.getName()), scope);
        }
        FedTable fed = writers.writing().table(table);
        if (fed == null) {
            if (table.getSchemaName() == null && beingDefined.contains(name.toLowerCase(Locale.ROOT))) {
                throw new NotEvaluatedException(
                        "The recursive common table expression " + name,
                        "its rows cannot be known before they are read",
                        "Read one level after the other");
            }
            throw new EvaluationException(208, "42S02", "Invalid object name '" + table.getFullyQualifiedName() + "'");
        }
        if (alias != null && alias.getAliasColumns() != null) {
            throw Unsupported.node(table);
        }
        String source = writers.writing().alias();
        scope.count(source + ".R");
        List<Scope.Field> fields = new ArrayList<>();
        List<String> read = fed.columns().stream()
                .map(each -> each.toLowerCase(Locale.ROOT))
                .toList();
        for (ColumnModel each : fed.model().columns()) {
            int index = read.indexOf(each.name().toLowerCase(Locale.ROOT));
            Typed value = index < 0 ? null : Typed.of(source + ".C" + index, each.type());
            if (value != null) {
                writers.writing().column(value.sql(), each);
            }
            fields.add(new Scope.Field(each.label(), value));
        }
        scope.add(new Scope.Source(List.of(alias == null ? name : Names.bare(alias.getName())), fields));
        return writers.writing().name(table) + " " + source;
    }

    private String subquery(ParenthesedSelect subquery, Scope scope) {
        Alias alias = subquery.getAlias();
        if (alias == null) {
            throw EvaluationException.rule(102, "Incorrect syntax near ')': a subquery in FROM needs an alias");
        }
        // What stands beside it in FROM is not visible in it.
        Part part = writers.subquery(subquery.getSelect(), scope.beside());
        List<String> names = alias.getAliasColumns() == null
                ? part.items().stream().map(Part.Item::label).toList()
                : alias.getAliasColumns().stream()
                        .map(each -> Names.bare(each.name))
                        .toList();
        checkNames(Names.bare(alias.getName()), names, part.items().size());
        return derived(part, names, Names.bare(alias.getName()), scope);
    }

    private String derived(Part part, List<String> names, String alias, Scope scope) {
        String source = writers.writing().alias();
        scope.count(source + ".C0");
        List<Scope.Field> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Typed value = part.items().get(i).value();
            fields.add(new Scope.Field(names.get(i), value == null ? null : Typed.of(source + ".C" + i, value.type())));
        }
        scope.add(new Scope.Source(List.of(alias), fields));
        return "(" + part.sql() + ") " + source;
    }

    static void checkNames(String alias, List<String> names, int columns) {
        if (names.size() != columns) {
            throw EvaluationException.rule(
                    8158, "'" + alias + "' has another number of columns than were specified in the column list");
        }
        Set<String> known = new HashSet<>();
        for (int i = 0; i < columns; i++) {
            if (names.get(i).isEmpty()) {
                throw EvaluationException.rule(
                        8155, "No column name was specified for column " + (i + 1) + " of '" + alias + "'");
            }
            if (!known.add(names.get(i).toLowerCase(Locale.ROOT))) {
                throw EvaluationException.rule(
                        8156, "The column '" + names.get(i) + "' was specified multiple times for '" + alias + "'");
            }
        }
    }
}
