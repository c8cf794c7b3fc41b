package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.cassandra.Ordering;
import dev.cassidy.transaction.cassandra.Transactions;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The commands for transactions, on those of a process that stopped half way. */
class TransactionsIT {

    private static final String CASSIDY = "transactions_tool";
    private static final String KEYSPACE = "transactions_shop";
    private static final String HOLDER = "7@gone/uuid";
    private static final AtomicInteger KEYS = new AtomicInteger();
    private static TargetNode node;
    private static TableWrites account;
    private static TableWrites entry;
    private static TableWrites every;

    @BeforeAll
    static void create() throws SQLException {
        node = new TargetNode(CASSIDY);
        node.init();
        node.createKeyspace(KEYSPACE);
        try (Connection connection = DriverManager.getConnection(node.jdbc(KEYSPACE));
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT) WITH (exact)");
            statement.execute("CREATE TABLE entry (id INT IDENTITY PRIMARY KEY, note INT) WITH (exact)");
            statement.execute("CREATE TABLE every (id INT PRIMARY KEY, balance INT) WITH (serial)");
        }
        node.session().refreshSchema();
        account = writes("account", node.datacenter());
        entry = writes("entry", node.datacenter());
        every = writes("every", "");
    }

    @AfterAll
    static void close() {
        node.close();
    }

    @BeforeEach
    void forget() {
        node.session().execute("TRUNCATE " + CASSIDY + ".transactions");
        node.session().execute("TRUNCATE " + records(account) + ".transactions");
    }

    private static TableWrites writes(String table, String home) {
        UUID id = node.session()
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable(table))
                .orElseThrow()
                .getId()
                .orElseThrow();
        return new TableWrites(KEYSPACE, table, home, id, false);
    }

    private static String records(TableWrites table) {
        return table.isEverywhere() ? CASSIDY : CASSIDY + "_" + node.datacenter();
    }

    // ---- a process that stops

    /** Commits, in a process that sends nothing any more from the first statement on whose text is {@code last}. */
    private static Optional<CommitResult> commitAndStop(Predicate<String> last, RowChange... changes) {
        Ordering stopping = new Ordering() {
            private volatile boolean stopped;

            @Override
            public Statement<?> ordered(Statement<?> statement, TableWrites table) {
                stopped |= statement instanceof BoundStatement bound
                        && last.test(bound.getPreparedStatement().getQuery());
                if (stopped) {
                    throw new IllegalStateException("the process has ended");
                }
                return statement
                        .setSerialConsistencyLevel(
                                table.isEverywhere() ? ConsistencyLevel.SERIAL : ConsistencyLevel.LOCAL_SERIAL)
                        .setConsistencyLevel(
                                table.isEverywhere() ? ConsistencyLevel.QUORUM : ConsistencyLevel.LOCAL_QUORUM);
            }
        };
        return new Transactions(node.session(), stopping, TransactionsIT::records, HOLDER)
                .commit(List.of(changes))
                .handle((result, failure) -> Optional.ofNullable(result))
                .toCompletableFuture()
                .join();
    }

    /** Leaves a transaction with all its locks, and returns its id. */
    private static UUID leavePending(RowChange... changes) {
        assertThat(commitAndStop(cql -> cql.contains("SET state"), changes)).isEmpty();
        return only(changes[0].table());
    }

    private static UUID leaveCommitted(RowChange... changes) {
        assertThat(commitAndStop(cql -> cql.contains("USING TIMESTAMP"), changes))
                .get()
                .isInstanceOfSatisfying(CommitResult.Committed.class, committed -> assertThat(committed.complete())
                        .isFalse());
        return only(changes[0].table());
    }

    private static UUID only(TableWrites table) {
        List<Row> all = node.session()
                .execute("SELECT id FROM " + records(table) + ".transactions")
                .all();
        assertThat(all).hasSize(1);
        return all.get(0).getUuid(0);
    }

    private static Map<String, ByteBuffer> column(String name, Integer value) {
        Map<String, ByteBuffer> column = new LinkedHashMap<>();
        column.put(name, TypeCodecs.INT.encode(value, ProtocolVersion.DEFAULT));
        return column;
    }

    private static RowChange change(Kind kind, TableWrites table, int id, Map<String, ByteBuffer> values) {
        return new RowChange(table, column("id", id), 1, Map.of(), kind, values);
    }

    private static RowChange set(TableWrites table, int id, int balance) {
        return change(Kind.UPDATE, table, id, column("balance", balance));
    }

    // ---- rows

    private static int newRow(TableWrites table, int balance) {
        int id = KEYS.incrementAndGet();
        node.session()
                .execute("INSERT INTO " + table.name() + " (id, balance, cassidy_tx) VALUES (" + id + ", " + balance
                        + ", 0xff) IF NOT EXISTS");
        return id;
    }

    private static Row row(TableWrites table, int id) {
        return node.session()
                .execute("SELECT * FROM " + table.name() + " WHERE id = " + id)
                .one();
    }

    private static void assertFree(TableWrites table, int id, String column, int value) {
        Row row = row(table, id);
        assertThat(row.getInt(column)).isEqualTo(value);
        assertThat(LockMark.isFree(row.getByteBuffer("cassidy_tx"))).isTrue();
    }

    private static void assertLocked(TableWrites table, int id) {
        assertThat(LockMark.isLock(row(table, id).getByteBuffer("cassidy_tx"))).isTrue();
    }

    private static ToolRun run(int exitCode, String command, String... rest) {
        ToolRun run = node.run("transactions " + command, rest);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        return run;
    }

    private static JsonNode json(int exitCode, String command, String... rest) {
        String[] all = Arrays.copyOf(rest, rest.length + 2);
        all[rest.length] = "--output";
        all[rest.length + 1] = "json";
        return run(exitCode, command, all).json();
    }

    // ---- tests

    @Test
    void shouldAbortAPendingTransaction() {
        int from = newRow(account, 10);
        int to = newRow(account, 0);
        int inserted = KEYS.incrementAndGet();
        UUID id = leavePending(
                set(account, from, 7),
                set(account, to, 3),
                change(Kind.INSERT, account, inserted, column("balance", 1)));
        assertLocked(account, from);
        assertLocked(account, inserted);

        ToolRun list = run(0, "list");
        assertThat(list.out().lines().toList()).hasSize(3);
        assertThat(list.out().lines().toList().get(1))
                .matches(id + " +" + node.datacenter() + " +PENDING +\\d+s +3 +" + HOLDER);
        assertThat(list.out()).endsWith("1 transaction, 1 of them pending\n");
        ToolRun status = run(ExitCode.UNDECIDED.code(), "status", id.toString());
        assertThat(status.out())
                .contains("transaction " + id + ": PENDING", "3 of " + KEYSPACE + ".account", "by " + HOLDER)
                .contains("That is no outcome", "cassidy transactions resolve " + id);
        assertLocked(account, from);

        ToolRun resolved = run(0, "resolve", id.toString());

        assertThat(resolved.out()).contains(id + ": was pending; aborted", "--process-gone", "1 resolved");
        assertFree(account, from, "balance", 10);
        assertFree(account, to, "balance", 0);
        assertThat(row(account, inserted)).isNull();
        assertThat(run(0, "status", id.toString()).out()).contains(": ABORTED", "Nothing of it was written");
        // Its process may still ask.
        assertThat(only(account)).isEqualTo(id);

        JsonNode removed = json(0, "resolve", id.toString(), "--process-gone")
                .get("transactions")
                .get(0);
        assertThat(removed.get("found").asText()).isEqualTo("ABORTED");
        assertThat(removed.get("outcome").asText()).isEqualTo("ABORTED");
        assertThat(removed.get("recordLeft").asBoolean()).isFalse();
        assertThat(run(0, "list").out()).isEqualTo("0 transactions\n");
    }

    @Test
    void shouldWriteACommittedTransaction() {
        int updated = newRow(account, 10);
        int deleted = newRow(account, 0);
        int inserted = KEYS.incrementAndGet();
        int fresh = KEYS.incrementAndGet();
        UUID id = leaveCommitted(
                set(account, updated, 7),
                change(Kind.DELETE, account, deleted, Map.of()),
                change(Kind.INSERT, account, inserted, column("balance", 1)),
                change(Kind.FRESH, entry, fresh, column("note", 2)));
        assertLocked(account, updated);
        assertThat(row(account, updated).getInt("balance")).isEqualTo(10);
        assertThat(row(entry, fresh)).isNull();

        JsonNode status = json(0, "status", id.toString());
        assertThat(status.get("state").asText()).isEqualTo("COMMITTED");
        assertThat(status.get("home").asText()).isEqualTo(node.datacenter());
        assertThat(status.get("rows").asInt()).isEqualTo(4);
        assertThat(status.get("tables").toString())
                .isEqualTo("[{\"table\":\"" + KEYSPACE + ".account\",\"rows\":3},{\"table\":\"" + KEYSPACE
                        + ".entry\",\"rows\":1}]");

        ToolRun resolved = run(0, "resolve", id.toString());

        assertThat(resolved.out())
                .contains(id + ": was committed; committed: all its rows are written, and its record is removed");
        assertFree(account, updated, "balance", 7);
        assertThat(row(account, deleted)).isNull();
        assertFree(account, inserted, "balance", 1);
        assertFree(entry, fresh, "note", 2);
        ToolRun gone = run(0, "status", id.toString());
        assertThat(gone.out()).contains(id + ": no record", "it is committed, and all its rows are written");
        assertThat(json(0, "status", id.toString()).get("state").isNull()).isTrue();
        assertThat(run(0, "resolve", id.toString()).out()).contains("nothing to do");
    }

    @Test
    void shouldResolveThoseThatAreOlder() {
        int old = newRow(every, 10);
        int oldToo = newRow(every, 20);
        UUID left = leaveCommitted(set(every, old, 11), set(every, oldToo, 21));
        Instant then = Instant.now().minus(Duration.ofHours(3)).truncatedTo(ChronoUnit.MILLIS);
        node.session()
                .execute("UPDATE " + CASSIDY + ".transactions SET created = ? WHERE id = ? IF EXISTS", then, left);
        int one = newRow(account, 1);
        int other = newRow(account, 2);
        UUID recent = leavePending(set(account, one, 3), set(account, other, 4));

        JsonNode all = json(0, "list").get("transactions");
        assertThat(all.findValuesAsText("id")).containsExactly(left.toString(), recent.toString());
        assertThat(all.get(0).get("home").isNull()).isTrue();
        assertThat(all.get(0).get("created").asText()).isEqualTo(then.toString());
        assertThat(all.get(0).get("ageSeconds").asLong()).isBetween(10_800L, 20_000L);
        assertThat(json(0, "list", "--home", node.datacenter())
                        .get("transactions")
                        .findValuesAsText("id"))
                .containsExactly(recent.toString());
        ToolRun older = run(ExitCode.UNDECIDED.code(), "list", "--older", "1h");
        assertThat(older.out()).contains(left + "  all   COMMITTED   3h").doesNotContain(recent.toString());
        assertThat(run(0, "resolve", "--older", "30h").out()).isEqualTo("0 resolved\n");
        assertLocked(every, old);

        assertThat(run(0, "resolve", "--older", "1h").out())
                .contains(left + ": was committed; ", "1 resolved")
                .doesNotContain(recent.toString());

        assertFree(every, old, "balance", 11);
        assertFree(every, oldToo, "balance", 21);
        assertLocked(account, one);
        assertThat(run(0, "list", "--older", "1h", "--home", "all").out()).isEqualTo("0 transactions\n");
    }

    @Test
    void shouldNameAHomeThatIsNotThere() {
        assertThat(run(ExitCode.USAGE.code(), "list", "--home", "dc9").err())
                .contains("must be " + node.datacenter() + " or all: --home dc9");
    }
}
