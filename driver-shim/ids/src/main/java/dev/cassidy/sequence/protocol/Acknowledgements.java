package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Timer;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.SequenceOutlook;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does this datacenter's part in raises that happened elsewhere: it brings the reserves and copies up to date, and
 * acknowledges. Any running process can do this, and thousands may learn of a raise at once. So each one waits for a
 * random time, looks by plain reads whether another process has done it, and only then begins. What is done is noted in
 * the datacenter's copy, for every process that comes later.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class Acknowledgements {

    private static final Logger LOG = LoggerFactory.getLogger(Acknowledgements.class);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final int MAX_DOUBLED = 20;

    private final SequenceCatalog catalog;
    private final SequenceRegistry registry;
    private final Raises raises;
    private final Timer timer;
    private final RandomGenerator random;
    private final Duration shortestPause;

    /** By the sequence's name. */
    private final ConcurrentMap<String, Turn> owed = new ConcurrentHashMap<>();

    /** Incarnations of which this process has done its part; saves reads where the copy cannot tell that. */
    private final ConcurrentMap<String, Integer> settled = new ConcurrentHashMap<>();

    /** One try that is to come, or is under way. Tries are told apart by their identity. */
    private static final class Turn {

        /** How many tries failed before. */
        private final int tries;

        /** Whether it may have read the state from before a change that is noticed now. */
        private volatile boolean begun;

        Turn(int tries) {
            this.tries = tries;
        }
    }

    /** @param shortestPause the pause after a failed try; it doubles with each, up to five minutes */
    public Acknowledgements(
            SequenceCatalog catalog,
            SequenceRegistry registry,
            Raises raises,
            AllocatorContext context,
            Duration shortestPause) {
        this.catalog = catalog;
        this.registry = registry;
        this.raises = raises;
        this.timer = context.timer();
        this.random = context.random();
        this.shortestPause = shortestPause;
    }

    /**
     * A raise of this sequence was seen, or may have happened; or an obstacle to one may be gone.
     *
     * @param within the longest that it waits; processes that hold ids of it wait less than those that only know of it
     */
    public void noticed(String name, Duration within) {
        Turn turn = new Turn(0);
        Turn before = owed.putIfAbsent(name, turn);
        boolean comesAnyway = before != null && before.tries == 0 && !before.begun;
        if (before == null || (!comesAnyway && owed.replace(name, before, turn))) {
            later(name, turn, Duration.ofNanos(random.nextLong(Math.max(1, within.toNanos()))));
        }
    }

    private void later(String name, Turn turn, Duration pause) {
        timer.schedule(() -> attempt(name, turn), pause);
    }

    private void attempt(String name, Turn turn) {
        if (owed.get(name) != turn) {
            return;
        }
        turn.begun = true;
        catalog.outlook(name)
                .thenCompose(seen ->
                        seen.filter(this::isOwed).isPresent() ? settle(name) : CompletableFuture.completedFuture(true))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.debug("the raise of sequence {} is not acknowledged yet", name, failure);
                    }
                    if (failure == null && done) {
                        owed.remove(name, turn);
                    } else {
                        again(name, turn);
                    }
                });
    }

    private void again(String name, Turn before) {
        Turn turn = new Turn(Math.min(before.tries + 1, MAX_DOUBLED));
        if (owed.replace(name, before, turn)) {
            Duration most = shortestPause.multipliedBy(1L << turn.tries);
            long nanos = (most.compareTo(LONGEST_PAUSE) < 0 ? most : LONGEST_PAUSE).toNanos();
            later(name, turn, Duration.ofNanos(nanos / 2 + random.nextLong(nanos / 2 + 1)));
        }
    }

    private boolean isOwed(SequenceOutlook seen) {
        boolean settledHere = settled.getOrDefault(seen.everywhere().name(), 0)
                >= seen.everywhere().incarnation();
        // The floor of an incarnation rises once it is acknowledged.
        return settledHere ? seen.isCopyBehind() : seen.isBehind();
    }

    /** Returns whether nothing is left to do. */
    private CompletionStage<Boolean> settle(String name) {
        return registry.find(name).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(true);
            }
            SequenceEntry entry = found.get();
            return raises.acknowledge(entry).thenApply(held -> {
                if (held.isEmpty()) {
                    settled.merge(name, entry.incarnation(), Math::max);
                }
                return held.isEmpty();
            });
        });
    }

    /** Looks at every sequence of which this datacenter has a copy, including those that no process here has opened. */
    public CompletionStage<Void> lookAtAll(Duration within) {
        return catalog.glimpses().thenCombine(catalog.copyGlimpses(), (everywhere, here) -> {
            Map<String, SequenceGlimpse> copies = new HashMap<>();
            here.forEach(copy -> copies.put(copy.name(), copy));
            List<SequenceOutlook> seen = everywhere.stream()
                    .map(each -> new SequenceOutlook(each, Optional.ofNullable(copies.get(each.name()))))
                    .toList();
            seen.stream()
                    .filter(this::isOwed)
                    .forEach(each -> noticed(each.everywhere().name(), within));
            return null;
        });
    }
}
