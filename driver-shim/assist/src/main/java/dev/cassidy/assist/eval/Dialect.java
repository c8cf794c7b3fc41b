package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.ResultColumn;
import dev.cassidy.jdbc.assist.SessionLanguage;
import java.time.Instant;
import java.time.ZoneId;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/**
 * Writes a SELECT of T-SQL as H2 reads it. Nothing of the statement's text goes to H2 but its literals: names are replaced by names
 * of our own, functions by {@link TextFunctions} and its like, and conversions that T-SQL does by itself are written out. So H2's own
 * functions and tables cannot be named, and what is not known here is refused.
 */
final class Dialect implements Writers {

    /**
     * A statement for H2.
     *
     * @param sql with numbered parameters
     * @param bound their values
     * @param columns of the result
     * @param used columns of tables that are more than shown
     * @param tables the tables that it names, with their names for H2
     */
    record Written(
            String sql,
            List<Object> bound,
            List<ResultColumn> columns,
            Set<ColumnModel> used,
            IdentityHashMap<Table, String> tables) {}

    private final Writing writing;
    private final SelectWriter selects = new SelectWriter(this);
    private final ConditionWriter conditions = new ConditionWriter(this);
    private final ExpressionWriter expressions = new ExpressionWriter(this);

    private Dialect(Writing writing) {
        this.writing = writing;
    }

    @Override
    public Writing writing() {
        return writing;
    }

    @Override
    public Part select(Select select, Scope outer, boolean outermost) {
        return selects.write(select, outer, outermost);
    }

    @Override
    public String condition(Expression condition, Scope scope) {
        return conditions.write(condition, scope);
    }

    @Override
    public Typed value(Expression expression, Scope scope) {
        return expressions.write(expression, scope);
    }

    /**
     * Writes a statement.
     *
     * @param language how the session reads and shows dates
     * @param now the time of the statement
     * @param zone of whose clocks the statement sees the times
     * @param byCode whether strings are compared by code
     */
    static Written write(
            Select tree,
            IdentityHashMap<Table, FedTable> tables,
            List<@Nullable Object> parameters,
            SessionLanguage language,
            Instant now,
            ZoneId zone,
            boolean byCode) {
        Writing writing = new Writing(tables, parameters, language, now, zone, byCode);
        Part part = new Dialect(writing).select(tree, new Scope(null), true);
        List<ResultColumn> columns = part.items().stream()
                .map(item -> new ResultColumn(item.label(), item.read().type()))
                .toList();
        return new Written(part.sql(), writing.bound(), columns, writing.used(), writing.names());
    }
}
