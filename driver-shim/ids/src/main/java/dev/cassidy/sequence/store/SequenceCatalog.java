package dev.cassidy.sequence.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Where the registry keeps the sequences that exist: single steps, each one linearizable statement on one partition.
 * Steps that are called global are ordered among all datacenters; the others within this datacenter, in its own tables.
 *
 * <p>Nothing blocks. A stage of a conditional step fails only if the step certainly was not executed; a stage of a read
 * fails when there was no answer.
 */
public interface SequenceCatalog {

    /** Returns this datacenter's name. */
    String datacenter();

    /** Reads a sequence; global. */
    CompletionStage<Optional<SequenceEntry>> find(String name);

    /**
     * Reads a sequence at a majority of all replicas, without an order among steps, and makes the replicas that are asked
     * agree on it: what {@link #find} alone does not do.
     */
    CompletionStage<Optional<SequenceEntry>> findAgreed(String name);

    /** Creates a sequence if there is none of its name, dropped or not; global. */
    CompletionStage<ClaimOutcome> insert(SequenceEntry entry);

    /**
     * Makes a sequence what {@code after} says, specification included, if its incarnation, next, origin, floor, ready and
     * dropped are still as {@code seen}; global.
     */
    CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after);

    /**
     * As {@link #replace}, and records ids that no generation of the sequence may issue again, in the same step.
     *
     * @param after of another incarnation
     */
    CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after, GrantHistory.Taken taken);

    /** Reads all that a sequence was granted in every incarnation, and which ids are taken; global. */
    CompletionStage<GrantHistory> history(String name);

    /**
     * Reads what the tables of every datacenter have of a sequence, each at a majority of the datacenter's replicas, without
     * any order among steps. What is returned was granted before the call returned.
     *
     * @param entry says how many stripes there are, and in which generation
     * @return a stage that fails with {@link dev.cassidy.sequence.SequenceException.Unavailable} if a datacenter that exists
     *     does not answer
     */
    CompletionStage<List<Holdings>> holdings(SequenceEntry entry);

    /** Reads which datacenters were granted ids, and which have acknowledged, in each incarnation; global. */
    CompletionStage<List<Participation>> participations(String name);

    /** Records that no process in {@code datacenter} will issue ids of an incarnation older than this one; global. */
    CompletionStage<ClaimOutcome> acknowledge(String name, int incarnation, String datacenter);

    /** Looks at every sequence, without any order; global. */
    CompletionStage<List<SequenceGlimpse>> glimpses();

    /** Looks at every copy in this datacenter, without any order. */
    CompletionStage<List<SequenceGlimpse>> copyGlimpses();

    /**
     * Looks at a sequence, without any order; the other datacenters may be out of reach. Empty if none is seen.
     */
    CompletionStage<Optional<SequenceOutlook>> outlook(String name);

    /**
     * Notes in this datacenter's copy that the datacenter has done its part in every raise up to an incarnation, if the
     * copy is of that incarnation. It only saves other processes a look.
     */
    CompletionStage<Void> noteAcknowledged(String name, int incarnation);

    /** Reads this datacenter's copy of a sequence. It has no next and origin of its own: both equal the floor. */
    CompletionStage<Optional<SequenceEntry>> findCopy(String name);

    /** Creates this datacenter's copy if there is none. */
    CompletionStage<ClaimOutcome> insertCopy(SequenceEntry entry);

    /** Makes this datacenter's copy what {@code after} says, if its incarnation, floor, ready and dropped are as seen. */
    CompletionStage<ClaimOutcome> replaceCopy(SequenceEntry seen, SequenceEntry after);

    /**
     * Reads the claims of one stripe in this datacenter that have not been forgotten.
     *
     * @param from the oldest incarnation
     * @param before the one after the newest
     */
    CompletionStage<List<HeldClaim>> claims(Stripe stripe, int from, int before);

    /**
     * Reads how long a forgotten claim certainly stays forgotten; after that, a replica that never heard of it may
     * bring it back.
     */
    CompletionStage<Duration> forgottenFor();
}
