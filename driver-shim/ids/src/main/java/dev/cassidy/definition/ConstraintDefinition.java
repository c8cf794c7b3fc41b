package dev.cassidy.definition;

import java.util.List;
import java.util.Objects;

/**
 * A constraint as T-SQL defines it.
 *
 * @param name empty if it was given none
 * @param columns internal names of those that it is of; of a CHECK of the table, none
 * @param text as it was written, from UNIQUE, CHECK, FOREIGN KEY or REFERENCES on
 */
public record ConstraintDefinition(Kind kind, String name, List<String> columns, String text) {

    /** What a constraint asks of rows. DEFAULT is kept beside them, and Cassandra keeps the primary key. */
    public enum Kind {
        UNIQUE,
        CHECK,
        FOREIGN_KEY
    }

    public ConstraintDefinition {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(text, "text");
        columns = List.copyOf(columns);
    }
}
