package dev.cassidy.counter;

import dev.cassidy.counter.cassandra.IncrementColumn;

/** What the column {@code increment} of a table of counters holds: single increments, and the sums of those folded. */
public enum IncrementType {

    /** From -2,147,483,648 to 2,147,483,647. */
    INT(IncrementColumn.INT),

    /** A signed 64-bit number. */
    BIGINT(IncrementColumn.BIGINT),

    /** A number of any size. */
    VARINT(IncrementColumn.VARINT);

    private final IncrementColumn column;

    IncrementType(IncrementColumn column) {
        this.column = column;
    }

    IncrementColumn column() {
        return column;
    }
}
