package dev.cassidy.reliability.faults;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** One statement, one failure, and one outcome in the store. */
record Cell(Step step, Failure failure, Outcome outcome) {

    /** Runs every failure of every step with every outcome. */
    private static final boolean ALL = Boolean.getBoolean("faults.all");

    /**
     * Returns the cells of these steps. In every build each step meets each failure once, with the outcomes in turn. So each
     * step has each outcome with a failure that is like a time-out, and each failure has each outcome at some steps.
     */
    static List<Cell> of(EnumSet<Step> steps) {
        List<Cell> all = new ArrayList<>();
        for (Step step : steps) {
            for (Failure failure : Failure.all()) {
                for (Outcome outcome : outcomes(step, failure)) {
                    all.add(new Cell(step, failure, outcome));
                }
            }
        }
        return all;
    }

    private static EnumSet<Outcome> outcomes(Step step, Failure failure) {
        if (failure == Failure.UNAVAILABLE) {
            return EnumSet.of(Outcome.NOT_APPLIED);
        }
        Outcome[] outcomes = Outcome.values();
        return ALL
                ? EnumSet.allOf(Outcome.class)
                : EnumSet.of(outcomes[(step.ordinal() + failure.ordinal()) % outcomes.length]);
    }

    @Override
    public String toString() {
        return step + ", " + failure + ", " + outcome;
    }
}
