package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cluster.ExitHook;
import dev.cassidy.cluster.Identity;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.ProcessHooks;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.AllocatorFigures;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Repairs;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.protocol.ClusterSnowflakes;
import dev.cassidy.table.TableRegistry;
import dev.cassidy.toggle.Assistance;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sequences of a cluster, as seen from the session's local datacenter. Opening a sequence and allocating ids use that
 * datacenter alone, so both work while it is cut off from the others. Creating needs a majority of all replicas of the global
 * keyspace, as everything does that an operator asks of {@link #admin}.
 *
 * <p>Safe for use by many threads. Methods without {@code Async} in their names block. On one of the driver's threads, which
 * deliver Cassandra's answers, they throw an {@link IllegalStateException} where they would wait; what they have begun goes
 * on.
 */
public final class Sequences implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sequences.class);

    /**
     * How long the first lookup of identity columns waits at most for the first read of the marks of changes. In this order the
     * lookup finds what was registered before the marks were read.
     */
    private static final Duration LONGEST_BEGIN = Duration.ofSeconds(1);

    private final CqlSession session;
    private final SequencesConfig config;
    private final String localDatacenter;
    private final Identity identity = new Identity(System::nanoTime, InstantSource.system());
    private final JvmTimer timer = new JvmTimer();
    private final BlockingCalls calls;
    private final SequenceRegistry registry;
    private final LocalStates states;
    private final Rights rights;
    private final ClusterSnowflakes snowflakes;
    private final OpenAllocators allocators;
    private final ShownIds shown = new ShownIds();
    private final TableRegistry tables;
    private final Assistance assistance;
    private final SequenceAdmin admin;
    private final Rounds rounds;
    private final Headroom headroom;

    /** What the process gives back when it ends or is copied. Kept here, because the process refers to it weakly. */
    private final ProcessHooks hooks = new Hooks();

    /** Ends when this instance notices every change that is made from then on. */
    private volatile CompletionStage<Void> begun = CompletableFuture.completedFuture(null);

    private Sequences(LocalCluster cluster, SequencesConfig config) {
        this.session = cluster.session();
        this.config = config;
        this.localDatacenter = cluster.datacenter();
        this.calls = new BlockingCalls(config);
        Stores stores = Stores.of(cluster, config, identity, timer);
        AllocatorContext context = new AllocatorContext(
                config.claimTimeout(),
                AllocatorContext.PREFETCH_THRESHOLD,
                config.isolation(),
                AllocatorContext.RESERVE_THRESHOLD,
                timer,
                System::nanoTime,
                new SecureRandom(),
                identity::token,
                cluster.state(),
                DriverThreads::refuseToWait);
        this.registry = new SequenceRegistry(stores.catalog(), stores.ranges(), stores.changes(), context);
        this.states = new LocalStates(registry, config.watchInterval(), System::nanoTime);
        this.rights =
                new Rights(cluster.session(), config.globalKeyspace(), cluster.keyspace(), config.requestTimeout());
        this.snowflakes = new ClusterSnowflakes(
                stores.nodes(),
                config.claimTimeout(),
                identity::token,
                timer,
                cluster.state(),
                DriverThreads::refuseToWait);
        this.allocators = new OpenAllocators(stores.ranges(), context, snowflakes, identity, states);
        this.tables = new TableRegistry(
                stores.contracts(),
                config,
                stores.datacenters(),
                localDatacenter,
                name -> registry.require(name).thenCompose(registry::join).thenAccept(joined -> {}),
                () -> begun,
                timer,
                calls);

        this.assistance =
                new Assistance(stores.global(), stores.globalKeyspace(), stores.changes(), () -> begun, calls);
        HeldClaims claims = new HeldClaims(stores.catalog(), stores.ranges(), context);
        Raises raises = new Raises(stores.catalog(), stores.changes(), registry, claims, context);
        Acknowledgements acknowledgements =
                new Acknowledgements(stores.catalog(), registry, raises, context, config.watchInterval());
        Settlement settlement = new Settlement(raises, allocators, localDatacenter, config.watchInterval(), calls);
        SequenceRepairs repairs =
                new SequenceRepairs(registry, new Repairs(stores.catalog(), registry, context), settlement, calls);
        this.admin = new SequenceAdmin(
                stores,
                registry,
                claims,
                raises,
                acknowledgements,
                repairs,
                settlement,
                snowflakes,
                allocators,
                tables,
                calls);

        this.rounds = new Rounds(
                config.watchInterval(),
                timer,
                context.random(),
                System::nanoTime,
                InstantSource.system(),
                cluster.state(),
                stores.changes(),
                stores.catalog(),
                acknowledgements,
                stores.contracts(),
                assistance,
                allocators);
        this.headroom = new Headroom(
                stores.global(),
                stores.status(),
                config,
                localDatacenter,
                timer,
                InstantSource.system(),
                ForkJoinPool.commonPool(),
                allocators::allocators);
    }

    /**
     * Opens the sequences of the session's local datacenter. The session still belongs to the caller, who closes it after this.
     *
     * @throws SequenceException.SchemaMissing if Cassidy's keyspaces are missing, with the command that creates them and
     *     the installations that are there
     * @throws SequenceException.Conflict if they are of another version, or if they, or a node of the datacenter, are
     *     configured so that ids could be issued twice; the message says how to correct this
     * @throws SequenceException.Forbidden if the session's role may not read the nodes' settings
     * @throws SequenceException.Unavailable if Cassandra does not answer
     * @throws IllegalStateException if both coordinates of the java-driver are on the class path
     */
    public static Sequences open(CqlSession session, SequencesConfig config) {
        LocalCluster cluster = LocalCluster.open(session, config);
        Sequences sequences = new Sequences(cluster, config);
        sequences.begun = sequences
                .rounds
                .begin()
                .toCompletableFuture()
                .completeOnTimeout(null, LONGEST_BEGIN.toNanos(), TimeUnit.NANOSECONDS);
        sequences.headroom.start();
        ExitHook.INSTANCE.add(sequences.hooks);
        return sequences;
    }

    /** Returns what an operator does with these sequences, on the same session. */
    public SequenceAdmin admin() {
        return admin;
    }

    /**
     * Returns the name under which this instance holds ids, as {@link SequenceAdmin#holders} and errors show it. {@link #afterRestore}
     * changes it.
     */
    public String holder() {
        return identity.holder();
    }

    /** Returns how these sequences were opened. */
    public SequencesConfig config() {
        return config;
    }

    /** Returns the datacenter in which this instance claims ids. */
    public String localDatacenter() {
        return localDatacenter;
    }

    /**
     * Creates a sequence that issues ids immediately; a no-op if there is one of the same specification.
     *
     * <p>A dropped sequence is created again if the specification begins past everything that it was granted, in the same
     * direction. An {@linkplain SequenceSpec#interleave interleaved stream} reserves its name for streams: no plain sequence
     * can have that name, and all its streams agree on their number, on the start and on the increment.
     *
     * @throws SequenceException.Conflict if there is one of another specification, or one that awaits its seed, or if it might
     *     issue what a dropped sequence or another stream issues
     * @throws SequenceException.NotAcknowledged if there was one that was dropped, and a process still holds ids of it
     * @throws IllegalArgumentException if the specification is time-ordered
     */
    public void create(SequenceSpec spec) {
        admin.create(spec);
    }

    /**
     * Creates a sequence in {@link Order#TIME}; a no-op if there is one of the same configuration. Its {@link #allocator} is
     * a {@link SnowflakeSequencer}.
     *
     * @throws SequenceException.Conflict if there is another sequence of that name, or one that was dropped
     */
    public void create(SnowflakeSpec spec) {
        admin.create(spec);
    }

    /**
     * Records which column of a table takes a sequence's ids; a no-op if it is recorded.
     *
     * @throws SequenceException.Conflict if the table has another column or sequence recorded, or another installation a contract
     *     of it
     * @throws SequenceException.NotFound if there is no such sequence
     * @throws IllegalArgumentException if the table is one of Cassidy's own, or there is no such column
     */
    public void registerIdentity(IdentityColumn column) {
        tables.registerIdentity(column);
    }

    /**
     * Returns this process's allocator for the sequence. All callers share one allocator for each name. It claims nothing
     * before the first id, but attaches to a time-ordered sequence immediately. Closing it closes it for all callers; the next
     * caller gets a new one.
     *
     * @throws SequenceException.NotFound if there is no such sequence, with the command that registers it
     * @throws SequenceException.NotReady if it awaits its seed
     * @throws SequenceException.Forbidden if the session's role may not draw ids, now or once the reserve is used up; the message
     *     names the one GRANT
     * @throws IllegalStateException if these sequences are closed
     */
    public IdAllocator allocator(String name) {
        IdAllocator known = allocators.known(name);
        return known != null ? known : calls.get(allocatorAsync(name));
    }

    /** Does the same as {@link #allocator}, without blocking. */
    public CompletionStage<IdAllocator> allocatorAsync(String name) {
        allocators.requireOpen();
        IdAllocator known = allocators.known(name);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return registry.newestEntry(name)
                .thenCompose(entry -> entry.spec().order() == Order.TIME
                        ? rights.toLease().thenCompose(may -> allocators.openSequencer(name))
                        : rights.toClaim().thenApply(may -> openAllocator(entry)));
    }

    private IdAllocator openAllocator(SequenceEntry entry) {
        IdAllocator allocator = allocators.open(entry);
        headroom.opened(entry.spec());
        return allocator;
    }

    /**
     * Returns whether an allocator of this instance has issued an id to a caller, and still knows it: then no process issues
     * it again. It is false for an id that was drawn ahead of need and not issued yet. An instance knows the ids of the last
     * 1,000 blocks, or more, that it has claimed of a sequence, and those of the last 16 node numbers, or more, under which it
     * has issued ids of a time-ordered one. It knows no ids of other processes or instances, none that it issued before
     * {@link #afterRestore}, none of a claim that it has seen Cassandra forget, and none from before it found the sequence set
     * back, as by a restored backup. Of a time-ordered sequence, it is true also for ids that were passed over as the time
     * went on, which nobody issues. Does no I/O.
     */
    public boolean hasIssued(String name, long id) {
        return allocators.hasIssued(name, id);
    }

    /** See {@link InternalAccess#nextShown}. */
    long nextShown(String name) {
        IdAllocator allocator = allocator(name);
        long id = allocator.nextLong();
        shown.add(allocator.spec(), id);
        return id;
    }

    /** See {@link InternalAccess#hasShown}. */
    boolean hasShown(String name, long id) {
        IdAllocator known = allocators.known(name);
        OptionalLong of = known == null ? OptionalLong.empty() : shown.of(known.spec(), id);
        // A copy of a process does not know what its original was shown, nor does one whose sequence was set back.
        return of.isPresent() && hasIssued(name, of.getAsLong());
    }

    /**
     * Adds a listener, which from now on learns when a sequence that this process uses passes 50, 70, 85 or 95 % of its ids,
     * when it has fewer than 180 days left, when its reserve would not last for {@link SequencesConfig#isolation()}, and when
     * the reserve cannot be refilled. A background task checks this once a minute. Each alarm comes once, and again if it was over
     * in the meantime. Without any listener an alarm is a line in the log.
     */
    public void addListener(HeadroomListener listener) {
        headroom.add(listener);
    }

    /** Removes a listener. Calls of it that have begun may still arrive. */
    public void removeListener(HeadroomListener listener) {
        headroom.remove(listener);
    }

    /**
     * Returns what the last looks at the sequences that this process uses have found, by name; does no I/O. A sequence is
     * looked at once a minute while this process draws from it, and when it is used up. A sequence that has not been looked at
     * is missing, and so is one that was dropped.
     */
    public List<SequenceHeadroom> lastHeadroom() {
        return headroom.sightings().stream()
                .map(SequenceHeadroom::of)
                .sorted(Comparator.comparing(SequenceHeadroom::sequence))
                .toList();
    }

    /**
     * Prepares for a copy of this process, as CRaC, CRIU and snapshots of virtual machines make them. Gives back every id and
     * node number that this instance holds, within the request time-out, and issues nothing until {@link #afterRestore}.
     * Meanwhile callers of allocators wait, up to the claim time-out; callers of time-ordered sequences get
     * {@link SequenceException.Detached}. A no-op if it was called already, or if this is closed. Called automatically if
     * {@code org.crac} is on the class path.
     */
    public void beforeCheckpoint() {
        DriverThreads.refuseToWait();
        allocators.suspend(config.requestTimeout());
    }

    /**
     * Separates this instance, in a copy of a process, from the process that was copied: it leaves everything that it still
     * holds or is about to claim to that process, and goes on under another {@link #holder()} and with other tokens. What it
     * holds becomes a gap if every copy calls this and no process goes on without calling it.
     *
     * <p>Call this in <b>each</b> copy, before anything draws an id there. Without a {@link #beforeCheckpoint} it must be
     * called before the copy can reach Cassandra: until then background tasks of the copy act for the process that was copied,
     * and give back what that process still issues. Ids that a thread has drawn before and not used yet are in every copy. A
     * no-op if this is closed. Called automatically if {@code org.crac} is on the class path.
     */
    public void afterRestore() {
        allocators.disownAndResume();
        LOG.info("this instance continues as {}", identity.holder());
        // What was changed since the copy was made.
        begun = rounds.lookAgain()
                .toCompletableFuture()
                .completeOnTimeout(null, LONGEST_BEGIN.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Closes every allocator and gives their unused ids back, within the request time-out. Leaves the session open. If a
     * process ends without this call, by return or by SIGTERM, the same happens while it exits.
     *
     * @throws IllegalStateException on one of the driver's threads; nothing is closed
     */
    @Override
    public void close() {
        DriverThreads.refuseToWait();
        ExitHook.INSTANCE.remove(hooks);
        // A second caller waits for the first.
        allocators.close(config.requestTimeout());
        timer.close();
    }

    Headroom headroom() {
        return headroom;
    }

    /** Returns what this process's allocator of a sequence has done; empty if it has none. */
    Optional<AllocatorFigures> figures(String name) {
        return allocators.figures(name);
    }

    ClusterSnowflakes snowflakes() {
        return snowflakes;
    }

    TableRegistry tables() {
        return tables;
    }

    Assistance assistance() {
        return assistance;
    }

    /** See {@link InternalAccess#session}. */
    CqlSession session() {
        return session;
    }

    /** See {@link InternalAccess#localStateAsync}. */
    CompletionStage<SequenceState> localStateAsync(String name) {
        return states.find(name);
    }

    private final class Hooks implements ProcessHooks {

        @Override
        public void onExit(Duration most) {
            // The timer stays: another thread may be closing this too, and wait longer for what has to be tried again.
            allocators.close(most);
        }

        @Override
        public void beforeCheckpoint() {
            Sequences.this.beforeCheckpoint();
        }

        @Override
        public void afterRestore() {
            Sequences.this.afterRestore();
        }
    }
}
