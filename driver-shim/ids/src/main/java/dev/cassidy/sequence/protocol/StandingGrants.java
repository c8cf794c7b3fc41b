package dev.cassidy.sequence.protocol;

import dev.cassidy.async.StandingWrites;
import dev.cassidy.async.Timer;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.GrantStanding.Verdict;
import dev.cassidy.sequence.store.Numbering;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Looks whether grants stand. If the nodes of the global keyspace have forgotten one, another datacenter
 * may be granted the same.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class StandingGrants {

    private final Numbering numbering;
    private final Safety safety;
    private final StandingWrites writes;
    private final Reader reader;

    /** Reads what a majority of all replicas have of a grant. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Reads it, and what was granted besides.
         *
         * @param repair whether the replicas that are asked are made to agree; otherwise it is read in order
         */
        CompletionStage<GrantStanding> read(Grant grant, boolean repair);
    }

    /** @param numbering what granted ordinals mean here; none for node numbers */
    public StandingGrants(Numbering numbering, Safety safety, Timer timer, LongSupplier nanoTime, Reader reader) {
        this.numbering = numbering;
        this.safety = safety;
        this.writes = new StandingWrites(safety::standing, timer, nanoTime);
        this.reader = reader;
    }

    /** Whether a grant may be used before it stands, where a caller waits. */
    public boolean mayBeUsedBefore() {
        return safety.freshClaims() == FreshClaims.SERVE;
    }

    /** Returns how long a grant may still be forgotten that was acknowledged, or read in order, just now. */
    public CompletionStage<Duration> untilKnown(Grant grant) {
        // The key, too: the last grant may still be looked for when the next one is made. There are few.
        return writes.untilKnown(grant, grant, () -> reader.read(grant, true));
    }

    /** Waits until the grant cannot be forgotten any more, and judges it. */
    public CompletionStage<Verdict> verdict(Grant grant) {
        return writes.stands(
                        grant,
                        grant,
                        () -> reader.read(grant, true),
                        () -> reader.read(grant, false),
                        (GrantStanding seen) -> judged(grant, seen) == Verdict.STOOD)
                .thenCompose(stands -> stands
                        ? CompletableFuture.completedFuture(Verdict.STOOD)
                        : reader.read(grant, false).thenApply(seen -> notStood(judged(grant, seen))));
    }

    private Verdict judged(Grant grant, GrantStanding seen) {
        return seen.of(grant, numbering);
    }

    /** One of the reads did not find it, and so nothing else counts. */
    private static Verdict notStood(Verdict afterwards) {
        return afterwards == Verdict.STOOD ? Verdict.LOST : afterwards;
    }
}
