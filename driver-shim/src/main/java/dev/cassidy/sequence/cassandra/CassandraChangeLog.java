package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.ConditionalStatements.Cas;
import dev.cassidy.sequence.ChangeLog;
import dev.cassidy.sequence.SequenceException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tables {@code changes}, written plainly: what they hold is a hint. Entries go after a week. The mark's timestamp is always
 * above that of the one before, so that a clock which is ahead does not hide the next change.
 */
final class CassandraChangeLog implements ChangeLog {

    /** Behind a permanent first row, so that a look at the mark never passes expired entries. */
    private static final UUID FIRST_ROW = new UUID(0xffffffffffff1fffL, 0x8080808080808080L);

    private static final int KEPT_SECONDS = 7 * 24 * 3_600;

    /** Of as many who announce at once, the last one needs as many. */
    private static final int MOST_MOVES = 100;

    private final ConditionalStatements global;
    private final ConditionalStatements local;
    private final String globalTable;
    private final String localTable;
    private final Supplier<UUID> marks;
    private final IntSupplier version;

    /** @param version of the schema, which may be raised meanwhile; before 3 nothing is told, and nothing is heard */
    CassandraChangeLog(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            Supplier<UUID> marks,
            IntSupplier version) {
        this.global = global;
        this.local = local;
        this.globalTable = globalKeyspace + ".changes";
        this.localTable = localKeyspace + ".changes";
        this.marks = marks;
        this.version = version;
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
        if (version.getAsInt() < 3) {
            return CompletableFuture.completedFuture(null);
        }
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
        if (version.getAsInt() < 3) {
            return CompletableFuture.completedFuture(null);
        }
        String table = table(level);
        // In place before the mark moves, so that whoever sees the mark finds it.
        return statements(level)
                .note(
                        majority(level),
                        new Cas("INSERT INTO " + table + " (scope, at, kind) VALUES ('all', " + FIRST_ROW + ", '')"),
                        new Cas(
                                "INSERT INTO " + table
                                        + " (scope, at, kind, name) VALUES ('all', now(), ?, ?) USING TTL "
                                        + KEPT_SECONDS,
                                change.kind().name().toLowerCase(Locale.ROOT),
                                change.name()))
                .thenCompose(written -> move(level, marks.get(), MOST_MOVES));
    }

    /**
     * Moves the mark until it is seen to have moved. Of two who move it at once, the one whose timestamp is lower, or whose
     * statement comes late, moves nothing, and somebody may have looked before its entry was there.
     */
    private CompletionStage<Void> move(Level level, UUID mark, int moves) {
        return statements(level)
                .peek(
                        majority(level),
                        "SELECT moved, WRITETIME(moved) AS written, toUnixTimestamp(now()) AS now_ms FROM "
                                + table(level) + " WHERE scope = 'all' LIMIT 1")
                .thenCompose(rows -> {
                    Optional<Row> found =
                            rows.stream().filter(row -> !row.isNull("moved")).findFirst();
                    if (found.filter(row -> mark.equals(row.getUuid("moved"))).isPresent()) {
                        return CompletableFuture.completedFuture(null);
                    }
                    if (moves == 0) {
                        return CompletableFuture.failedFuture(new SequenceException.Unavailable(
                                "the mark of " + table(level) + " is moved by many others at once"));
                    }
                    long now = rows.stream()
                            .mapToLong(row -> TimeUnit.MILLISECONDS.toMicros(row.getLong("now_ms")))
                            .findFirst()
                            .orElse(1);
                    long after = found.map(row -> row.getLong("written") + 1).orElse(1L);
                    return statements(level)
                            .note(
                                    majority(level),
                                    new Cas(
                                            "UPDATE " + table(level)
                                                    + " USING TIMESTAMP ? SET moved = ? WHERE scope = 'all'",
                                            Math.max(now, after),
                                            mark))
                            .thenCompose(moved -> move(level, mark, moves - 1));
                });
    }
}
