package dev.cassidy.jdbc.run;

import dev.cassidy.insert.ConditionalWrite;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a row has where a conditional write depends on it: the write is sent under the condition that the row still has it.
 *
 * @param numbers of the columns that are computed from their own value, in the order of the write's changes
 * @param strings of the columns that are compared by a collation, by their internal names; NULL is not there
 */
record RowValues(List<@Nullable BigDecimal> numbers, Map<String, String> strings) {

    /** Where a write depends on nothing. */
    static final RowValues NONE = new RowValues(List.of(), Map.of());

    /** A row. */
    interface Columns {
        @Nullable
        Object of(String column);
    }

    static RowValues of(ConditionalWrite write, Columns row) {
        List<@Nullable BigDecimal> numbers = new ArrayList<>();
        for (ConditionalWrite.Change change : write.changes()) {
            Object value = row.of(change.column());
            numbers.add(value == null ? null : new BigDecimal(value.toString()));
        }
        Map<String, String> strings = new HashMap<>();
        for (ConditionalWrite.Match match : write.matches()) {
            Object value = row.of(match.column());
            if (value != null) {
                strings.put(match.column(), value.toString());
            }
        }
        return new RowValues(numbers, strings);
    }

    /** Returns whether {@link #given} has a value for each string: each column is compared with one, by =. */
    static boolean areGiven(ConditionalWrite write) {
        return write.changes().isEmpty()
                && write.matches().stream().allMatch(match -> match.operator().equals("="))
                && write.matches().stream()
                                .map(ConditionalWrite.Match::column)
                                .distinct()
                                .count()
                        == write.matches().size();
    }

    /** Returns the values that a statement gives: its row may have them in another spelling. */
    static RowValues given(ExactStatement statement) {
        Map<String, String> strings = new HashMap<>();
        for (CollatedComparison each : statement.comparisons()) {
            strings.put(each.column(), each.values().get(0));
        }
        return new RowValues(List.of(), strings);
    }
}
