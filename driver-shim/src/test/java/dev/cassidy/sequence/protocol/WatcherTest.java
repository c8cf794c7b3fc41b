package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.ChangeLog.Change;
import dev.cassidy.sequence.store.ChangeLog.Kind;
import dev.cassidy.sequence.store.ChangeLog.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WatcherTest {

    private static final Change RAISED = new Change(Kind.SEQUENCE, "shop.orders");
    private static final Change REGISTERED = new Change(Kind.TABLE, "shop.products");

    private final RecordedLog log = new RecordedLog();
    private final List<Change> told = new ArrayList<>();
    private int toldOfAnything;
    private Instant now = Instant.parse("2026-11-22T10:00:00Z");
    private final Watcher watcher = new Watcher(
            log,
            new Watcher.Listener() {
                @Override
                public void changed(Change change) {
                    told.add(change);
                }

                @Override
                public void changedSomewhere() {
                    toldOfAnything++;
                }
            },
            () -> now);

    @Test
    void shouldReadTwoMarksAndNothingElseWhileNothingChanges() {
        log.append(Level.GLOBAL, now, RAISED);
        begin();

        for (int look = 0; look < 10; look++) {
            look();
        }

        assertThat(log.marksRead).isEqualTo(2 + 20);
        assertThat(log.logsRead).isZero();
        assertThat(told).isEmpty();
        assertThat(toldOfAnything).isZero();
    }

    @Test
    void shouldTellOfEachChangeOnce() {
        begin();

        log.append(Level.GLOBAL, now, RAISED);
        log.append(Level.DATACENTER, now, REGISTERED);
        look();
        look();
        assertThat(told).containsExactlyInAnyOrder(RAISED, REGISTERED);

        told.clear();
        log.append(Level.GLOBAL, now, RAISED);
        look();
        assertThat(told).containsExactly(RAISED);
        assertThat(toldOfAnything).isZero();
    }

    @Test
    void shouldTellOfAnEntryThatShowsAfterALaterOne() {
        begin();
        log.append(Level.GLOBAL, now, RAISED);
        look();

        log.append(Level.GLOBAL, now.minusSeconds(20), REGISTERED);
        look();

        assertThat(told).containsExactly(RAISED, REGISTERED);
    }

    @Test
    void shouldTellOfWhatAStoreWritesWhoseClockIsBehindThisOne() {
        begin();

        log.append(Level.GLOBAL, now.minus(Duration.ofMinutes(30)), RAISED);
        look();

        assertThat(told).containsExactly(RAISED);
    }

    @Test
    void shouldHaveEverythingLookedAtWhenTheMarkMovesAndTheLogDoesNotSayWhy() {
        begin();

        log.append(Level.GLOBAL, now.minus(Duration.ofHours(2)), RAISED);
        look();

        assertThat(toldOfAnything).isEqualTo(1);
        look();
        assertThat(toldOfAnything).isEqualTo(1);
    }

    @Test
    void shouldHaveEverythingLookedAtWhenTheLogTellsOfAnotherChangeThanTheMark() {
        begin();

        log.append(Level.GLOBAL, now, REGISTERED);
        log.append(Level.GLOBAL, now.minus(Duration.ofHours(2)), RAISED);
        look();

        assertThat(toldOfAnything).isEqualTo(1);
    }

    /** Two announce at once, and the log was read between the one's mark and the other's. */
    @Test
    void shouldLookAtNothingMoreWhenTheMarkMovesToAnEntryThatWasRead() {
        begin();
        log.append(Level.GLOBAL, now, RAISED);
        UUID later = log.appendBeforeItsMark(Level.GLOBAL, now, REGISTERED);
        look();
        assertThat(told).containsExactlyInAnyOrder(RAISED, REGISTERED);

        told.clear();
        log.marks.put(Level.GLOBAL, later);
        look();

        assertThat(told).isEmpty();
        assertThat(toldOfAnything).isZero();
    }

    /** A replica that was down for long shows an old mark, or none; every other read asks it. */
    @Test
    void shouldLookAtNothingAgainWhereMarksComeBack() {
        UUID old = log.appendBeforeItsMark(Level.GLOBAL, now.minus(Duration.ofHours(3)), RAISED);
        log.append(Level.GLOBAL, now.minus(Duration.ofHours(2)), RAISED);
        UUID newest = log.marks.get(Level.GLOBAL);
        begin();

        for (UUID shown : Arrays.asList(old, newest, null, newest, old, newest, null, old)) {
            log.marks.put(Level.GLOBAL, shown);
            look();
        }

        assertThat(toldOfAnything).as("the first time").isEqualTo(1);
        log.append(Level.GLOBAL, now, REGISTERED);
        look();
        assertThat(told).containsExactly(REGISTERED);
        assertThat(toldOfAnything).isEqualTo(1);
    }

    @Test
    void shouldHaveEverythingLookedAtOnceWhenItCouldNotBegin() {
        log.append(Level.GLOBAL, now, RAISED);
        log.reachable = false;
        begin();
        look();
        assertThat(toldOfAnything).isZero();

        log.reachable = true;
        look();
        look();

        assertThat(toldOfAnything).as("each level").isEqualTo(2);
        assertThat(told).isEmpty();
    }

    @Test
    void shouldMissNothingOfWhatChangedWhileItCouldNotLook() {
        begin();
        log.reachable = false;
        look();
        log.append(Level.GLOBAL, now, RAISED);
        look();
        assertThat(told).isEmpty();

        log.reachable = true;
        look();

        assertThat(told).containsExactly(RAISED);
    }

    @Test
    void shouldMissNothingWhenTheMarkWasReadAndTheLogWasNot() {
        begin();
        log.append(Level.GLOBAL, now, RAISED);
        log.logReachable = false;
        look();
        assertThat(told).isEmpty();

        log.logReachable = true;
        look();

        assertThat(told).containsExactly(RAISED);
    }

    private void begin() {
        watcher.begin().toCompletableFuture().join();
    }

    private void look() {
        now = now.plusSeconds(5);
        watcher.look().toCompletableFuture().join();
    }

    /** Keeps what it is told, and counts what is asked. */
    private static final class RecordedLog implements ChangeLog {

        private final Map<Level, UUID> marks = new EnumMap<>(Level.class);
        private final Map<Level, List<Entry>> entries =
                new EnumMap<>(Map.of(Level.GLOBAL, new ArrayList<>(), Level.DATACENTER, new ArrayList<>()));
        private boolean reachable = true;
        private boolean logReachable = true;
        private int marksRead;
        private int logsRead;

        void append(Level level, Instant at, Change change) {
            marks.put(level, appendBeforeItsMark(level, at, change));
        }

        UUID appendBeforeItsMark(Level level, Instant at, Change change) {
            UUID id = UUID.randomUUID();
            entries.get(level).add(new Entry(id, at, change));
            return id;
        }

        @Override
        public CompletionStage<@Nullable UUID> mark(Level level) {
            marksRead++;
            return reachable
                    ? CompletableFuture.completedFuture(marks.get(level))
                    : CompletableFuture.failedFuture(new IllegalStateException("cut off"));
        }

        @Override
        public CompletionStage<List<Entry>> since(Level level, Instant time) {
            logsRead++;
            return reachable && logReachable
                    ? CompletableFuture.completedFuture(entries.get(level).stream()
                            .filter(entry -> entry.at().isAfter(time))
                            .toList())
                    : CompletableFuture.failedFuture(new IllegalStateException("cut off"));
        }

        @Override
        public CompletionStage<Void> announce(Level level, Change change) {
            throw new UnsupportedOperationException("a watcher only looks");
        }
    }
}
