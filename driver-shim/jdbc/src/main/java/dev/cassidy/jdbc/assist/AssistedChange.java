package dev.cassidy.jdbc.assist;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An UPDATE, DELETE, MERGE or INSERT as a SELECT whose rows say what is written. Each of them has, in this order, the values of {@code key}
 * and {@code compared}; of a MERGE alone, the name of the {@link Kind} of what is done, or NULL if that is nothing; the values of {@code
 * assigned}; of a MERGE, those of a new row; and one value for each {@link Output.Evaluated}.
 *
 * @param target the table that is written
 * @param kind what is done for each row
 * @param key the columns of the target's primary key; none of an INSERT. Of a MERGE they are NULL where no row was found
 * @param compared the other columns of the target on which the row depends: a change is one of the row that still has these values
 * @param assigned the columns that get values; empty of a DELETE, and of an INSERT that names none
 * @param inserted of a MERGE, the columns of its INSERT; empty also if that names none
 * @param ofRows those of {@code assigned} of an UPDATE whose values come from rows that are read, and not from the statement alone
 * @param tested of an UPDATE or DELETE, the columns of the target besides the key that its conditions name: perhaps some more
 * @param output what is shown of each row that is written; empty without OUTPUT
 * @param top how many rows are written at the most; null without TOP
 * @param select gives the rows
 */
public record AssistedChange(
        TableModel target,
        Kind kind,
        List<String> key,
        List<String> compared,
        List<String> assigned,
        List<String> inserted,
        List<String> ofRows,
        List<String> tested,
        List<Output> output,
        @Nullable Long top,
        AssistedSelect select) {

    /** What is done for a row. */
    public enum Kind {
        INSERT,
        UPDATE,
        DELETE,
        /** For each row it is one of the others. */
        MERGE
    }

    /** A column of OUTPUT. */
    public sealed interface Output {

        /**
         * What a column of the target has after the write; NULL where the row is deleted.
         *
         * @param label by which the result shows it
         */
        record Inserted(String column, String label) implements Output {}

        /** What was done, as a word. */
        record Action(String label) implements Output {}

        /** A value that the SELECT gives. */
        record Evaluated() implements Output {}
    }

    public AssistedChange {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(kind, "kind");
        key = List.copyOf(key);
        compared = List.copyOf(compared);
        assigned = List.copyOf(assigned);
        inserted = List.copyOf(inserted);
        ofRows = List.copyOf(ofRows);
        tested = List.copyOf(tested);
        output = List.copyOf(output);
        Objects.requireNonNull(select, "select");
    }
}
