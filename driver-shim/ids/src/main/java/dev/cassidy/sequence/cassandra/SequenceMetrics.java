package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.AllocatorFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Micrometer meters of the sequences that this process uses, each with the tags {@code sequence} and {@code datacenter}.
 * Micrometer is an optional dependency: only this class needs it. Safe for use by many threads.
 *
 * <p>A scrape returns the figures of the last read and does no I/O; a figure that has not been read yet is NaN. A sequence is
 * read once a minute while this process draws from it. Of the idle sequences one is read each minute, in turn, so the
 * figures of {@code n} idle sequences may be {@code n} minutes old.
 */
public final class SequenceMetrics implements MeterBinder, AutoCloseable {

    private final Sequences sequences;
    private final Tags tags;

    /** By identity: in two registries, meters with the same name and tags are equal. */
    private final IdentityHashMap<Meter, MeterRegistry> registered = new IdentityHashMap<>();

    private boolean closed;

    /** @param sequences the meters refer to them weakly; their owner must keep them until they are closed */
    public SequenceMetrics(Sequences sequences) {
        this(sequences, Tags.empty());
    }

    /**
     * Meters with further tags. A process that has opened the sequences of one datacenter twice needs them: of two meters with
     * the same tags, a registry keeps the first.
     */
    public SequenceMetrics(Sequences sequences, Iterable<Tag> furtherTags) {
        this.sequences = sequences;
        this.tags = Tags.of(furtherTags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        sequences.headroom().observe(spec -> bind(registry, spec));
    }

    /** Removes the meters from the registries that they were bound to. */
    @Override
    public synchronized void close() {
        closed = true;
        registered.forEach((meter, registry) -> registry.remove(meter));
        registered.clear();
    }

    private synchronized void bind(MeterRegistry registry, SequenceSpec spec) {
        if (!closed) {
            meters(spec, registry).forEach(meter -> registered.put(meter, registry));
        }
    }

    private List<Meter> meters(SequenceSpec spec, MeterRegistry registry) {
        String name = spec.name();
        Tags all = tags.and("sequence", name, "datacenter", sequences.localDatacenter());
        return List.of(
                Gauge.builder("cassidy.sequence.headroom", sequences, seen(name, Sighting::headroomRatio))
                        .description("Free share of the space, from 0 to 1")
                        .tags(all)
                        .register(registry),
                gauge(
                        "cassidy.sequence.used",
                        "Ids that were granted to a datacenter, or skipped",
                        seen(name, Sighting::used),
                        all,
                        registry),
                gauge(
                        "cassidy.sequence.reserve",
                        "Ids in the datacenter's reserve",
                        seen(name, Sighting::reserved),
                        all,
                        registry),
                gauge(
                        "cassidy.sequence.tails",
                        "Ids that processes of the datacenter gave back",
                        seen(name, Sighting::tails),
                        all,
                        registry),
                gauge(
                        "cassidy.sequence.held",
                        "Ids that this process has in memory",
                        figure(name, AllocatorFigures::held),
                        all,
                        registry),
                time(
                        "cassidy.sequence.ends",
                        "Until nothing is left to grant, as projected",
                        seen(name, SequenceMetrics::ends),
                        all,
                        registry),
                time(
                        "cassidy.sequence.reserve.lasts",
                        "How long the reserve lasts at the rate of the busiest hour",
                        seen(name, SequenceMetrics::lasts),
                        all,
                        registry),
                counter(
                        "cassidy.sequence.issued",
                        "ids",
                        "Ids issued here",
                        figure(name, AllocatorFigures::drawn),
                        all,
                        registry),
                counter(
                        "cassidy.sequence.claims",
                        "blocks",
                        "Blocks claimed here",
                        figure(name, AllocatorFigures::claims),
                        all,
                        registry),
                counter(
                        "cassidy.sequence.fresh",
                        "blocks",
                        "Blocks issued from before the nodes had them on their disks for certain",
                        figure(name, AllocatorFigures::fresh),
                        all,
                        registry),
                counter(
                        "cassidy.sequence.lost",
                        "blocks",
                        "Claimed blocks that the nodes had forgotten when they were read back",
                        figure(name, AllocatorFigures::lost),
                        all,
                        registry));
    }

    private Meter gauge(
            String name, String description, ToDoubleFunction<Sequences> value, Tags all, MeterRegistry registry) {
        return Gauge.builder(name, sequences, value)
                .description(description)
                .baseUnit("ids")
                .tags(all)
                .register(registry);
    }

    private Meter time(
            String name, String description, ToDoubleFunction<Sequences> seconds, Tags all, MeterRegistry registry) {
        return TimeGauge.builder(name, sequences, TimeUnit.SECONDS, seconds)
                .description(description)
                .tags(all)
                .register(registry);
    }

    private Meter counter(
            String name,
            String unit,
            String description,
            ToDoubleFunction<Sequences> value,
            Tags all,
            MeterRegistry registry) {
        return FunctionCounter.builder(name, sequences, value)
                .description(description)
                .baseUnit(unit)
                .tags(all)
                .register(registry);
    }

    private static double ends(Sighting sighting) {
        return sighting.projection()
                .end()
                .map(end -> (double)
                        Math.max(0, end.getEpochSecond() - sighting.at().getEpochSecond()))
                .orElse(Double.NaN);
    }

    private static double lasts(Sighting sighting) {
        return sighting.lasts().map(time -> (double) time.toSeconds()).orElse(Double.NaN);
    }

    private static ToDoubleFunction<Sequences> seen(String name, ToDoubleFunction<Sighting> value) {
        return from -> from.headroom().sighting(name).map(value::applyAsDouble).orElse(Double.NaN);
    }

    private static ToDoubleFunction<Sequences> figure(String name, ToDoubleFunction<AllocatorFigures> value) {
        return from -> from.figures(name).map(value::applyAsDouble).orElse(0.0);
    }
}
