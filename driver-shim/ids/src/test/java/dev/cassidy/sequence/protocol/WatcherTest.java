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
    private final List<Change> reported = new ArrayList<>();
    private int reportedUnspecified;
    private Instant now = Instant.parse("2026-11-22T10:00:00Z");
    private final Watcher watcher = new Watcher(
            log,
            new Watcher.Listener() {
                @Override
                public void changed(Change change) {
                    reported.add(change);
                }

                @Override
                public void changedSomewhere() {
                    reportedUnspecified++;
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
        assertThat(reported).isEmpty();
        assertThat(reportedUnspecified).isZero();
    }

    @Test
    void shouldReportEachChangeOnce() {
        begin();

        log.append(Level.GLOBAL, now, RAISED);
        log.append(Level.DATACENTER, now, REGISTERED);
        look();
        look();
        assertThat(reported).containsExactlyInAnyOrder(RAISED, REGISTERED);

        reported.clear();
        log.append(Level.GLOBAL, now, RAISED);
        look();
        assertThat(reported).containsExactly(RAISED);
        assertThat(reportedUnspecified).isZero();
    }

    @Test
    void shouldReportAnEntryThatAppearsAfterALaterOne() {
        begin();
        log.append(Level.GLOBAL, now, RAISED);
        look();

        log.append(Level.GLOBAL, now.minusSeconds(20), REGISTERED);
        look();

        assertThat(reported).containsExactly(RAISED, REGISTERED);
    }

    @Test
    void shouldReportEntriesOfAStoreWhoseClockIsBehind() {
        begin();

        log.append(Level.GLOBAL, now.minus(Duration.ofMinutes(30)), RAISED);
        look();

        assertThat(reported).containsExactly(RAISED);
    }

    @Test
    void shouldCheckEverythingIfTheMarkMovesAndTheLogDoesNotSayWhy() {
        begin();

        log.append(Level.GLOBAL, now.minus(Duration.ofHours(2)), RAISED);
        look();

        assertThat(reportedUnspecified).isEqualTo(1);
        look();
        assertThat(reportedUnspecified).isEqualTo(1);
    }

    @Test
    void shouldCheckEverythingIfTheLogShowsAnotherChangeThanTheMark() {
        begin();

        log.append(Level.GLOBAL, now, REGISTERED);
        log.append(Level.GLOBAL, now.minus(Duration.ofHours(2)), RAISED);
        look();

        assertThat(reportedUnspecified).isEqualTo(1);
    }

    /** Two processes announce at the same time, and the log was read between their two marks. */
    @Test
    void shouldCheckNothingMoreIfTheMarkMovesToAnEntryThatWasRead() {
        begin();
        log.append(Level.GLOBAL, now, RAISED);
        UUID later = log.appendBeforeItsMark(Level.GLOBAL, now, REGISTERED);
        look();
        assertThat(reported).containsExactlyInAnyOrder(RAISED, REGISTERED);

        reported.clear();
        log.marks.put(Level.GLOBAL, later);
        look();

        assertThat(reported).isEmpty();
        assertThat(reportedUnspecified).isZero();
    }

    /** A replica that was down for a long time shows an old mark, or none; every other read asks this replica. */
    @Test
    void shouldCheckNothingAgainIfMarksReappear() {
        UUID old = log.appendBeforeItsMark(Level.GLOBAL, now.minus(Duration.ofHours(3)), RAISED);
        log.append(Level.GLOBAL, now.minus(Duration.ofHours(2)), RAISED);
        UUID newest = log.marks.get(Level.GLOBAL);
        begin();

        for (UUID shown : Arrays.asList(old, newest, null, newest, old, newest, null, old)) {
            log.marks.put(Level.GLOBAL, shown);
            look();
        }

        assertThat(reportedUnspecified).as("the first time").isEqualTo(1);
        log.append(Level.GLOBAL, now, REGISTERED);
        look();
        assertThat(reported).containsExactly(REGISTERED);
        assertThat(reportedUnspecified).isEqualTo(1);
    }

    @Test
    void shouldCheckEverythingOnceIfItCouldNotBegin() {
        log.append(Level.GLOBAL, now, RAISED);
        log.reachable = false;
        begin();
        look();
        assertThat(reportedUnspecified).isZero();

        log.reachable = true;
        look();
        look();

        assertThat(reportedUnspecified).as("each level").isEqualTo(2);
        assertThat(reported).isEmpty();
    }

    @Test
    void shouldMissNoChangeWhileItCouldNotRead() {
        begin();
        log.reachable = false;
        look();
        log.append(Level.GLOBAL, now, RAISED);
        look();
        assertThat(reported).isEmpty();

        log.reachable = true;
        look();

        assertThat(reported).containsExactly(RAISED);
    }

    @Test
    void shouldMissNoChangeIfTheMarkWasReadAndTheLogWasNot() {
        begin();
        log.append(Level.GLOBAL, now, RAISED);
        log.logReachable = false;
        look();
        assertThat(reported).isEmpty();

        log.logReachable = true;
        look();

        assertThat(reported).containsExactly(RAISED);
    }

    private void begin() {
        watcher.begin().toCompletableFuture().join();
    }

    private void look() {
        now = now.plusSeconds(5);
        watcher.look().toCompletableFuture().join();
    }

    /** Keeps the entries, and counts the reads. */
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
