package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Watcher;
import dev.cassidy.sequence.store.ChangeLog.Change;
import dev.cassidy.sequence.store.ChangeLog.Entry;
import dev.cassidy.sequence.store.ChangeLog.Kind;
import dev.cassidy.sequence.store.ChangeLog.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A watcher must not miss any announced change. */
class CassandraChangeLogIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("change_log_it");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Change RAISE = new Change(Kind.SEQUENCE, "raised");
    private static final Change TABLE = new Change(Kind.TABLE, "shop.orders");

    private static CqlSession session;
    private static CassandraChangeLog log;

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
        log = log(session);
    }

    @AfterAll
    static void close() {
        session.close();
    }

    @BeforeEach
    void forget() {
        session.execute("TRUNCATE change_log_it.changes");
        session.execute("TRUNCATE change_log_it_dc1.changes");
    }

    private static CassandraChangeLog log(CqlSession through) {
        return new CassandraChangeLog(
                ConditionalStatements.acrossDatacenters(through, TIMEOUT),
                ConditionalStatements.withinDatacenter(through, TIMEOUT),
                "change_log_it",
                "change_log_it_dc1",
                UUID::randomUUID);
    }

    @Test
    void shouldReportEachChangeOnItsLevel() {
        assertThat(get(log.mark(Level.GLOBAL))).isNull();

        get(log.announce(Level.GLOBAL, RAISE));
        UUID first = get(log.mark(Level.GLOBAL));
        get(log.announce(Level.GLOBAL, TABLE));

        assertThat(first).isNotNull();
        assertThat(get(log.mark(Level.GLOBAL))).isNotNull().isNotEqualTo(first);
        assertThat(get(log.mark(Level.DATACENTER))).isNull();
        assertThat(since(Level.GLOBAL, Instant.EPOCH)).extracting(Entry::change).containsExactly(TABLE, RAISE);
        assertThat(since(Level.DATACENTER, Instant.EPOCH)).isEmpty();
    }

    @Test
    void shouldMoveTheMarkToTheEntryOfTheLastChange() {
        for (Change change : List.of(RAISE, TABLE, RAISE)) {
            get(log.announce(Level.GLOBAL, change));

            UUID mark = get(log.mark(Level.GLOBAL));
            assertThat(since(Level.GLOBAL, Instant.EPOCH))
                    .filteredOn(entry -> entry.id().equals(mark))
                    .extracting(Entry::change)
                    .containsExactly(change);
        }
    }

    @Test
    void shouldReportOnlyChangesAfterATime() {
        get(log.announce(Level.DATACENTER, RAISE));
        Entry entry = since(Level.DATACENTER, Instant.EPOCH).get(0);

        assertThat(since(Level.DATACENTER, entry.at().minusMillis(1))).containsExactly(entry);
        assertThat(since(Level.DATACENTER, entry.at())).isEmpty();
    }

    @Test
    void shouldMoveAMarkWhoseClockWasAhead() {
        get(log.announce(Level.GLOBAL, RAISE));
        UUID ahead = UUID.randomUUID();
        long inAnHour = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(1);
        session.execute(
                "UPDATE change_log_it.changes USING TIMESTAMP " + inAnHour + " SET moved = ? WHERE scope = 'all'",
                ahead);
        assertThat(get(log.mark(Level.GLOBAL))).isEqualTo(ahead);

        get(log.announce(Level.GLOBAL, TABLE));

        assertThat(get(log.mark(Level.GLOBAL))).isNotEqualTo(ahead);
    }

    /**
     * The statement that moves the mark arrives late, after another process announced a change and the mark was read.
     */
    @Test
    void shouldMoveTheMarkForAnOvertakenAnnouncement() {
        get(log.announce(Level.GLOBAL, new Change(Kind.SEQUENCE, "before")));
        CompletableFuture<Void> sends = new CompletableFuture<>();
        CompletableFuture<Void> released = new CompletableFuture<>();
        List<UUID> moves = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Void> late = log(heldBack(sends, released, moves))
                .announce(Level.GLOBAL, RAISE)
                .toCompletableFuture();
        sends.orTimeout(2, TimeUnit.MINUTES).join();
        get(log.announce(Level.GLOBAL, TABLE));
        UUID looked = get(log.mark(Level.GLOBAL));

        released.complete(null);
        get(late);

        assertThat(get(log.mark(Level.GLOBAL))).isNotEqualTo(looked);
        assertThat(since(Level.GLOBAL, Instant.EPOCH)).extracting(Entry::change).contains(TABLE, RAISE);
        // Who has seen the first of these marks must look again when the mark moves from TABLE's to RAISE's.
        assertThat(moves).hasSizeGreaterThan(1).doesNotHaveDuplicates();
    }

    /** Delays every statement that moves a mark, and adds the mark to {@code moves}. */
    private static CqlSession heldBack(
            CompletableFuture<Void> sends, CompletableFuture<Void> released, List<UUID> moves) {
        return (CqlSession) Proxy.newProxyInstance(
                CassandraChangeLogIT.class.getClassLoader(),
                new Class<?>[] {CqlSession.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("executeAsync")
                            && arguments.length == 1
                            && arguments[0] instanceof Statement<?> statement
                            && movesAMark(statement)) {
                        moves.add(mark(statement));
                        sends.complete(null);
                        return released.thenCompose(now -> session.executeAsync(statement));
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static UUID mark(Statement<?> statement) {
        if (statement instanceof BatchStatement batch) {
            for (Statement<?> child : batch) {
                if (movesAMark(child)) {
                    return mark(child);
                }
            }
        }
        return ((BoundStatement) statement).getUuid("moved");
    }

    private static boolean movesAMark(Statement<?> statement) {
        if (statement instanceof BatchStatement batch) {
            for (Statement<?> child : batch) {
                if (movesAMark(child)) {
                    return true;
                }
            }
            return false;
        }
        return statement instanceof BoundStatement bound
                && bound.getPreparedStatement().getQuery().contains("SET moved");
    }

    @Test
    void shouldReportAllConcurrentAnnouncementsToAWatcher() {
        Set<String> reported = ConcurrentHashMap.newKeySet();
        Watcher.Listener listener = new Watcher.Listener() {
            @Override
            public void changed(Change change) {
                reported.add(change.name());
            }

            @Override
            public void changedSomewhere() {
                reported.add("everything");
            }
        };
        Watcher watcher = new Watcher(log, listener, InstantSource.system());
        get(log.announce(Level.GLOBAL, RAISE));
        get(watcher.begin());
        // As of eight processes.
        List<CassandraChangeLog> logs =
                IntStream.range(0, 8).mapToObj(i -> log(session)).toList();
        for (int round = 0; round < 10; round++) {
            reported.clear();
            int number = round;
            List<String> names =
                    IntStream.range(0, 80).mapToObj(i -> number + "." + i).toList();
            CompletableFuture<?>[] announced = IntStream.range(0, names.size())
                    .mapToObj(i -> logs.get(i % logs.size())
                            .announce(Level.GLOBAL, new Change(Kind.SEQUENCE, names.get(i)))
                            .toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture<Void> all = CompletableFuture.allOf(announced).orTimeout(2, TimeUnit.MINUTES);
            while (!all.isDone()) {
                get(watcher.look());
            }
            all.join();
            get(watcher.look());

            assertThat(reported).containsAll(names).doesNotContain("everything");
        }
    }

    /** Those that come while one is being written share a batch and a move of the mark. */
    @Test
    void shouldWriteAnnouncementsOfAProcessTogether() {
        get(log.announce(Level.GLOBAL, RAISE));
        CompletableFuture<Void> sends = new CompletableFuture<>();
        CompletableFuture<Void> released = new CompletableFuture<>();
        CassandraChangeLog process = log(heldBack(sends, released, new ArrayList<>()));
        List<Change> changes = IntStream.range(0, 20)
                .mapToObj(i -> new Change(Kind.SEQUENCE, "together" + i))
                .toList();
        CompletableFuture<Void> first = process.announce(Level.GLOBAL, TABLE).toCompletableFuture();
        sends.orTimeout(2, TimeUnit.MINUTES).join();
        List<CompletableFuture<Void>> later = changes.stream()
                .map(change -> process.announce(Level.GLOBAL, change).toCompletableFuture())
                .toList();
        assertThat(since(Level.GLOBAL, Instant.EPOCH)).extracting(Entry::change).containsExactly(TABLE, RAISE);

        released.complete(null);
        get(first);
        later.forEach(CassandraChangeLogIT::get);

        UUID mark = get(log.mark(Level.GLOBAL));
        List<Entry> entries = since(Level.GLOBAL, Instant.EPOCH);
        assertThat(entries).extracting(Entry::change).containsAll(changes).hasSize(22);
        Entry marked = entries.stream()
                .filter(entry -> entry.id().equals(mark))
                .findFirst()
                .orElseThrow();
        assertThat(changes).contains(marked.change());
        assertThat(entries)
                .filteredOn(entry -> entry.at().equals(marked.at()))
                .as("written at once")
                .extracting(Entry::change)
                .containsAll(changes);
    }

    @Test
    void shouldFailTogetherAndGoOn() {
        CassandraChangeLog broken = new CassandraChangeLog(
                ConditionalStatements.acrossDatacenters(session, TIMEOUT),
                ConditionalStatements.withinDatacenter(session, TIMEOUT),
                "change_log_it_none",
                "change_log_it_dc1",
                UUID::randomUUID);
        List<CompletableFuture<Void>> failing = IntStream.range(0, 50)
                .mapToObj(i -> broken.announce(Level.GLOBAL, new Change(Kind.SEQUENCE, "failing" + i))
                        .toCompletableFuture())
                .toList();

        assertThat(failing).allSatisfy(each -> assertThatThrownBy(() -> get(each))
                .hasCauseInstanceOf(InvalidQueryException.class));
        get(broken.announce(Level.DATACENTER, RAISE));
        assertThatThrownBy(() -> get(broken.announce(Level.GLOBAL, RAISE)))
                .hasCauseInstanceOf(InvalidQueryException.class);
    }

    @Test
    void shouldLetOnlyEntriesExpire() {
        get(log.announce(Level.DATACENTER, RAISE));

        List<Row> rows = session.execute(
                        "SELECT at, kind, TTL(moved) AS moves, TTL(kind) AS lives FROM change_log_it_dc1.changes")
                .all();
        assertThat(rows).hasSize(2).allMatch(row -> row.isNull("moves"));
        assertThat(rows.get(0).getString("kind")).as("the permanent first row").isEmpty();
        assertThat(rows.get(0).isNull("lives")).isTrue();
        assertThat(rows.get(1).getInt("lives")).isBetween(1, 7 * 24 * 3_600);

        // Removes the entry, as its time to live would.
        session.execute(
                "DELETE FROM change_log_it_dc1.changes WHERE scope = 'all' AND at = ?",
                rows.get(1).getUuid("at"));
        UUID mark = get(log.mark(Level.DATACENTER));
        assertThat(mark).isNotNull();
        assertThat(since(Level.DATACENTER, Instant.EPOCH)).isEmpty();
        get(log.announce(Level.DATACENTER, TABLE));
        assertThat(get(log.mark(Level.DATACENTER))).isNotEqualTo(mark);
        assertThat(since(Level.DATACENTER, Instant.EPOCH))
                .extracting(Entry::change)
                .containsExactly(TABLE);
    }

    private static List<Entry> since(Level level, Instant time) {
        return get(log.since(level, time));
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(2, TimeUnit.MINUTES).join();
    }
}
