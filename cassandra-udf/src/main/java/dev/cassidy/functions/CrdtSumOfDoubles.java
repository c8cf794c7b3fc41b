package dev.cassidy.functions;

import org.jspecify.annotations.Nullable;

/**
 * The sum of a column of floating-point numbers, with Neumaier's compensation: what each addition rounds off is added up
 * too. The error no longer grows with the number of rows, but the last digits still depend on the rows' order. Nulls are
 * skipped; the sum of nothing is 0.
 */
@CqlAggregate(
        name = "crdt_sum",
        tuple = {"double", "double"})
public final class CrdtSumOfDoubles {

    private CrdtSumOfDoubles() {}

    /**
     * Adds a row.
     *
     * @param state the rounded sum, and what was rounded off
     */
    public static <@OneOf({"float", "double"}) N extends Number> Tuple add(Tuple state, @Nullable N value) {
        if (value == null) {
            return state;
        }
        double sum = state.getDouble(0);
        double added = value.doubleValue();
        double rounded = sum + added;
        // Exact only if the larger of the two comes first.
        double lost = Math.abs(sum) >= Math.abs(added) ? (sum - rounded) + added : (added - rounded) + sum;
        state.setDouble(0, rounded);
        state.setDouble(1, state.getDouble(1) + lost);
        return state;
    }

    public static Double result(Tuple state) {
        double sum = state.getDouble(0);
        // What an infinity has rounded off is not a number.
        return Double.isNaN(sum) || Double.isInfinite(sum) ? sum : sum + state.getDouble(1);
    }
}
