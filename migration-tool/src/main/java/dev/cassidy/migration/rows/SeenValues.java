package dev.cassidy.migration.rows;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The hashes of values that were seen, in at most {@value #BYTES_A_VALUE} bytes each. Of 10^9 values, two that differ have one hash with
 * a probability of 10^-21. Safe for use by many threads.
 */
final class SeenValues {

    static final int BYTES_A_VALUE = 40;

    /** Each grows alone, so that at no time all of them are copied. */
    private static final int PARTS = 256;

    private final Part[] parts = Stream.generate(Part::new).limit(PARTS).toArray(Part[]::new);
    private final AtomicLong count = new AtomicLong();
    private final long most;
    private final String what;

    /**
     * @param bytes the most that all hashes may take
     * @param what is seen, for the refusal
     */
    SeenValues(long bytes, String what) {
        this.most = bytes / BYTES_A_VALUE;
        this.what = what;
    }

    /**
     * Returns whether this hash was not seen before.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} if there is no room for it
     */
    boolean add(RowSum.Hash hash) {
        boolean added = parts[(int) (hash.high() >>> (Long.SIZE - Byte.SIZE))].add(hash.high(), hash.low());
        if (added && count.incrementAndGet() > most) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    what + " is not decided: its values need " + BYTES_A_VALUE
                            + " bytes of memory each, and there is room" + " for " + most
                            + ". Give the JVM a larger heap: JAVA_TOOL_OPTIONS=-Xmx4g");
        }
        return added;
    }

    /** A hash table: two numbers for each place, both 0 where it is free. */
    private static final class Part {
        private long[] places = new long[32];
        private int used;

        synchronized boolean add(long high, long low) {
            // Of both 0, another one of the 2^128.
            long second = high == 0 && low == 0 ? 1 : low;
            if (!put(places, high, second)) {
                return false;
            }
            if (++used * 5 > places.length / 2 * 4) {
                long[] larger = new long[Math.multiplyExact(places.length, 2)];
                for (int i = 0; i < places.length; i += 2) {
                    if (places[i] != 0 || places[i + 1] != 0) {
                        put(larger, places[i], places[i + 1]);
                    }
                }
                places = larger;
            }
            return true;
        }

        private static boolean put(long[] places, long high, long low) {
            int mask = places.length / 2 - 1;
            int place = (int) low & mask;
            while (places[2 * place] != 0 || places[2 * place + 1] != 0) {
                if (places[2 * place] == high && places[2 * place + 1] == low) {
                    return false;
                }
                place = (place + 1) & mask;
            }
            places[2 * place] = high;
            places[2 * place + 1] = low;
            return true;
        }
    }
}
