package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cluster.ExitHook;
import dev.cassidy.cluster.Identity;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.ProcessHooks;
import dev.cassidy.counter.cassandra.CounterTableCheck;
import dev.cassidy.counter.cassandra.UnfitTable;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The counters of one table. With the kind {@link CounterKind#FOLDED}, which is the default, an increment that is
 * acknowledged is counted exactly once, whatever is retried, crashes, is cut off or is folded meanwhile; see
 * docs/counters.md for it and for the other kinds.
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

    private final CountersConfig config;
    private final Identity identity;
    private final JvmTimer timer;
    private final OpenCounters opened;

    /** Kept here, because the process refers to it weakly. */
    private final ProcessHooks hooks = new Hooks();

    private Counters(CountersConfig config, Identity identity, JvmTimer timer, OpenCounters opened) {
        this.config = config;
        this.identity = identity;
        this.timer = timer;
        this.opened = opened;
    }

    /**
     * Creates a table of counters of the kind {@link CounterKind#FOLDED}, whose increments and sums are 64-bit numbers; a
     * no-op if there is a table of that name.
     */
    public static void create(CqlSession session, String table) {
        create(session, table, IncrementType.BIGINT);
    }

    /**
     * Creates a table of counters of the kind {@link CounterKind#FOLDED}; a no-op if there is a table of that name. Its
     * keyspace must exist.
     *
     * @param table {@code keyspace.table}, as CQL writes it
     */
    public static void create(CqlSession session, String table, IncrementType type) {
        execute(session, ddl(table, type));
    }

    /**
     * Creates a table of counters of any kind; a no-op if there is a table of that name. Its keyspace must exist.
     *
     * @param table {@code keyspace.table}, as CQL writes it
     */
    public static void create(CqlSession session, String table, CounterKind kind) {
        Kinds.ddl(TableName.of(table), kind).forEach(ddl -> execute(session, ddl));
    }

    private static void execute(CqlSession session, String ddl) {
        session.execute(SimpleStatement.newInstance(ddl).setTimeout(SCHEMA_TIMEOUT));
    }

    /** Returns the CQL of {@link #create(CqlSession, String, IncrementType)}, for a DBA. */
    public static String ddl(String table, IncrementType type) {
        return CounterTableCheck.create(TableName.of(table).asCql(), type.column());
    }

    /** Returns the CQL of {@link #create(CqlSession, String, CounterKind)}, for a DBA: a statement or several. */
    public static String ddl(String table, CounterKind kind) {
        return String.join(";\n", Kinds.ddl(TableName.of(table), kind));
    }

    /**
     * Opens the counters of a table. The session still belongs to the caller, who closes it after this.
     *
     * @throws CounterException.Unfit if the table, Cassidy's keyspaces or the nodes' settings do not allow counters of this
     *     kind; the message says how to correct this
     * @throws CounterException.Unavailable if Cassandra does not answer
     * @throws CounterException.Refused if the kind is approximate, and the settings do not allow that
     * @throws IllegalArgumentException if the kind needs an actor and the settings name none, or the other way round; or if
     *     another setting does not fit the kind
     */
    public static Counters open(CqlSession session, CountersConfig config) {
        TableName name = TableName.of(config.table());
        Kinds.requireAllowed(config);
        Identity identity = new Identity(System::nanoTime, InstantSource.system());
        JvmTimer timer = new JvmTimer();
        OpenCounters opened;
        try {
            LocalCluster cluster = LocalCluster.open(session, config.sequences());
            opened = Kinds.open(
                    name,
                    new KindContext(
                            cluster,
                            config,
                            name.asCql(),
                            ConditionalStatements.withinDatacenter(cluster.session(), config.requestTimeout()),
                            identity,
                            timer,
                            System::nanoTime,
                            InstantSource.system(),
                            new SecureRandom()));
        } catch (UnfitTable unfit) {
            throw new CounterException.Unfit(String.valueOf(unfit.getMessage()), unfit.getCause());
        } catch (SequenceException.Unavailable e) {
            throw new CounterException.Unavailable(String.valueOf(e.getMessage()), e);
        } catch (SequenceException e) {
            throw new CounterException.Unfit(String.valueOf(e.getMessage()), e);
        } catch (DriverException e) {
            throw new CounterException.Unavailable("Cassandra did not answer: " + e.getMessage(), e);
        }
        Counters counters = new Counters(config, identity, timer, opened);
        ExitHook.INSTANCE.add(counters.hooks);
        return counters;
    }

    /** Returns how these counters were opened. */
    public CountersConfig config() {
        return config;
    }

    /**
     * Returns a counter. It exists as soon as it is incremented; before, its value is 0. Asks nothing.
     *
     * @throws IllegalArgumentException if the name is empty, has a single surrogate, or more than 65,000 bytes of UTF-8
     */
    public Counter counter(String type) {
        return opened.counter(CounterNames.require(type));
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
     * @throws CounterException.Refused if these counters are not of the kind {@link CounterKind#FOLDED}
     * @throws CounterException.Unavailable if Cassandra does not answer; call again
     */
    public CompletionStage<BigInteger> carryOver(String type, BigInteger total) {
        return opened.carryOver(CounterNames.require(type), total);
    }

    /**
     * Frees the slots of processes that died, and folds what they left. It happens by itself every few minutes, in one
     * process at a time. Takes about a minute.
     *
     * @return whether it was done here; no, if another process has just done it, or is doing it
     * @throws CounterException.Refused if counters of this kind have no slots
     */
    public boolean clean() {
        return opened.clean();
    }

    /**
     * Returns what this process has done with these counters, and which counters cannot be settled. Asks nothing.
     *
     * @throws CounterException.Refused if these counters are not of the kind {@link CounterKind#FOLDED}
     */
    public CountersFigures figures() {
        return opened.figures();
    }

    /** For meters: from now on the figures say how many slots are held. */
    void observe() {
        opened.observe();
    }

    /**
     * Waits for the increments under way, and gives the slot back, within the increment time-out. Leaves the session open.
     * If a process ends without this call, by return or by SIGTERM, the same happens while it exits.
     */
    @Override
    public void close() {
        ExitHook.INSTANCE.remove(hooks);
        close(config.incrementTimeout());
    }

    private void close(Duration most) {
        try {
            opened.close().toCompletableFuture().get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            LOG.info(
                    "what was under way for table {} has not ended in time; a slot that is held is free again within"
                            + " minutes: {}",
                    config.table(),
                    e.toString());
        }
        opened.abandon();
        timer.close();
    }

    private final class Hooks implements ProcessHooks {

        @Override
        public void onExit(Duration most) {
            Counters.this.close(most);
        }

        @Override
        public void beforeCheckpoint() {
            try {
                opened.suspend()
                        .toCompletableFuture()
                        .get(config.requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (TimeoutException | ExecutionException e) {
                LOG.info(
                        "what was under way for table {} has not ended before the checkpoint: {}",
                        config.table(),
                        e.toString());
            }
        }

        @Override
        public void afterRestore() {
            identity.renew();
            opened.resume();
        }
    }
}
