package dev.cassidy.sequence.cassandra;

import dev.cassidy.async.Stages;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits after each change of a sequence until no process holds older ids. Safe for use by many threads. */
final class Settlement {

    private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

    private final Raises raises;
    private final OpenAllocators allocators;
    private final String localDatacenter;
    private final Duration watchInterval;
    private final BlockingCalls calls;

    Settlement(
            Raises raises,
            OpenAllocators allocators,
            String localDatacenter,
            Duration watchInterval,
            BlockingCalls calls) {
        this.raises = raises;
        this.allocators = allocators;
        this.localDatacenter = localDatacenter;
        this.watchInterval = watchInterval;
        this.calls = calls;
    }

    /** Tells this instance's allocators of a sequence that may have been created again, after a drop. */
    void created(SequenceEntry entry) {
        allocators.reseeded(entry.name(), entry.incarnation());
        allocators.seen(SequenceGlimpse.of(entry));
    }

    /** As {@link #created(SequenceEntry)}, and creates it again in the background if nodes forget it. */
    void created(SequenceRegistry registry, SequenceEntry entry) {
        created(entry);
        CompletionStage<Void> unused = registry.keep(entry)
                .thenAccept(kept -> {})
                .exceptionally(failure -> {
                    LOG.warn(
                            "whether sequence {} is still there after nodes were killed is not known: {}. If it is gone, create"
                                    + " it again",
                            entry.name(),
                            Stages.cause(failure).getMessage());
                    return null;
                });
    }

    /** Waits for a stage that ends when no node forgets what it changed. */
    <T> T lasting(CompletionStage<T> stage, Duration longer) {
        return calls.get(stage, longer.plus(raises.longestStanding()));
    }

    Duration usualWait() {
        return watchInterval.multipliedBy(3);
    }

    /** As {@link #settled(Supplier, String, Duration)}, for the usual time. */
    SequenceEntry settled(Supplier<CompletionStage<SequenceEntry>> change, String what) {
        return settled(change, what, usualWait());
    }

    /**
     * Makes a change, and waits until no node forgets it any more and no process holds ids of an incarnation before it.
     *
     * @param change may be repeated: it is, if nodes have forgotten it
     * @param what is done with the sequence, for an error
     * @param most how long it waits for processes; zero means that it looks once, and waits for nothing
     * @return the entry
     */
    SequenceEntry settled(Supplier<CompletionStage<SequenceEntry>> change, String what, Duration most) {
        Raises.Carried carried = lasting(
                raises.carryOut(
                        change,
                        entry -> allocators.reseeded(entry.name(), entry.incarnation()),
                        most,
                        watchInterval.dividedBy(8)),
                most);
        Raises.Behind behind = carried.behind();
        SequenceEntry entry = carried.entry();
        String name = entry.name();
        if (behind.datacenters().isEmpty() && !behind.isNobody()) {
            throw new SequenceException.NotAcknowledged(
                    "sequence " + name + " was " + what
                            + ", but nodes that are killed within "
                            + behind.forgettable().toSeconds()
                            + " s may still forget it, as their commit logs are synced now and then. Call again after"
                            + " that, and within as long again: a later call begins anew",
                    behind.forgettable());
        }
        if (!behind.isNobody()) {
            throw new SequenceException.NotAcknowledged("sequence " + name + " was " + what
                    + ", but datacenters " + behind.datacenters() + " have not let go of older ids, and may still issue"
                    + " them"
                    + (behind.holders().isEmpty()
                            ? ""
                            : "; in " + localDatacenter + " these do: " + Holder.of(entry, behind.holders()))
                    + ". Call again when they have noticed; for a process that is gone for good, call"
                    + " sequences.admin().release(\"" + name
                    + "\", process) in its datacenter first, where nothing runs"
                    + " any more, sequences.admin().acknowledge(\"" + name
                    + "\"), and for a datacenter that is lost for"
                    + " good, sequences.admin().releaseDatacenter(\"" + name + "\", datacenter)");
        }
        return entry;
    }
}
