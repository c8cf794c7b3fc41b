package dev.cassidy.counter.protocol;

import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.SettlementStore;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.TouchedStore;
import java.util.concurrent.CompletionStage;

/**
 * The counters of one table, as one process uses them: increments with a leased slot, verdicts, folds, and the janitor.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class CounterProtocol {

    /** Fewer increments of a counter than this are left as rows when a slot is given back. */
    private static final int LEFT_AT_CLOSE = 16;

    private final Tally tally;
    private final long limit;
    private final Troubles troubles = new Troubles();
    private final Folder folder;
    private final Verdicts verdicts;
    private final Background background;
    private final Increments increments;
    private final Janitor janitor;

    /** @param limit what the table's column holds: the largest absolute value */
    public CounterProtocol(
            SlotStore slots,
            SettlementStore settlements,
            CounterTable table,
            TouchedStore touched,
            CounterContext context,
            long limit) {
        this(slots, settlements, table, touched, context, limit, new Tally());
    }

    private CounterProtocol(
            SlotStore slots,
            SettlementStore settlements,
            CounterTable table,
            TouchedStore touched,
            CounterContext context,
            long limit,
            Tally tally) {
        this.tally = tally;
        this.limit = limit;
        Prefixes prefixes = new Prefixes(table);
        Settler settler = new Settler(slots, settlements, table, prefixes, tally, context);
        this.folder = new Folder(table, prefixes, settler, context);
        this.verdicts = new Verdicts(slots, settlements, table, prefixes, settler, context);
        this.background = new Background(folder, touched, context);
        this.increments =
                new Increments(table, new SlotKeeper(slots, context), verdicts, background, tally, context, limit);
        this.janitor = new Janitor(slots, touched, settler, troubles, context);
    }

    /**
     * Returns the counters of a table that was emptied, which go on with what this process has counted so far. Increments that
     * are under way here end here; the slot is given back when they rest.
     */
    public CounterProtocol next(
            SlotStore slots,
            SettlementStore settlements,
            CounterTable table,
            TouchedStore touched,
            CounterContext context) {
        CounterProtocol next = new CounterProtocol(slots, settlements, table, touched, context, limit, tally);
        if (janitor.isObserved()) {
            next.observe();
        }
        return next;
    }

    /** Begins to clean up after dead processes, now and then. */
    public void startJanitor() {
        janitor.start();
    }

    /** Nothing is cleaned up any more. */
    public void stopJanitor() {
        janitor.stop();
    }

    /** Cleans up after dead processes now, if no other process does. Takes a minute. Returns whether it did. */
    public CompletionStage<Boolean> clean() {
        return janitor.clean();
    }

    /** Returns what this process has done and seen; asks nothing. */
    public CounterFigures figures() {
        return new CounterFigures(
                tally.acknowledged.sum(),
                tally.unknown.sum(),
                tally.repeated.sum(),
                tally.settled.sum(),
                troubles.all(),
                background.oldestUnfolded(),
                janitor.ran(),
                janitor.held());
    }

    /** From now on the figures contain how many slots are held, which costs a read every few minutes. */
    public void observe() {
        janitor.observe();
    }

    /**
     * Increments a counter. The stage completes when the increment counts for ever. It fails with {@link
     * CounterFailure.NotSent} or {@link CounterFailure.NoSlot} if it does not count and never will, and with {@link
     * CounterFailure.OutcomeUnknown} if that is not known.
     */
    public CompletionStage<Written> increment(String counter, long delta) {
        return increments.add(counter, delta);
    }

    /** Returns what became of an increment that was written with a slot of this datacenter. */
    public CompletionStage<Verdict> verdict(String counter, int slot, long version) {
        return verdicts.of(counter, slot, version);
    }

    /** Folds a counter as far as possible. */
    public CompletionStage<Folded> fold(String counter) {
        return folder.foldAll(counter);
    }

    /**
     * Refuses further increments, and completes when everything before is confirmed, much of it is folded, and the slot is
     * given back. That may be never, if Cassandra does not answer.
     */
    public CompletionStage<Void> close() {
        return increments.close(() -> background.foldRest(LEFT_AT_CLOSE));
    }

    /** Gives the slot back, and takes none until {@link #disownAndResume}; callers wait meanwhile. */
    public CompletionStage<Void> suspend() {
        return increments.suspend();
    }

    /** Leaves the slot to the process that this one is a copy of, and goes on with another one. */
    public void disownAndResume() {
        increments.disownAndResume();
    }

    /** Folds a counter in the background. A no-op if that was done within the last minute. */
    public void foldLater(String counter) {
        background.foldLater(counter);
    }

    /** Tells every caller that still waits that this process gives up. */
    public void abandon() {
        increments.abandon();
    }
}
