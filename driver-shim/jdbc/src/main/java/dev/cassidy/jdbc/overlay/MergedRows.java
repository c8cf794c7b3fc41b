package dev.cassidy.jdbc.overlay;

import dev.cassidy.insert.RowQuery;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Rows of the server, in its order, and among them those that a transaction has written. Used by one thread at a time.
 */
public final class MergedRows {

    private final Overlay.Table table;
    private final List<RowQuery.Order> order;
    private final List<String> within;
    private final Set<List<Object>> written;
    private final List<RowImage> rows = new ArrayList<>();

    /**
     * No rows yet.
     *
     * @param order by what rows are ordered
     * @param within the columns that ordered rows have in common; none if all are ordered
     * @param written the keys of the rows of which the transaction knows better than the server
     */
    public MergedRows(Overlay.Table table, List<RowQuery.Order> order, List<String> within, Set<List<Object>> written) {
        this.table = table;
        this.order = order;
        this.within = within;
        this.written = written;
    }

    /** Adds a row of the server behind those before it, unless the transaction has written it. */
    public void add(RowImage row) {
        if (!written.contains(table.keyOf(row))) {
            rows.add(row);
        }
    }

    public int size() {
        return rows.size();
    }

    /** Adds rows of the transaction at their places. */
    public void addWritten(Collection<RowImage> own) {
        for (RowImage row : own) {
            rows.add(place(row), row);
        }
    }

    private int place(RowImage row) {
        int last = rows.size();
        for (int i = 0; i < rows.size(); i++) {
            RowImage other = rows.get(i);
            if (within.isEmpty() || other.values(within).equals(row.values(within))) {
                if (compare(row, other) < 0) {
                    return i;
                }
                last = i + 1;
            }
        }
        return last;
    }

    private int compare(RowImage one, RowImage other) {
        for (RowQuery.Order each : order) {
            Object a = one.value(each.column());
            Object b = other.value(each.column());
            int compared = a == null || b == null ? Boolean.compare(a != null, b != null) : CellOrder.compare(a, b);
            if (compared != 0) {
                return each.descending() ? -compared : compared;
            }
        }
        return 0;
    }

    /** Returns the rows, at most so many. */
    public List<RowImage> rows(long limit) {
        return rows.subList(0, (int) Math.min(rows.size(), limit));
    }
}
