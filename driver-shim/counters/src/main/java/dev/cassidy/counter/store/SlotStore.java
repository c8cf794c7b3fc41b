package dev.cassidy.counter.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The slots of one table of counters in one datacenter. Each slot is one linearizable partition.
 *
 * <p>Nothing blocks. A stage fails if the step was certainly not executed, or the read gave no answer.
 */
public interface SlotStore {

    /**
     * Returns the slots with the given numbers that exist, as some replica has them: a hint of which one to take.
     *
     * @param from the first number
     * @param to the number after the last
     */
    CompletionStage<List<SlotLease>> glance(int from, int to);

    /** Returns a slot in the order of its conditional steps; empty if it was never leased. */
    CompletionStage<Optional<SlotLease>> read(int slot);

    /**
     * Reads a slot plainly, at a majority of the datacenter's replicas, and repairs them before it returns. So the read
     * sees at least the lease that any earlier such read saw, whoever made it. Cheaper than {@link #read}.
     */
    CompletionStage<Optional<SlotLease>> look(int slot);

    /** Returns the epochs of a slot from {@code epoch} on that were broken off, in the order of its conditional steps. */
    CompletionStage<List<BrokenOff>> brokenOff(int slot, int epoch);

    /** Creates a slot that does not exist. */
    CompletionStage<StepOutcome> create(SlotLease wanted);

    /**
     * Replaces a lease, if it is still as it was seen, beat and all. If the seen lease was not free, its epoch is noted
     * as broken off in the same step.
     */
    CompletionStage<StepOutcome> take(SlotLease seen, SlotLease wanted);

    /** Moves the beat of a lease, if it is still the slot's. */
    CompletionStage<StepOutcome> renew(SlotLease held, long beat);

    /** Gives a lease back. Every increment of it must have been acknowledged. */
    CompletionStage<StepOutcome> release(SlotLease held);

    /** Notes that a broken-off epoch is swept. */
    CompletionStage<StepOutcome> swept(int slot, int epoch);

    /** Returns who holds a slot or held it last, for messages; empty if it does not exist. */
    CompletionStage<Optional<String>> holder(int slot);
}
