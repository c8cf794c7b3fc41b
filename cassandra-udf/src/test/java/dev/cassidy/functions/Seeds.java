package dev.cassidy.functions;

import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** Runs a property on many random inputs; a failure names the seed of its input. */
final class Seeds {

    private Seeds() {}

    static void each(int count, Consumer<Random> property) {
        LongStream.range(0, count).forEach(seed -> {
            try {
                property.accept(new Random(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
    }
}
