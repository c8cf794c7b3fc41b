package dev.cassidy.counter.store;

/** How a conditional step ended. A step that was certainly not executed fails its stage. */
public sealed interface StepOutcome {

    /** The condition held, and the step took effect. */
    record Done() implements StepOutcome {}

    /** The condition did not hold, and nothing was written. */
    record Refused() implements StepOutcome {}

    /** The step took effect, or not, or will later. Only a linearizable read of its token tells. */
    record Unknown(Throwable cause) implements StepOutcome {}
}
