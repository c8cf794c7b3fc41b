package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.TouchedStore;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds what this process writes, after so many increments of a counter, and notes which counters it touches, so that
 * others fold what it leaves if it dies. What fails here costs only rows.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Background {

    private static final Logger LOG = LoggerFactory.getLogger(Background.class);
    private static final Duration NOTE_EVERY = Duration.ofSeconds(5);
    private static final Duration FOLD_AGAIN = Duration.ofMinutes(1);
    private static final int MAX_FOLDS_AT_ONCE = 4;

    /** One in so many counters that are touched in an epoch is looked at: earlier epochs may have left rows. */
    private static final int LOOKED_AT = 4;

    private final Folder folder;
    private final TouchedStore touched;
    private final CounterContext context;

    @GuardedBy("this")
    private @Nullable HeldSlot slot;

    @GuardedBy("this")
    private final Map<String, Progress> progress = new HashMap<>();

    @GuardedBy("this")
    private final Set<String> waiting = new HashSet<>();

    @GuardedBy("this")
    private int folds;

    /** When whole counters were folded, in the last minute. */
    @GuardedBy("this")
    private final Map<String, Long> foldedAt = new HashMap<>();

    @GuardedBy("this")
    private Set<String> unnoted = new HashSet<>();

    @GuardedBy("this")
    private boolean noting;

    private static final class Progress {
        private long written;
        private long folded;

        /** When the oldest row that is not folded was written; empty if there is none. */
        private OptionalLong unfoldedSince = OptionalLong.empty();
    }

    Background(Folder folder, TouchedStore touched, CounterContext context) {
        this.folder = folder;
        this.touched = touched;
        this.context = context;
    }

    /** Notes that the {@code number}th row of a counter in the slot's epoch was acknowledged. */
    void written(String counter, HeldSlot of, long number) {
        boolean noteLater = false;
        synchronized (this) {
            if (slot != of) {
                if (of.isOver()) {
                    return;
                }
                slot = of;
                progress.clear();
                waiting.clear();
                unnoted = new HashSet<>();
            }
            Progress counters = progress.computeIfAbsent(counter, first -> new Progress());
            counters.written = number;
            if (counters.unfoldedSince.isEmpty()) {
                counters.unfoldedSince = OptionalLong.of(context.nanoTime().getAsLong());
            }
            if (number == 1) {
                unnoted.add(counter);
                noteLater = !noting;
                noting = true;
            }
            boolean due = counters.written - counters.folded >= context.foldAfter();
            if (due || (number == 1 && context.random().nextInt(LOOKED_AT) == 0)) {
                waiting.add(counter);
            }
        }
        if (noteLater) {
            context.timer().schedule(this::note, NOTE_EVERY);
        }
        foldNext();
    }

    private void foldNext() {
        String counter;
        HeldSlot own;
        Progress of;
        long upto;
        synchronized (this) {
            own = slot;
            if (own == null || folds == MAX_FOLDS_AT_ONCE || waiting.isEmpty()) {
                return;
            }
            counter = waiting.iterator().next();
            waiting.remove(counter);
            of = progress.get(counter);
            if (of == null) {
                return;
            }
            folds++;
            upto = of.written;
            // Whether it succeeds or not: the next attempt is after as many increments again.
            of.folded = upto;
        }
        long began = context.nanoTime().getAsLong();
        folder.foldOwn(counter, own).whenComplete((done, failure) -> {
            synchronized (this) {
                folds--;
                if (failure == null) {
                    // What was written meanwhile is younger than this.
                    of.unfoldedSince = of.written == upto ? OptionalLong.empty() : OptionalLong.of(began);
                }
            }
            if (failure != null) {
                report(counter, Stages.cause(failure));
            }
            foldNext();
        });
    }

    private static void report(String counter, Throwable failure) {
        if (failure instanceof CounterFailure) {
            LOG.warn("{}", failure.getMessage());
        } else {
            LOG.debug("counter {} could not be folded now", counter, failure);
        }
    }

    private void note() {
        HeldSlot of;
        Set<String> names;
        synchronized (this) {
            noting = false;
            of = slot;
            names = unnoted;
            unnoted = new HashSet<>();
        }
        if (of != null && !names.isEmpty()) {
            touched.note(of.lease().slot(), of.epoch(), names).whenComplete((done, failure) -> {
                if (failure != null) {
                    LOG.debug("{} touched counters could not be noted", names.size(), failure);
                }
            });
        }
    }

    /** Folds a whole counter, whoever wrote it. A no-op if that was done within the last minute. */
    void foldLater(String counter) {
        long now = context.nanoTime().getAsLong();
        synchronized (this) {
            foldedAt.values().removeIf(at -> now - at > FOLD_AGAIN.toNanos());
            if (foldedAt.size() == MAX_FOLDS_AT_ONCE || foldedAt.putIfAbsent(counter, now) != null) {
                return;
            }
        }
        folder.foldAll(counter).whenComplete((done, failure) -> {
            if (failure != null) {
                report(counter, Stages.cause(failure));
            }
        });
    }

    /** Folds the counters with at least {@code atLeast} increments that are not folded, those with most of them first. */
    CompletionStage<Void> foldRest(int atLeast) {
        List<String> rest;
        HeldSlot own;
        synchronized (this) {
            own = slot;
            rest = progress.entrySet().stream()
                    .filter(entry -> unfolded(entry.getValue()) >= atLeast)
                    .sorted(Comparator.comparingLong(entry -> -unfolded(entry.getValue())))
                    .map(Map.Entry::getKey)
                    .toList();
        }
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        if (own != null) {
            for (String counter : rest) {
                all = all.thenCompose(before -> folder.foldOwn(counter, own).handle((done, failure) -> null));
            }
        }
        return all;
    }

    /** Returns the age of the oldest row of this process's slot that is not folded. */
    synchronized Optional<Duration> oldestUnfolded() {
        long now = context.nanoTime().getAsLong();
        return progress.values().stream()
                .flatMapToLong(counter -> counter.unfoldedSince.stream())
                .mapToObj(since -> Duration.ofNanos(now - since))
                .max(Comparator.naturalOrder());
    }

    private static long unfolded(Progress counter) {
        return counter.written - counter.folded;
    }
}
