package dev.cassidy.reliability.exact;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a process did, and what it was told.
 *
 * @param kind {@code claim CODE TAG} and {@code free CODE TAG} insert and delete a row of a key of the program's own;
 *     {@code take ROW} and {@code give ROW} change n by one; {@code version ROW SEEN TAG} writes the version after SEEN; {@code mark
 *     TAG} writes two rows of three, of which one is missing; {@code order TAG} inserts a row whose id is drawn; {@code bump ID}, {@code
 *     drop ID} and {@code read ID} update, delete and read such a row, if it is there
 * @param begin by the machine's clock that only goes forward, in nanoseconds
 * @param end at which it was told; {@link Long#MAX_VALUE} if it never was
 * @param outcome {@code count N}, {@code key ID}, {@code duplicate}, {@code error STATE}; null if it was told nothing
 */
record ShopOperation(
        String process,
        String kind,
        List<String> arguments,
        long begin,
        long end,
        @Nullable String outcome) {

    String argument(int index) {
        return arguments.get(index);
    }

    boolean is(String other) {
        return kind.equals(other);
    }

    boolean counted(int rows) {
        return ("count " + rows).equals(outcome);
    }

    boolean isDuplicate() {
        return "duplicate".equals(outcome);
    }

    /** Returns whether nobody was told what became of it. */
    boolean isInDoubt() {
        return outcome == null || outcome.startsWith("error");
    }

    /** Returns whether its effect is there, or may be. */
    boolean mayHaveBeen() {
        return counted(1) || isInDoubt();
    }

    /** Returns whether it was over before another one began. */
    boolean isBefore(ShopOperation other) {
        return end < other.begin;
    }
}
