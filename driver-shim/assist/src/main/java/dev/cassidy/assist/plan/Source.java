package dev.cassidy.assist.plan;

import dev.cassidy.jdbc.assist.ColumnModel;
import java.util.List;
import java.util.Objects;

/** Where the values come from to which a column is equal in each row that a statement needs. */
public sealed interface Source {

    /**
     * One of some values.
     *
     * @param terms at least one
     */
    record Terms(List<Term> terms) implements Source {
        public Terms {
            terms = List.copyOf(terms);
        }
    }

    /**
     * The value of a column in one of the rows of another table that are read.
     *
     * @param read the other table's {@link TableRead#id}
     */
    record OtherColumn(int read, ColumnModel column) implements Source {
        public OtherColumn {
            Objects.requireNonNull(column, "column");
        }
    }
}
