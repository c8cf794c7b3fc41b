package dev.cassidy.assist.plan;

import dev.cassidy.jdbc.assist.ColumnModel;
import java.util.List;
import java.util.Objects;

/** By what rows of a table are found. */
public sealed interface Access {

    /** What some columns are, for which a row must have given values. */
    enum Reach {
        /** The whole primary key: one row for each key. */
        KEY,
        /** The whole partition key, and perhaps the first clustering columns. */
        PARTITION,
        /** One column with an index. */
        INDEX
    }

    /**
     * A column and the values that it has.
     *
     * <p>Parts whose values come from one other table take them from the same row of it: the statement demands all of them at once.
     */
    record Part(ColumnModel column, Source source) {
        public Part {
            Objects.requireNonNull(column, "column");
            Objects.requireNonNull(source, "source");
        }
    }

    /**
     * The rows that have given values in some columns.
     *
     * @param parts in the order of the key; one if it is an index
     */
    record Keyed(Reach reach, List<Part> parts) implements Access {
        public Keyed {
            Objects.requireNonNull(reach, "reach");
            parts = List.copyOf(parts);
        }

        /** Returns whether nothing else has to be read before. */
        boolean isConstant() {
            return parts.stream().allMatch(part -> part.source() instanceof Source.Terms);
        }
    }

    /**
     * All rows.
     *
     * @param unindexed columns by which the rows would be found if they had an index
     */
    record Scan(List<ColumnModel> unindexed) implements Access {
        public Scan {
            unindexed = List.copyOf(unindexed);
        }
    }
}
