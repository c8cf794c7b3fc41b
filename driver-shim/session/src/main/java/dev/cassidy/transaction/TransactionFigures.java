package dev.cassidy.transaction;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How commits of this process ended, and what became of the locks that it met. Safe for use by many threads; to count costs an
 * addition in memory.
 */
public final class TransactionFigures {

    private final LongAdder committed = new LongAdder();
    private final LongAdder conflicts = new LongAdder();
    private final LongAdder inDoubt = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder freed = new LongAdder();
    private final LongAdder pending = new LongAdder();

    /** How a commit ended. */
    public enum Outcome {
        /** All of it is committed. */
        COMMITTED,
        /** Others were first, and nothing of it was written. */
        CONFLICT,
        /** The caller was told that it is not known. */
        IN_DOUBT,
        /** Nothing of it was written, for another reason. */
        FAILED
    }

    /** What became of a lock of another transaction. */
    public enum Lock {
        /** The row was written, or released. */
        FREED,
        /** Its transaction was not committed: a reader took the standing values, and a writer could not abort it. */
        PENDING
    }

    /** @param result null if the commit failed */
    void ended(@Nullable CommitResult result) {
        if (result == null) {
            failed.increment();
        } else if (result instanceof CommitResult.Committed) {
            committed.increment();
        } else if (result instanceof CommitResult.Conflict) {
            conflicts.increment();
        } else {
            inDoubt.increment();
        }
    }

    void met(Lock lock) {
        of(lock).increment();
    }

    /** Returns how many commits have ended so. */
    public long ended(Outcome outcome) {
        return switch (outcome) {
            case COMMITTED -> committed.sum();
            case CONFLICT -> conflicts.sum();
            case IN_DOUBT -> inDoubt.sum();
            case FAILED -> failed.sum();
        };
    }

    /** Returns how many locks of others were met, each once, of which this became. */
    public long locksMet(Lock lock) {
        return of(lock).sum();
    }

    private LongAdder of(Lock lock) {
        return switch (lock) {
            case FREED -> freed;
            case PENDING -> pending;
        };
    }
}
