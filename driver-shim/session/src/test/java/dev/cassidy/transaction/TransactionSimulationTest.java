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
import java.time.Duration;
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
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several processes commit transactions on a model of Cassandra, in random schedules: statements fail in every way, arrive late, or are on
 * one replica of three; processes crash between any two steps. In the end, each transaction is there as a whole or not at all, as its
 * process was told, and no row is held. Of those that hold one row under UPDLOCK, one after the other commits. {@code -Dtransaction.schedules=N} runs more, {@code -Dtransaction.seed=N} one again.
 */
class TransactionSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionSimulationTest.class);

    private static final TableWrites TABLE = new TableWrites("ks", "t", "dc1", null, false);

    /** Partition and row; two are of one partition. */
    private static final int[][] ACCOUNTS = {{1, 0}, {2, 0}, {3, 0}, {3, 1}};

    private static final int[][] TICKETS = {{3, 9}, {0, 0}, {11, 0}};

    /** Whoever has read it under UPDLOCK holds it alone, also if nobody writes it. */
    private static final int[] MUTEX = {3, 5};

    /** Who holds the other one writes the next number here, and does not look at the last one when it commits. */
    private static final int[] NUMBER = {3, 6};

    /** How often a row is read before a statement gives up that means to hold it. */
    private static final int TRIES = 12;

    private static final int BALANCE = 1_000;

    /** Who has made the tickets that are there from the beginning. */
    private static final int FIRST = 0;

    /** The number of one that nothing disturbs, after all others. */
    private static final int LAST = -1;

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

        /** By row: the mark by which it is held. */
        final Map<String, ByteBuffer> holds = new HashMap<>();

        /** By row: since when it is held. */
        final Map<String, Integer> since = new HashMap<>();

        /** All marks by which it has held rows. */
        final Set<ByteBuffer> held = new HashSet<>();

        /** What it has told others, or may have. */
        final List<RowClaim> claims = new ArrayList<>();

        /** By claims of others: how often they were met. */
        final Map<ByteBuffer, Integer> met = new HashMap<>();

        /** What it has seen of the row that it holds; null if it does not. */
        Map<String, ByteBuffer> mutex;

        /** Whether it has told others that it holds that row. */
        boolean hasClaimed;

        boolean isNumbered;
        boolean isNoted;
        boolean hasBegunToCommit;
        boolean hasFresh;

        /** What its row of a drawn id must show. */
        final Set<Integer> touched = new HashSet<>();

        CommitResult result;
        Throwable failure;

        final long claimant;

        /** How often it leaves a claim alone. */
        final int patience;

        Transaction(int number, Random random) {
            this.number = number;
            this.claimant = random.nextLong();
            this.patience = random.nextInt(4);
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
        final Set<String> outcomes = new HashSet<>();

        /** By statements of their own. */
        final Set<Integer> mutexTouched = new HashSet<>();

        /** Whether transactions hold rows by claims, in which they wait for each other. */
        final boolean hasClaims;

        int numbers;
        int touches;

        /** Whether nobody has left a claim behind. */
        boolean isTidy = true;

        Run(long seed, PlantedBug bug) {
            this.world = new World(seed);
            this.random = world.random;
            this.storage = new Storage(world, seed);
            this.hasClaims = random.nextBoolean();
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
        final RowClaims claims;
        final Committer committer;

        Process(Run run, int calls) {
            this.run = run;
            this.client = run.world.new Client(calls);
            this.rows = new MemoryRows(run.world, client, run.storage, run.bug, own);
            MemoryRecords records = new MemoryRecords(run.world, client, run.storage, run.bug);
            // Apart, because what a planted bug believes of its own locks must not deceive it about others'.
            this.resolver = new LockResolver(
                    records, new MemoryRows(run.world, client, run.storage, run.bug, own), run.world, run.random);
            this.claims =
                    new RowClaims(rows::mark, resolver, () -> new UUID(run.random.nextLong(), run.random.nextLong()));
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
            if (!live.isEmpty() && !live.containsKey("a")) {
                run.ends.add(
                        CompletableFuture.failedFuture(new AssertionError("a row was seen that is none: " + live)));
            }
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
                        case 3 -> run.random.nextBoolean() ? touch() : touchMutex();
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
            List<Transaction> inserting = run.transactions.stream()
                    .filter(one -> one.hasBegunToCommit && one.hasFresh)
                    .toList();
            if (inserting.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            Transaction inserted = inserting.get(run.random.nextInt(inserting.size()));
            int number = --run.touches;
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

        /** As the other, on the row that others hold. It leaves the mark as it is, and nobody keeps it out. */
        private CompletionStage<?> touchMutex() {
            int number = --run.touches;
            return read(MUTEX, MemoryRows.COLUMNS, 5)
                    .thenCompose(row -> rows.statement(noted(number, row, Map.of("t", row.get("t")))))
                    .thenAccept(outcome -> {
                        if (outcome instanceof WriteOutcome.Applied) {
                            run.mutexTouched.add(number);
                        }
                    });
        }

        // ---- rows that are held

        /** Reads a row that the transaction means to hold alone until it ends, as the driver does under UPDLOCK. */
        CompletionStage<Map<String, ByteBuffer>> hold(Transaction transaction, int[] row, int tries) {
            if (tries == 0) {
                return CompletableFuture.failedFuture(new World.Fault("held for long"));
            }
            String name = MemoryRows.key(TABLE, key(row));
            return read(row, MemoryRows.COLUMNS, 5).thenCompose(found -> {
                ByteBuffer mark = found.get(RowMark.COLUMN);
                RowHold hold = RowHold.of(mark, transaction.holds.get(name), transaction.claims);
                if (hold == RowHold.LOST && run.bug == PlantedBug.LOST_ROW_TAKEN_BACK) {
                    hold = RowHold.of(mark, null, transaction.claims);
                }
                return switch (hold) {
                    case NONE -> CompletableFuture.completedFuture(found);
                    case LOST -> {
                        run.outcomes.add("lost");
                        yield CompletableFuture.failedFuture(new World.Fault("lost"));
                    }
                    case LOCKED ->
                        resolver.free(TABLE, key(row), mark).thenCompose(freed -> hold(transaction, row, tries - 1));
                    case CLAIMED -> ofAnother(transaction, row, found, tries);
                    case OWN -> {
                        run.outcomes.add("own claim");
                        yield CompletableFuture.completedFuture(held(transaction, row, found, mark));
                    }
                    case FREE -> claim(transaction, row, found, tries);
                };
            });
        }

        private CompletionStage<Map<String, ByteBuffer>> ofAnother(
                Transaction transaction, int[] row, Map<String, ByteBuffer> found, int tries) {
            ByteBuffer mark = found.get(RowMark.COLUMN);
            if (LockMark.claimant(mark) == transaction.claimant) {
                run.ends.add(CompletableFuture.failedFuture(
                        new AssertionError("a transaction waits for itself: " + transaction.number)));
            }
            if (run.bug == PlantedBug.NEVER_TAKEN_OVER
                    || transaction.met.merge(mark, 1, Integer::sum) <= transaction.patience) {
                CompletableFuture<Void> over = new CompletableFuture<>();
                run.world.schedule(() -> client.begin(() -> over.complete(null)), Duration.ZERO);
                return over.thenCompose(waited -> hold(transaction, row, tries - 1));
            }
            run.outcomes.add("taken over");
            return run.bug == PlantedBug.TAKEN_OVER_BY_THE_SAME_MARK && transaction.number != LAST
                    ? CompletableFuture.completedFuture(held(transaction, row, found, mark))
                    : claim(transaction, row, found, tries);
        }

        private CompletionStage<Map<String, ByteBuffer>> claim(
                Transaction transaction, int[] row, Map<String, ByteBuffer> found, int tries) {
            ByteBuffer mark = LockMark.claim(new UUID(transaction.claimant, run.random.nextLong()));
            RowClaim sent = claims.claim(TABLE, key(row), 1, found.get(RowMark.COLUMN), mark);
            transaction.claims.add(sent);
            if (transaction.number != LAST && run.random.nextInt(16) == 0) {
                run.outcomes.add("cancelled");
                return CompletableFuture.failedFuture(new World.Fault("cancelled"));
            }
            return sent.outcome().thenCompose(outcome -> {
                if (outcome.orElse(false)) {
                    return CompletableFuture.completedFuture(held(transaction, row, found, mark));
                }
                if (outcome.isPresent()) {
                    transaction.claims.remove(sent);
                }
                return hold(transaction, row, tries - 1);
            });
        }

        private Map<String, ByteBuffer> held(
                Transaction transaction, int[] row, Map<String, ByteBuffer> found, ByteBuffer mark) {
            String name = MemoryRows.key(TABLE, key(row));
            transaction.holds.put(name, mark);
            transaction.held.add(mark);
            // A claim counts from when it is there: its transaction may hear of it after others have waited for it.
            boolean isOwn =
                    transaction.claims.stream().anyMatch(claim -> claim.mark().equals(mark));
            int now = run.world.now();
            transaction.since.putIfAbsent(name, isOwn ? run.storage.claimed.getOrDefault(mark, now) : now);
            return found;
        }

        /** Keeps nobody waiting any more. */
        CompletionStage<Void> unclaim(Transaction transaction) {
            List<RowClaim> left = new ArrayList<>(transaction.claims);
            if (transaction.result instanceof Committed) {
                // These rows have other marks.
                left.removeIf(claim -> transaction.held.contains(claim.mark()));
            } else if (run.bug == PlantedBug.CLAIM_NOT_TAKEN_BACK && transaction.number != LAST) {
                left.clear();
            }
            return claims.unclaim(left);
        }

        /** Holds a row by a claim, or by its mark alone, as many rows are held, and reads the last number. */
        private CompletionStage<?> holdMutex(Transaction transaction, boolean claims, List<RowChange> changes) {
            transaction.hasClaimed = claims;
            return (claims ? heldInSomeStatement(transaction) : heldByItsMark(transaction)).thenCompose(mutex -> {
                if (!transaction.holds.containsKey(MemoryRows.key(TABLE, key(MUTEX)))) {
                    return CompletableFuture.completedFuture(null);
                }
                transaction.mutex = mutex;
                transaction.isNoted = run.random.nextInt(3) == 0;
                return read(NUMBER, MemoryRows.COLUMNS, 5)
                        .thenAccept(row -> {
                            transaction.isNumbered = true;
                            ByteBuffer next = number(row.get("a").getInt(0) + 1);
                            changes.add(change(
                                    Kind.UPDATE,
                                    NUMBER,
                                    Map.of(),
                                    Map.of("a", next, "b", next, "t", with(row.get("t"), transaction.number))));
                        })
                        .thenCompose(done -> perhapsLate())
                        .thenCompose(done -> claims && run.random.nextInt(3) == 0
                                ? hold(transaction, MUTEX, TRIES)
                                : CompletableFuture.completedFuture(null));
            });
        }

        /** A statement may fail, and the transaction go on with another one. */
        private CompletionStage<Map<String, ByteBuffer>> heldInSomeStatement(Transaction transaction) {
            return hold(transaction, MUTEX, TRIES)
                    .exceptionallyCompose(failure -> run.random.nextBoolean()
                            ? hold(transaction, MUTEX, TRIES)
                            : CompletableFuture.failedFuture(failure));
        }

        private CompletionStage<Map<String, ByteBuffer>> heldByItsMark(Transaction transaction) {
            return read(MUTEX, MemoryRows.COLUMNS, 5).thenApply(row -> {
                ByteBuffer mark = row.get(RowMark.COLUMN);
                return LockMark.isFree(mark) ? held(transaction, MUTEX, row, mark) : row;
            });
        }

        private CompletionStage<Void> perhapsLate() {
            CompletableFuture<Void> later = new CompletableFuture<>();
            if (run.random.nextInt(4) == 0) {
                run.world.later(() -> client.begin(() -> later.complete(null)));
            } else {
                later.complete(null);
            }
            return later;
        }

        /** Others may have changed of the row what they like: all that was seen of it has to be the same. */
        private RowChange mutex(Transaction transaction, ByteBuffer mark) {
            transaction.held.add(mark);
            Map<String, ByteBuffer> seen =
                    Map.of(RowMark.COLUMN, mark, "a", transaction.mutex.get("a"), "t", transaction.mutex.get("t"));
            return transaction.isNoted
                    ? noted(transaction.number, transaction.mutex, seen)
                    : change(Kind.CHECK, MUTEX, seen, Map.of());
        }

        private RowChange noted(int number, Map<String, ByteBuffer> row, Map<String, ByteBuffer> expected) {
            return change(Kind.UPDATE, MUTEX, expected, Map.of("t", with(row.get("t"), number)));
        }

        // ---- transactions

        private CompletionStage<?> transaction() {
            Random random = run.random;
            Transaction transaction = new Transaction(++run.numbers, random);
            run.transactions.add(transaction);
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
            int holding = random.nextInt(8);
            boolean claims = run.hasClaims && holding > 1;
            boolean holdsTickets = run.hasClaims && random.nextInt(3) == 0;
            CompletionStage<?> ready = holding < 2 || claims && holding < 5
                    ? holdMutex(transaction, claims, changes)
                    : CompletableFuture.completedFuture(null);
            ready = ready.thenCompose(done -> read(ACCOUNTS[from], MemoryRows.COLUMNS, 5))
                    .thenAccept(row -> changes.add(moved(transaction, from, row)))
                    .thenCompose(done -> read(ACCOUNTS[to], MemoryRows.COLUMNS, 5))
                    .thenAccept(row -> changes.add(moved(transaction, to, row)));
            for (int ticket : tickets) {
                ready = ready.thenCompose(done -> holdsTickets
                                ? hold(transaction, TICKETS[ticket], TRIES)
                                : read(TICKETS[ticket], MemoryRows.COLUMNS, 5))
                        .thenAccept(row -> changes.add(ticket(transaction, ticket, row)));
            }
            if (checked >= 0) {
                ready = ready.thenCompose(done -> read(ACCOUNTS[checked], MemoryRows.COLUMNS, 5))
                        .thenAccept(row -> {
                            transaction.saw.put(checked, numbers(row.get("t")).size());
                            changes.add(change(Kind.CHECK, ACCOUNTS[checked], Map.of("t", row.get("t")), Map.of()));
                        });
            }
            if (holding == 5) {
                // Without a hint, it meets claims and does not look at them.
                ready = ready.thenCompose(done -> read(MUTEX, MemoryRows.COLUMNS, 5))
                        .thenAccept(row -> {
                            transaction.isNoted = true;
                            changes.add(noted(transaction.number, row, Map.of("t", row.get("t"))));
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
            return ready.thenCompose(done -> perhapsLate())
                    .thenCompose(done -> commit(transaction, changes))
                    .whenComplete((result, failure) -> {
                        transaction.result = result;
                        transaction.failure = failure == null ? null : Stages.cause(failure);
                    })
                    .handle((result, failure) -> ended(transaction))
                    .thenCompose(ended -> ended)
                    .thenAccept(ended -> {
                        Throwable cause = transaction.failure;
                        boolean expected = cause == null
                                || cause instanceof World.Fault
                                || cause instanceof TransactionFailedException
                                        && cause.getCause() instanceof World.Fault;
                        if (!expected) {
                            throw new IllegalStateException(cause);
                        }
                    });
        }

        private CompletionStage<CommitResult> commit(Transaction transaction, List<RowChange> changes) {
            if (!transaction.claims.isEmpty() && run.random.nextInt(8) == 0) {
                run.outcomes.add("rolled back");
                return CompletableFuture.failedFuture(new World.Fault("rolled back"));
            }
            if (transaction.mutex != null) {
                changes.add(mutex(transaction, transaction.holds.get(MemoryRows.key(TABLE, key(MUTEX)))));
            }
            transaction.hasBegunToCommit = true;
            // Some callers do not wait for long.
            int steps = run.random.nextInt(4) == 0 ? run.random.nextInt(12) : Integer.MAX_VALUE;
            AtomicInteger asked = new AtomicInteger();
            Deadline deadline = () -> asked.incrementAndGet() > steps;
            return committer
                    .commit(changes, deadline)
                    .thenCompose(result -> again(transaction, changes, deadline, result));
        }

        /** Some applications forget a connection. */
        private CompletionStage<Void> ended(Transaction transaction) {
            if (!transaction.claims.isEmpty() && transaction.failure != null && run.random.nextInt(8) == 0) {
                run.isTidy = false;
                return CompletableFuture.completedFuture(null);
            }
            return unclaim(transaction);
        }

        /** As the driver does: its first try has left a mark of its own in the row that it holds. */
        private CompletionStage<CommitResult> again(
                Transaction transaction, List<RowChange> changes, Deadline deadline, CommitResult first) {
            if (transaction.mutex == null
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
                        RowChange mutex = mutex(transaction, mark);
                        List<RowChange> again = new ArrayList<>(changes);
                        again.replaceAll(each -> each.isOfSameRow(mutex) ? mutex : each);
                        return committer.commit(again, deadline);
                    })
                    .whenComplete((result, failure) -> {
                        if (result instanceof Committed) {
                            run.outcomes.add("committed again");
                        }
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
            Map<String, ByteBuffer> expected = new LinkedHashMap<>(Map.of("a", row.get("a")));
            ByteBuffer mark = transaction.holds.get(MemoryRows.key(TABLE, key(TICKETS[ticket])));
            if (mark != null) {
                expected.put(RowMark.COLUMN, mark);
            }
            if (run.random.nextInt(2) == 0) {
                transaction.checks.put(ticket, row.get("a").getInt(0));
                return change(Kind.CHECK, TICKETS[ticket], expected, Map.of());
            }
            transaction.deletes.put(ticket, row.get("a").getInt(0));
            return change(Kind.DELETE, TICKETS[ticket], expected, Map.of());
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

    private static void create(Run run, int[] row, int value) {
        String name = MemoryRows.key(TABLE, key(row));
        run.storage.write(
                name,
                Map.of(
                        "a",
                        number(value),
                        "b",
                        number(value),
                        "t",
                        ByteBuffer.wrap(new byte[0]),
                        RowMark.COLUMN,
                        Storage.FREE),
                run.storage.nextBallot(name));
    }

    /** Runs one schedule, and throws what it has found. */
    private static Set<String> simulate(long seed, PlantedBug bug) {
        Run run = new Run(seed, bug);
        Random random = run.random;
        for (int[] account : ACCOUNTS) {
            create(run, account, BALANCE);
        }
        for (int[] ticket : List.of(TICKETS).subList(0, 2)) {
            create(run, ticket, FIRST);
        }
        create(run, MUTEX, 0);
        create(run, NUMBER, 0);
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
        run.isTidy = !crashes && run.world.faults == 0;
        run.world.run();
        check(run, processes);
        run.transactions.stream().map(TransactionSimulationTest::outcome).forEach(run.outcomes::add);
        return run.outcomes;
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
        assertNoClaimIsLeft(run);
        releaseAll(run);
        assertClaimsKeepNobodyOut(run);
        Set<Integer> committed = committed(run);
        assertTold(run, committed);
        assertBalances(run, committed);
        assertTickets(run, committed);
        assertOrder(run, committed);
        assertMutex(run, committed);
        assertHeldAlone(run, committed);
        assertHeldInTurn(run, committed);
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

    private static List<int[]> claimable() {
        List<int[]> rows = new ArrayList<>(List.of(TICKETS));
        rows.add(MUTEX);
        return rows;
    }

    /** Where nobody has crashed, and every answer has arrived, nobody waits for one who has ended. */
    private static void assertNoClaimIsLeft(Run run) {
        if (run.isTidy) {
            for (int[] row : claimable()) {
                assertThat(LockMark.isClaim(stored(run, row).get(RowMark.COLUMN)))
                        .as("claim without a transaction of " + MemoryRows.key(TABLE, key(row)))
                        .isFalse();
            }
        }
    }

    /** Somebody holds each row in the end, and its values stay. */
    private static void assertClaimsKeepNobodyOut(Run run) {
        Process survivor = new Process(run, Integer.MAX_VALUE);
        for (int[] row : claimable()) {
            String name = MemoryRows.key(TABLE, key(row));
            Map<String, ByteBuffer> before = stored(run, row);
            Transaction last = new Transaction(LAST, run.random);
            CompletableFuture<?> held =
                    survivor.hold(last, row, last.patience + 2).toCompletableFuture();
            run.world.run();
            assertThat(held.isDone() && !held.isCompletedExceptionally())
                    .as("is claimed in the end: " + name)
                    .isTrue();
            assertThat(last.holds.isEmpty()).as("no row " + name).isEqualTo(before.isEmpty());
            survivor.unclaim(last);
            run.world.run();
            Map<String, ByteBuffer> after = new LinkedHashMap<>(stored(run, row));
            ByteBuffer mark = after.remove(RowMark.COLUMN);
            before.remove(RowMark.COLUMN);
            assertThat(after).as("a claim changes nothing of " + name).isEqualTo(before);
            assertThat(LockMark.isClaim(mark)).as("claim of " + name).isFalse();
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
            List<Integer> standing = new ArrayList<>(i < 2 ? List.of(FIRST) : List.of());
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
            assertThat(row.isEmpty() || row.containsKey("a"))
                    .as("a ticket is whole, or is not there: " + row)
                    .isTrue();
            assertThat(row.isEmpty() ? List.of() : List.of(row.get("a").getInt(0)))
                    .as("tickets that stand")
                    .isEqualTo(standing);
        }
    }

    /** The row that is held, and what is written under it. */
    private static void assertMutex(Run run, Set<Integer> committed) {
        Map<String, ByteBuffer> mutex = stored(run, MUTEX);
        Set<Integer> noted = numbers(mutex.get("t"));
        assertThat(noted)
                .as("what statements have written to the row that is held")
                .containsAll(run.mutexTouched);
        assertThat(noted.stream().filter(number -> number > 0))
                .as("what transactions have written to the row that is held")
                .containsExactlyInAnyOrderElementsOf(of(run, committed, one -> one.isNoted));
        assertThat(List.of(mutex.get("a"), mutex.get("b")))
                .as("values of the row that is held")
                .containsOnly(number(0));
        Map<String, ByteBuffer> number = stored(run, NUMBER);
        List<Integer> numbered = of(run, committed, one -> one.isNumbered);
        assertThat(numbers(number.get("t")))
                .as("numbers that were written by those that held a row")
                .containsExactlyInAnyOrderElementsOf(numbered);
        assertThat(number.get("a")).as("the last number").isEqualTo(number(numbered.size()));
    }

    private static List<Integer> of(Run run, Set<Integer> committed, Predicate<Transaction> which) {
        return run.transactions.stream()
                .filter(which)
                .map(one -> one.number)
                .filter(committed::contains)
                .toList();
    }

    /**
     * Two that hold one row at the same time do not both commit; and whoever has claimed a row that another one held is the only one of the
     * two that may.
     */
    private static void assertHeldInTurn(Run run, Set<Integer> committed) {
        for (Transaction one : run.transactions) {
            for (Map.Entry<String, Integer> held : one.since.entrySet()) {
                Integer end = run.storage.commits.get(one.number);
                if (!committed.contains(one.number) || end == null) {
                    continue;
                }
                for (Transaction other : run.transactions) {
                    Integer begun = other.since.get(held.getKey());
                    if (other == one || begun == null || begun < held.getValue() || begun > end) {
                        continue;
                    }
                    assertThat(committed.contains(other.number))
                            .as(one.number + " and " + other.number + " hold " + held.getKey() + ", and commit")
                            .isFalse();
                    assertThat(other.hasClaimed || !held.getKey().equals(MemoryRows.key(TABLE, key(MUTEX))))
                            .as(one.number + " commits, although " + other.number + " has claimed " + held.getKey())
                            .isFalse();
                }
            }
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
        after.put(FIRST, new HashSet<>());
        for (int[] row : List.of(MUTEX, NUMBER)) {
            List<Integer> log = numbers(stored(run, row).get("t")).stream()
                    .filter(number -> number > 0)
                    .toList();
            for (int at = 1; at < log.size(); at++) {
                after.get(log.get(at - 1)).add(log.get(at));
            }
        }
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
                            "failed",
                            "taken over",
                            "lost",
                            "own claim",
                            "cancelled",
                            "rolled back");
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
