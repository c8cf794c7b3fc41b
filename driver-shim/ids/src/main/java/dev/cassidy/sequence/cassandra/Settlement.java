package dev.cassidy.sequence.cassandra;

import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.store.SequenceEntry;
import java.time.Duration;

/** Waits after each change of a sequence until no process holds older ids. Safe for use by many threads. */
final class Settlement {

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
    }

    Duration usualWait() {
        return watchInterval.multipliedBy(3);
    }

    /** As {@link #settled(SequenceEntry, String, Duration)}, for the usual time. */
    SequenceEntry settled(SequenceEntry entry, String what) {
        return settled(entry, what, usualWait());
    }

    /**
     * Waits until no process holds ids of an incarnation before the entry's.
     *
     * @param what was done with the sequence, for an error
     * @param most how long it waits; zero means that it looks once
     * @return the entry
     */
    SequenceEntry settled(SequenceEntry entry, String what, Duration most) {
        String name = entry.name();
        allocators.reseeded(name, entry.incarnation());
        Duration look = watchInterval.dividedBy(8);
        Raises.Behind behind = calls.get(raises.settle(entry, most, look), most);
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
