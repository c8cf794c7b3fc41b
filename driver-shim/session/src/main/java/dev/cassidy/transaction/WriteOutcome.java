package dev.cassidy.transaction;

import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How a write ended. There are only these three: what certainly was not executed is a failure of the stage.
 *
 * @param <T> what a refusal shows
 */
public sealed interface WriteOutcome<T> {

    /** The condition held, and the write took effect. */
    record Applied<T>() implements WriteOutcome<T> {}

    /** The condition did not hold, and nothing was written. */
    record Refused<T>(T found) implements WriteOutcome<T> {}

    /** It took effect, or it did not, or it will later. */
    record Unknown<T>(Throwable cause) implements WriteOutcome<T> {}

    /** Returns what follows from it. */
    default <R> R then(Supplier<R> applied, Function<? super T, R> refused, Function<Throwable, R> unknown) {
        if (this instanceof Refused<T> was) {
            return refused.apply(was.found());
        }
        return this instanceof Unknown<T> is ? unknown.apply(is.cause()) : applied.get();
    }
}
