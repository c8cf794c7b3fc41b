package dev.cassidy.jdbc.assist;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tables that statements name. */
@FunctionalInterface
public interface TableModels {

    /**
     * Returns a table; empty if there is none of that name.
     *
     * @param qualifier what stands before the name and its point, without quotes: a schema or a keyspace; null if nothing does
     * @param name as it is written, without quotes
     */
    Optional<TableModel> find(@Nullable String qualifier, String name);
}
