package dev.cassidy.definition;

import dev.cassidy.collation.Collation;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A UNIQUE that is kept: no two rows have the same values in its columns. As in SQL Server, NULL is a value here, which one row may
 * have, unless an index leaves such rows out.
 *
 * @param name empty if it was given none
 * @param isIndex whether it was made by CREATE UNIQUE INDEX
 * @param nullsApart whether rows with NULL in one of the columns are left out
 * @param columns internal names
 */
public record UniqueKey(
        String name, boolean isIndex, boolean nullsApart, List<String> columns, Reservations reservations) {

    public UniqueKey {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(reservations, "reservations");
        columns = List.copyOf(columns);
    }

    /**
     * Returns by which collation texts of a column compare.
     *
     * @param index of the column in this key
     * @throws IllegalArgumentException if that is not known any more
     */
    public Collation collation(int index) {
        String name = reservations.collations().get(index);
        return Collation.of(name.isEmpty() ? Collation.DEFAULT_NAME : name, reservations.folding());
    }

    /** Returns its name; of one without, what SQL Server would begin it with. */
    public String shown(String table) {
        return name.isEmpty() ? columns.stream().collect(Collectors.joining("_", "UQ_" + table + "_", "")) : name;
    }
}
