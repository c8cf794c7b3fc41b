package dev.cassidy.transaction.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import dev.cassidy.SharedNode;
import dev.cassidy.async.Timer;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.CommitResult.Committed;
import dev.cassidy.transaction.CommitResult.Conflict;
import dev.cassidy.transaction.CommitResult.Reason;
import dev.cassidy.transaction.Committer;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.LockResolver;
import dev.cassidy.transaction.LockResolver.Met;
import dev.cassidy.transaction.RecordStore;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.TransactionFailedException;
import dev.cassidy.transaction.TransactionRecord;
import dev.cassidy.transaction.TransactionRecord.State;
import dev.cassidy.transaction.WriteOutcome;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions over exact tables on one node. */
class TransactionsIT {

    private static final String KEYSPACE = "transactions_it";
    private static final AtomicInteger KEYS = new AtomicInteger();

    private static CqlSession session;
    private static TableWrites account;
    private static TableWrites line;
    private static TableWrites entry;
    private static TableWrites every;

    private final Transactions transactions =
            new Transactions(session, TransactionsIT::ordered, TransactionsIT::keyspace, "this test");

    @BeforeAll
    static void create() throws SQLException {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
        session.execute(
                "CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        CassidySchema.install(
                session,
                Replication.parse("dc1:1"),
                SequencesConfig.defaults().withGlobalKeyspace("transactions_it_c"));
        String url = "jdbc:cassidy://" + node.host() + ":" + node.port() + "/" + KEYSPACE
                + "?localDatacenter=dc1&requestTimeout=1m&connectTimeout=1m&globalKeyspace=transactions_it_c";
        try (Connection connection = DriverManager.getConnection(url);
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE [account] (id INT PRIMARY KEY, owner NVARCHAR(50)) WITH (exact)");
            statement.execute(
                    "CREATE TABLE [line] (o INT, no INT, qty INT, note NVARCHAR(20), PRIMARY KEY (o, no)) WITH (exact)");
            statement.execute("CREATE TABLE [entry] (id INT IDENTITY PRIMARY KEY, note NVARCHAR(20)) WITH (exact)");
            statement.execute("CREATE TABLE [every] (id INT PRIMARY KEY, note NVARCHAR(20)) WITH (serial)");
        }
        // A name that CQL has to quote.
        session.execute("ALTER TABLE " + KEYSPACE + ".account ADD \"Balance\" int");
        session.refreshSchema();
        account = writes("account", "dc1");
        line = writes("line", "dc1");
        entry = writes("entry", "dc1");
        every = writes("every", "");
    }

    @AfterEach
    void stopSweeping() {
        transactions.close();
    }

    @AfterAll
    static void close() {
        session.close();
    }

    private static TableWrites writes(String table, String home) {
        UUID id = session.getMetadata()
                .getKeyspace(KEYSPACE)
                .orElseThrow()
                .getTable(table)
                .orElseThrow()
                .getId()
                .orElseThrow();
        return new TableWrites(KEYSPACE, table, home, id, false);
    }

    private static String keyspace(TableWrites table) {
        return table.isEverywhere() ? "transactions_it_c" : "transactions_it_c_dc1";
    }

