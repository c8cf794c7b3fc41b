package dev.cassidy.counter;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Micrometer meters of the counters of one table of the kind {@link CounterKind#FOLDED}, with the tag {@code table}; other
 * kinds have none. Micrometer is an optional dependency: only this class needs it. Safe for use by many threads.
 *
 * <p>A scrape returns what the process has in memory and does no I/O; what is not known yet is NaN. While this is bound, the
 * process reads every few minutes how many slots are held.
 */
public final class CounterMetrics implements MeterBinder, AutoCloseable {

    private final Counters counters;
    private final Tags tags;

    /** By identity: in two registries, meters with the same name and tags are equal. */
    private final IdentityHashMap<Meter, MeterRegistry> registered = new IdentityHashMap<>();

    /** @param counters the meters refer to them weakly; their owner must keep them until they are closed */
    public CounterMetrics(Counters counters) {
        this(counters, Tags.empty());
    }

    /** Meters with further tags. A process that has opened one table twice needs them. */
    public CounterMetrics(Counters counters, Iterable<Tag> furtherTags) {
        this.counters = counters;
        this.tags = Tags.of(furtherTags).and("table", counters.config().table());
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (counters.config().kind() != CounterKind.FOLDED) {
            return;
        }
        counters.observe();
        meters(registry).forEach(meter -> registered.put(meter, registry));
    }

    /** Removes the meters from the registries that they were bound to. */
    @Override
    public synchronized void close() {
        registered.forEach((meter, registry) -> registry.remove(meter));
        registered.clear();
    }

    private List<Meter> meters(MeterRegistry registry) {
        return List.of(
                counter(
                        "cassidy.counter.acknowledged",
                        "increments",
                        "Increments that were acknowledged",
                        CountersFigures::acknowledged,
                        registry),
                counter(
                        "cassidy.counter.unknown",
                        "increments",
                        "Increments whose callers were told that the outcome is unknown",
                        CountersFigures::unknown,
                        registry),
                counter(
                        "cassidy.counter.repeated",
                        "rows",
                        "Rows that were written once more, after a failure",
                        CountersFigures::repeated,
                        registry),
                counter(
                        "cassidy.counter.settled",
                        "decisions",
                        "Decisions of what counts of ended epochs, each for one counter and slot",
                        CountersFigures::settled,
                        registry),
                Gauge.builder("cassidy.counter.unsettled", counters, figure(all -> all.unsettled()
                                .size()))
                        .description("Counters of dead processes that could not be settled here")
                        .baseUnit("counters")
                        .tags(tags)
                        .register(registry),
                Gauge.builder(
                                "cassidy.counter.slots",
                                counters,
                                figure(all -> all.slotsInUse().isPresent()
                                        ? all.slotsInUse().getAsInt()
                                        : Double.NaN))
                        .description("Slots of the datacenter that are held")
                        .baseUnit("slots")
                        .tags(tags)
                        .register(registry),
                time(
                        "cassidy.counter.unfolded",
                        "Age of the oldest row of this process that is not folded",
                        all -> Optional.of(all.oldestUnfolded().orElse(Duration.ZERO)),
                        registry),
                time(
                        "cassidy.counter.janitor",
                        "Since the datacenter's janitor was seen to have another turn",
                        CountersFigures::janitorRan,
                        registry));
    }

    private Meter counter(
            String name,
            String unit,
            String description,
            ToDoubleFunction<CountersFigures> value,
            MeterRegistry registry) {
        return FunctionCounter.builder(name, counters, figure(value))
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    private Meter time(
            String name,
            String description,
            Function<CountersFigures, Optional<Duration>> value,
            MeterRegistry registry) {
        return TimeGauge.builder(name, counters, TimeUnit.SECONDS, figure(all -> value.apply(all)
                        .map(time -> time.toNanos() / 1e9)
                        .orElse(Double.NaN)))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private static ToDoubleFunction<Counters> figure(ToDoubleFunction<CountersFigures> value) {
        return from -> value.applyAsDouble(from.figures());
    }
}
