package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.Projection;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.AllocatorFigures;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.Isolation;
import dev.cassidy.sequence.store.Reserve;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches, in the background, how much is left of the sequences that this process draws from, and raises alarms. A look
 * is two plain reads, and a whole status only if something was granted since the last one. No caller waits for a look,
 * and its failure affects nothing else.
 */
final class Headroom {

    private static final Logger LOG = LoggerFactory.getLogger(Headroom.class);
    private static final Duration LOOK_INTERVAL = Duration.ofMinutes(1);

    /** A projection becomes out of date even while nothing is granted. */
    private static final Duration PROJECT_AGAIN = Duration.ofHours(6);

    private static final CompletionStage<Void> NOTHING_TO_SEE = CompletableFuture.completedStage(null);

    private final ConditionalStatements global;
    private final StatusReader reader;
    private final SequencesConfig config;
    private final String datacenter;
    private final Timer timer;
    private final InstantSource clock;
    private final Executor listening;
    private final Supplier<Collection<BlockAllocator>> allocators;

    private final List<HeadroomListener> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<SequenceSpec>> observers = new CopyOnWriteArrayList<>();
    private final ConcurrentMap<String, SequenceSpec> seen = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Watched> watched = new ConcurrentHashMap<>();

    /** When the last look at a sequence began, whether it saw anything or not. */
    private final Map<String, Instant> lookedAt = new ConcurrentHashMap<>();

    private final Map<String, AllocatorFigures> figures = new ConcurrentHashMap<>();
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    Headroom(
            ConditionalStatements global,
            StatusReader reader,
            SequencesConfig config,
            String datacenter,
            Timer timer,
            InstantSource clock,
            Executor listening,
            Supplier<Collection<BlockAllocator>> allocators) {
        this.global = global;
        this.reader = reader;
        this.config = config;
        this.datacenter = datacenter;
        this.timer = timer;
        this.clock = clock;
        this.listening = listening;
        this.allocators = allocators;
        listeners.add(alarm -> LOG.warn(alarm.message()));
    }

    StatusReader reader() {
        return reader;
    }

    void start() {
        timer.schedule(this::lookAtAll, LOOK_INTERVAL);
    }

    void add(HeadroomListener listener) {
        listeners.add(listener);
    }

    void remove(HeadroomListener listener) {
        listeners.remove(listener);
    }

    /** To be called when an allocator is opened. */
    void opened(SequenceSpec spec) {
        if (seen.put(spec.name(), spec) == null) {
            observers.forEach(observer -> observed(observer, spec));
        }
    }

    /** Calls the observer once for each sequence that was or will be used here. From now on all of them are watched. */
    void observe(Consumer<SequenceSpec> observer) {
        Set<String> told = ConcurrentHashMap.newKeySet();
        Consumer<SequenceSpec> once = spec -> {
            if (told.add(spec.name())) {
                observer.accept(spec);
            }
        };
        observers.add(once);
        seen.values().forEach(spec -> observed(once, spec));
    }

    /** An id must never fail because of a look. */
    private void observed(Consumer<SequenceSpec> observer, SequenceSpec spec) {
        try {
            observer.accept(spec);
            timer.schedule(() -> lookInBackground(spec), Duration.ZERO);
        } catch (RuntimeException e) {
            LOG.warn("sequence {} cannot be observed", spec.name(), e);
        }
    }

    Optional<Sighting> sighting(String name) {
        Watched known = watched.get(name);
        return known == null ? Optional.empty() : Optional.ofNullable(known.last);
    }

    List<Sighting> sightings() {
        return watched.values().stream().flatMap(Watched::seen).toList();
    }

    private void lookAtAll() {
        try {
            lookAround();
        } finally {
            timer.schedule(this::lookAtAll, LOOK_INTERVAL);
        }
    }

    /**
     * Looks at the sequences from which ids were drawn since the last time, and at those that were used up, because an operator
     * may have dropped or repaired them. Of the others, if there are observers, it looks at one in turn: the reads of an idle
     * process must not grow with the number of open sequences.
     */
    void lookAround() {
        Set<String> looked = new HashSet<>();
        for (BlockAllocator allocator : allocators.get()) {
            String name = allocator.spec().name();
            AllocatorFigures now = allocator.figures();
            if (allocator.isLive() && !now.equals(figures.put(name, now))) {
                looked.add(name);
                lookInBackground(allocator.spec());
            }
        }
        for (Sighting sighting : sightings()) {
            String name = sighting.spec().name();
            if (sighting.isUsedUp() && looked.add(name)) {
                lookInBackground(seen.getOrDefault(name, sighting.spec()));
            }
        }
        if (!observers.isEmpty()) {
            seen.values().stream()
                    .filter(spec -> !looked.contains(spec.name()))
                    .min(Comparator.comparing(spec -> lookedAt.getOrDefault(spec.name(), Instant.MIN)))
                    .ifPresent(this::lookInBackground);
        }
    }

