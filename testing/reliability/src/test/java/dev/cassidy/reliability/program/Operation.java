package dev.cassidy.reliability.program;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a process did, and what it was told.
 *
 * @param kind as its program names it
 * @param begin by the machine's clock that only goes forward, in nanoseconds
 * @param end at which it was told; {@link Long#MAX_VALUE} if it never was
 * @param outcome begins with {@code error} if its effect is not known; null if it was told nothing
 */
public record Operation(
        String process,
        String kind,
        List<String> arguments,
        long begin,
        long end,
        @Nullable String outcome) {

    public String argument(int index) {
        return arguments.get(index);
    }

    public boolean is(String other) {
        return kind.equals(other);
    }

    public boolean counted(int rows) {
        return ("count " + rows).equals(outcome);
    }

    public boolean isDuplicate() {
        return "duplicate".equals(outcome);
    }

    /** Returns whether nobody was told what became of it. */
    public boolean isInDoubt() {
        return outcome == null || outcome.startsWith("error");
    }

    /** Returns whether its effect is there, or may be. */
    public boolean mayHaveBeen() {
        return counted(1) || isInDoubt();
    }

    /** Returns whether it was over before another one began. */
    public boolean isBefore(Operation other) {
        return end < other.begin;
    }
}
