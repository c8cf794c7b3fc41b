package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.async.Stages;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ChangeLog;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tables {@code changes}, written plainly: their content is a hint. Entries expire after a week. The mark is the id of
 * an entry that was written last. Its timestamp is always above the one before, so that a clock which is ahead does not hide the next
 * change.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class CassandraChangeLog implements ChangeLog {

    /** The clustering position of a permanent first row, so that a look at the mark never passes expired entries. */
    private static final UUID FIRST_ROW = new UUID(0xffffffffffff1fffL, 0x8080808080808080L);

    private static final int KEPT_SECONDS = 7 * 24 * 3_600;

    /** If this many processes announce at once, the last one needs this many moves. */
    private static final int MAX_MOVES = 100;

    /** How many entries are written at once; a batch stays far below the size that servers warn of. */
    private static final int MAX_TOGETHER = 30;

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalTable;
    private final String localTable;
    private final Supplier<UUID> marks;
    private final Outbox toAll = new Outbox(Level.GLOBAL);
    private final Outbox toDatacenter = new Outbox(Level.DATACENTER);

    CassandraChangeLog(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            Supplier<UUID> marks) {
        this.global = global;
        this.local = local;
        this.globalTable = globalKeyspace + ".changes";
        this.localTable = localKeyspace + ".changes";
        this.marks = marks;
    }

    private ConditionalStatements statements(Level level) {
        return level == Level.GLOBAL ? global : local;
    }

    private String table(Level level) {
        return level == Level.GLOBAL ? globalTable : localTable;
    }

    private static ConsistencyLevel majority(Level level) {
        return level == Level.GLOBAL ? DefaultConsistencyLevel.QUORUM : DefaultConsistencyLevel.LOCAL_QUORUM;
    }

    @Override
    public CompletionStage<@Nullable UUID> mark(Level level) {
        // The nearest replica of the global keyspace; others may be out of reach.
        ConsistencyLevel consistency =
                level == Level.GLOBAL ? DefaultConsistencyLevel.ONE : DefaultConsistencyLevel.LOCAL_QUORUM;
        return statements(level)
                .peek(consistency, "SELECT DISTINCT scope, moved FROM " + table(level) + " WHERE scope = 'all'")
                .thenApply(rows -> rows.isEmpty() ? null : rows.get(0).getUuid("moved"));
    }

    @Override
    public CompletionStage<List<Entry>> since(Level level, Instant time) {
        return statements(level)
                .peek(
                        majority(level),
                        "SELECT at, kind, name FROM " + table(level) + " WHERE scope = 'all' AND at < " + FIRST_ROW
                                + " AND at > maxTimeuuid(?)",
                        time)
                .thenApply(rows -> rows.stream().map(CassandraChangeLog::entry).toList());
    }

    private static Entry entry(Row row) {
        UUID at = Objects.requireNonNull(row.getUuid("at"));
        Kind kind = Kind.valueOf(Objects.requireNonNull(row.getString("kind")).toUpperCase(Locale.ROOT));
        return new Entry(
                at,
                Instant.ofEpochMilli(Uuids.unixTimestamp(at)),
                new Change(kind, Objects.requireNonNull(row.getString("name"))));
    }

    @Override
    public CompletionStage<Void> announce(Level level, Change change) {
        return (level == Level.GLOBAL ? toAll : toDatacenter).add(change);
    }

    /**
     * The announcements of one level. Those that come while others are being written wait for these, and are written
     * together: so one process moves the mark once for many, and never competes with itself.
     */
    private final class Outbox {

        private final Level level;
        private final Queue<Announcement> waiting = new ArrayDeque<>();
        private boolean writing;

        Outbox(Level level) {
            this.level = level;
        }

        CompletionStage<Void> add(Change change) {
            Announcement announcement = new Announcement(change, new CompletableFuture<>());
            synchronized (this) {
                waiting.add(announcement);
                if (writing) {
                    return announcement.written;
                }
                writing = true;
            }
            writeNext();
            return announcement.written;
        }

        private void writeNext() {
            List<Announcement> together = new ArrayList<>();
            synchronized (this) {
                while (!waiting.isEmpty() && together.size() < MAX_TOGETHER) {
                    together.add(waiting.remove());
                }
                if (together.isEmpty()) {
                    writing = false;
                    return;
                }
            }
            List<Change> changes =
                    together.stream().map(Announcement::change).distinct().toList();
            var unused = CompletableFuture.completedFuture(null)
                    .thenCompose(begun -> write(level, changes))
                    .whenComplete((done, failure) -> {
                        writeNext();
                        for (Announcement each : together) {
                            if (failure == null) {
                                each.written.complete(null);
                            } else {
                                each.written.completeExceptionally(Stages.cause(failure));
                            }
                        }
                    });
        }
    }

    private record Announcement(Change change, CompletableFuture<Void> written) {}

    private CompletionStage<Void> write(Level level, List<Change> changed) {
        List<UUID> randoms = changed.stream().map(each -> marks.get()).toList();
        return stateOfWritten(level).thenCompose(seen -> {
            List<UUID> ids = randoms.stream().map(random -> id(seen, random)).toList();
            // Written before the mark moves: a process that reads the mark must find the entries.
            return statements(level)
                    .note(
                            majority(level),
                            IntStream.range(0, ids.size())
                                    .mapToObj(i -> entry(level, ids.get(i), changed.get(i)))
                                    .toArray(Cas[]::new))
                    .thenCompose(written -> move(level, changed.get(0), ids.get(0), seen, MAX_MOVES));
        });
    }

    private static UUID id(State seen, UUID random) {
        return new UUID(Uuids.startOf(seen.nowMillis()).getMostSignificantBits(), random.getLeastSignificantBits());
    }

    private Cas entry(Level level, UUID id, Change change) {
        return new Cas(
                "INSERT INTO " + table(level) + " (scope, at, kind, name) VALUES ('all', ?, ?, ?) USING TTL "
                        + KEPT_SECONDS,
                id,
                change.kind().name().toLowerCase(Locale.ROOT),
                change.name());
    }

    /**
     * Moves the mark until a read shows that it has moved. If two processes move it at once, the one whose timestamp is
     * lower, or whose statement arrives later, moves nothing, and others may have looked before its entry was there.
     *
     * <p>Each move is to a new mark, with an entry of its own. A process that has seen the mark before would not look again, and
     * miss what a third one has announced between, whose mark this one replaces.
     *
     * @param change that of the entry {@code mark}
     */
    private CompletionStage<Void> move(Level level, Change change, UUID mark, State seen, int moves) {
        return statements(level)
                .note(
                        majority(level),
                        new Cas(
                                "UPDATE " + table(level) + " USING TIMESTAMP ? SET moved = ? WHERE scope = 'all'",
                                Math.max(TimeUnit.MILLISECONDS.toMicros(seen.nowMillis()), seen.writtenMicros() + 1),
                                mark))
                .thenCompose(moved -> stateOfWritten(level))
                .thenCompose(now -> mark.equals(now.mark())
                        ? CompletableFuture.<Void>completedFuture(null)
                        : moveAgain(level, change, now, moves - 1));
    }

    private CompletionStage<Void> moveAgain(Level level, Change change, State seen, int moves) {
        if (moves == 0) {
            return CompletableFuture.failedFuture(new SequenceException.Unavailable(
                    "the mark of " + table(level) + " is moved by many others at once"));
        }
        UUID mark = id(seen, marks.get());
        return statements(level)
                .note(majority(level), entry(level, mark, change))
                .thenCompose(written -> move(level, change, mark, seen, moves));
    }

    /**
     * The state from which a mark is moved.
     *
     * @param mark null before the first change
     * @param writtenMicros its timestamp, as its writer chose it; 0 before the first change
     * @param nowMillis by the coordinator's clock
     */
    private record State(@Nullable UUID mark, long writtenMicros, long nowMillis) {}

    /** Writes the permanent first row if it is missing: once for each of the two tables. */
    private CompletionStage<State> stateOfWritten(Level level) {
        return state(level)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : statements(level)
                                .note(
                                        majority(level),
                                        new Cas("INSERT INTO " + table(level) + " (scope, at, kind) VALUES ('all', "
                                                + FIRST_ROW + ", '')"))
                                .thenCompose(written -> state(level)))
                .thenApply(found -> found.orElseThrow(
                        () -> new SequenceException.Unavailable("the first row of " + table(level) + " was removed")));
    }

    private CompletionStage<Optional<State>> state(Level level) {
        return statements(level)
                .peek(
                        majority(level),
                        "SELECT moved, WRITETIME(moved) AS written, toUnixTimestamp(now()) AS now_ms FROM "
                                + table(level) + " WHERE scope = 'all' LIMIT 1")
                .thenApply(rows -> rows.stream()
                        .findFirst()
                        .map(row -> new State(
                                row.getUuid("moved"),
                                row.isNull("moved") ? 0 : row.getLong("written"),
                                row.getLong("now_ms"))));
    }
}
