package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.store.ChangeLog;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices changes for one process: a look is one read of each level's mark, and of its log only if the mark has moved.
 *
 * <p>Looks may overlap; nothing blocks.
 */
public final class Watcher {

    private static final Logger LOG = LoggerFactory.getLogger(Watcher.class);

    /** This process's clock and the store's differ by less; otherwise everything is looked at. */
    private static final Duration WIDEST_SKEW = Duration.ofHours(1);

    /** The store's clocks differ by less among each other. */
    private static final Duration OVERLAP = Duration.ofMinutes(1);

    private static final int MAX_MARKS = 100;

    /** Acts on changes; called on the store's threads, and must not block. */
    public interface Listener {

        void changed(ChangeLog.Change change);

        /** Something has changed, but it is not known what. */
        void changedSomewhere();
    }

    private final ChangeLog log;
    private final Listener listener;
    private final InstantSource clock;
    private final Watched global = new Watched(ChangeLog.Level.GLOBAL);
    private final Watched local = new Watched(ChangeLog.Level.DATACENTER);

    public Watcher(ChangeLog log, Listener listener, InstantSource clock) {
        this.log = log;
        this.listener = listener;
        this.clock = clock;
    }

    /** Records the current marks, before anything else is read. The stage never fails. */
    public CompletionStage<Void> begin() {
        return global.begin().thenCombine(local.begin(), (one, other) -> null);
    }

    /** Looks whether anything has changed since. The stage never fails. */
    public CompletionStage<Void> look() {
        return global.look().thenCombine(local.look(), (one, other) -> null);
    }

    /** One level. */
    private final class Watched {

        private final ChangeLog.Level level;
        private final AtomicBoolean looking = new AtomicBoolean();

        // Below: of one look at a time.
        private volatile boolean begun;
        private volatile Instant from = Instant.EPOCH;
        private Set<UUID> told = Set.of();

        /** The last marks: a replica that missed writes may return one of them again, between newer ones. */
        private final Set<UUID> marks = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<UUID, Boolean> eldest) {
                return size() > MAX_MARKS;
            }
        }));

        Watched(ChangeLog.Level level) {
            this.level = level;
        }

        CompletionStage<Void> begin() {
            from = clock.instant().minus(WIDEST_SKEW);
            return log.mark(level).handle((found, failure) -> {
                if (failure == null) {
                    knows(found);
                    begun = true;
                }
                return null;
            });
        }

        CompletionStage<Void> look() {
            if (!looking.compareAndSet(false, true)) {
                return CompletableFuture.completedFuture(null);
            }
            return log.mark(level)
                    .thenCompose(found -> {
                        if (begun && isKnown(found)) {
                            return CompletableFuture.<Void>completedFuture(null);
                        }
                        return log.since(level, from).thenAccept(entries -> take(found, entries));
                    })
                    .handle((done, failure) -> {
                        looking.set(false);
                        if (failure != null) {
                            // Perhaps the process is cut off from it; the mark stays, so that nothing is missed.
                            LOG.debug("level {} could not be watched now", level, failure);
                        }
                        return null;
                    });
        }

        private void knows(@Nullable UUID found) {
            if (found != null) {
                marks.add(found);
            }
        }

        /** A replica that returns no mark may have missed the first one. */
        private boolean isKnown(@Nullable UUID found) {
            return found == null || marks.contains(found);
        }

        private void take(@Nullable UUID found, List<ChangeLog.Entry> entries) {
            // Also if there are no new entries: an entry may have been read before its mark moved.
            boolean explained =
                    begun && entries.stream().anyMatch(entry -> entry.id().equals(found));
            List<ChangeLog.Change> fresh = entries.stream()
                    .filter(entry -> !told.contains(entry.id()))
                    .map(ChangeLog.Entry::change)
                    .distinct()
                    .toList();
            told = new HashSet<>(entries.stream().map(ChangeLog.Entry::id).toList());
            entries.stream()
                    .map(entry -> entry.at().minus(OVERLAP))
                    .max(Instant::compareTo)
                    .filter(later -> later.isAfter(from))
                    .ifPresent(later -> from = later);
            knows(found);
            begun = true;
            if (explained) {
                fresh.forEach(listener::changed);
            } else {
                listener.changedSomewhere();
            }
        }
    }
}
