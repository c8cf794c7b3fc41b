package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedLink.Condition;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceCatalog;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A bug planted in the protocol, to see it found.
 *
 * @param steps wraps each process's store
 * @param registrySteps wraps it once more for the process's registry alone
 * @param catalog wraps each process's catalog
 * @param omitted conditions that the statements forget
 * @param sharedTokens whether the claims of all allocators of a datacenter bear the same token, as if it were one per
 *     process and they were one process's
 * @param mixedSerialLevels whether every other process orders its claims among other replicas than the rest
 * @param sharedNames whether holders are told apart by their process alone, which is the same for many
 */
record Defect(
        UnaryOperator<RangeStore> steps,
        UnaryOperator<RangeStore> registrySteps,
        UnaryOperator<SequenceCatalog> catalog,
        Set<Condition> omitted,
        boolean sharedTokens,
        boolean mixedSerialLevels,
        boolean sharedNames) {

    static final Defect NONE = new Defect(
            UnaryOperator.identity(),
            UnaryOperator.identity(),
            UnaryOperator.identity(),
            Set.of(),
            false,
            false,
            false);

    static final Defect SHARED_TOKENS = new Defect(
            UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity(), Set.of(), true, false, false);

    static final Defect MIXED_SERIAL_LEVELS = new Defect(
            UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity(), Set.of(), false, true, false);

    static final Defect SHARED_NAMES = new Defect(
            UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity(), Set.of(), false, false, true);

    static Defect of(UnaryOperator<RangeStore> steps) {
        return new Defect(steps, UnaryOperator.identity(), UnaryOperator.identity(), Set.of(), false, false, false);
    }

    static Defect ofRegistry(UnaryOperator<RangeStore> steps) {
        return new Defect(UnaryOperator.identity(), steps, UnaryOperator.identity(), Set.of(), false, false, false);
    }

    static Defect ofCatalog(UnaryOperator<SequenceCatalog> catalog) {
        return new Defect(UnaryOperator.identity(), UnaryOperator.identity(), catalog, Set.of(), false, false, false);
    }

    static Defect without(Condition condition) {
        return new Defect(
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                Set.of(condition),
                false,
                false,
                false);
    }
}
