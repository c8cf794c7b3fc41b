package dev.cassidy.sequence.store;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Recent changes, for processes to notice without a query for each sequence or table: one mark for each level, which
 * changes with each change, and a log with an entry of that id. A hint: an entry may be late or missing, and proves
 * nothing. Incarnations and claims' rows are the proof.
 *
 * <p>Nothing blocks. A stage fails if there was no answer.
 */
public interface ChangeLog {

    /** Where a change was made, and which processes should notice it. */
    enum Level {
        /** By processes of all datacenters. */
        GLOBAL,
        /** By those of this one: its copies have moved. */
        DATACENTER
    }

    /** The kind of thing that was changed. */
    enum Kind {
        SEQUENCE,
        /** A table's contract. */
        TABLE,
        /** Which statements are evaluated in the client. */
        ASSISTANCE
    }

    /**
     * A change.
     *
     * @param name of the sequence, or {@code keyspace.table}; of what there is one of, any
     */
    record Change(Kind kind, String name) {}

    /** A change, and the id by which the log knows it. */
    record Entry(UUID id, Instant at, Change change) {}

    /**
     * Reads a level's mark: the id of the last entry, or of one of several that were announced at the same time; null
     * before the first. It may be an older one, if a replica missed the last.
     */
    CompletionStage<@Nullable UUID> mark(Level level);

    /** Reads the changes after a time by the store's clocks; it may not reach far back. */
    CompletionStage<List<Entry>> since(Level level, Instant time);

    /** Announces a change that took effect to all processes that watch a level; repeating it does no harm. */
    CompletionStage<Void> announce(Level level, Change change);
}
