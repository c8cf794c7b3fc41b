package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.collation.Collation;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.RowConditions.Condition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a statement demands of a row.
 *
 * @param types by column
 * @param collations by which strings of columns are equal; those of all others are if their bytes are
 */
record RowFilter(BoundValues values, Map<String, DataType> types, Map<String, Collation> collations) {

    /** Returns whether a row meets all demands of WHERE, as SQL compares: nothing equals NULL. */
    boolean finds(List<Condition> conditions, RowImage row) {
        for (Condition each : conditions) {
            if (row.value(each.column()) == null || !holds(each, row)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a row meets all demands of IF, as CQL compares: {@code = null} holds for NULL, and so does {@code != 1}. */
    boolean meets(List<Condition> conditions, RowImage row) {
        for (Condition each : conditions) {
            if (!holds(each, row)) {
                return false;
            }
        }
        return true;
    }

    private boolean holds(Condition condition, RowImage row) {
        Object value = row.value(condition.column());
        return switch (condition.operator()) {
            case IS_NOT_NULL -> value != null;
            case IN -> {
                boolean found = false;
                for (Object each : listed(condition)) {
                    found |= isEqual(condition, value, each);
                }
                yield found;
            }
            case EQUAL -> isEqual(condition, value, only(condition));
            case NOT_EQUAL -> !isEqual(condition, value, only(condition));
            case LESS, AT_MOST, GREATER, AT_LEAST -> {
                Object with = only(condition);
                yield value != null && with != null && isOrdered(condition, CellOrder.compare(value, with));
            }
        };
    }

    private static boolean isOrdered(Condition condition, int order) {
        return switch (condition.operator()) {
            case LESS -> order < 0;
            case AT_MOST -> order <= 0;
            case GREATER -> order > 0;
            default -> order >= 0;
        };
    }

    private boolean isEqual(Condition condition, @Nullable Object value, @Nullable Object with) {
        Collation collation = collations.get(condition.column());
        if (collation != null && value instanceof String one && with instanceof String other) {
            return collation.equal(one, other);
        }
        return CellOrder.isEqual(value, with);
    }

    private @Nullable Object only(Condition condition) {
        return value(condition.values().get(0), condition);
    }

    private List<@Nullable Object> listed(Condition condition) {
        List<@Nullable Object> all = new ArrayList<>();
        if (condition.list()) {
            Object list = only(condition);
            all.addAll(list == null ? List.of() : (Collection<?>) list);
        } else {
            condition.values().forEach(each -> all.add(value(each, condition)));
        }
        return all;
    }

    private @Nullable Object value(CqlInsert.Value value, Condition condition) {
        return values.of(value, types.get(condition.column()));
    }
}
