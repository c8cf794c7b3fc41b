package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.cluster.ExitHook;
import dev.cassidy.cluster.Grants;
import dev.cassidy.cluster.Identity;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.ProcessHooks;
import dev.cassidy.counter.cassandra.CassandraNodeClocks;
import dev.cassidy.counter.cassandra.TotalsCopy;
import dev.cassidy.counter.cassandra.UnfitTable;
import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The counters of one table. With the kind {@link CounterKind#FOLDED}, which is the default, an increment that is
 * acknowledged is counted exactly once, whatever is retried, crashes, is cut off or is folded meanwhile; see
 * docs/counters.md for it and for the other kinds.
 *
 * <pre>{@code
 * CountersConfig config = CountersConfig.of("shop.traded");
 * Counters.create(session, config);
 * try (Counters counters = Counters.open(session, config)) {
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
     * Creates a table of counters of the kind that the settings name, whose increments and sums are 64-bit numbers, and declares
     * its kind; a no-op if there is such a table. Its keyspace must exist. Blocks.
     *
     * @throws CounterException.Unfit if there is a table of that name and of another kind, or one of which nothing is declared:
     *     {@link #adopt} does that; or if Cassidy's keyspaces or the role do not allow it
     * @throws CounterException.Unavailable if Cassandra does not answer; call again
     */
    public static void create(CqlSession session, CountersConfig config) {
        create(session, config, IncrementType.BIGINT);
    }

    /**
     * Creates a table of counters, as {@link #create(CqlSession, CountersConfig)}.
     *
     * @param type of the increments and sums of {@link CounterKind#FOLDED}; other kinds have {@link IncrementType#BIGINT} alone
     * @throws IllegalArgumentException if tables of the kind have no increments of that type
     */
    public static void create(CqlSession session, CountersConfig config, IncrementType type) {
        explained(() -> {
            contracts(session, config).create(type);
            return null;
        });
    }

    /**
     * Declares of which kind the counters of a table are that {@link #create} has not made: one that was made by CQL, or whose
     * contract is lost. A no-op if it is declared. Reads all rows if the columns do not tell kinds apart. What stands in the table
     * counts from then on as its kind says; what no row can tell, such as whether numbers that another program wrote are increments
     * or totals, the caller must know. Blocks.
     *
     * @param config the kind, and the table
     * @throws CounterException.Unfit if the columns, options or rows of the table do not fit the kind, if another kind is
     *     declared, or if another installation counts in it, or is about to; nothing is declared then
     * @throws CounterException.Unavailable if Cassandra does not answer; call again
     */
    public static void adopt(CqlSession session, CountersConfig config) {
        explained(() -> {
            contracts(session, config).adopt();
            return null;
        });
    }

    /**
     * Copies the totals that another program writes into a table of counters of the kind {@link CounterKind#CUMULATIVE} or {@link
     * CounterKind#VERSIONED}: out of a table whose numbers have 32 bits, which Cassandra cannot alter. The other program may go on
     * meanwhile, and the call may be repeated: what was copied before counts once. Until the last call after the other program has
     * ended, values here lack what it has added since. Its actors are {@code ~copied/NAME} here. Blocks.
     *
     * @param from {@code keyspace.table}, as CQL writes it: primary key (type, actor), or (type, actor, version)
     * @param config the table into which to copy, which {@link #create} has made, and its kind
     * @return how many totals there are
     * @throws CounterException.Refused if counters of another kind were to be copied
     * @throws CounterException.Unfit if one of the tables does not fit, or a row cannot be copied
     * @throws CounterException.Unavailable if Cassandra does not answer; call again
     */
    public static long copyTotals(CqlSession session, String from, CountersConfig config) {
        TableName source = TableName.of(from);
        Kinds.requireTotals(config.kind());
        return explained(() -> {
            LocalCluster cluster = LocalCluster.open(session, config.sequences());
            UUID unused = new CounterContracts(cluster, config).require();
            return new TotalsCopy(
                            cluster.session(),
                            source.keyspace(),
                            source.table(),
                            TableName.of(config.table()).asCql(),
                            config.kind() == CounterKind.VERSIONED,
                            config.requestTimeout())
                    .copy();
        });
    }

    /**
     * Empties a table of counters: every counter is 0 again, and nothing that was counted before comes back. Processes may have the
     * table open. Of the kinds {@link CounterKind#FOLDED}, {@link CounterKind#CUMULATIVE}, {@link CounterKind#VERSIONED} and {@link
     * CounterKind#BUCKETED} they may go on counting: an increment that begins after this has returned counts, one that was
     * acknowledged before this was called is gone, and any other counts or not. Of other kinds nobody may count meanwhile. If it
     * fails, call it again; until it has succeeded, counters may be refused. All nodes must be up. Takes some seconds. Blocks.
     *
     * <p>A plain TRUNCATE does the same to a table that no process has open. If one has, that one folds nothing more, and says why.
     *
     * @param config the kind, and the table
     * @throws CounterException.Unfit if the table is declared as one of another kind, or nothing is declared of it, or another
     *     installation counts in it; nothing is changed then
     * @throws CounterException.Unavailable if Cassandra does not answer, or a node is down, or somebody counts in a table of a kind
     *     that does not allow it; call again
     */
    public static void truncate(CqlSession session, CountersConfig config) {
        explained(() -> {
            contracts(session, config).truncate();
            return null;
        });
    }

    private static CounterContracts contracts(CqlSession session, CountersConfig config) {
        return new CounterContracts(LocalCluster.open(session, config.sequences()), config);
    }

    /** Gives failures the types that users know. */
    private static <T> T explained(Supplier<T> work) {
        try {
            return work.get();
        } catch (UnfitTable unfit) {
            throw new CounterException.Unfit(String.valueOf(unfit.getMessage()), unfit.getCause());
        } catch (CounterTable.Rejected gone) {
            throw new CounterException.Unfit(String.valueOf(gone.getMessage()), gone.getCause());
        } catch (CounterTable.NotExecuted e) {
            throw new CounterException.Unavailable("Cassandra did not answer: " + e.getMessage(), e);
        } catch (SequenceException.Unavailable e) {
            throw new CounterException.Unavailable(String.valueOf(e.getMessage()), e);
        } catch (SequenceException e) {
            throw new CounterException.Unfit(String.valueOf(e.getMessage()), e);
        } catch (DriverException e) {
            UnauthorizedException refused = Grants.refusal(e);
            throw refused == null
                    ? new CounterException.Unavailable("Cassandra did not answer: " + e.getMessage(), e)
                    : new CounterException.Unfit(Grants.message(refused), e);
        }
    }

    /**
     * Returns the CQL of {@link #create(CqlSession, CountersConfig, IncrementType)}, for a DBA, but for what declares the kind: call
     * {@link #adopt} afterwards.
     */
    public static String ddl(String table, IncrementType type) {
        return String.join(";\n", Kinds.ddl(TableName.of(table), CounterKind.FOLDED, type, Optional.empty()));
    }

    /**
     * Returns the CQL of {@link #create(CqlSession, CountersConfig)}, for a DBA: a statement or several, but for what declares the
     * kind. Call {@link #adopt} afterwards.
     */
    public static String ddl(String table, CounterKind kind) {
        return String.join(";\n", Kinds.ddl(TableName.of(table), kind, IncrementType.BIGINT, Optional.empty()));
    }

    /**
     * Opens the counters of a table. The session still belongs to the caller, who closes it after this.
     *
     * @throws CounterException.Unfit if the table is declared as one of another kind, or nothing is declared of it, or another
     *     installation counts in it; or if the table, Cassidy's keyspaces or the nodes' settings do not allow counters of this
     *     kind. The message says how to correct this
     * @throws CounterException.Unavailable if Cassandra does not answer
     * @throws CounterException.Refused if the kind is approximate, and the settings do not allow that
     * @throws IllegalArgumentException if the kind needs an actor and the settings name none, or the other way round; or if
     *     another setting does not fit the kind
     */
    public static Counters open(CqlSession session, CountersConfig config) {
        return open(session, config, InstantSource.system());
    }

    /** @param clock the time of day as this process has it */
    static Counters open(CqlSession session, CountersConfig config, InstantSource clock) {
        TableName name = TableName.of(config.table());
        Kinds.requireAllowed(config);
        Identity identity = new Identity(System::nanoTime, clock);
        JvmTimer timer = new JvmTimer();
        SecureRandom random = new SecureRandom();
        OpenCounters opened = explained(() -> {
            LocalCluster cluster = LocalCluster.open(session, config.sequences());
            UUID id = new CounterContracts(cluster, config).require();
            return Kinds.open(
                    name,
                    new KindContext(
                            cluster,
                            config,
                            name.asCql(),
                            id,
                            ConditionalStatements.withinDatacenter(cluster.session(), config.requestTimeout()),
                            identity,
                            timer,
                            System::nanoTime,
                            clock,
                            new CheckedClock(
                                    clock,
                                    System::nanoTime,
                                    new CassandraNodeClocks(cluster.session(), config.requestTimeout(), random)),
                            random));
        });
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
