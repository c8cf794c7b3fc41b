package dev.cassidy.assist.tree;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.CaseExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.ComparisonOperator;
import net.sf.jsqlparser.expression.operators.relational.ExistsExpression;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.delete.Delete;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.select.LateralSubSelect;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectVisitor;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.select.WithItem;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.util.TablesNamesFinder;
import org.jspecify.annotations.Nullable;

/** Finds in the tree of a query or a write what CQL's grammar has no words for. */
final class UnsupportedParts extends TablesNamesFinder<Void> {

    /** Functions that CQL has not; it has COUNT, SUM, MIN, MAX, AVG, CAST and some of numbers and dates. */
    private static final Set<String> FUNCTIONS = Set.of(
            "isnull",
            "coalesce",
            "nullif",
            "iif",
            "choose",
            "convert",
            "try_convert",
            "try_cast",
            "parse",
            "format",
            "lower",
            "upper",
            "len",
            "datalength",
            "substring",
            "left",
            "right",
            "ltrim",
            "rtrim",
            "trim",
            "replace",
            "charindex",
            "patindex",
            "concat",
            "concat_ws",
            "stuff",
            "str",
            "reverse",
            "replicate",
            "space",
            "string_agg",
            "string_split",
            "year",
            "month",
            "day",
            "dateadd",
            "datediff",
            "datepart",
            "datename",
            "eomonth",
            "ceiling",
            "floor",
            "power",
            "sqrt",
            "sign",
            "rand",
            "stdev",
            "var",
            "checksum",
            "isnumeric",
            "isdate",
            "openjson",
            "json_value",
            "freetext");

    private static final Set<String> WINDOWS =
            Set.of("row_number", "rank", "dense_rank", "ntile", "lag", "lead", "first_value", "last_value");

    private final Set<String> found = new LinkedHashSet<>();
    private boolean joins;

    private UnsupportedParts() {
        init(true);
    }

    static List<String> of(Statement statement) {
        if (!(statement instanceof Select
                || statement instanceof Insert
                || statement instanceof Update
                || statement instanceof Delete)) {
            return List.of();
        }
        UnsupportedParts parts = new UnsupportedParts();
        try {
            statement.accept(parts, null);
        } catch (RuntimeException e) {
            // JSqlParser's visitor does not go into every part, and not into parts that are missing. What was found is
            // true.
            return List.copyOf(parts.found);
        }
        return List.copyOf(parts.found);
    }

    private void add(String what, String wayOut) {
        found.add(what + " is not supported: " + wayOut);
    }

    private void addJoin(String wayOut) {
        joins = true;
        add("a join", wayOut);
    }

    @Override
    public <S> @Nullable Void visit(PlainSelect select, S context) {
        boolean several = select.getJoins() != null && !select.getJoins().isEmpty();
        if (several || select.getFromItem() instanceof ParenthesedFromItem) {
            addJoin("read one table a statement, or keep the joined rows in a table of their own");
        }
        if (select.getHaving() != null) {
            add("HAVING", "leave the groups out in the application");
        }
        return super.visit(select, context);
    }

    @Override
    public <S> @Nullable Void visit(ParenthesedSelect select, S context) {
        add("a subquery", "run it first, and pass its values");
        return super.visit(select, context);
    }

    @Override
    public <S> @Nullable Void visit(LateralSubSelect select, S context) {
        addJoin("read one table a statement, or keep the joined rows in a table of their own");
        return super.visit(select, context);
    }

    @Override
    public <S> @Nullable Void visit(WithItem<?> item, S context) {
        add("WITH", "run the common table expression as a statement of its own");
        // Its brackets make no subquery of it.
        item.getSelect().getSelect().accept((SelectVisitor<?>) this, context);
        return null;
    }

    @Override
    public <S> @Nullable Void visit(ExistsExpression exists, S context) {
        add("EXISTS", "run the query first, and decide in the application");
        return super.visit(exists, context);
    }

    @Override
    public <S> @Nullable Void visit(SetOperationList list, S context) {
        list.getOperations()
                .forEach(each -> add(each.toString().toUpperCase(Locale.ROOT), "combine the rows in the application"));
        return super.visit(list, context);
    }

    @Override
    public <S> @Nullable Void visit(Update update, S context) {
        boolean several = (update.getJoins() != null && !update.getJoins().isEmpty())
                || (update.getStartJoins() != null && !update.getStartJoins().isEmpty());
        if (several) {
            addJoin("name the rows by their primary key in WHERE, one table a statement");
        }
        return super.visit(update, context);
    }

    @Override
    public <S> @Nullable Void visit(Delete delete, S context) {
        if (delete.getJoins() != null && !delete.getJoins().isEmpty()) {
            addJoin("name the rows by their primary key in WHERE, one table a statement");
        }
        return super.visit(delete, context);
    }

    @Override
    public <S> @Nullable Void visit(CaseExpression expression, S context) {
        add("CASE", "decide in the application");
        return super.visit(expression, context);
    }

    @Override
    public <S> @Nullable Void visit(AnalyticExpression expression, S context) {
        add("OVER (a window)", "number and add up the rows in the application");
        return super.visit(expression, context);
    }

    @Override
    public <S> @Nullable Void visit(Function function, S context) {
        String name = function.getName().toLowerCase(Locale.ROOT);
        if (WINDOWS.contains(name)) {
            add("OVER (a window)", "number and add up the rows in the application");
        } else if (FUNCTIONS.contains(name)) {
            add(
                    "the function " + name.toUpperCase(Locale.ROOT),
                    "read the columns, and compute in the application; for a condition keep the result in a column");
        }
        return super.visit(function, context);
    }

    @Override
    public <S> @Nullable Void visit(OrExpression or, S context) {
        add("OR", "run one statement for each side, and leave out the rows that both return");
        return super.visit(or, context);
    }

    @Override
    public void visitBinaryExpression(BinaryExpression expression) {
        // Where tables are joined, that says how.
        if (!joins
                && expression instanceof ComparisonOperator
                && isColumn(expression.getLeftExpression())
                && isColumn(expression.getRightExpression())) {
            add(
                    "a comparison of two columns",
                    "Cassandra compares a column with a value: keep what they have in common in a column of its own");
        }
        super.visitBinaryExpression(expression);
    }

    /** JSqlParser takes a word that CQL knows as a value for a column. */
    private static boolean isColumn(Expression expression) {
        return expression instanceof Column column
                && !Set.of("true", "false", "nan", "infinity")
                        .contains(column.getColumnName().toLowerCase(Locale.ROOT));
    }
}