    private void lookInBackground(SequenceSpec spec) {
        look(spec).whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.debug("sequence {}: how much is left is not known now", spec.name(), failure);
            }
        });
    }

    /** Returns a stage that ends when the look is over and its alarms were handed to the listeners' threads. */
    CompletionStage<Void> look(SequenceSpec spec) {
        if (!underWay.add(spec.name())) {
            return CompletableFuture.completedFuture(null);
        }
        lookedAt.put(spec.name(), clock.instant());
        return row(spec)
                .thenCompose(row -> row.map(found -> look(spec, found)).orElse(NOTHING_TO_SEE))
                .whenComplete((done, failure) -> underWay.remove(spec.name()));
    }

    /** As the nearest replica has it; alarms do not justify asking a majority every minute. */
    private CompletionStage<Optional<Row>> row(SequenceSpec spec) {
        return global.peek(
                        ConsistencyLevel.ONE,
                        "SELECT DISTINCT next, max, dropped FROM " + config.globalKeyspace() + ".seq WHERE seq = ?",
                        spec.name())
                .thenApply(rows -> rows.stream()
                        .filter(row -> !row.isNull("next") && !row.isNull("max"))
                        .findFirst());
    }

    private CompletionStage<Void> look(SequenceSpec spec, Row row) {
        if (row.getBoolean("dropped")) {
            // With what was said of it: if it is created again, all of that may become true again.
            watched.remove(spec.name());
            return NOTHING_TO_SEE;
        }
        Watched one = watched.computeIfAbsent(
                spec.name(), name -> new Watched(new HeadroomAlarms(config.isolation(), datacenter)));
        return look(spec, one, position(row));
    }

    private static Position position(Row row) {
        return new Position(row.getLong("next"), row.getLong("max"));
    }

    /** The global level's next and max. */
    private record Position(long used, long space) {}

    private CompletionStage<Void> look(SequenceSpec spec, Watched one, Position position) {
        CompletionStage<Map<Integer, Reserve>> reserves = reader.ownReserves(spec);
        CompletionStage<Projection> projection = one.projection(spec, position);
        return reserves.thenCombine(projection, (inHand, projected) -> refillRefused(spec, position, inHand)
                        .thenAccept(refused -> raise(one, sighting(spec, position, inHand, projected, refused))))
                .thenCompose(raised -> raised);
    }

    private Sighting sighting(
            SequenceSpec spec,
            Position position,
            Map<Integer, Reserve> inHand,
            Projection projection,
            Optional<String> refused) {
        long reserved = inHand.values().stream().mapToLong(Reserve::remaining).sum();
        long tails = inHand.values().stream()
                .mapToLong(reserve -> reserve.tails().size())
                .sum();
        // An hour that has just begun says little, and a first burst is always faster than its reserve.
        long busiest = inHand.values().stream()
                .mapToLong(reserve -> Collections.max(reader.usageNow(reserve).dailyPeaks()))
                .sum();
        return new Sighting(
                spec,
                position.used(),
                position.space(),
                projection,
                reserved,
                tails,
                StatusReader.lasting(reserved, busiest),
                refused,
                clock.instant());
    }

    /** Asks the global level, as a refill would, but only if a refill is due. */
    private CompletionStage<Optional<String>> refillRefused(
            SequenceSpec spec, Position position, Map<Integer, Reserve> inHand) {
        Duration isolation = Isolation.of(config.isolation(), position.space() - position.used(), position.space());
        boolean due = position.used() < position.space()
                && inHand.values().stream().anyMatch(reserve -> isDue(reserve, isolation));
        if (!due) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return global.read("SELECT DISTINCT next FROM " + config.globalKeyspace() + ".seq WHERE seq = ?", spec.name())
                .handle((rows, failure) -> failure == null
                        ? Optional.empty()
                        : Optional.of(String.valueOf(Stages.cause(failure).getMessage())));
    }

    private boolean isDue(Reserve reserve, Duration isolation) {
        return reserve.upcoming() == null
                && StatusReader.lasting(
                                reserve.remaining(), reader.usageNow(reserve).peakHourly())
                        .filter(lasts -> lasts.compareTo(isolation) < 0)
                        .isPresent();
    }

    private void raise(Watched one, Sighting sighting) {
        one.last = sighting;
        for (HeadroomAlarm alarm : one.alarms.look(sighting)) {
            for (HeadroomListener listener : listeners) {
                listening.execute(() -> tell(listener, alarm));
            }
        }
    }

    private static void tell(HeadroomListener listener, HeadroomAlarm alarm) {
        try {
            listener.onAlarm(alarm);
        } catch (RuntimeException e) {
            LOG.warn("a listener failed on: {}", alarm.message(), e);
        }
    }

    /** One sequence between its looks. */
    private final class Watched {

        private final HeadroomAlarms alarms;
        private volatile @Nullable Sighting last;
        private volatile @Nullable Projection projected;
        private volatile Instant projectedAt = Instant.MIN;
        private volatile long projectedFrom = -1;

        Watched(HeadroomAlarms alarms) {
            this.alarms = alarms;
        }

        Stream<Sighting> seen() {
            return Stream.ofNullable(last);
        }

        CompletionStage<Projection> projection(SequenceSpec spec, Position position) {
            Projection known = projected;
            Instant now = clock.instant();
            boolean old = projectedFrom != position.used()
                    || projectedAt.plus(PROJECT_AGAIN).isBefore(now);
            if (known != null && !old) {
                return CompletableFuture.completedFuture(known);
            }
            return reader.one(spec.name()).thenApply(status -> {
                Projection fresh = status.map(SequenceStatus::projection)
                        .orElseGet(() -> new Projection(0, 0, Optional.empty(), "it was dropped"));
                projected = fresh;
                projectedAt = now;
                projectedFrom = position.used();
                return fresh;
            });
        }
    }
}
