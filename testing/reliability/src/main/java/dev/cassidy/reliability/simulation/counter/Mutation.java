package dev.cassidy.reliability.simulation.counter;

import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one statement writes to one partition: a replica applies all of it at once.
 *
 * @param key the partition and actor
 */
record Mutation(String key, List<Write> writes, @Nullable RangeDelete delete) {

    /** Cells of one row, with their write timestamp; a null cell is not written. */
    record Write(
            long version,
            @Nullable BigInteger increment,
            @Nullable Long upto,
            long timestamp) {}

    /** Deletes what was written to the versions after {@code after} up to {@code upto}, at or before its timestamp. */
    record RangeDelete(long after, long upto, long timestamp) {

        boolean covers(long version, long written) {
            return version > after && version <= upto && written <= timestamp;
        }
    }
}