    private static Statement<?> ordered(Statement<?> statement, TableWrites table) {
        return table.isEverywhere()
                ? statement
                        .setSerialConsistencyLevel(ConsistencyLevel.SERIAL)
                        .setConsistencyLevel(ConsistencyLevel.QUORUM)
                : statement
                        .setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL)
                        .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM);
    }

    // ---- changes

    private static ByteBuffer number(Integer value) {
        return TypeCodecs.INT.encode(value, ProtocolVersion.DEFAULT);
    }

    private static ByteBuffer text(String value) {
        return TypeCodecs.TEXT.encode(value, ProtocolVersion.DEFAULT);
    }

    private static Map<String, ByteBuffer> columns(Object... namesAndValues) {
        Map<String, ByteBuffer> columns = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            columns.put(
                    (String) namesAndValues[i],
                    value instanceof Integer number ? number(number) : text((String) value));
        }
        return columns;
    }

    private static RowChange change(
            Kind kind,
            TableWrites table,
            Map<String, ByteBuffer> key,
            Map<String, ByteBuffer> expected,
            Map<String, ByteBuffer> values) {
        return new RowChange(table, key, 1, expected, kind, values);
    }

    /** Sets an account's balance. */
    private static RowChange set(int id, Integer from, Integer to) {
        return change(Kind.UPDATE, account, columns("id", id), columns("Balance", from), columns("Balance", to));
    }

    private static int newAccount(int balance) {
        int id = KEYS.incrementAndGet();
        session.execute(
                "INSERT INTO " + KEYSPACE + ".account (id, \"Balance\", owner, cassidy_tx) VALUES (?, ?, 'ada', 0xff)"
                        + " IF NOT EXISTS",
                id,
                balance);
        return id;
    }

    private CommitResult commit(RowChange... changes) throws Exception {
        return transactions.commit(List.of(changes)).toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    // ---- what is stored

    private static Row stored(String table, String where) {
        return session.execute("SELECT * FROM " + KEYSPACE + "." + table + " WHERE " + where)
                .one();
    }

    private static Integer balance(int id) {
        Row row = stored("account", "id = " + id);
        assertThat(LockMark.isFree(row.getByteBuffer("cassidy_tx"))).isTrue();
        return row.get("\"Balance\"", Integer.class);
    }

    private static void assertNoRecordSoon(UUID id) {
        Awaitility.await().untilAsserted(() -> assertThat(
                        session.execute("SELECT state FROM transactions_it_c_dc1.transactions WHERE id = ?", id)
                                .one())
                .isNull());
    }

    @Test
    void shouldMoveMoneyBetweenPartitions() throws Exception {
        int from = newAccount(10);
        int to = newAccount(0);

        CommitResult result = commit(set(from, 10, 7), set(to, 0, 3));

        assertThat(result).isInstanceOfSatisfying(Committed.class, committed -> {
            assertThat(committed.complete()).isTrue();
            assertNoRecordSoon(committed.id());
        });
        assertThat(List.of(balance(from), balance(to))).containsExactly(7, 3);
        assertThat(stored("account", "id = " + to).getString("owner")).isEqualTo("ada");
    }

    /** The values have the time of the lock, so that a repetition changes nothing. */
    @Test
    void shouldWriteAtTheTimeOfTheLock() throws Exception {
        int from = newAccount(10);
        int to = newAccount(0);
        commit(set(from, 10, 9), set(to, 0, 1));

        Row times = session.execute("SELECT writetime(\"Balance\") AS b, writetime(cassidy_tx) AS t FROM " + KEYSPACE
                        + ".account WHERE id = " + to)
                .one();

        assertThat(times.getLong("b")).isEqualTo(times.getLong("t")).isGreaterThan(1_700_000_000_000_000L);
    }

    @Test
    void shouldServeEveryKindOfChange() throws Exception {
        int updated = newAccount(1);
        int deleted = newAccount(2);
        int replaced = newAccount(3);
        int checked = newAccount(4);
        int inserted = KEYS.incrementAndGet();
        int fresh = KEYS.incrementAndGet();

        CommitResult result = commit(
                set(updated, 1, null),
                change(Kind.DELETE, account, columns("id", deleted), columns("Balance", 2), Map.of()),
                change(Kind.REPLACE, account, columns("id", replaced), Map.of(), columns("Balance", 30)),
                change(Kind.CHECK, account, columns("id", checked), columns("Balance", 4), Map.of()),
                change(Kind.INSERT, account, columns("id", inserted), Map.of(), columns("owner", "eve")),
                change(Kind.FRESH, entry, columns("id", fresh), Map.of(), columns("note", "new")));

        assertThat(result).isInstanceOf(Committed.class);
        assertThat(balance(updated)).isNull();
        assertThat(stored("account", "id = " + deleted)).isNull();
        assertThat(balance(replaced)).isEqualTo(30);
        assertThat(stored("account", "id = " + replaced).getString("owner")).isNull();
        assertThat(balance(checked)).isEqualTo(4);
        assertThat(stored("account", "id = " + inserted).getString("owner")).isEqualTo("eve");
        assertThat(balance(inserted)).isNull();
        Row time = session.execute(
                        "SELECT note, cassidy_tx, writetime(note) AS t FROM " + KEYSPACE + ".entry WHERE id = " + fresh)
                .one();
        assertThat(time.getLong("t")).isEqualTo(1L << 42);
        assertThat(LockMark.isFree(time.getByteBuffer("cassidy_tx"))).isTrue();
    }

    @Test
    void shouldWriteNothingOnConflict() throws Exception {
        int one = newAccount(1);
        int other = newAccount(2);
        int missing = KEYS.incrementAndGet();

        assertThat(commit(set(one, 1, 100), set(other, 3, 100)))
                .isInstanceOfSatisfying(Conflict.class, conflict -> assertThat(conflict.reason())
                        .isEqualTo(Reason.CHANGED));
        assertThat(commit(set(one, 1, 100), set(other, null, 100)))
                .isInstanceOfSatisfying(Conflict.class, conflict -> assertThat(conflict.reason())
                        .isEqualTo(Reason.CHANGED));
        assertThat(commit(set(one, 1, 100), set(missing, 3, 100))).isInstanceOfSatisfying(Conflict.class, conflict -> {
            assertThat(conflict.reason()).isEqualTo(Reason.MISSING);
            assertThat(conflict.row().key()).isEqualTo(columns("id", missing));
        });
        assertThat(commit(
                        set(one, 1, 100),
                        change(Kind.INSERT, account, columns("id", other), Map.of(), columns("owner", "eve"))))
                .isInstanceOfSatisfying(Conflict.class, conflict -> assertThat(conflict.reason())
                        .isEqualTo(Reason.EXISTS));

        assertThat(List.of(balance(one), balance(other))).containsExactly(1, 2);
        assertThat(stored("account", "id = " + missing)).isNull();
    }

    @Test
    void shouldExpectNull() throws Exception {
        int one = newAccount(1);
        int other = newAccount(2);
        commit(set(one, 1, null), set(other, 2, null));

        assertThat(commit(set(one, null, 5), set(other, null, 6))).isInstanceOf(Committed.class);
        assertThat(List.of(balance(one), balance(other))).containsExactly(5, 6);
        assertThat(commit(set(one, 5, null))).isInstanceOf(Committed.class);
        assertThat(commit(set(one, null, 7))).isInstanceOf(Committed.class);
        assertThat(commit(set(one, null, 8))).isInstanceOf(Conflict.class);
    }

    @Test
    void shouldChangeRowsOfOnePartitionByOneBatch() throws Exception {
        int order = KEYS.incrementAndGet();
        Map<String, ByteBuffer> first = columns("o", order, "no", 1);
        Map<String, ByteBuffer> second = columns("o", order, "no", 2);
        Map<String, ByteBuffer> third = columns("o", order, "no", 3);

        assertThat(commit(
                        change(Kind.INSERT, line, first, Map.of(), columns("qty", 1)),
                        change(Kind.INSERT, line, second, Map.of(), columns("qty", 2, "note", "n"))))
                .isEqualTo(new Committed(null, true));
        // IF NOT EXISTS of one row beside conditions on others.
        assertThat(commit(
                        change(Kind.UPDATE, line, first, columns("qty", 1), columns("qty", 10)),
                        change(Kind.REPLACE, line, second, columns("note", "n"), columns("qty", 20)),
                        change(Kind.INSERT, line, third, Map.of(), columns("qty", 3))))
                .isEqualTo(new Committed(null, true));
        assertThat(stored("line", "o = " + order + " AND no = 1").getInt("qty")).isEqualTo(10);
        assertThat(stored("line", "o = " + order + " AND no = 2").getString("note"))
                .isNull();
        assertThat(stored("line", "o = " + order + " AND no = 3").getInt("qty")).isEqualTo(3);

        CommitResult exists = commit(
                change(Kind.UPDATE, line, first, columns("qty", 10), columns("qty", 11)),
                change(Kind.INSERT, line, third, Map.of(), columns("qty", 4)));
        assertThat(exists).isInstanceOfSatisfying(Conflict.class, conflict -> {
            assertThat(conflict.reason()).isEqualTo(Reason.EXISTS);
            assertThat(conflict.row().key()).isEqualTo(third);
        });
        CommitResult changed = commit(
                change(Kind.CHECK, line, first, columns("qty", 10), Map.of()),
                change(Kind.DELETE, line, third, columns("qty", 4), Map.of()));
        assertThat(changed).isInstanceOfSatisfying(Conflict.class, conflict -> {
            assertThat(conflict.reason()).isEqualTo(Reason.CHANGED);
            assertThat(conflict.row().key()).isEqualTo(third);
        });
        CommitResult missing = commit(
                change(Kind.CHECK, line, first, columns("qty", 10), Map.of()),
                change(Kind.DELETE, line, columns("o", order, "no", 9), Map.of(), Map.of()));
        assertThat(missing).isInstanceOfSatisfying(Conflict.class, conflict -> assertThat(conflict.reason())
                .isEqualTo(Reason.MISSING));
        assertThat(commit(
                        change(Kind.CHECK, line, first, columns("qty", 10), Map.of()),
                        change(Kind.DELETE, line, third, columns("qty", 3), Map.of())))
                .isEqualTo(new Committed(null, true));
        assertThat(stored("line", "o = " + order + " AND no = 3")).isNull();
    }

    /** More than are written at the same time. */
    @Test
    void shouldWriteManyRows() throws Exception {
        int first = KEYS.getAndAdd(200) + 1;
        RowChange[] changes = IntStream.range(first, first + 200)
                .mapToObj(id -> change(Kind.INSERT, account, columns("id", id), Map.of(), columns("Balance", id)))
                .toArray(RowChange[]::new);

        assertThat(commit(changes)).isInstanceOf(Committed.class);

        for (int id = first; id < first + 200; id++) {
            assertThat(balance(id)).isEqualTo(id);
        }
        assertThat(commit(changes)).isInstanceOf(Conflict.class);
    }

    @Test
    void shouldWriteFreshRowsAlone() throws Exception {
        int one = KEYS.incrementAndGet();
        int other = KEYS.incrementAndGet();

        assertThat(commit(
                        change(Kind.FRESH, entry, columns("id", one), Map.of(), columns("note", "a")),
                        change(Kind.FRESH, entry, columns("id", other), Map.of(), columns("note", "b"))))
                .isEqualTo(new Committed(null, true));
        assertThat(stored("entry", "id = " + one).getString("note")).isEqualTo("a");
        assertThat(stored("entry", "id = " + other).getString("note")).isEqualTo("b");
    }

    /** More than batch_size_fail_threshold, which is 50 KiB. */
    @Test
    void shouldWriteMoreThanABatchTakes() throws Exception {
        String large = "x".repeat(1_000);
        int first = KEYS.getAndAdd(100) + 1;
        RowChange[] fresh = IntStream.range(first, first + 100)
                .mapToObj(id -> change(Kind.FRESH, entry, columns("id", id), Map.of(), columns("note", large)))
                .toArray(RowChange[]::new);
        int order = KEYS.incrementAndGet();
        RowChange[] together = IntStream.range(0, 100)
                .mapToObj(no ->
                        change(Kind.INSERT, line, columns("o", order, "no", no), Map.of(), columns("note", large)))
                .toArray(RowChange[]::new);

        assertThat(commit(fresh)).isInstanceOfSatisfying(Committed.class, committed -> assertThat(committed.id())
                .as("by a record")
                .isNotNull());
        assertThat(commit(together)).isInstanceOf(Committed.class);

        for (int i = 0; i < 100; i++) {
            assertThat(stored("entry", "id = " + (first + i)).getString("note")).isEqualTo(large);
            assertThat(stored("line", "o = " + order + " AND no = " + i).getString("note"))
                    .isEqualTo(large);
        }
    }

    @Test
    void shouldServeTablesThatAllDatacentersOrder() throws Exception {
        int one = KEYS.incrementAndGet();
        int other = KEYS.incrementAndGet();

        assertThat(commit(
                        change(Kind.INSERT, every, columns("id", one), Map.of(), columns("note", "a")),
                        change(Kind.INSERT, every, columns("id", other), Map.of(), columns("note", "b"))))
                .isInstanceOf(Committed.class);
        assertThat(stored("every", "id = " + other).getString("note")).isEqualTo("b");
        assertThatThrownBy(() -> commit(
                        change(Kind.CHECK, every, columns("id", one), Map.of(), Map.of()),
                        change(Kind.CHECK, account, columns("id", newAccount(1)), Map.of(), Map.of())))
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at home in dc1");
    }

    @Test
    void shouldRefuseARecordThatIsTooLargeBeforeAnythingIsWritten() {
        int one = newAccount(1);
        int other = newAccount(2);

        assertThatThrownBy(() -> commit(
                        set(one, 1, 3),
                        change(
                                Kind.UPDATE,
                                account,
                                columns("id", other),
                                Map.of(),
                                columns("owner", "x".repeat(4 << 20)))))
                .hasCauseInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("at most 4194304 bytes");
        assertThat(balance(one)).isEqualTo(1);
    }

    /** As of a table whose contract is gone: the levels of the session would not be those of other writers. */
    @Test
    void shouldSendNothingToATableThatIsNotExactAnyMore() {
        int one = newAccount(1);
        try (Transactions plain =
                new Transactions(session, (statement, table) -> statement, TransactionsIT::keyspace, "this test")) {
            assertThatThrownBy(() -> plain.commit(List.of(set(one, 1, 2), set(newAccount(1), 1, 2)))
                            .toCompletableFuture()
                            .get(1, TimeUnit.MINUTES))
                    .hasCauseInstanceOf(TransactionFailedException.class)
                    .hasMessageContaining("transactions_it.account is not known to be written exactly any more");
        }
        assertThat(balance(one)).isEqualTo(1);
    }

    @Test
    void shouldRefuseATableWhoseReadsRepairNothing() {
        TableWrites unrepaired = made("unrepaired", "note text");
        session.execute("ALTER TABLE " + KEYSPACE + ".unrepaired WITH read_repair = 'NONE'");
        session.refreshSchema();
        int one = newAccount(1);

        assertThatThrownBy(() -> commit(
                        set(one, 1, 2),
                        change(Kind.INSERT, unrepaired, columns("id", 1), Map.of(), columns("note", "new"))))
                .hasCauseInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("ALTER TABLE transactions_it.unrepaired WITH read_repair = 'BLOCKING'");

        assertThat(balance(one)).isEqualTo(1);
        assertThat(stored("unrepaired", "id = 1")).isNull();
    }

    // ---- clients that stopped

    /** A client whose process ends when it decides: before the record says COMMITTED, or after. */
    private static UUID stopped(boolean after, RowChange... changes) {
        UUID id = UUID.randomUUID();
        Statements statements = new Statements(session, TransactionsIT::ordered, new JvmTimer(), new SecureRandom());
        RecordStore records = new CassandraRecordStore(statements, TransactionsIT::keyspace);
        CassandraRowStore rows = new CassandraRowStore(session, statements, UUID::randomUUID);
        CompletableFuture<Void> gone = new CompletableFuture<>();
        RecordStore stopping = new RecordStore() {
            @Override
            public CompletionStage<WriteOutcome<Void>> create(TransactionRecord pending) {
                return records.create(pending);
            }

            @Override
            public CompletionStage<WriteOutcome<Optional<State>>> end(String home, UUID transaction, State state) {
                CompletionStage<?> last =
                        after ? records.end(home, transaction, state) : CompletableFuture.completedFuture(null);
                last.thenRun(() -> gone.complete(null));
                return new CompletableFuture<>();
            }

            @Override
            public CompletionStage<Void> remove(String home, UUID transaction) {
                return records.remove(home, transaction);
            }

            @Override
            public CompletionStage<WriteOutcome<Optional<State>>> removeAborted(String home, UUID transaction) {
                return records.removeAborted(home, transaction);
            }

            @Override
            public CompletionStage<Optional<TransactionRecord>> read(String home, UUID transaction) {
                return records.read(home, transaction);
            }
        };
        LockResolver resolver = new LockResolver(stopping, rows, new JvmTimer(), new SecureRandom());
        var unused = new Committer(stopping, rows, resolver, () -> id, InstantSource.system(), "a client that stopped")
                .commit(List.of(changes));
        gone.orTimeout(1, TimeUnit.MINUTES).join();
        return id;
    }

    private Met met(TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark, boolean abort) throws Exception {
        return transactions
                .resolver()
                .met(table, key, mark, abort)
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES);
    }

    @Test
    void shouldRollForwardWhatAStoppedClientHasCommitted() throws Exception {
        int from = newAccount(10);
        int to = newAccount(0);
        int gone = newAccount(5);
        int inserted = KEYS.incrementAndGet();
        int fresh = KEYS.incrementAndGet();
        UUID id = stopped(
                true,
                set(from, 10, 4),
                set(to, 0, 6),
                change(Kind.DELETE, account, columns("id", gone), Map.of(), Map.of()),
                change(Kind.INSERT, account, columns("id", inserted), Map.of(), columns("Balance", 1)),
                change(Kind.FRESH, entry, columns("id", fresh), Map.of(), columns("note", "new")));
        ByteBuffer mark = stored("account", "id = " + to).getByteBuffer("cassidy_tx");
        assertThat(LockMark.of(mark)).isEqualTo(new LockMark(id, false));
        assertThat(LockMark.isPlaceholder(stored("account", "id = " + inserted).getByteBuffer("cassidy_tx")))
                .isTrue();
        assertThat(stored("entry", "id = " + fresh)).isNull();

        assertThat(met(account, columns("id", to), mark, false)).isEqualTo(Met.FREED);

        assertThat(List.of(balance(from), balance(to), balance(inserted))).containsExactly(4, 6, 1);
        assertThat(stored("account", "id = " + gone)).isNull();
        assertThat(stored("entry", "id = " + fresh).getString("note")).isEqualTo("new");
        assertNoRecordSoon(id);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRollBackWhatAStoppedClientHasNotCommitted(boolean byOperator) throws Exception {
        int from = newAccount(10);
        int to = newAccount(0);
        int inserted = KEYS.incrementAndGet();
        UUID id = stopped(
                false,
                set(from, 10, 4),
                set(to, 0, 6),
                change(Kind.INSERT, account, columns("id", inserted), Map.of(), columns("Balance", 1)));
        ByteBuffer mark = stored("account", "id = " + to).getByteBuffer("cassidy_tx");
        ByteBuffer placeholder = stored("account", "id = " + inserted).getByteBuffer("cassidy_tx");

        // A reader aborts nothing.
        assertThat(met(account, columns("id", to), mark, false)).isEqualTo(Met.PENDING);
        assertThat(transactions.list("dc1").toCompletableFuture().join())
                .filteredOn(TransactionSummary::id, id)
                .singleElement()
                .satisfies(summary -> {
                    assertThat(summary.state()).isEqualTo(State.PENDING);
                    assertThat(summary.holder()).isEqualTo("a client that stopped");
                    assertThat(summary.rows()).isEqualTo(3);
                });
        assertThat(transactions
                        .status("dc1", id)
                        .toCompletableFuture()
                        .join()
                        .orElseThrow()
                        .changes())
                .hasSize(3);

        if (byOperator) {
            assertThat(transactions.resolve("dc1", id).toCompletableFuture().join())
                    .contains(State.ABORTED);
        } else {
            // Writers of both rows, at the same time, each of which waits and aborts it.
            assertThat(commit(set(to, 0, 1), set(from, 10, 9))).isInstanceOf(Committed.class);
            assertThat(met(account, columns("id", inserted), placeholder, false))
                    .isEqualTo(Met.FREED);
        }

        assertThat(List.of(balance(from), balance(to))).isEqualTo(byOperator ? List.of(10, 0) : List.of(9, 1));
        assertThat(stored("account", "id = " + inserted)).isNull();
    }

    private static TableWrites made(String name, String columns) {
        session.execute(
                "CREATE TABLE " + KEYSPACE + "." + name + " (id int PRIMARY KEY, " + columns + ", cassidy_tx blob)");
        session.refreshSchema();
        return writes(name, "dc1");
    }

    private static void drop(String name) {
        session.execute("DROP TABLE " + KEYSPACE + "." + name);
    }

    /** Tables and columns go while a stopped client's rows are not written; others are. */
    @Test
    void shouldLeaveOutWhatIsGoneWhenItRollsForward() throws Exception {
        TableWrites gone = made("gone", "note text");
        TableWrites anew = made("anew", "note text");
        TableWrites plain = made("plain", "note text");
        TableWrites narrow = made("narrow", "note text, other text");
        for (String table : List.of("gone", "anew", "plain", "narrow")) {
            for (int id = 1; id <= 2; id++) {
                session.execute("INSERT INTO " + KEYSPACE + "." + table + " (id, note, cassidy_tx) VALUES (" + id
                        + ", 'old', 0xff) IF NOT EXISTS");
            }
        }
        int kept = newAccount(1);
        Map<String, ByteBuffer> first = columns("id", 1);
        Map<String, ByteBuffer> second = columns("id", 2);
        Map<String, ByteBuffer> third = columns("id", 3);
        UUID id = stopped(
                true,
                set(kept, 1, 2),
                change(Kind.UPDATE, gone, first, Map.of(), columns("note", "new")),
                change(Kind.REPLACE, gone, second, Map.of(), columns("note", "new")),
                change(Kind.INSERT, gone, third, Map.of(), columns("note", "new")),
                change(Kind.FRESH, gone, columns("id", 4), Map.of(), columns("note", "new")),
                change(Kind.DELETE, anew, first, Map.of(), Map.of()),
                change(Kind.FRESH, anew, second, Map.of(), columns("note", "new")),
                change(Kind.UPDATE, plain, first, Map.of(), columns("note", "new")),
                change(Kind.FRESH, plain, third, Map.of(), columns("note", "new")),
                change(Kind.UPDATE, narrow, first, Map.of(), columns("other", "new")),
                change(Kind.REPLACE, narrow, second, Map.of(), columns("note", "new", "other", "new")),
                change(Kind.INSERT, narrow, third, Map.of(), columns("note", "new", "other", "new")),
                change(Kind.FRESH, narrow, columns("id", 4), Map.of(), columns("note", "new", "other", "new")));
        ByteBuffer mark = stored("account", "id = " + kept).getByteBuffer("cassidy_tx");
        drop("gone");
        drop("anew");
        made("anew", "note text");
        drop("plain");
        session.execute("CREATE TABLE " + KEYSPACE + ".plain (id int PRIMARY KEY, note text)");
        session.execute("ALTER TABLE " + KEYSPACE + ".narrow DROP other");

        assertThat(met(account, columns("id", kept), mark, false)).isEqualTo(Met.FREED);

        assertThat(balance(kept)).isEqualTo(2);
        assertThat(session.execute("SELECT * FROM " + KEYSPACE + ".anew").all()).isEmpty();
        assertThat(session.execute("SELECT * FROM " + KEYSPACE + ".plain").all())
                .isEmpty();
        for (int row = 1; row <= 4; row++) {
            Row stored = stored("narrow", "id = " + row);
            assertThat(stored.getString("note")).isEqualTo(row == 1 ? "old" : "new");
            assertThat(LockMark.isFree(stored.getByteBuffer("cassidy_tx"))).isTrue();
        }
        assertNoRecordSoon(id);
    }

    @Test
    void shouldReleaseWhereTablesAreGone() throws Exception {
        TableWrites gone = made("gone_pending", "note text");
        int kept = newAccount(1);
        UUID id = stopped(
                false, set(kept, 1, 2), change(Kind.INSERT, gone, columns("id", 1), Map.of(), columns("note", "new")));
        drop("gone_pending");

        assertThat(transactions.resolve("dc1", id).toCompletableFuture().get(1, TimeUnit.MINUTES))
                .contains(State.ABORTED);
        assertThat(balance(kept)).isEqualTo(1);
        assertThat(transactions
                        .resolver()
                        .forget("dc1", id)
                        .toCompletableFuture()
                        .get(1, TimeUnit.MINUTES))
                .isTrue();
    }

    // ---- what nobody meets

    private static CassandraRecordStore records() {
        return new CassandraRecordStore(
                new Statements(session, TransactionsIT::ordered, new JvmTimer(), new SecureRandom()),
                TransactionsIT::keyspace);
    }

    private static void sweepAt(Instant now) throws Exception {
        CassandraRecordStore records = records();
        LockResolver resolver = new LockResolver(
                records,
                new CassandraRowStore(
                        session,
                        new Statements(session, TransactionsIT::ordered, new JvmTimer(), new SecureRandom()),
                        UUID::randomUUID),
                new JvmTimer(),
                new SecureRandom());
        new Sweeper(records, resolver, new JvmTimer(), new SecureRandom(), () -> now, () -> false)
                .sweep(
                        "dc1",
                        IntStream.range(0, CassandraRecordStore.SLICES).boxed().toList())
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES);
    }

    private Optional<State> state(UUID id) {
        return transactions.status("dc1", id).toCompletableFuture().join().map(TransactionRecord::state);
    }

    @Test
    void shouldSweepWhatNobodyMeets() throws Exception {
        Instant before = Instant.now().minusSeconds(60);
        int written = newAccount(1);
        int fresh = KEYS.incrementAndGet();
        int inserted = KEYS.incrementAndGet();
        UUID committed = stopped(
                true,
                set(written, 1, 2),
                change(Kind.FRESH, entry, columns("id", fresh), Map.of(), columns("note", "new")));
        UUID pending = stopped(
                false,
                set(newAccount(1), 1, 2),
                change(Kind.INSERT, account, columns("id", inserted), Map.of(), columns("Balance", 1)));
        Instant after = Instant.now();

        sweepAt(before);
        assertThat(List.of(state(committed), state(pending)))
                .containsExactly(Optional.of(State.COMMITTED), Optional.of(State.PENDING));

        sweepAt(after.plus(Duration.ofMinutes(2)));
        assertThat(balance(written)).isEqualTo(2);
        assertThat(stored("entry", "id = " + fresh).getString("note")).isEqualTo("new");
        assertThat(List.of(state(committed), state(pending)))
                .containsExactly(Optional.empty(), Optional.of(State.PENDING));

        sweepAt(after.plus(Duration.ofMinutes(11)));
        assertThat(stored("account", "id = " + inserted)).isNull();
        assertThat(state(pending)).contains(State.ABORTED);

        sweepAt(after.plus(Duration.ofDays(9)));
        assertThat(state(pending)).as("for those who ask").contains(State.ABORTED);
        sweepAt(after.plus(Duration.ofDays(11)));
        assertThat(state(pending)).isEmpty();
    }

    @Test
    void shouldTryToWriteAgainWhatItsOwnCommitCouldNot() throws Exception {
        int written = newAccount(1);
        UUID id = stopped(true, set(written, 1, 2), set(newAccount(1), 1, 2));
        List<Runnable> tasks = new ArrayList<>();
        List<Duration> pauses = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        LockResolver resolver = transactions.resolver();
        CassandraRecordStore none = new CassandraRecordStore(
                new Statements(
                        session,
                        (statement, table) -> {
                            throw new IllegalStateException("no node");
                        },
                        new JvmTimer(),
                        new SecureRandom()),
                TransactionsIT::keyspace);
        Timer timer = (task, delay) -> {
            tasks.add(task);
            pauses.add(delay);
        };
        Sweeper failing = new Sweeper(
                none,
                new LockResolver(none, null, timer, new SecureRandom()),
                timer,
                new SecureRandom(),
                InstantSource.system(),
                over::get);
        failing.completeLater("dc1", new Committed(null, true));
        failing.completeLater("dc1", new Committed(id, true));
        assertThat(tasks).isEmpty();
        failing.completeLater("dc1", new Committed(id, false));
        for (int i = 0; i < tasks.size(); i++) {
            int next = i + 1;
            tasks.get(i).run();
            if (next < 10) {
                Awaitility.await().until(() -> tasks.size() > next);
            }
        }
        assertThat(pauses).hasSize(10).startsWith(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
        assertThat(pauses).endsWith(Duration.ofMinutes(1), Duration.ofMinutes(1));

        tasks.clear();
        Sweeper sweeper =
                new Sweeper(records(), resolver, timer, new SecureRandom(), InstantSource.system(), over::get);
        sweeper.completeLater("dc1", new Committed(id, false));
        tasks.get(0).run();
        assertNoRecordSoon(id);
        assertThat(balance(written)).isEqualTo(2);
        assertThat(tasks).hasSize(1);
    }

    @Test
    void shouldSweepFromTheFirstCommitUntilItIsClosed() {
        List<Runnable> tasks = new CopyOnWriteArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        Sweeper sweeper = new Sweeper(
                records(),
                transactions.resolver(),
                (task, delay) -> {
                    assertThat(delay).isBetween(Duration.ofSeconds(45), Duration.ofSeconds(75));
                    tasks.add(task);
                },
                new SecureRandom(),
                InstantSource.system(),
                over::get);

        sweeper.begin("dc1");
        sweeper.begin("dc1");
        sweeper.begin("");
        assertThat(tasks).hasSize(1);
        tasks.get(0).run();
        Awaitility.await().until(() -> tasks.size() == 2);
        over.set(true);
        tasks.get(1).run();
        assertThat(tasks).hasSize(2);
    }

    @Test
    void shouldMeetALockByTheBatchOfOnePartition() throws Exception {
        int order = KEYS.incrementAndGet();
        Map<String, ByteBuffer> first = columns("o", order, "no", 1);
        Map<String, ByteBuffer> second = columns("o", order, "no", 2);
        commit(change(Kind.INSERT, line, first, Map.of(), columns("qty", 1)));
        stopped(
                true,
                change(Kind.UPDATE, line, first, Map.of(), columns("qty", 2)),
                change(Kind.INSERT, line, second, Map.of(), columns("qty", 7)),
                set(newAccount(1), 1, 2));

        assertThat(commit(
                        change(Kind.UPDATE, line, first, columns("qty", 2), columns("qty", 3)),
                        change(Kind.DELETE, line, second, columns("qty", 7), Map.of())))
                .isEqualTo(new Committed(null, true));
        assertThat(stored("line", "o = " + order + " AND no = 1").getInt("qty")).isEqualTo(3);
        assertThat(stored("line", "o = " + order + " AND no = 2")).isNull();
    }

    /** Money moves among a few accounts in both directions at once; no sum is lost, and nobody waits for ever. */
    @Test
    void shouldKeepTheSumUnderContention() throws Exception {
        List<Integer> accounts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            accounts.add(newAccount(100));
        }
        List<CompletableFuture<CommitResult>> running = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            List<Integer> two = new ArrayList<>(accounts);
            Collections.rotate(two, i);
            running.add(transfer(two.get(0), two.get(1 + i % 3)));
        }
        for (CompletableFuture<CommitResult> each : running) {
            assertThat(each.get(2, TimeUnit.MINUTES)).isInstanceOfAny(Committed.class, Conflict.class);
        }

        assertThat(accounts.stream().mapToInt(TransactionsIT::balance).sum()).isEqualTo(400);
    }

    private CompletableFuture<CommitResult> transfer(int from, int to) {
        Integer given = stored("account", "id = " + from).get("\"Balance\"", Integer.class);
        Integer taken = stored("account", "id = " + to).get("\"Balance\"", Integer.class);
        return transactions
                .commit(List.of(set(from, given, given - 1), set(to, taken, taken + 1)))
                .toCompletableFuture();
    }
}
