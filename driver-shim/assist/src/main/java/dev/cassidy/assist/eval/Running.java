package dev.cassidy.assist.eval;

import dev.cassidy.collation.Collation;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation that a thread is in. H2 runs the functions in the thread of the statement, and gives them nothing but their
 * arguments.
 */
final class Running {

    private static final ThreadLocal<Running> CURRENT = new ThreadLocal<>();

    private final @Nullable Collation collation;
    private final Limits limits;
    private long rows;
    private long characters;

    private Running(@Nullable Collation collation, Limits limits) {
        this.collation = collation;
        this.limits = limits;
    }

    /** Begins an evaluation in this thread. */
    static void begin(@Nullable Collation collation, Limits limits) {
        CURRENT.set(new Running(collation, limits));
    }

    /** Ends the evaluation in this thread. */
    static void end() {
        CURRENT.remove();
    }

    static Running current() {
        Running running = CURRENT.get();
        if (running == null) {
            throw new IllegalStateException("must be within an evaluation");
        }
        return running;
    }

    /** Returns by what strings are compared; null if by their codes. */
    @Nullable
    Collation collation() {
        return collation;
    }

    void countRow() {
        if (++rows > limits.joinedRows()) {
            throw new NotEvaluatedException(
                    "The statement",
                    "it makes more than " + limits.joinedRows() + " rows",
                    "Join and filter by keys, so that fewer rows are read");
        }
    }

    /** Counts a string before it is made. */
    void countCharacters(long made) {
        characters += made;
        if (characters > limits.characters()) {
            throw new NotEvaluatedException(
                    "The statement",
                    "its functions make more than " + limits.characters() + " characters",
                    "Make the strings in the application");
        }
    }
}
