package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.cassidy.async.Stages;
import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult.Committed;
import dev.cassidy.transaction.CommitResult.InDoubt;
import dev.cassidy.transaction.LockResolver.Met;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.TransactionRecord.State;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several processes commit transactions on a model of Cassandra, in random schedules: statements fail in every way, arrive late, or are on
 * one replica of three; processes crash between any two steps. In the end, each transaction is there as a whole or not at all, as its
 * process was told, and no row is held. {@code -Dtransaction.schedules=N} runs more, {@code -Dtransaction.seed=N} one again.
 */
class TransactionSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionSimulationTest.class);

    private static final TableWrites TABLE = new TableWrites("ks", "t", "dc1", null, false);

    /** Partition and row; two are of one partition. */
    private static final int[][] ACCOUNTS = {{1, 0}, {2, 0}, {3, 0}, {3, 1}};

    private static final int[][] TICKETS = {{3, 9}, {10, 0}, {11, 0}};

    /** Nobody writes it; whoever has read it under UPDLOCK holds it alone. */
    private static final int[] MUTEX = {3, 5};

    private static final int BALANCE = 1_000;

    /** What one transaction did, and what its process was told. */
    private static final class Transaction {
        final int number;
        final Map<Integer, Integer> deltas = new LinkedHashMap<>();

        /** Tickets, by their place in the array. */
        final Set<Integer> inserts = new HashSet<>();

        /** By ticket: the transaction that made it. */
        final Map<Integer, Integer> deletes = new HashMap<>();

        /** The same, of tickets that have to stand when this one commits. */
        final Map<Integer, Integer> checks = new HashMap<>();

        /** By account that has to be as it was: how long its log is. */
        final Map<Integer, Integer> saw = new HashMap<>();

        /** The marks by which it held the row that nobody writes. */
        final Set<ByteBuffer> held = new HashSet<>();

        boolean hasFresh;

        /** What its row of a drawn id must show. */
        final Set<Integer> touched = new HashSet<>();

        CommitResult result;
        Throwable failure;

        Transaction(int number) {
            this.number = number;
        }
    }

    private static final class Run {
        final World world;
        final Random random;
        final Storage storage;
        final PlantedBug bug;
        final List<Transaction> transactions = new ArrayList<>();
        final List<World.Client> clients = new ArrayList<>();
        final List<CompletableFuture<?>> ends = new ArrayList<>();
        int numbers;
        int touches;

        Run(long seed, PlantedBug bug) {
            this.world = new World(seed);
            this.random = world.random;
            this.storage = new Storage(world, seed);
            this.bug = bug;
        }
    }

    /** One process. */
    private static final class Process {
        final Run run;
        final World.Client client;
        final Set<String> own = new HashSet<>();
        final MemoryRows rows;
        final LockResolver resolver;
        final Committer committer;

        Process(Run run, int calls) {
            this.run = run;
            this.client = run.world.new Client(calls);
            this.rows = new MemoryRows(run.world, client, run.storage, run.bug, own);
            MemoryRecords records = new MemoryRecords(run.world, client, run.storage, run.bug);
            // Apart, because what a planted bug believes of its own locks must not deceive it about others'.
            this.resolver = new LockResolver(
                    records, new MemoryRows(run.world, client, run.storage, run.bug, own), run.world, run.random);
            this.committer = new Committer(
                    records,
                    rows,
                    resolver,
                    () -> new UUID(run.random.nextLong(), run.random.nextLong()),
                    () -> Instant.EPOCH,
                    "process");
        }

        CompletionStage<Map<String, ByteBuffer>> read(int[] row, Set<String> columns, int tries) {
            return rows.query(TABLE, key(row), columns).thenCompose(live -> {
                ByteBuffer mark = live.get(RowMark.COLUMN);
                if (!LockMark.isLock(mark)) {
                    return CompletableFuture.completedFuture(consistent(live));
                }
                if (tries == 0) {
                    return CompletableFuture.failedFuture(new World.Fault("held for long"));
                }
                return resolver.met(TABLE, key(row), mark, false)
                        .thenCompose(met -> met == Met.FREED
                                ? read(row, columns, tries - 1)
                                : CompletableFuture.completedFuture(
                                        LockMark.isPlaceholder(mark) ? Map.of() : consistent(live)));
            });
        }

        private Map<String, ByteBuffer> consistent(Map<String, ByteBuffer> live) {
            if (live.containsKey("t") && !java.util.Objects.equals(live.get("a"), live.get("b"))) {
                run.ends.add(CompletableFuture.failedFuture(new AssertionError("a part of a row was seen: " + live)));
            }
            return live;
        }

        CompletionStage<?> work(int left) {
            if (left == 0) {
                return CompletableFuture.completedFuture(null);
            }
            CompletionStage<?> one =
                    switch (run.random.nextInt(8)) {
                        case 0, 1 -> look();
                        case 2 -> resolve();
                        case 3 -> touch();
                        default -> transaction();
                    };
            return one.handle((done, failure) -> {
                        if (failure != null && !(Stages.cause(failure) instanceof World.Fault)) {
                            run.ends.add(CompletableFuture.failedFuture(failure));
                        }
                        return work(left - 1);
                    })
                    .thenCompose(next -> next);
        }

        /** A query of some columns, which spreads these alone. */
        private CompletionStage<?> look() {
            int[] row = ACCOUNTS[run.random.nextInt(ACCOUNTS.length)];
            return read(row, Set.of(run.random.nextBoolean() ? "a" : "b", RowMark.COLUMN), 5);
        }

        /** What an operator does, who has listed the records. */
        private CompletionStage<?> resolve() {
            List<UUID> known = new ArrayList<>(run.storage.ghosts.keySet());
            return known.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : resolver.resolve("dc1", known.get(run.random.nextInt(known.size())));
        }

        /** A statement of its own, on a row of a drawn id. */
        private CompletionStage<?> touch() {
            List<Transaction> inserting =
                    run.transactions.stream().filter(one -> one.hasFresh).toList();
            if (inserting.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            Transaction inserted = inserting.get(run.random.nextInt(inserting.size()));
            int number = ++run.touches;
            return read(fresh(inserted), MemoryRows.COLUMNS, 5)
                    .thenCompose(row -> row.isEmpty()
                            ? CompletableFuture.completedFuture(null)
                            : rows.together(List.of(change(
                                            Kind.UPDATE,
                                            fresh(inserted),
                                            Map.of("t", row.get("t")),
                                            Map.of("t", with(row.get("t"), number)))))
                                    .thenAccept(outcome -> {
                                        if (outcome instanceof WriteOutcome.Applied) {
                                            inserted.touched.add(number);
                                        }
                                    }));
        }

        private CompletionStage<?> transaction() {
            Random random = run.random;
            Transaction transaction = new Transaction(++run.numbers);
            boolean together = random.nextInt(4) == 0;
            List<Integer> chosen = new ArrayList<>(together ? List.of(2, 3) : List.of(0, 1, 2, 3));
            Collections.shuffle(chosen, random);
            int from = chosen.get(0);
            int to = chosen.get(1);
            int amount = 1 + random.nextInt(5);
            transaction.deltas.put(from, -amount);
            transaction.deltas.put(to, amount);
            List<Integer> tickets = new ArrayList<>(together ? List.of(0) : List.of(0, 1, 2));
            Collections.shuffle(tickets, random);
            tickets = tickets.subList(0, random.nextInt(Math.min(3, tickets.size() + 1)));
            int checked = !together && random.nextInt(3) == 0 ? chosen.get(2) : -1;
            transaction.hasFresh = !together && random.nextInt(2) == 0;
            List<RowChange> changes = new ArrayList<>();
            CompletionStage<?> ready = read(ACCOUNTS[from], MemoryRows.COLUMNS, 5)
                    .thenAccept(row -> changes.add(moved(transaction, from, row)))
                    .thenCompose(done -> read(ACCOUNTS[to], MemoryRows.COLUMNS, 5))
                    .thenAccept(row -> changes.add(moved(transaction, to, row)));
            for (int ticket : tickets) {
                ready = ready.thenCompose(done -> read(TICKETS[ticket], MemoryRows.COLUMNS, 5))
                        .thenAccept(row -> changes.add(ticket(transaction, ticket, row)));
            }
            if (checked >= 0) {
                ready = ready.thenCompose(done -> read(ACCOUNTS[checked], MemoryRows.COLUMNS, 5))
                        .thenAccept(row -> {
                            transaction.saw.put(checked, numbers(row.get("t")).size());
                            changes.add(change(Kind.CHECK, ACCOUNTS[checked], Map.of("t", row.get("t")), Map.of()));
                        });
            }
            if (random.nextInt(4) == 0) {
                ready = ready.thenCompose(done -> read(MUTEX, MemoryRows.COLUMNS, 5))
                        .thenAccept(row -> {
                            ByteBuffer mark = row.get(RowMark.COLUMN);
                            if (LockMark.isFree(mark)) {
                                changes.add(held(transaction, mark));
                            }
                        });
            }
            if (transaction.hasFresh) {
                int[] fresh = fresh(transaction);
                own.add(MemoryRows.key(TABLE, key(fresh)));
                ByteBuffer number = number(transaction.number);
                changes.add(change(
                        Kind.FRESH,
                        fresh,
                        Map.of(),
                        Map.of("a", number, "b", number, "t", ByteBuffer.wrap(new byte[0]))));
            }
            return ready.thenCompose(done -> {
                        run.transactions.add(transaction);
                        // Some callers do not wait for long.
                        int steps = run.random.nextInt(4) == 0 ? run.random.nextInt(12) : Integer.MAX_VALUE;
                        AtomicInteger asked = new AtomicInteger();
                        Deadline deadline = () -> asked.incrementAndGet() > steps;
                        return committer
                                .commit(changes, deadline)
                                .thenCompose(result -> again(transaction, changes, deadline, result))
                                .whenComplete((result, failure) -> {
                                    transaction.result = result;
                                    transaction.failure = failure == null ? null : Stages.cause(failure);
                                });
                    })
                    .exceptionally(failure -> {
                        Throwable cause = Stages.cause(failure);
                        boolean expected = cause instanceof World.Fault
                                || cause instanceof TransactionFailedException
                                        && cause.getCause() instanceof World.Fault;
                        throw expected ? new World.Fault("failed") : new IllegalStateException(cause);
                    });
        }

        private RowChange held(Transaction transaction, ByteBuffer mark) {
            transaction.held.add(mark);
            return change(Kind.CHECK, MUTEX, Map.of(RowMark.COLUMN, mark), Map.of());
        }

        /** As the driver does: its first try has left a mark of its own in the row that it holds. */
        private CompletionStage<CommitResult> again(
                Transaction transaction, List<RowChange> changes, Deadline deadline, CommitResult first) {
            if (transaction.held.isEmpty()
                    || !(first instanceof CommitResult.Conflict conflict)
                    || conflict.id() == null
                    || conflict.reason() == CommitResult.Reason.LATE) {
                return CompletableFuture.completedFuture(first);
            }
            return read(MUTEX, MemoryRows.COLUMNS, 5)
                    .thenApply(row -> row.get(RowMark.COLUMN))
                    .exceptionally(failure -> null)
                    .thenCompose(mark -> {
                        boolean holds = LockMark.free(conflict.id()).equals(mark)
                                || run.bug == PlantedBug.HELD_BY_THE_MARK_OF_ANOTHER && LockMark.isFree(mark);
                        if (!holds) {
                            return CompletableFuture.completedFuture(first);
                        }
                        List<RowChange> again = new ArrayList<>(changes);
                        again.replaceAll(
                                each -> each.expected().containsKey(RowMark.COLUMN) ? held(transaction, mark) : each);
                        return committer.commit(again, deadline);
                    });
        }

        private RowChange moved(Transaction transaction, int account, Map<String, ByteBuffer> row) {
            ByteBuffer balance = number(row.get("a").getInt(0) + transaction.deltas.get(account));
            Kind kind = run.random.nextInt(4) == 0 ? Kind.REPLACE : Kind.UPDATE;
            return change(
                    kind,
                    ACCOUNTS[account],
                    Map.of("a", row.get("a"), "t", row.get("t")),
                    Map.of("a", balance, "b", balance, "t", with(row.get("t"), transaction.number)));
        }

        private RowChange ticket(Transaction transaction, int ticket, Map<String, ByteBuffer> row) {
            if (row.isEmpty()) {
                transaction.inserts.add(ticket);
                return change(Kind.INSERT, TICKETS[ticket], Map.of(), Map.of("a", number(transaction.number)));
            }
            if (run.random.nextInt(2) == 0) {
                transaction.checks.put(ticket, row.get("a").getInt(0));
                return change(Kind.CHECK, TICKETS[ticket], Map.of("a", row.get("a")), Map.of());
            }
            transaction.deletes.put(ticket, row.get("a").getInt(0));
            return change(Kind.DELETE, TICKETS[ticket], Map.of("a", row.get("a")), Map.of());
        }
    }

    private static int[] fresh(Transaction transaction) {
        return new int[] {1_000 + transaction.number, 0};
    }

    private static RowChange change(
            Kind kind, int[] row, Map<String, ByteBuffer> expected, Map<String, ByteBuffer> values) {
        return new RowChange(TABLE, key(row), 1, expected, kind, values);
    }

    private static Map<String, ByteBuffer> key(int[] row) {
        Map<String, ByteBuffer> key = new LinkedHashMap<>();
        key.put("p", number(row[0]));
        key.put("c", number(row[1]));
        return key;
    }

    private static ByteBuffer number(int value) {
        return ByteBuffer.wrap(ByteBuffer.allocate(4).putInt(value).array());
    }

    private static ByteBuffer with(ByteBuffer numbers, int number) {
        return ByteBuffer.wrap(ByteBuffer.allocate(numbers.capacity() + 4)
                .put(numbers.duplicate())
                .putInt(number)
                .array());
    }

    private static Set<Integer> numbers(ByteBuffer bytes) {
        Set<Integer> numbers = new LinkedHashSet<>();
        for (int i = 0; i < bytes.capacity(); i += 4) {
            numbers.add(bytes.getInt(i));
        }
        return numbers;
    }

    private static Map<String, ByteBuffer> stored(Run run, int[] row) {
        return run.storage.read(MemoryRows.key(TABLE, key(row)), MemoryRows.COLUMNS);
    }

    /** Runs one schedule, and throws what it has found. */
    private static Set<String> simulate(long seed, PlantedBug bug) {
        Run run = new Run(seed, bug);
        Random random = run.random;
        for (int[] account : ACCOUNTS) {
            run.storage.write(
                    MemoryRows.key(TABLE, key(account)),
                    Map.of(
                            "a",
                            number(BALANCE),
                            "b",
                            number(BALANCE),
                            "t",
                            ByteBuffer.wrap(new byte[0]),
                            RowMark.COLUMN,
                            Storage.FREE),
                    run.storage.nextBallot(MemoryRows.key(TABLE, key(account))));
        }
        String mutex = MemoryRows.key(TABLE, key(MUTEX));
        run.storage.write(mutex, Map.of("a", number(0), RowMark.COLUMN, Storage.FREE), run.storage.nextBallot(mutex));
        run.world.faults = new int[] {0, 3, 10, 25}[random.nextInt(4)];
        boolean crashes = random.nextBoolean();
        int processes = 2 + random.nextInt(3);
        for (int i = 0; i < processes; i++) {
            Process process = new Process(run, crashes ? 5 + random.nextInt(60) : Integer.MAX_VALUE);
            CompletableFuture<Object> end = new CompletableFuture<>();
            process.client.begin(() -> process.work(4).whenComplete((done, failure) -> end.complete(done)));
            run.clients.add(process.client);
            run.ends.add(end);
        }
        run.world.run();
        check(run, processes);
        Set<String> outcomes = run.transactions.stream()
                .map(TransactionSimulationTest::outcome)
                .collect(Collectors.toSet());
        run.transactions.stream()
                .filter(one -> one.held.size() > 1 && one.result instanceof Committed)
                .forEach(one -> outcomes.add("committed again"));
        return outcomes;
    }

    private static String outcome(Transaction transaction) {
        CommitResult result = transaction.result;
        if (result instanceof Committed committed) {
            return committed.complete() ? "committed" : "incomplete";
        }
        if (result instanceof CommitResult.Conflict conflict) {
            return conflict.reason().name();
        }
        if (result instanceof InDoubt doubt) {
            return doubt.id() == null ? "doubt of a batch" : "doubt";
        }
        return transaction.failure == null ? "crashed" : "failed";
    }

    private static void check(Run run, int processes) {
        for (CompletableFuture<?> end : run.ends.subList(processes, run.ends.size())) {
            end.join();
        }
        for (int i = 0; i < processes; i++) {
            assertThat(run.ends.get(i).isDone() || run.clients.get(i).hasCrashed())
                    .as("process " + i + " has an answer to everything")
                    .isTrue();
        }
        run.world.faults = 0;
        releaseAll(run);
        Set<Integer> committed = committed(run);
        assertTold(run, committed);
        assertBalances(run, committed);
        assertTickets(run, committed);
        assertOrder(run, committed);
        assertHeldAlone(run, committed);
        assertNothingComesBack(run);
    }

    /** Rows of drawn ids are deleted, and their tombstones purged; then records come back, from a node that was down for as long. */
    private static void assertNothingComesBack(Run run) {
        Process survivor = new Process(run, Integer.MAX_VALUE);
        for (TransactionRecord ghost : run.storage.ghosts.values()) {
            for (RowChange row : ghost.changes()) {
                String key = MemoryRows.key(TABLE, row.key());
                if (row.kind() == Kind.FRESH && !run.storage.readInOrder(key).isEmpty()) {
                    run.storage.purge(key);
                    run.storage.records.put(ghost.id(), ghost);
                    run.storage.state(ghost.id(), State.COMMITTED);
                    survivor.resolver.resolve("dc1", ghost.id());
                    run.world.run();
                    assertThat(run.storage.readInOrder(key))
                            .as("comes back: " + key)
                            .isEmpty();
                    assertThat(run.storage.records).as("records that came back").doesNotContainKey(ghost.id());
                }
            }
        }
    }

    /** Somebody writes each row in the end. */
    private static void releaseAll(Run run) {
        Process survivor = new Process(run, Integer.MAX_VALUE);
        for (int round = 0; round < 20; round++) {
            boolean held = false;
            for (String name : run.storage.keys()) {
                String[] parts = name.split("/");
                int[] row = {Integer.parseInt(parts[1]), Integer.parseInt(parts[2])};
                ByteBuffer mark = stored(run, row).get(RowMark.COLUMN);
                if (LockMark.isLock(mark)) {
                    held = true;
                    CompletableFuture<Void> freed =
                            survivor.resolver.free(TABLE, key(row), mark).toCompletableFuture();
                    run.world.run();
                    freed.join();
                }
            }
            if (!held) {
                return;
            }
        }
        fail("a row is held for ever");
    }

    /** By what the accounts show. A transaction has to be in all of its accounts or in none. */
    private static Set<Integer> committed(Run run) {
        List<Set<Integer>> shown = new ArrayList<>();
        for (int[] account : ACCOUNTS) {
            shown.add(numbers(stored(run, account).get("t")));
        }
        Set<Integer> committed = new HashSet<>();
        for (Transaction transaction : run.transactions) {
            long in = transaction.deltas.keySet().stream()
                    .filter(account -> shown.get(account).contains(transaction.number))
                    .count();
            assertThat(in).as("accounts of transaction " + transaction.number).isIn(0L, 2L);
            if (in > 0) {
                committed.add(transaction.number);
            }
        }
        return committed;
    }

    private static void assertTold(Run run, Set<Integer> committed) {
        for (Transaction transaction : run.transactions) {
            boolean isCommitted = committed.contains(transaction.number);
            if (transaction.result instanceof Committed) {
                assertThat(isCommitted)
                        .as("is committed, as it was told: " + transaction.number)
                        .isTrue();
            } else if (transaction.failure != null
                    || transaction.result != null && !(transaction.result instanceof InDoubt)) {
                assertThat(isCommitted)
                        .as("is not committed, as it was told: " + transaction.number)
                        .isFalse();
            }
            if (transaction.hasFresh) {
                Map<String, ByteBuffer> row = stored(run, fresh(transaction));
                assertThat(row.isEmpty())
                        .as("has no fresh row: " + transaction.number)
                        .isEqualTo(!isCommitted);
                assertThat(isCommitted ? numbers(row.get("t")) : Set.of())
                        .as("what others have written to the fresh row of " + transaction.number)
                        .containsAll(transaction.touched);
            }
        }
    }

    private static void assertBalances(Run run, Set<Integer> committed) {
        for (int i = 0; i < ACCOUNTS.length; i++) {
            int account = i;
            int balance = BALANCE
                    + run.transactions.stream()
                            .filter(transaction -> committed.contains(transaction.number))
                            .mapToInt(transaction -> transaction.deltas.getOrDefault(account, 0))
                            .sum();
            Map<String, ByteBuffer> row = stored(run, ACCOUNTS[account]);
            assertThat(row.get("a")).as("balance of account " + account).isEqualTo(number(balance));
            assertThat(row.get("b")).as("the same in the other column").isEqualTo(number(balance));
        }
    }

    private static void assertTickets(Run run, Set<Integer> committed) {
        for (int i = 0; i < TICKETS.length; i++) {
            List<Integer> standing = new ArrayList<>();
            for (Transaction transaction : run.transactions) {
                if (committed.contains(transaction.number) && transaction.inserts.contains(i)) {
                    standing.add(transaction.number);
                }
            }
            for (Transaction transaction : run.transactions) {
                if (committed.contains(transaction.number) && transaction.deletes.containsKey(i)) {
                    assertThat(standing.remove(transaction.deletes.get(i)))
                            .as("deleted once: ticket of " + transaction.deletes.get(i))
                            .isTrue();
                }
            }
            Map<String, ByteBuffer> row = stored(run, TICKETS[i]);
            assertThat(row.isEmpty() ? List.of() : List.of(row.get("a").getInt(0)))
                    .as("tickets that stand")
                    .isEqualTo(standing);
        }
    }

    /** Of those that have read one mark, one commits: each leaves another. */
    private static void assertHeldAlone(Run run, Set<Integer> committed) {
        Map<ByteBuffer, Integer> holders = new HashMap<>();
        for (Transaction transaction : run.transactions) {
            if (committed.contains(transaction.number)) {
                for (ByteBuffer mark : transaction.held) {
                    Integer other = holders.put(mark, transaction.number);
                    assertThat(other)
                            .as("another than " + transaction.number + " that held the row by the same mark")
                            .isNull();
                }
            }
        }
    }

    /** There is an order of all that explains what each has seen: logs of accounts, and who made, checked and deleted a ticket. */
    private static void assertOrder(Run run, Set<Integer> committed) {
        Map<Integer, Set<Integer>> after = new HashMap<>();
        committed.forEach(number -> after.put(number, new HashSet<>()));
        for (int i = 0; i < ACCOUNTS.length; i++) {
            List<Integer> log = List.copyOf(numbers(stored(run, ACCOUNTS[i]).get("t")));
            for (int at = 1; at < log.size(); at++) {
                after.get(log.get(at - 1)).add(log.get(at));
            }
            for (Transaction transaction : run.transactions) {
                Integer length = transaction.saw.get(i);
                if (committed.contains(transaction.number) && length != null) {
                    log.subList(0, length).forEach(seen -> after.get(seen).add(transaction.number));
                    after.get(transaction.number).addAll(log.subList(length, log.size()));
                }
            }
        }
        for (Transaction transaction : run.transactions) {
            if (!committed.contains(transaction.number)) {
                continue;
            }
            transaction.checks.values().forEach(made -> after.get(made).add(transaction.number));
            transaction.deletes.forEach((ticket, made) -> {
                after.get(made).add(transaction.number);
                run.transactions.stream()
                        .filter(other -> committed.contains(other.number) && made.equals(other.checks.get(ticket)))
                        .forEach(checking -> after.get(checking.number).add(transaction.number));
            });
        }
        Set<Integer> left = new HashSet<>(committed);
        while (left.removeIf(number -> after.get(number).stream().noneMatch(left::contains))) {
            // Those that nothing follows are taken away until none is left.
        }
        assertThat(left).as("transactions that are before themselves").isEmpty();
    }

    @Test
    void shouldCommitEachTransactionAsAWholeOrNotAtAll() {
        Long one = Long.getLong("transaction.seed");
        int schedules = one == null ? Integer.getInteger("transaction.schedules", 3_000) : 1;
        Set<String> outcomes = new HashSet<>();
        for (int i = 0; i < schedules; i++) {
            long seed = one == null ? i : one;
            try {
                outcomes.addAll(simulate(seed, PlantedBug.NONE));
            } catch (Throwable e) {
                throw new AssertionError("-Dtransaction.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        if (one == null) {
            assertThat(outcomes)
                    .contains(
                            "committed",
                            "committed again",
                            "incomplete",
                            "EXISTS",
                            "MISSING",
                            "CHANGED",
                            "ABORTED",
                            "LATE",
                            "doubt of a batch",
                            "doubt",
                            "crashed",
                            "failed");
        }
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void shouldFindThePlantedBug(PlantedBug bug) {
        for (long seed = 0; seed < 50_000; seed++) {
            try {
                simulate(seed, bug);
            } catch (Throwable found) {
                LOG.info("{} is found by seed {}: {}", bug, seed, found.getMessage());
                return;
            }
        }
        fail("not found: " + bug);
    }
}
