package dev.cassidy.definition;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A constraint as T-SQL defines it.
 *
 * @param name empty if it was given none
 * @param columns internal names of those that it is of; of a CHECK of the table, none
 * @param text as it was written, from UNIQUE, CHECK, FOREIGN KEY or REFERENCES on; of an index, from INDEX on
 * @param reserved where the values of UNIQUE are reserved; null of the others, and of one that is not kept
 */
public record ConstraintDefinition(
        Kind kind,
        String name,
        List<String> columns,
        String text,
        @Nullable Reservations reserved) {

    /** What a constraint asks of rows. DEFAULT is kept beside them, and Cassandra keeps the primary key. */
    public enum Kind {
        UNIQUE,
        /** As UNIQUE, by CREATE UNIQUE INDEX: it has another error, and DROP INDEX ends it. */
        UNIQUE_INDEX,
        /** As UNIQUE_INDEX, and rows with NULL in one of its columns are left out. */
        UNIQUE_INDEX_NOT_NULL,
        CHECK,
        FOREIGN_KEY;

        /** Returns whether no two rows may have the same values. */
        public boolean isUnique() {
            return this == UNIQUE || isUniqueIndex();
        }

        /** Returns whether it was made by CREATE UNIQUE INDEX. */
        public boolean isUniqueIndex() {
            return this == UNIQUE_INDEX || this == UNIQUE_INDEX_NOT_NULL;
        }
    }

    /** As the other, of one whose values nobody reserves. */
    public ConstraintDefinition(Kind kind, String name, List<String> columns, String text) {
        this(kind, name, columns, text, null);
    }

    public ConstraintDefinition {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(text, "text");
        columns = List.copyOf(columns);
        if (reserved != null && !kind.isUnique()) {
            throw new IllegalArgumentException("must reserve no values: " + kind + " " + text);
        }
    }

    /** Returns whether both were written alike, wherever their values are reserved. */
    public boolean saysAs(ConstraintDefinition other) {
        return kind == other.kind
                && name.equals(other.name)
                && columns.equals(other.columns)
                && text.equals(other.text);
    }

    /** Returns the same, whose values are reserved. */
    public ConstraintDefinition reservedIn(Reservations reservations) {
        return new ConstraintDefinition(kind, name, columns, text, reservations);
    }

    /** Returns the same, whose values nobody reserves. */
    public ConstraintDefinition unreserved() {
        return new ConstraintDefinition(kind, name, columns, text);
    }

    boolean isReservedIn(String table) {
        return reserved != null && reserved.table().equals(table);
    }

    ConstraintDefinition completed() {
        return reservedIn(Objects.requireNonNull(reserved).completed());
    }
}
