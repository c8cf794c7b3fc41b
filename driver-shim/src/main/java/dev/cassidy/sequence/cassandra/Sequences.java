package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCheck;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.Answers;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.protocol.ThreadOrderAllocator;
import dev.cassidy.sequence.protocol.UnusedIds;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.Snowflakes;
import dev.cassidy.snowflake.protocol.ClusterSnowflakes;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sequences of a cluster, seen from the session's local datacenter. Opening and allocating touch that datacenter
 * alone, so they work while it is cut off from the others; creating and seeding need a majority of all.
 *
 * <p>Safe for use by many threads. Methods without {@code Async} block: never call them from one of the driver's
 * threads.
 */
public final class Sequences implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sequences.class);

    /** What was registered before the marks were read is read after them, mostly. */
    private static final Duration LONGEST_BEGIN = Duration.ofSeconds(1);

    /** Thousands of sequences take their time. */
    private static final Duration LONGEST_STATUS = Duration.ofMinutes(5);

    private final SequencesConfig config;
    private final String localDatacenter;
    private final Identity identity = new Identity(System::nanoTime, InstantSource.system());
    private final CassandraRangeStore store;
    private final SequenceCatalog catalog;
    private final SequenceRegistry registry;
    private final HeldClaims claims;
    private final Raises raises;
    private final Acknowledgements acknowledgements;
    private final IdentityColumns identities;
    private final ClusterSnowflakes snowflakes;
    private final JvmTimer timer = new JvmTimer();
    private final Rounds rounds;
    private final AllocatorContext context;
    private final Headroom headroom;
    private final ConcurrentMap<String, Allocator> allocators = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, SnowflakeSequencer> timeOrdered = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Remembered> copies = new ConcurrentHashMap<>();

    /** Allocators that were closed and opened again, and have perhaps not removed every row of theirs yet. */
    private final Set<BlockAllocator> replaced = ConcurrentHashMap.newKeySet();

    /** Ends when every allocator has given its ids back. */
    private final CompletableFuture<Void> returned = new CompletableFuture<>();

    /** Ends when all that is changed from then on is noticed. */
    private volatile CompletionStage<Void> begun = CompletableFuture.completedFuture(null);

    private volatile boolean closed;

    private final Object checkpoint = new Object();
    /** Guarded by {@link #checkpoint}. */
    private boolean suspended;

    private Sequences(
            CqlSession session,
            SequencesConfig config,
            String localDatacenter,
            String localKeyspace,
            ClusterState state,
            int datacenters) {
        this.config = config;
        this.localDatacenter = localDatacenter;
        Duration timeout = config.requestTimeout();
        ConditionalStatements global = ConditionalStatements.acrossDatacenters(session, timeout);
        ConditionalStatements local = ConditionalStatements.withinDatacenter(session, timeout);
        this.snowflakes = new ClusterSnowflakes(
                new CassandraNodeStore(
                        global,
                        local,
                        config.globalKeyspace(),
                        localKeyspace,
                        localDatacenter,
                        identity::holder,
                        InstantSource.system(),
                        state),
                config.claimTimeout(),
                identity::token,
                timer);
        this.store = new CassandraRangeStore(
                global,
                local,
                config.globalKeyspace(),
                localKeyspace,
                localDatacenter,
                datacenters,
                identity::holder,
                InstantSource.system());
        ChangeLog changes = new CassandraChangeLog(
                global, local, config.globalKeyspace(), localKeyspace, identity::token, state::version);
        this.identities = new IdentityColumns(
                global,
                local,
                config.globalKeyspace(),
                localKeyspace,
                changes,
                session.getMetadata().getClusterName().orElse(""),
                System::nanoTime);
        this.context = new AllocatorContext(
                config.claimTimeout(),
                config.prefetchThreshold(),
                config.isolation(),
                config.reserveThreshold(),
                timer,
                System::nanoTime,
                new SecureRandom(),
                identity::token,
                state);
        this.catalog = new CassandraSequenceCatalog(
                global, local, config.globalKeyspace(), localKeyspace, localDatacenter, state::version);
        this.registry = new SequenceRegistry(catalog, store, changes, context);
        this.claims = new HeldClaims(catalog, store, context);
        this.raises = new Raises(catalog, changes, registry, claims, context);
        this.acknowledgements = new Acknowledgements(catalog, registry, raises, context, config.watchInterval());
        this.rounds = new Rounds(
                config.watchInterval(),
                timer,
                context.random(),
                System::nanoTime,
                InstantSource.system(),
                state,
                changes,
                catalog,
                acknowledgements,
                identities,
                new Opened());
        this.headroom = new Headroom(
                global,
                new StatusReader(
                        global,
                        config.globalKeyspace(),
                        localKeyspace,
                        localDatacenter,
                        config.isolation(),
                        InstantSource.system()),
                config,
                localDatacenter,
                timer,
                InstantSource.system(),
                ForkJoinPool.commonPool(),
                () -> allocators.values().stream().map(Allocator::blocks).toList());
    }

    /**
     * Returns the CQL that creates Cassidy's keyspaces and tables, or brings those of an older version up to date, a statement
     * an element, for a DBA to run in this order. Each may be repeated. Needs Cassandra 4.1 or later; {@link #install} does
     * not.
     *
     * @param replication the replicas of each datacenter
     */
    public static List<String> schema(Replication replication, SequencesConfig config) {
        return Schema.statements(replication, config);
    }

    /** Returns the names of the tables of Cassidy's keyspaces, of the global one and the datacenters'. */
    public static Set<String> tables() {
        return Stream.concat(Schema.GLOBAL.stream(), Schema.DATACENTER.stream())
                .map(Schema.Table::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns the names of Cassidy's keyspaces in the session's cluster, whether they exist or not: the global one's, and one
     * for each datacenter. Another datacenter's may have been given another name.
     */
    public static Set<String> keyspaces(CqlSession session, SequencesConfig config) {
        Set<String> names = new HashSet<>();
        names.add(config.globalKeyspace());
        config.datacenterKeyspace().ifPresent(names::add);
        for (Node node : session.getMetadata().getNodes().values()) {
            String datacenter = node.getDatacenter();
            if (datacenter != null) {
                names.add(Schema.nameOf(config.globalKeyspace(), datacenter));
            }
        }
        return names;
    }

    /**
     * Creates what {@link #schema} lists where it is missing, and adds to tables of an older version what they lack; changes
     * nothing else that exists. Clients of the older version that run go on. Waits until every node that is up knows it; a
     * node that is down holds it up for ten seconds at the most, learns it later, and is named in the log.
     */
    public static void install(CqlSession session, Replication replication, SequencesConfig config) {
        TreeSet<String> present = new TreeSet<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            present.add(String.valueOf(node.getDatacenter()));
        }
        for (String datacenter : replication.factors().keySet()) {
            if (!present.contains(datacenter)) {
                throw new IllegalArgumentException("names a datacenter that the cluster does not have: '" + datacenter
                        + "' in replication=" + replication.factors() + "; it has " + present);
            }
        }
        new Installation(unwrapped(session), replication, config).run();
    }

    /**
     * Opens the sequences of the session's local datacenter. The session stays the caller's, to be closed after this.
     *
     * @throws SequenceException.SchemaMissing if Cassidy's keyspaces are missing, with the command that creates them
     * @throws SequenceException.Conflict if they, or a node of the datacenter, are configured in a way under which ids could
     *     be issued twice; it says how to mend it
     * @throws SequenceException.Unavailable if Cassandra does not answer
     * @throws IllegalStateException if both coordinates of the java-driver are on the class path
     */
    public static Sequences open(CqlSession session, SequencesConfig config) {
        DriverOnClasspath.requireOne();
        CqlSession plain = unwrapped(session);
        String datacenter = localDatacenter(plain);
        String keyspace = config.datacenterKeyspace()
                .orElseGet(() -> Schema.datacenterKeyspace(config.globalKeyspace(), datacenter));
        ClusterState state = new ClusterState(plain, config, keyspace, datacenter, System::nanoTime);
        Answers.await(state.begin(), config.requestTimeout().multipliedBy(2));
        state.refusal().ifPresent(refusal -> {
            throw refusal;
        });
        ServerCheck.requireOwnDatacenterAlone(keyspace, state.replication(keyspace), datacenter);
        state.warnOfOldSchema();
        int datacenters = ServerCheck.datacenters(state.replication(config.globalKeyspace()));
        Sequences sequences = new Sequences(plain, config, datacenter, keyspace, state, datacenters);
        sequences.begun = sequences
                .rounds
                .begin()
                .toCompletableFuture()
                .completeOnTimeout(null, LONGEST_BEGIN.toNanos(), TimeUnit.NANOSECONDS);
        sequences.headroom.start();
        ExitHook.INSTANCE.add(sequences);
        return sequences;
    }

    private static CqlSession unwrapped(CqlSession session) {
        return session instanceof WrappingSession wrapping ? unwrapped(wrapping.unwrap()) : session;
    }

    private static String localDatacenter(CqlSession session) {
        TreeSet<String> local = new TreeSet<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (node.getDistance() == NodeDistance.LOCAL && node.getDatacenter() != null) {
                local.add(node.getDatacenter());
            }
        }
        if (local.size() != 1) {
            throw new IllegalArgumentException("the session must have exactly one local datacenter, since ids are"
                    + " claimed within it; it has " + local + ". Build it with withLocalDatacenter(name)");
        }
        return local.first();
    }

    /** Returns the time-ordered sequences of the same keyspaces; closed with this. */
    public Snowflakes snowflakes() {
        return snowflakes;
    }

    /**
     * Returns the name under which this instance holds ids, as {@link #holders} and errors show it. It is another one after
     * {@link #afterRestore}.
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
     * Creates a sequence that issues ids at once; a no-op if there is one of the same specification.
     *
     * <p>One that was dropped is created anew if the specification begins past everything that it was granted, in the same
     * direction. An {@linkplain SequenceSpec#interleave interleaved stream} takes its name for streams: no plain sequence
     * can have it, and all its streams agree on how many they are, on the start and on the increment.
     *
     * @throws SequenceException.Conflict if there is one of another specification, or one that awaits its seed, or if it
     *     might issue what a dropped one or another stream issues
     * @throws SequenceException.NotAcknowledged if there was one that was dropped, and somebody still holds ids of it
     */
    public void create(SequenceSpec spec) {
        requireCounted(spec);
        created(get(registry.create(spec, true)));
    }

    /**
     * Creates a sequence in {@link Order#TIME}; a no-op if there is one of the same configuration. Its
     * {@link #allocator} is a {@link SnowflakeSequencer}.
     *
     * @throws SequenceException.Conflict if there is a sequence of that name that is another one, or was dropped
     */
    public void create(SnowflakeSpec spec) {
        // The name first: where it is taken, nothing else is created.
        SequenceSpec named = SequenceSpec.timeOrdered(spec.name());
        created(get(registry.create(named, true)));
        get(snowflakes.createAsync(spec));
    }

    private static void requireCounted(SequenceSpec spec) {
        if (spec.order() == Order.TIME) {
            throw new IllegalArgumentException("is time-ordered, and needs an epoch: sequence=" + spec.name()
                    + "; create it by create(SnowflakeSpec.of(\"" + spec.name() + "\", epoch))");
        }
    }

    /**
     * Registers a sequence that issues nothing until it is {@linkplain #seed seeded}; a no-op if there is one of the
     * same type and increment.
     *
     * @throws SequenceException.Conflict if there is one of another type or increment
     */
    public void register(SequenceSpec spec) {
        requireCounted(spec);
        created(get(registry.create(spec, false)));
    }

    /**
     * Raises the sequence so that {@code next} is the first id that may still be issued, and makes it ready. Never
     * lowers: a sequence that is at {@code next} or past it stays as it is. Where ids have been granted before, every
     * process drops those that it holds; this waits a few watch intervals for all of them, in every datacenter.
     *
     * @return the sequence as it is now
     * @throws SequenceException.NotFound if there is none of that name
     * @throws SequenceException.Exhausted if {@code next} lies beyond the sequence's end
     * @throws SequenceException.NotAcknowledged if it was raised, but somebody has not let go of older ids yet: it names
     *     the processes and datacenters, and the same call again waits for them again
     */
    public SequenceState seed(String name, long next) {
        return SequenceState.of(settled(get(raises.seed(name, next)), "raised to " + next));
    }

    /**
     * Makes {@code next} the next id, as SQL Server's {@code ALTER SEQUENCE ... RESTART WITH} and {@code DBCC CHECKIDENT
     * (..., RESEED, ...)} do, but only upwards; {@link #seed} instead takes what lies before for no change. As for
     * {@link #seed}, every process drops the ids that it holds. With several datacenters or stripes, each continues with
     * a range of its own from {@code next} on.
     *
     * @throws SequenceException.Conflict if {@code next} may have been issued, or is not one of the sequence's ids
     * @throws SequenceException.NotAcknowledged as for {@link #seed}
     */
    public SequenceState restart(String name, long next) {
        return SequenceState.of(settled(get(raises.restart(name, next)), "restarted with " + next));
    }

    /**
     * Drops a sequence: it issues nothing any more, and allocators fail with {@link SequenceException.Dropped}. A mark of
     * it stays for ever. It can be {@linkplain #create(SequenceSpec) created} anew only past everything that it was
     * granted, in the same direction; a time-ordered one never.
     *
     * @throws SequenceException.NotAcknowledged if it was dropped, but somebody still holds ids of it, as for
     *     {@link #seed}
     */
    public void drop(String name) {
        SequenceEntry dropped = settled(get(registry.drop(name)), "dropped");
        if (dropped.spec().order() == Order.TIME) {
            snowflakes.destroy(name);
        }
    }

    /**
     * Makes {@code id}, and every id before it, one that the sequence will never issue, so that it may be inserted
     * explicitly. The caller makes sure that it was not issued earlier.
     *
     * @throws SequenceException.NotAcknowledged if somebody still holds older ids, as for {@link #seed}; then
     *     {@code id} must not be inserted yet
     */
    public SequenceState advancePast(String name, long id) {
        SequenceEntry entry = settled(get(raises.recallPast(name, id)), "raised past " + id);
        SequenceEntry raised = get(raises.raiseFloor(entry));
        copies.remove(name);
        return SequenceState.of(raised);
    }

    /** Waits until nobody holds ids of an incarnation before the entry's. */
    private SequenceEntry settled(SequenceEntry entry, String what) {
        String name = entry.name();
        reseeded(name, entry.incarnation());
        Duration most = config.watchInterval().multipliedBy(3);
        Duration look = config.watchInterval().dividedBy(8);
        Raises.Behind behind = get(raises.settle(entry, most, look), most);
        if (!behind.isNobody()) {
            throw new SequenceException.NotAcknowledged("sequence " + name + " was " + what
                    + ", but datacenters " + behind.datacenters() + " have not let go of older ids, and may still issue"
                    + " them"
                    + (behind.holders().isEmpty()
                            ? ""
                            : "; in " + localDatacenter + " these do: " + holders(entry, behind.holders()))
                    + ". Call again when they have noticed; for a process that is gone for good, call"
                    + " Sequences.release(\"" + name + "\", process) in its datacenter first, where nothing runs any"
                    + " more, Sequences.acknowledge(\"" + name + "\"), and for a datacenter that is lost for good,"
                    + " Sequences.releaseDatacenter(\"" + name + "\", datacenter)");
        }
        return entry;
    }

    /**
     * Lets go, for a process that is gone for good, of the ids that it held before the last raise. Release only what
     * certainly no longer runs: a paused process that is released and goes on would issue them.
     *
     * @param process as {@link #holdersBehind} names it, {@code pid@host/uuid}; {@code pid@host/} for rows of clients that
     *     wrote no uuid. {@code pid@host} alone is accepted where one holder has this name, and means that one: not
     *     necessarily the one that had it when you looked. Where names return, as in containers, use the whole name
     * @throws SequenceException.Conflict if several holders have the name {@code pid@host}; it lists them
     * @throws IllegalArgumentException if it is this instance
     */
    public void release(String name, String process) {
        get(registry.requireKnown(name).thenCompose(entry -> claims.release(entry, process)));
        // That may have been the last one.
        acknowledgements.noticed(name, Duration.ZERO);
    }

    /**
     * Lets go, for a datacenter that is lost for good, of the ids that it held before the last raise. Release only what
     * certainly does not run and will not come back: its processes would go on issuing them. A datacenter that is there
     * acknowledges by itself.
     */
    public void releaseDatacenter(String name, String datacenter) {
        get(registry.requireKnown(name).thenCompose(entry -> raises.releaseDatacenter(entry, datacenter)));
    }

    /**
     * Acknowledges the last raise for this datacenter, if no process of it holds older ids. Processes that run do so by
     * themselves; this is for a datacenter in which none does.
     *
     * @return the processes that stand in the way, as {@link #holdersBehind}
     */
    public List<Holder> acknowledge(String name) {
        return get(registry.requireKnown(name)
                .thenCompose(entry -> raises.acknowledge(entry).thenApply(held -> holders(entry, held))));
    }

    /** Returns the processes of this datacenter that hold ids of the sequence. Those that crashed stay. */
    public List<Holder> holders(String name) {
        return get(registry.require(name)
                .thenCompose(entry -> claims.claimsOf(entry).thenApply(held -> holders(entry, held))));
    }

    /**
     * Makes ids that a process claimed, never used and lost in a crash issuable again. Nothing does so by itself, for only
     * the caller can know what it takes: that the process is <b>gone for good</b>, with every thread and every statement of
     * it, and which of its ids are used. A process that only stood still, in a paused virtual machine for one, and goes on
     * afterwards, issues the same ids as whoever gets them after this call. Whatever the caller did to make sure, do it
     * again if this fails and is called again later.
     *
     * <p>Refused for a process that claimed anything within the last hour. Left alone are claims older than half the
     * {@code gc_grace_seconds} of table {@code reserve} (ten days by default): such a row may be one that was removed
     * long ago. Both by the servers' clocks. Blocks for as long as {@code check} does.
     *
     * @param process as {@link #holders} names it, {@code pid@host/uuid}; {@code pid@host/} for rows of clients that wrote
     *     no uuid. {@code pid@host} alone is accepted where one holder has this name, and means that one: not necessarily
     *     the one that had it when you looked. Where names return, as in containers, use the whole name
     * @param check looks the ids up where they are used, at a consistency that sees every acknowledged insert
     * @throws SequenceException.Conflict if several holders have the name {@code pid@host}; it lists them
     * @throws IllegalArgumentException if it is this instance
     */
    public Reclaimed reclaim(String name, String process, IdCheck check) {
        if (process.equals(CassandraRangeStore.UNKNOWN_HOLDER)) {
            throw new IllegalArgumentException("must be a process that is gone: process='" + process
                    + "' is what stands for all whose claims were lost with their reserve");
        }
        SequenceEntry entry = get(registry.require(name));
        HeldClaims.Abandoned abandoned = get(claims.abandonedBy(entry, process));
        long ids = 0;
        for (HeldClaim each : abandoned.reclaimable()) {
            List<Span> unused = UnusedIds.of(entry.spec(), each.claim().span(), check);
            if (get(claims.reclaim(each, unused))) {
                ids += unused.stream().mapToLong(Span::size).sum();
            }
        }
        return new Reclaimed(ids, holders(entry, abandoned.tooOld()));
    }

    /** Returns the processes of this datacenter that hold ids from before the last raise. Those that crashed stay. */
    public List<Holder> holdersBehind(String name) {
        return get(registry.requireKnown(name)
                .thenCompose(entry -> claims.claimsBefore(entry).thenApply(held -> holders(entry, held))));
    }

    private static List<Holder> holders(SequenceEntry entry, List<HeldClaim> claims) {
        SequenceSpec spec = entry.spec();
        return claims.stream()
                .map(held -> {
                    Span span = held.claim().span();
                    IdRange ids = new IdRange(spec.idAt(span.lo()), spec.increment(), span.size());
                    return new Holder(held.holder(), held.claim().incarnation(), ids, held.since());
                })
                .toList();
    }

    /**
     * Makes this datacenter take part in a sequence, anew if its reserve was lost: it begins above every grant that it
     * ever got, and what was left of them is a gap. Which processes held ids was lost with the reserve: the next raise waits
     * until {@code release(name, "unknown")} says that none from before is left.
     */
    public void join(String name) {
        get(registry.require(name).thenCompose(registry::join));
    }

    /** Reads a sequence in the global keyspace. */
    public Optional<SequenceState> find(String name) {
        return get(registry.find(name)).map(SequenceState::of);
    }

    /** Reads every sequence in the global keyspace, by name. */
    public List<SequenceState> list() {
        List<SequenceState> states = new ArrayList<>();
        for (SequenceGlimpse each : get(catalog.glimpses())) {
            find(each.name()).ifPresent(states::add);
        }
        states.sort(Comparator.comparing(state -> state.spec().name()));
        return states;
    }

    /**
     * Returns this process's allocator for the sequence: one for each name, shared by all who ask. Claims nothing
     * before the first id, but attaches to a time-ordered sequence at once. Closing it closes it for all of them; whoever
     * asks next gets a new one.
     *
     * @throws SequenceException.NotFound if there is no such sequence, with the command that registers it
     * @throws SequenceException.NotReady if it awaits its seed
     */
    public IdAllocator allocator(String name) {
        IdAllocator known = knownAllocator(name);
        return known != null ? known : get(allocatorAsync(name));
    }

    private @Nullable IdAllocator knownAllocator(String name) {
        Allocator known = allocators.get(name);
        if (known != null && !known.blocks().isClosed()) {
            return known.ids();
        }
        SnowflakeSequencer sequencer = timeOrdered.get(name);
        return sequencer != null && !sequencer.isClosed() ? sequencer : null;
    }

    /** As {@link #allocator}, without blocking. */
    public CompletionStage<IdAllocator> allocatorAsync(String name) {
        requireOpen();
        IdAllocator known = knownAllocator(name);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return registry.newestEntry(name)
                .thenCompose(entry -> entry.spec().order() == Order.TIME
                        ? openSequencer(name)
                        : CompletableFuture.completedFuture(openAllocator(entry)));
    }

    private CompletionStage<IdAllocator> openSequencer(String name) {
        return snowflakes.sequencerAsync(name).thenApply(sequencer -> {
            timeOrdered.put(name, sequencer);
            return sequencer;
        });
    }

    private IdAllocator openAllocator(SequenceEntry entry) {
        String name = entry.spec().name();
        if (!entry.ready()) {
            throw new SequenceException.NotReady("sequence " + name
                    + " awaits its seed: run java -jar migration-tool/target/migration-tool.jar seed");
        }
        Allocator allocator = Objects.requireNonNull(allocators.compute(name, (same, known) -> {
            if (known != null && !known.blocks().isClosed()) {
                return known;
            }
            if (known != null) {
                replaced.add(known.blocks());
            }
            return newAllocator(entry);
        }));
        synchronized (checkpoint) {
            if (suspended) {
                CompletionStage<Void> unused = allocator.blocks().suspendAsync();
            }
        }
        if (closed) {
            allocator.blocks().close();
        }
        requireOpen();
        headroom.opened(entry.spec());
        return allocator.ids();
    }

    private Allocator newAllocator(SequenceEntry entry) {
        SequenceSpec spec = entry.spec();
        int stripe = context.random().nextInt(spec.stripes());
        BlockAllocator blocks = new BlockAllocator(spec, stripe, entry.incarnation(), store, context);
        return new Allocator(blocks, spec.order() == Order.THREAD ? new ThreadOrderAllocator(blocks) : blocks);
    }

    /** A sequence's blocks in this process, and the face that its order gives them. */
    private record Allocator(BlockAllocator blocks, IdAllocator ids) {}

    /**
     * Records which column of a table takes a sequence's ids; a no-op if it is recorded.
     *
     * @throws SequenceException.Conflict if the table has another column or sequence recorded
     * @throws SequenceException.NotFound if there is no such sequence
     */
    public void registerIdentity(IdentityColumn column) {
        get(registry.require(column.sequence()).thenCompose(registry::join));
        get(identities.register(column));
    }

    /**
     * Looks up the identity column of a table. The first call reads all that are registered, in the global keyspace; where
     * that does not answer within the request time-out, this datacenter's copy. After that it costs no read: what is
     * registered elsewhere is known within a {@linkplain SequencesConfig#watchInterval watch interval}.
     */
    public CompletionStage<Optional<IdentityColumn>> identityColumnAsync(String keyspace, String table) {
        Optional<IdentityColumn> known = identities.cached(keyspace, table);
        return known.isPresent()
                ? CompletableFuture.completedFuture(known)
                : begun.thenCompose(begin -> identities.find(keyspace, table));
    }

    /**
     * Looks up the identity column of a table that seems to have none, in case it was registered a moment ago; reads at most
     * once a second for each table.
     */
    public CompletionStage<Optional<IdentityColumn>> identityColumnNowAsync(String keyspace, String table) {
        return identities.findAnew(keyspace, table);
    }

    /**
     * Returns why a table may be registered although its identity column is not known: the global keyspace has not answered
     * since this instance was opened. Empty once it has.
     */
    public Optional<Throwable> identityColumnsIncomplete() {
        return identities.incomplete();
    }

    /** Returns the identity column of a table if it is known already; does no I/O. */
    public Optional<IdentityColumn> cachedIdentityColumn(String keyspace, String table) {
        return identities.cached(keyspace, table);
    }

    /** Returns every identity column that is recorded in this datacenter. */
    public List<IdentityColumn> identityColumns() {
        return get(identities.all());
    }

    /**
     * Returns this datacenter's copy of a sequence: specification, incarnation, readiness and floor, but not the global
     * level's {@code next}, which is left empty. One that is ready is remembered for a watch interval; its floor can only
     * be higher than remembered.
     *
     * @return a stage that fails with {@link SequenceException.NotFound} if there is no such sequence
     */
    public CompletionStage<SequenceState> localStateAsync(String name) {
        Remembered known = copies.get(name);
        if (known != null
                && context.nanoTime().getAsLong() - known.at()
                        < config.watchInterval().toNanos()) {
            return CompletableFuture.completedFuture(known.state());
        }
        return registry.newestEntry(name).thenApply(entry -> {
            SequenceState state = SequenceState.of(entry).withoutNext();
            // One that is not ready allows every explicit id; that must not be believed a moment longer than it is so.
            if (state.ready()) {
                copies.put(name, new Remembered(state, context.nanoTime().getAsLong()));
            }
            return state;
        });
    }

    private record Remembered(SequenceState state, long at) {}

    /**
     * Reads how much is left of every sequence, by name. Works while datacenters are cut off: the status says what did not
     * answer.
     */
    public List<SequenceStatus> status() {
        return get(statusAsync(), LONGEST_STATUS);
    }

    /** As {@link #status()}, without blocking. */
    public CompletionStage<List<SequenceStatus>> statusAsync() {
        return headroom.reader().all();
    }

    /**
     * Reads how much is left of one sequence.
     *
     * @throws SequenceException.NotFound if there is none of that name
     */
    public SequenceStatus status(String name) {
        return get(headroom.reader().one(name), LONGEST_STATUS)
                .orElseThrow(() -> new SequenceException.NotFound(
                        "there is no sequence " + name + " in keyspace " + config.globalKeyspace()));
    }

    /**
     * Tells a listener from now on when a sequence that this process uses passes one of
     * {@link SequencesConfig#alarms()}, when its reserve would not last for {@link SequencesConfig#isolation()}, and when it
     * cannot be refilled. It is looked at once a minute in the background. Each alarm comes once, and again when it was
     * over meanwhile; without any listener it is a line in the log.
     */
    public void addListener(HeadroomListener listener) {
        headroom.add(listener);
    }

    /** Tells the listener nothing more; what is under way may still come. */
    public void removeListener(HeadroomListener listener) {
        headroom.remove(listener);
    }

    Headroom headroom() {
        return headroom;
    }

    /** Returns what this process's allocator of a sequence has done; empty where there is none. */
    Optional<BlockAllocator.Figures> figures(String name) {
        return Optional.ofNullable(allocators.get(name))
                .map(allocator -> allocator.blocks().figures());
    }

    /** Returns how many conditional writes this instance has sent to claim and grant ranges since it was opened. */
    public long conditionalWrites() {
        return store.conditionalWrites();
    }

    private void created(SequenceEntry entry) {
        // Perhaps anew, after a drop.
        reseeded(entry.name(), entry.incarnation());
    }

    private void reseeded(String name, int incarnation) {
        copies.remove(name);
        Allocator own = allocators.get(name);
        if (own != null
                && incarnation > own.blocks().incarnation()
                && !own.blocks().reseeded(incarnation)) {
            // It can not go on; whoever asks next gets a new one.
            allocators.remove(name, own);
        }
    }

    /** What the rounds see of this instance. */
    private final class Opened implements Rounds.Opened {

        @Override
        public List<BlockAllocator> allocators() {
            return allocators.values().stream().map(Allocator::blocks).toList();
        }

        @Override
        public void removeLeftovers() {
            replaced.removeIf(BlockAllocator::hasLeftNothing);
            replaced.forEach(BlockAllocator::removeLeftovers);
            allocators.values().forEach(each -> each.blocks().removeLeftovers());
        }

        @Override
        public void changed(String name) {
            copies.remove(name);
        }

        @Override
        public void reseeded(String name, int incarnation) {
            Sequences.this.reseeded(name, incarnation);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("these sequences are closed");
        }
    }

    private <T> T get(CompletionStage<T> stage) {
        return get(stage, Duration.ZERO);
    }

    /** @param longer how much longer than a claim it may take */
    private <T> T get(CompletionStage<T> stage, Duration longer) {
        // Every step has a time-out of its own; this one only makes sure that a lost answer cannot hang a caller.
        return Answers.await(
                stage, config.claimTimeout().plus(config.requestTimeout()).plus(longer));
    }

    /**
     * Prepares for a copy of this process, as CRaC, CRIU and snapshots of virtual machines make them: gives back every id
     * and node number that it holds, within the request time-out, and issues nothing until {@link #afterRestore}. Callers
     * of allocators wait meanwhile, up to the claim time-out; those of time-ordered sequences get
     * {@link SequenceException.Detached}. A no-op if it was called already, or if this is closed. Called automatically
     * where {@code org.crac} is on the class path.
     */
    public void beforeCheckpoint() {
        List<CompletableFuture<?>> returned = new ArrayList<>();
        synchronized (checkpoint) {
            suspended = true;
            allocators
                    .values()
                    .forEach(each -> returned.add(each.blocks().suspendAsync().toCompletableFuture()));
            returned.add(snowflakes.suspendAsync().toCompletableFuture());
        }
        try {
            CompletableFuture.allOf(returned.toArray(CompletableFuture<?>[]::new))
                    .get(config.requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("some ids were not given back in time: a gap", e);
        }
    }

    /**
     * Makes this instance one of its own in a copy of a process: whatever it still holds or is about to claim is left to the
     * process that it was copied from, and it goes on under another {@link #holder()} and with other tokens. What it holds
     * becomes a gap if every copy calls this and none goes on without. To be called in <b>each</b> copy, before anything
     * draws an id there. Without a {@link #beforeCheckpoint} it must be called before the copy can reach Cassandra: until
     * then background tasks of the copy act for the process that it was copied from, and give back what that one still
     * issues. Ids that a thread has drawn before and not used yet are in every copy. A no-op if this is closed. Called
     * automatically where {@code org.crac} is on the class path.
     */
    public void afterRestore() {
        synchronized (checkpoint) {
            suspended = true;
            // The order matters: what was begun under the old name ends before there is a new one.
            allocators.values().forEach(each -> each.blocks().disown());
            snowflakes.disown();
            identity.renew();
            copies.clear();
            suspended = false;
            allocators.values().forEach(each -> each.blocks().resume());
            snowflakes.resume();
        }
        LOG.info("this instance goes on as {}", identity.holder());
        // What was changed since the copy was made.
        begun = rounds.lookAgain()
                .toCompletableFuture()
                .completeOnTimeout(null, LONGEST_BEGIN.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Closes every allocator and gives their unused ids back, within the request time-out. Leaves the session open. A
     * process that ends without it, by return or by SIGTERM, does the same while it exits.
     */
    @Override
    public void close() {
        ExitHook.INSTANCE.remove(this);
        close(config.requestTimeout());
    }

    /** As {@link #close()}, but waits for {@code most} at the most. Whoever comes second waits for the first. */
    void close(Duration most) {
        boolean first;
        synchronized (returned) {
            first = !closed;
            closed = true;
        }
        if (first) {
            CompletableFuture<?>[] told = allocators.values().stream()
                    .map(allocator -> allocator.blocks().closeAsync().toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture<Void> unused =
                    CompletableFuture.allOf(told).whenComplete((done, never) -> returned.complete(null));
        }
        try {
            returned.get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("some ids were not given back in time: a gap", e);
        }
        snowflakes.close();
        timer.close();
    }
}
