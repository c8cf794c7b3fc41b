package dev.cassidy.assist.plan;

import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.List;
import java.util.Objects;
import net.sf.jsqlparser.schema.Table;

/**
 * The rows of one table that a statement needs, for one place where it names the table: perhaps more than it needs, never fewer.
 *
 * @param id its place in {@link ReadPlan#reads}
 * @param node where the statement names the table; its identity counts
 * @param columns those that the statement may use, and those of the primary key
 */
public record TableRead(int id, Table node, TableModel table, List<ColumnModel> columns, Access access) {

    public TableRead {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(access, "access");
        columns = List.copyOf(columns);
    }
}
