package dev.cassidy.jdbc.assist;

import java.util.List;
import java.util.Objects;

/**
 * An UPDATE, DELETE or INSERT as a SELECT whose rows say what is written. Each of them has the values of {@code key}, {@code compared} and
 * {@code assigned}, in this order.
 *
 * @param target the table that is written
 * @param kind what is done for each row
 * @param key the columns of the target's primary key; none of an INSERT
 * @param compared the other columns of the target on which the row depends: a change is one of the row that still has these values
 * @param assigned the columns that get values; empty of a DELETE, and of an INSERT that names none
 * @param select gives the rows
 */
public record AssistedChange(
        TableModel target,
        Kind kind,
        List<String> key,
        List<String> compared,
        List<String> assigned,
        AssistedSelect select) {

    /** What is done for a row. */
    public enum Kind {
        INSERT,
        UPDATE,
        DELETE
    }

    public AssistedChange {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(kind, "kind");
        key = List.copyOf(key);
        compared = List.copyOf(compared);
        assigned = List.copyOf(assigned);
        Objects.requireNonNull(select, "select");
    }
}
