package dev.cassidy.reliability.faults;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** One statement, one failure, and one outcome in the store. */
record Cell(Step step, Failure failure, Outcome outcome) {

    /** Also runs failures that a client cannot distinguish from a time-out, with every outcome. */
    private static final boolean ALL = Boolean.getBoolean("faults.all");

    /** Returns the cells of these steps. */
    static List<Cell> of(EnumSet<Step> steps) {
        List<Cell> all = new ArrayList<>();
        for (Step step : steps) {
            for (Failure failure : Failure.all()) {
                for (Outcome outcome : outcomes(failure)) {
                    all.add(new Cell(step, failure, outcome));
                }
            }
        }
        return all;
    }

    private static EnumSet<Outcome> outcomes(Failure failure) {
        if (failure == Failure.UNAVAILABLE) {
            return EnumSet.of(Outcome.NOT_APPLIED);
        }
        return ALL || !failure.isLikeTimeout() ? EnumSet.allOf(Outcome.class) : EnumSet.of(Outcome.APPLIED);
    }

    @Override
    public String toString() {
        return step + ", " + failure + ", " + outcome;
    }
}
