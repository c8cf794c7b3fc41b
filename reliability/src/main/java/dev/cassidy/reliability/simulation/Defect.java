package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedStore.Condition;
import dev.cassidy.sequence.RangeStore;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A bug planted in the protocol, to see it found.
 *
 * @param steps wraps each process's store
 * @param omitted conditions that the statements forget
 * @param sharedTokens whether the claims of all allocators of a datacenter bear the same token, as if it were one per
 *     process and they were one process's
 * @param mixedSerialLevels whether every other process orders its claims among other replicas than the rest
 */
record Defect(
        UnaryOperator<RangeStore> steps, Set<Condition> omitted, boolean sharedTokens, boolean mixedSerialLevels) {

    static final Defect NONE = new Defect(UnaryOperator.identity(), Set.of(), false, false);

    static Defect of(UnaryOperator<RangeStore> steps) {
        return new Defect(steps, Set.of(), false, false);
    }

    static Defect without(Condition condition) {
        return new Defect(UnaryOperator.identity(), Set.of(condition), false, false);
    }
}
