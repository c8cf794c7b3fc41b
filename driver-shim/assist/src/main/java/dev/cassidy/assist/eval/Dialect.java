package dev.cassidy.assist.eval;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.IdentityHashMap;
import java.util.List;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/**
 * Writes a SELECT of T-SQL as H2 reads it. Nothing of the statement's text goes to H2 but its literals: names are replaced by names
 * of our own, functions by {@link TextFunctions} and its like, and conversions that T-SQL does by itself are written out. So H2's own
 * functions and tables cannot be named, and what is not known here is refused.
 */
final class Dialect {

    /**
     * A statement for H2.
     *
     * @param sql with numbered parameters
     * @param bound their values
     * @param columns of the result
     * @param tables the tables that it names, with their names for H2
     */
    record Written(String sql, List<Object> bound, List<ResultColumn> columns, IdentityHashMap<Table, String> tables) {}

    final Writing writing;
    final SelectWriter selects = new SelectWriter(this);
    final FromWriter froms = new FromWriter(this);
    final ConditionWriter conditions = new ConditionWriter(this);
    final ExpressionWriter expressions = new ExpressionWriter(this);
    final CallWriter calls = new CallWriter(this);
    final AggregateWriter aggregates = new AggregateWriter(this);

    private Dialect(Writing writing) {
        this.writing = writing;
    }

    /**
     * Writes a statement.
     *
     * @param now the time of the statement
     * @param zone where GETDATE() is
     */
    static Written write(
            Select tree, IdentityHashMap<Table, FedTable> tables, List<@Nullable Object> parameters, Instant now, ZoneId zone) {
        Writing writing = new Writing(
                tables, parameters, LocalDateTime.ofInstant(now, zone), LocalDateTime.ofInstant(now, ZoneOffset.UTC));
        SelectWriter.Part part = new Dialect(writing).selects.statement(tree);
        List<ResultColumn> columns = part.items().stream()
                .map(item -> new ResultColumn(item.label(), item.type()))
                .toList();
        return new Written(part.sql(), writing.bound(), columns, writing.names());
    }
}
