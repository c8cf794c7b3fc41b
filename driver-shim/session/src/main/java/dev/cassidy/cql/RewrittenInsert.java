package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import dev.cassidy.insert.Identity;
import dev.cassidy.table.ColumnDefault;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An insert that is prepared with its keyspace in it, and with its defaults or with markers that its user does not see.
 *
 * @param generation that of the defaults, or an older one
 * @param keyspace that of its table
 * @param identity what the marker for the id is of; empty if it has none
 * @param guarded whether it names, besides the generated key, a column in which its value could overwrite a row
 * @param identityMarker the index of that marker; -1 if it has none
 * @param firstGenerated the index of the marker of the first default that changes
 * @param sending how it is sent once its id is drawn; null if that is looked at each time
 */
record RewrittenInsert(
        PrepareRequest original,
        String text,
        long generation,
        String keyspace,
        List<ColumnDefault> defaults,
        Optional<Identity> identity,
        boolean guarded,
        int identityMarker,
        int firstGenerated,
        @Nullable Sending sending) {

    /** Returns the defaults that have a marker each. */
    List<ColumnDefault> generated() {
        return DefaultEvaluator.generated(defaults);
    }

    /** Returns the index of the marker of one of the generated defaults. */
    int marker(int generated) {
        return firstGenerated + generated;
    }

    /** Returns the indexes of all markers that its user does not see. */
    int[] hidden() {
        IntStream markers =
                IntStream.range(firstGenerated, firstGenerated + generated().size());
        return identityMarker < 0
                ? markers.toArray()
                : IntStream.concat(markers, IntStream.of(identityMarker)).toArray();
    }

    /** Returns the request to send. */
    PrepareRequest request() {
        return new RewrittenPrepareRequest(original, text);
    }
}
