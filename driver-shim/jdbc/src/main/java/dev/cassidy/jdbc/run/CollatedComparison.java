package dev.cassidy.jdbc.run;

import dev.cassidy.collation.Collation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One comparison of a column by its collation, as SQL Server makes it.
 *
 * @param column its internal name
 * @param unequal whether the column must differ from the value; otherwise it must be equal to one of the values
 * @param values those that are not NULL
 */
record CollatedComparison(String column, Collation collation, boolean unequal, List<String> values) {

    CollatedComparison {
        values = List.copyOf(values);
    }

    /** @param value of the column; a comparison with NULL is never true */
    boolean holds(@Nullable String value) {
        if (value == null || values.isEmpty()) {
            return false;
        }
        boolean equal = values.stream().anyMatch(each -> collation.equal(value, each));
        return equal != unequal;
    }
}
