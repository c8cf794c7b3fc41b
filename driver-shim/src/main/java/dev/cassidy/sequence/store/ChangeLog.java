package dev.cassidy.sequence.store;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What was changed lately, for processes to notice without asking for each thing: one mark a level, which is another one
 * after each change, and a log with an entry of that id. A hint: an entry may be late or missing, and proves nothing.
 * Incarnations and claims' rows are the proof.
 *
 * <p>Nothing blocks. A stage fails when there was no answer.
 */
public interface ChangeLog {

    /** Where a change was made, and who shall notice. */
    enum Level {
        /** By processes of all datacenters. */
        GLOBAL,
        /** By those of this one: its copies have moved. */
        DATACENTER
    }

    /** What a change was made to. */
    enum Kind {
        SEQUENCE,
        /** A table's identity column. */
        TABLE
    }

    /**
     * A change.
     *
     * @param name of the sequence, or {@code keyspace.table}
     */
    record Change(Kind kind, String name) {}

    /** A change, and by what the log knows it. */
    record Entry(UUID id, Instant at, Change change) {}

    /**
     * Reads a level's mark: the id of the last entry, or of one of those that were announced at the same time; null before the
     * first. It may be an older one, where a replica missed the last.
     */
    CompletionStage<@Nullable UUID> mark(Level level);

    /** Reads what was changed after a time by the store's clocks; it may not reach far back. */
    CompletionStage<List<Entry>> since(Level level, Instant time);

    /** Tells all who watch a level of a change that took effect; again does no harm. */
    CompletionStage<Void> announce(Level level, Change change);
}
