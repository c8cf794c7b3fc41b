package dev.cassidy.assist.plan;

import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.TableModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.sf.jsqlparser.schema.Table;

/** A place where a statement names a table, with what is known of the rows that it needs there. */
final class Occurrence {

    final Table node;
    final TableModel table;
    private final Map<String, List<Values>> equal = new LinkedHashMap<>();

    Occurrence(Table node, TableModel table) {
        this.node = node;
        this.table = table;
    }

    /** To what a column is equal. */
    sealed interface Values {}

    /** One of some values. */
    record Given(List<Term> terms) implements Values {}

    /** A column of a table, as the statement names it somewhere. */
    record ColumnRef(Occurrence occurrence, ColumnModel column) implements Values {}

    /** Rows whose column has none of the values are not needed. */
    void restrict(ColumnModel column, Values values) {
        equal.computeIfAbsent(column.name(), ignored -> new ArrayList<>()).add(values);
    }

    /** Returns to what a column is equal; each of them alone is true of all rows that are needed. */
    List<Values> valuesOf(ColumnModel column) {
        return equal.getOrDefault(column.name(), List.of());
    }
}
