package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cluster.ExitHook;
import dev.cassidy.cluster.Identity;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.ProcessBound;
import dev.cassidy.cluster.Schema;
import dev.cassidy.counter.cassandra.CarriedTotals;
import dev.cassidy.counter.cassandra.CassandraCounterTable;
import dev.cassidy.counter.cassandra.CassandraSettlementStore;
import dev.cassidy.counter.cassandra.CassandraSlotStore;
import dev.cassidy.counter.cassandra.CassandraTouchedStore;
import dev.cassidy.counter.cassandra.CounterTableCheck;
import dev.cassidy.counter.cassandra.IncrementColumn;
import dev.cassidy.counter.cassandra.Totals;
import dev.cassidy.counter.protocol.CounterContext;
import dev.cassidy.counter.protocol.CounterFailure;
import dev.cassidy.counter.protocol.CounterProtocol;
import dev.cassidy.counter.store.Actor;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The counters of one table. An increment that is acknowledged is counted exactly once, whatever is retried, crashes, is
 * cut off or is folded meanwhile; see docs/counters.md.
 *
 * <pre>{@code
 * Counters.create(session, "shop.traded");
 * try (Counters counters = Counters.open(session, CountersConfig.of("shop.traded"))) {
 *     Counter ibm = counters.counter("IBM");
 *     ibm.increment(500);
 *     long shares = ibm.value();
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. Methods without {@code Async} in their names block: never call them from one of the
 * driver's threads.
 */
public final class Counters implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Counters.class);

    /** A schema change waits for the nodes to agree; on a busy cluster that outlasts the driver's 2 s. */
    private static final Duration SCHEMA_TIMEOUT = Duration.ofMinutes(1);

    /** More rows than this are worth a fold. */
    private static final long MANY_ROWS = 5_000;

    private static final Duration CLEANING = Duration.ofMinutes(10);

    private final CountersConfig config;
    private final String datacenter;
    private final IncrementColumn column;
    private final Totals totals;
    private final CarriedTotals carried;
    private final Identity identity = new Identity(System::nanoTime, InstantSource.system());
    private final JvmTimer timer = new JvmTimer();
    private final CounterProtocol protocol;

    /** Kept here, because the process refers to it weakly. */
    private final ProcessBound bound = new Bound();

    private Counters(LocalCluster cluster, CountersConfig config, IncrementColumn column, String table) {
        this.config = config;
        this.datacenter = cluster.datacenter();
        this.column = column;
        Duration timeout = config.requestTimeout();
        this.totals = new Totals(cluster.session(), table, timeout);
        this.carried = new CarriedTotals(cluster.session(), table, column, timeout);
        ConditionalStatements local = ConditionalStatements.withinDatacenter(cluster.session(), timeout);
        this.protocol = new CounterProtocol(
                new CassandraSlotStore(local, cluster.keyspace(), table, identity::holder, InstantSource.system()),
                new CassandraSettlementStore(local, cluster.keyspace(), table),
                new CassandraCounterTable(cluster.session(), table, column, timeout),
                new CassandraTouchedStore(local, cluster.keyspace(), table),
                new CounterContext(
                        datacenter,
                        config.incrementTimeout(),
                        config.maxSlots(),
                        config.foldAfter(),
                        timer,
                        System::nanoTime,
                        InstantSource.system(),
                        new SecureRandom(),
                        identity::token),
                column.limit());
    }

    /** Creates a table of counters whose increments and sums are 64-bit numbers; a no-op if there is a table of that name. */
    public static void create(CqlSession session, String table) {
        create(session, table, IncrementType.BIGINT);
    }

    /**
     * Creates a table of counters; a no-op if there is a table of that name. Its keyspace must exist.
     *
     * @param table {@code keyspace.table}, as CQL writes it
     */
    public static void create(CqlSession session, String table, IncrementType type) {
        session.execute(SimpleStatement.newInstance(ddl(table, type)).setTimeout(SCHEMA_TIMEOUT));
    }

    /** Returns the CQL of {@link #create}, for a DBA. */
    public static String ddl(String table, IncrementType type) {
        return CounterTableCheck.create(Name.of(table).asCql(), type.column());
    }

    /**
     * Opens the counters of a table. The session still belongs to the caller, who closes it after this.
     *
     * @throws CounterException.Unfit if the table, Cassidy's keyspaces or the nodes' settings do not allow counters; the
     *     message says how to correct this
     * @throws CounterException.Unavailable if Cassandra does not answer
     */
    public static Counters open(CqlSession session, CountersConfig config) {
        Name name = Name.of(config.table());
        LocalCluster cluster;
        IncrementColumn column;
        try {
            cluster = LocalCluster.open(session, config.sequences());
            if (cluster.state().version() < Schema.COUNTERS) {
                throw new CounterException.Unfit(
                        "Cassidy's keyspace " + cluster.keyspace() + " has no tables for counters yet: it is of schema "
                                + cluster.state().version() + ". Run the migration tool's init, which adds them",
                        null);
            }
            column = new CounterTableCheck(
                            cluster.session(),
                            name.keyspace(),
                            name.table(),
                            cluster.datacenter(),
                            config.requestTimeout())
                    .check();
        } catch (CounterTableCheck.Unfit unfit) {
            throw new CounterException.Unfit(String.valueOf(unfit.getMessage()), unfit.getCause());
        } catch (SequenceException.Unavailable e) {
            throw new CounterException.Unavailable(String.valueOf(e.getMessage()), e);
        } catch (SequenceException e) {
            throw new CounterException.Unfit(String.valueOf(e.getMessage()), e);
        } catch (DriverException e) {
            throw new CounterException.Unavailable("Cassandra did not answer: " + e.getMessage(), e);
        }
        Counters counters = new Counters(cluster, config, column, name.asCql());
        counters.protocol.startJanitor();
        ExitHook.INSTANCE.add(counters.bound);
        return counters;
    }

    /** A table's name. */
    private record Name(CqlIdentifier keyspace, CqlIdentifier table) {

        static Name of(String text) {
            int dot = text.indexOf('.');
            if (dot < 1 || dot == text.length() - 1) {
                throw new IllegalArgumentException("must be keyspace.table: table='" + text + "'");
            }
            return new Name(
                    CqlIdentifier.fromCql(text.substring(0, dot)), CqlIdentifier.fromCql(text.substring(dot + 1)));
        }

        String asCql() {
            return keyspace.asCql(true) + "." + table.asCql(true);
        }
    }

    /** Returns how these counters were opened. */
    public CountersConfig config() {
        return config;
    }

    /**
     * Returns a counter. It exists as soon as it is incremented; before, its value is 0. Asks nothing.
     *
     * @throws IllegalArgumentException if the name is empty
     */
    public Counter counter(String type) {
        if (type.isEmpty()) {
            throw new IllegalArgumentException("must not be empty: type");
        }
        return new FoldedCounter(type);
    }

    /** Returns what became of an increment; see {@link Counter#status}. */
    public ReceiptStatus status(Receipt receipt) {
        return counter(receipt.type()).status(receipt);
    }

    /**
     * Adds to a counter what was counted elsewhere before, once: a counter that already has such a total keeps it. Nothing
     * may be counted there any more. The call may be repeated; do not call it with different totals at the same time.
     *
     * @return what is carried over now: {@code total}, or the total of an earlier call
     * @throws CounterException.Overflow if {@code total} does not fit the table's column
     * @throws CounterException.Unavailable if Cassandra does not answer; call again
     */
    public CompletionStage<BigInteger> carryOver(String type, BigInteger total) {
        if (type.isEmpty()) {
            throw new IllegalArgumentException("must not be empty: type");
        }
        if (!column.holds(total)) {
            throw new CounterException.Overflow("does not fit the column 'increment' of " + config.table() + ", "
                    + column.cql() + ": total=" + total);
        }
        return explained(type, carried.carry(type, total));
    }

    /**
     * Frees the slots of processes that died, and folds what they left. It happens by itself every few minutes, in one
     * process at a time. Takes about a minute.
     *
     * @return whether it was done here; no, if another process has just done it, or is doing it
     */
    public boolean clean() {
        return await("cleaning up", protocol.clean(), CLEANING);
    }

    private final class FoldedCounter implements Counter {

        private final String type;

        FoldedCounter(String type) {
            this.type = type;
        }

        @Override
        public String type() {
            return type;
        }

        @Override
        public Receipt increment(long delta) {
            CompletableFuture<Receipt> receipt = incrementAsync(delta).toCompletableFuture();
            if (!receipt.isDone()) {
                DriverThreads.refuseToWait();
            }
            try {
                // It ends within the increment time-out. An interruption does not end it, since the outcome would be
                // lost.
                return receipt.join();
            } catch (CompletionException e) {
                throw rethrown(Stages.cause(e));
            }
        }

        @Override
        public CompletionStage<Receipt> incrementAsync(long delta) {
            if (delta < 0 && config.growOnly()) {
                throw new IllegalArgumentException("must be >= 0, since the counters are grow-only: delta=" + delta);
            }
            if (!column.holds(BigInteger.valueOf(delta))) {
                throw new CounterException.Overflow("does not fit the column 'increment' of " + config.table() + ", "
                        + column.cql() + ": delta=" + delta);
            }
            return explained(protocol.increment(type, delta)
                    .thenApply(written -> new Receipt(type, written.actor(), written.version())));
        }

        @Override
        public long value() {
            BigInteger value = exactValue();
            if (value.bitLength() >= Long.SIZE) {
                throw new CounterException.Overflow(
                        "does not fit a long: counter '" + type + "' = " + value + "; exactValue() returns it");
            }
            return value.longValue();
        }

        @Override
        public BigInteger exactValue() {
            return await("reading", valueAsync(), config.requestTimeout().multipliedBy(2));
        }

        @Override
        public CompletionStage<BigInteger> valueAsync() {
            return valueAt(ConsistencyLevel.LOCAL_QUORUM);
        }

        @Override
        public BigInteger valueEverywhere() {
            return await(
                    "reading", valueEverywhereAsync(), config.requestTimeout().multipliedBy(2));
        }

        @Override
        public CompletionStage<BigInteger> valueEverywhereAsync() {
            return valueAt(ConsistencyLevel.EACH_QUORUM);
        }

        private CompletionStage<BigInteger> valueAt(ConsistencyLevel level) {
            return explained(totals.of(type, level).thenApply(total -> {
                if (total.rows() > MANY_ROWS) {
                    protocol.foldLater(type);
                }
                return total.sum();
            }));
        }

        @Override
        public ReceiptStatus status(Receipt receipt) {
            return await("asking for a receipt's status", statusAsync(receipt), config.incrementTimeout());
        }

        @Override
        public CompletionStage<ReceiptStatus> statusAsync(Receipt receipt) {
            if (!receipt.type().equals(type)) {
                throw new IllegalArgumentException("is a receipt of another counter than '" + type + "': " + receipt);
            }
            Actor actor = Actor.of(receipt.actor()).orElseThrow();
            if (!actor.datacenter().equals(datacenter)) {
                throw new CounterException.Refused("only a process of datacenter " + actor.datacenter()
                        + " can tell what became of an increment that was written there; this one is in " + datacenter
                        + ": " + receipt);
            }
            return explained(
                    protocol.verdict(type, actor.slot(), receipt.version()).thenApply(verdict -> switch (verdict) {
                        case COUNTED -> ReceiptStatus.COUNTED;
                        case NOT_COUNTED -> ReceiptStatus.NOT_COUNTED;
                        case OPEN -> ReceiptStatus.OPEN;
                        case FORGOTTEN ->
                            throw new CounterException.Unavailable(
                                    "nodes have forgotten what was decided of this increment, so it can never be told: "
                                            + receipt + ". Do not repeat it unless a missing increment is worse than a"
                                            + " double one",
                                    null);
                    }));
        }

        @Override
        public FoldResult fold() {
            return await("folding", foldAsync(), config.requestTimeout().multipliedBy(12));
        }

        @Override
        public CompletionStage<FoldResult> foldAsync() {
            return explained(protocol.fold(type).thenApply(done -> new FoldResult(done.rows(), done.left())));
        }

        private <T> CompletionStage<T> explained(CompletionStage<T> stage) {
            return Counters.explained(type, stage);
        }
    }

    private static <T> CompletionStage<T> explained(String type, CompletionStage<T> stage) {
        CompletableFuture<T> told = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                told.complete(value);
            } else {
                told.completeExceptionally(explained(type, Stages.cause(failure)));
            }
        });
        return told;
    }

    private static Throwable explained(String type, Throwable cause) {
        if (cause instanceof CounterFailure failure) {
            String message = String.valueOf(failure.getMessage());
            if (failure instanceof CounterFailure.OutcomeUnknown unknown) {
                return new CounterException.OutcomeUnknown(
                        message, new Receipt(type, unknown.actor(), unknown.version()), unknown.getCause());
            }
            if (failure instanceof CounterFailure.NotSent) {
                return new CounterException.NotSent(message, failure.getCause());
            }
            if (failure instanceof CounterFailure.NoSlot) {
                return new CounterException.NoSlot(message);
            }
            return failure instanceof CounterFailure.Foreign
                    ? new CounterException.ForeignWrite(message)
                    : new CounterException.Overflow(message);
        }
        return cause instanceof CounterException
                        || cause instanceof IllegalArgumentException
                        || cause instanceof IllegalStateException
                ? cause
                : new CounterException.Unavailable(
                        "Cassandra did not answer for counter '" + type + "': " + cause.getMessage(), cause);
    }

    private static <T> T await(String what, CompletionStage<T> stage, Duration limit) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            DriverThreads.refuseToWait();
        }
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CounterException.Unavailable("interrupted while " + what, e);
        } catch (TimeoutException e) {
            throw new CounterException.Unavailable(what + " took longer than " + limit, e);
        } catch (ExecutionException e) {
            throw rethrown(Stages.cause(e));
        }
    }

    private static RuntimeException rethrown(Throwable cause) {
        return cause instanceof RuntimeException failure ? failure : new CompletionException(cause);
    }

    /**
     * Waits for the increments under way, and gives the slot back, within the increment time-out. Leaves the session open.
     * If a process ends without this call, by return or by SIGTERM, the same happens while it exits.
     */
    @Override
    public void close() {
        ExitHook.INSTANCE.remove(bound);
        close(config.incrementTimeout());
    }

    private void close(Duration most) {
        try {
            protocol.close().toCompletableFuture().get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            LOG.info(
                    "the slot of table {} could not be given back now; it is free again within minutes: {}",
                    config.table(),
                    e.getMessage());
        }
        protocol.abandon();
        timer.close();
    }

    private final class Bound implements ProcessBound {

        @Override
        public void close(Duration most) {
            Counters.this.close(most);
        }

        @Override
        public void beforeCheckpoint() {
            try {
                protocol.suspend()
                        .toCompletableFuture()
                        .get(config.requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (TimeoutException | ExecutionException e) {
                LOG.info("the slot of table {} could not be given back: {}", config.table(), e.getMessage());
            }
        }

        @Override
        public void afterRestore() {
            identity.renew();
            protocol.disownAndResume();
        }
    }
}
