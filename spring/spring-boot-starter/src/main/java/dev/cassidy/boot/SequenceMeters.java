package dev.cassidy.boot;

import dev.cassidy.sequence.cassandra.SequenceMetrics;
import dev.cassidy.sequence.cassandra.Sequences;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.IdentityHashMap;

/**
 * Binds the meters of the sequences that the application has open, with the tag {@code session}: the name of the session's bean,
 * or {@code jdbc}. Sequences may be opened and closed at any time. Safe for use by many threads.
 */
final class SequenceMeters implements MeterBinder {

    private final UsedSequences used;

    SequenceMeters(UsedSequences used) {
        this.used = used;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        IdentityHashMap<Sequences, SequenceMetrics> bound = new IdentityHashMap<>();
        // Called one at a time.
        used.listen(
                (session, sequences) -> {
                    SequenceMetrics metrics = new SequenceMetrics(sequences, Tags.of("session", session));
                    bound.put(sequences, metrics);
                    metrics.bindTo(registry);
                },
                sequences -> {
                    SequenceMetrics metrics = bound.remove(sequences);
                    if (metrics != null) {
                        metrics.close();
                    }
                });
    }
}
