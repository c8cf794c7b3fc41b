package dev.cassidy.sequence.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.cluster.ClusterState;
import dev.cassidy.cluster.ExitHook;
import dev.cassidy.cluster.Identity;
import dev.cassidy.cluster.Installation;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.ProcessHooks;
import dev.cassidy.cluster.Schema;
import dev.cassidy.cluster.ServerCheck;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCheck;
import dev.cassidy.sequence.IdScan;
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
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.Snowflakes;
import dev.cassidy.snowflake.protocol.ClusterSnowflakes;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sequences of a cluster, as seen from the session's local datacenter. Opening a sequence and allocating ids use that
 * datacenter alone, so both work while it is cut off from the others. Creating and seeding need a majority of all replicas of
 * the global keyspace.
 *
 * <p>Safe for use by many threads. Methods without {@code Async} in their names block: never call them from one of the
 * driver's threads.
 */
public final class Sequences implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sequences.class);

    /**
     * How long the first lookup of identity columns waits at most for the first read of the marks of changes. In this order the
     * lookup finds what was registered before the marks were read.
     */
    private static final Duration LONGEST_BEGIN = Duration.ofSeconds(1);

    private static final Duration LONGEST_WAIT = Duration.ofDays(365);

    /** With thousands of sequences a status takes long. */
    private static final Duration LONGEST_STATUS = Duration.ofMinutes(5);

    private final SequencesConfig config;
    private final String localDatacenter;
    private final Identity identity = new Identity(System::nanoTime, InstantSource.system());
    private final BlockingCalls calls;
    private final CassandraRangeStore store;
    private final SequenceRegistry registry;
    private final LocalStates states;
    private final Rights rights;
    private final OpenAllocators allocators;
    private final Administration administration;
    private final IdentityColumns identities;
    private final ColumnDefaults defaults;
    private final WriteModes modes;
    private final ClusterSnowflakes snowflakes;
    /** Processes copy a declaration within a minute of learning of it. */
    private static final Duration COPIED = Duration.ofMinutes(3);

    private final JvmTimer timer = new JvmTimer();
    private final Rounds rounds;
    private final Headroom headroom;

    /** Those, besides this one, that have Cassidy's global keyspace. */
    private final List<String> otherDatacenters;

    /** What the process gives back when it ends or is copied. Kept here, because the process refers to it weakly. */
    private final ProcessHooks hooks = new Hooks();

    /** Ends when this instance notices every change that is made from then on. */
    private volatile CompletionStage<Void> begun = CompletableFuture.completedFuture(null);

    private Sequences(LocalCluster cluster, SequencesConfig config, int datacenters) {
        this.otherDatacenters = cluster.state().replication(config.globalKeyspace()).keySet().stream()
                .filter(name -> !List.of("class", "replication_factor", cluster.datacenter())
                        .contains(name))
                .toList();
        CqlSession session = cluster.session();
        String localKeyspace = cluster.keyspace();
        ClusterState state = cluster.state();
        this.config = config;
        this.localDatacenter = cluster.datacenter();
        this.calls = new BlockingCalls(config);
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
        ChangeLog changes =
                new CassandraChangeLog(global, local, config.globalKeyspace(), localKeyspace, identity::token);
        this.identities = new IdentityColumns(
                global,
                local,
                config.globalKeyspace(),
                localKeyspace,
                changes,
                session.getMetadata().getClusterName().orElse(""),
                System::nanoTime);
        this.defaults = new ColumnDefaults(global, local, config.globalKeyspace(), localKeyspace, changes);
        this.modes = new WriteModes(global, local, config.globalKeyspace(), localKeyspace, changes);
        AllocatorContext context = new AllocatorContext(
                config.claimTimeout(),
                AllocatorContext.PREFETCH_THRESHOLD,
                config.isolation(),
                AllocatorContext.RESERVE_THRESHOLD,
                timer,
                System::nanoTime,
                new SecureRandom(),
                identity::token,
                state);
        SequenceCatalog catalog =
                new CassandraSequenceCatalog(global, local, config.globalKeyspace(), localKeyspace, localDatacenter);
        this.registry = new SequenceRegistry(catalog, store, changes, context);
        HeldClaims claims = new HeldClaims(catalog, store, context);
        Raises raises = new Raises(catalog, changes, registry, claims, context);
        Acknowledgements acknowledgements =
                new Acknowledgements(catalog, registry, raises, context, config.watchInterval());
        this.states = new LocalStates(registry, config.watchInterval(), System::nanoTime);
        this.rights = new Rights(session, config.globalKeyspace(), localKeyspace, timeout);
        this.allocators = new OpenAllocators(store, context, snowflakes, identity, states);
        this.administration = new Administration(
                config,
                catalog,
                registry,
                claims,
                raises,
                new Repairs(catalog, registry, context),
                acknowledgements,
                snowflakes,
                allocators,
                calls);
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
                defaults,
                modes,
                allocators);
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
                allocators::allocators);
    }

    /**
     * Returns the CQL that creates Cassidy's keyspaces and tables. Each element is one statement; a DBA runs them in this
     * order and may repeat each.
     *
     * @param replication the replicas of each datacenter
     */
    public static List<String> schema(Replication replication, SequencesConfig config) {
        return Schema.statements(replication.factors(), config);
    }

    /** Returns the names of the tables of Cassidy's keyspaces: those of the global one, and those of the datacenters'. */
    public static Set<String> tables() {
        return Stream.concat(Schema.GLOBAL.stream(), Schema.DATACENTER.stream())
                .map(Schema.Table::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns the names of Cassidy's keyspaces in the session's cluster, whether they exist or not: the global one, and one for
     * each datacenter. Another datacenter's keyspace may have been given another name.
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
     * Creates what {@link #schema} lists if it is missing, and adds to tables of an earlier version what they lack. Nothing
     * else that exists is changed, and processes that have the earlier version open continue. Waits until every node that is
     * up knows the change. A node that is down delays this by at most ten seconds, learns the change later, and is named in
     * the log.
     *
     * @throws SequenceException.Conflict if a table is of a later version; then nothing is changed
     * @throws IllegalArgumentException if {@code replication} names a datacenter that the cluster does not have, or asks for more
     *     replicas than a majority of them could be on its nodes
     */
    public static void install(CqlSession session, Replication replication, SequencesConfig config) {
        Map<String, Integer> nodes = new TreeMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            nodes.merge(String.valueOf(node.getDatacenter()), 1, Integer::sum);
        }
        replication.factors().forEach((datacenter, factor) -> {
            if (!nodes.containsKey(datacenter)) {
                throw new IllegalArgumentException("names a datacenter that the cluster does not have: '" + datacenter
                        + "' in replication=" + replication.factors() + "; it has " + nodes.keySet());
            }
            int majority = factor / 2 + 1;
            if (nodes.get(datacenter) < majority) {
                throw new IllegalArgumentException("asks for " + factor + " replicas in datacenter " + datacenter
                        + ", where every statement needs " + majority + " of them, and there "
                        + (nodes.get(datacenter) == 1 ? "is 1 node" : "are " + nodes.get(datacenter) + " nodes")
                        + ": give " + datacenter + ":" + nodes.get(datacenter) + ", or add nodes first");
            }
        });
        new Installation(LocalCluster.unwrapped(session), replication.factors(), config).run();
    }

    /**
     * Opens the sequences of the session's local datacenter. The session still belongs to the caller, who closes it after this.
     *
     * @throws SequenceException.SchemaMissing if Cassidy's keyspaces are missing, with the command that creates them
     * @throws SequenceException.Conflict if they are of another version, or if they, or a node of the datacenter, are
     *     configured so that ids could be issued twice; the message says how to correct this
     * @throws SequenceException.Forbidden if the session's role may not read the nodes' settings
     * @throws SequenceException.Unavailable if Cassandra does not answer
     * @throws IllegalStateException if both coordinates of the java-driver are on the class path
     */
    public static Sequences open(CqlSession session, SequencesConfig config) {
        LocalCluster cluster = LocalCluster.open(session, config);
        int datacenters = ServerCheck.datacenters(cluster.state().replication(config.globalKeyspace()));
        Sequences sequences = new Sequences(cluster, config, datacenters);
        sequences.begun = sequences
                .rounds
                .begin()
                .toCompletableFuture()
                .completeOnTimeout(null, LONGEST_BEGIN.toNanos(), TimeUnit.NANOSECONDS);
        sequences.headroom.start();
        ExitHook.INSTANCE.add(sequences.hooks);
        return sequences;
    }

    /** Returns the time-ordered sequences of the same keyspaces. {@link #close} closes them too. */
    public Snowflakes snowflakes() {
        return snowflakes;
    }

    /**
     * Returns the name under which this instance holds ids, as {@link #holders} and errors show it. {@link #afterRestore}
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
        administration.create(spec);
    }

    /**
     * Creates a sequence in {@link Order#TIME}; a no-op if there is one of the same configuration. Its {@link #allocator} is
     * a {@link SnowflakeSequencer}.
     *
     * @throws SequenceException.Conflict if there is another sequence of that name, or one that was dropped
     */
    public void create(SnowflakeSpec spec) {
        administration.create(spec);
    }

    /**
     * Registers a sequence that issues nothing until it is {@linkplain #seed seeded}; a no-op if there is one of the same
     * type and increment.
     *
     * @throws SequenceException.Conflict if there is one of another type or increment
     * @throws IllegalArgumentException if the specification is time-ordered
     */
    public void register(SequenceSpec spec) {
        administration.register(spec);
    }

    /**
     * Registers a sequence and the column that takes its ids, as {@link #register(SequenceSpec)} and {@link
     * #registerIdentity} do one after the other, with fewer requests.
     *
     * @throws SequenceException.Conflict as those do; if it is about the column, the sequence is registered
     * @throws IllegalArgumentException if the specification is time-ordered, or the column takes another sequence's ids
     */
    public void register(SequenceSpec spec, IdentityColumn column) {
        if (!column.sequence().equals(spec.name())) {
            throw new IllegalArgumentException("must take the ids of sequence " + spec.name() + ": column=" + column);
        }
        administration.register(spec);
        calls.get(identities.register(column));
    }

    /**
     * Raises the sequence so that {@code next} is the first id that may still be issued, and makes it ready. This never lowers
     * a sequence: one that is at {@code next} or past it stays as it is. If ids have been granted before, every process drops
     * those that it holds; this call waits a few watch intervals for all processes, in every datacenter.
     *
     * @return the sequence as it is now
     * @throws SequenceException.NotFound if there is none of that name
     * @throws SequenceException.Exhausted if {@code next} lies beyond the sequence's end
     * @throws SequenceException.NotAcknowledged if the sequence was raised, but some process has not let go of older ids yet.
     *     The error names the processes and datacenters; the same call, repeated, waits for them again
     */
    public SequenceState seed(String name, long next) {
        return administration.seed(name, next);
    }

    /**
     * As {@link #seed(String, long)}, but waits no longer than {@code most} for processes that hold older ids. Zero means that
     * it looks once. So a caller can raise many sequences first, and then wait for all processes together: a process that runs
     * usually lets go within a watch interval.
     *
     * @param most from zero to 365 days; the call itself takes its usual time in addition
     * @throws SequenceException.NotAcknowledged if a process still holds older ids then; the sequence is raised
     */
    public SequenceState seed(String name, long next, Duration most) {
        // Before the raise, because a longer one could not be waited for after it.
        if (most.isNegative() || most.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("must be from 0 to " + LONGEST_WAIT + ": most=" + most);
        }
        return administration.seed(name, next, most);
    }

    /**
     * Makes {@code next} the next id, as SQL Server's {@code ALTER SEQUENCE ... RESTART WITH} and {@code DBCC CHECKIDENT (...,
     * RESEED, ...)} do, but only upwards: an earlier id is an error here, whereas {@link #seed} changes nothing then. As with
     * {@link #seed}, every process drops the ids that it holds. With several datacenters or stripes, each continues with a
     * range of its own from {@code next} on.
     *
     * @return the sequence as it is now
     * @throws SequenceException.Conflict if {@code next} may have been issued, is not one of the sequence's ids, or passes over
     *     more than 5 % of them, which wants {@linkplain #restart(String, long, String) a confirmation}
     * @throws SequenceException.NotAcknowledged as for {@link #seed}
     */
    public SequenceState restart(String name, long next) {
        return administration.restart(name, next, false);
    }

    /**
     * As {@link #restart(String, long)}, for a raise that passes over any number of ids. They are never issued: nothing lowers
     * a sequence again.
     *
     * @param confirmedName the name again, which says that this sequence is meant
     * @throws IllegalArgumentException if it is another name
     */
    public SequenceState restart(String name, long next, String confirmedName) {
        if (!confirmedName.equals(name)) {
            throw new IllegalArgumentException(
                    "must repeat the sequence's name, " + name + ": confirmedName=" + confirmedName);
        }
        return administration.restart(name, next, true);
    }

    /**
     * Drops a sequence: it issues nothing any more, and allocators fail with {@link SequenceException.Dropped}. Its row stays
     * for ever. The sequence can be {@linkplain #create(SequenceSpec) created} again only past everything that it was
     * granted, in the same direction; a time-ordered one never.
     *
     * @throws SequenceException.NotAcknowledged if it was dropped, but a process still holds ids of it, as for {@link #seed}
     */
    public void drop(String name) {
        administration.drop(name);
    }

    /**
     * Reads what a {@linkplain #repair repair} of a sequence that was raised too far would rely on. Changes nothing.
     *
     * @throws SequenceException.Conflict if there is nothing to repair: no raise passed over any ids, or the sequence is
     *     time-ordered or a stream; also if what the datacenters have shows that rows of grants are missing, as after a restore
     * @throws SequenceException.NotReady if the sequence awaits its seed
     * @throws SequenceException.Unavailable if a datacenter that has Cassidy's tables does not answer
     */
    public RepairOutlook repairOutlook(String name) {
        return administration.repairOutlook(name);
    }

    /**
     * Repairs a sequence that was raised too far, for example by an injected {@code ALTER SEQUENCE ... RESTART WITH
     * 2147483647}: it issues again from an id on that the raise passed over. Never automatic. If the global keyspace was
     * restored from a backup or lost a majority, grants of ids that were issued may be missing. A repair is refused if what any
     * datacenter has shows this. It shows nothing if all keyspaces were restored from one moment: then choose a {@code next}
     * past every id that was issued before the restore. Of two calls at the same time at most one succeeds, unless both ask for
     * the same. The call
     *
     * <ol>
     *   <li>proves that the ids to be issued lie between two grants, or past the last one, so that no process has ever had
     *       them, and lets {@code scan} look for rows that have them nevertheless;
     *   <li>{@linkplain #drop drops} the sequence, and waits until every process of every datacenter has let go of its ids;
     *   <li>proves the same again, and creates the sequence as another generation, which begins with {@code repair.next()} and
     *       ends before the ids that were granted after the raise. Its maximum may be lower than before.
     * </ol>
     *
     * <p>From step 2 on the sequence issues nothing until the call has succeeded. If it fails, repeat it. Ids that were granted
     * after the raise are never issued again, by no generation. Cassidy does not know ids that others gave away and that no row
     * has, such as those of rows of an old database that were deleted: choose a {@code next} past them.
     *
     * <p>If {@code clientsStopped} was needed and Cassidy has several datacenters, call {@link #join} in each that {@link
     * #outdatedCopies} names, before you start its clients: its copy still has the old floor.
     *
     * @param confirmedName the sequence's name again, which says that this one is meant
     * @param scan is called twice, and blocks this call for as long as it takes; what it throws ends the repair
     * @return the sequence as it is now
     * @throws SequenceException.Conflict if an id may be used, or another operator changed the sequence; before step 2 nothing
     *     was changed, and after it the message says so
     * @throws SequenceException.Unavailable if a datacenter that has Cassidy's tables does not answer; the message says whether the
     *     sequence was dropped. What {@code scan} throws after step 2 has a suppressed {@link SequenceException.Dropped}
     * @throws SequenceException.NotAcknowledged if a process or a datacenter may still issue ids, as for {@link #seed}; the
     *     same call, repeated, waits for them again
     * @throws IllegalArgumentException if {@code confirmedName} is another name
     */
    public SequenceState repair(Repair repair, String confirmedName, IdScan scan) {
        if (!confirmedName.equals(repair.sequence())) {
            throw new IllegalArgumentException(
                    "must repeat the sequence's name, " + repair.sequence() + ": confirmedName=" + confirmedName);
        }
        return administration.repair(repair, scan);
    }

    /**
     * Ensures that the sequence will never issue {@code id}, nor any id before it, so that it may be inserted explicitly. The
     * caller ensures that it was not issued earlier.
     *
     * @return the sequence as it is now
     * @throws SequenceException.NotAcknowledged if a process still holds older ids, as for {@link #seed}; then {@code id}
     *     must not be inserted yet
     */
    public SequenceState advancePast(String name, long id) {
        return administration.advancePast(name, id);
    }

    /**
     * Lets go of the ids that a process held before the last raise, if that process is gone for good. Release only a process
     * that certainly no longer runs: a paused process that is released and goes on would issue these ids.
     *
     * @param process as {@link #holdersBehind} names it, {@code pid@host/uuid}. {@code pid@host} alone is accepted if one
     *     holder has this name. It then means that holder, which is not necessarily the one that had the name when you
     *     looked. If names are reused, as in containers, use the whole name
     * @throws SequenceException.Conflict if several holders have the name {@code pid@host}; the message lists them
     * @throws IllegalArgumentException if it is this instance
     */
    public void release(String name, String process) {
        administration.release(name, process);
    }

    /**
     * Lets go of the ids that a datacenter held before the last raise, if that datacenter is lost for good. Release only a
     * datacenter that certainly does not run and will not come back: its processes would go on issuing these ids. A
     * datacenter that still exists acknowledges by itself.
     */
    public void releaseDatacenter(String name, String datacenter) {
        administration.releaseDatacenter(name, datacenter);
    }

    /**
     * Acknowledges the last raise for this datacenter, if no process of it holds older ids. Running processes do so by
     * themselves; this is for a datacenter in which no process runs.
     *
     * @return the processes that prevent it, as {@link #holdersBehind}
     */
    public List<Holder> acknowledge(String name) {
        return administration.acknowledge(name);
    }

    /** Returns the processes of this datacenter that hold ids of the sequence. Processes that crashed stay in the list. */
    public List<Holder> holders(String name) {
        return administration.holders(name);
    }

    /**
     * Makes ids that a process claimed, never used and lost in a crash issuable again. Cassidy never does this by itself,
     * because only the caller can know the two conditions: that the process is <b>gone for good</b>, with every thread and
     * every statement of it, and which of its ids are used. A process that was only paused, for example in a virtual machine,
     * and goes on afterwards, issues the same ids as the processes that get them after this call. If this call fails and you
     * repeat it later, check both conditions again.
     *
     * <p>A process that claimed anything within the last hour is refused. Claims older than half the {@code gc_grace_seconds}
     * of table {@code reserve} (ten days by default) are left alone: such a row may be one that was removed long ago. Both
     * ages are by the servers' clocks. Blocks for as long as {@code check} does.
     *
     * @param process as {@link #holders} names it, {@code pid@host/uuid}. {@code pid@host} alone is accepted if one holder
     *     has this name. It then means that holder, which is not necessarily the one that had the name when you looked. If
     *     names are reused, as in containers, use the whole name
     * @param check looks the ids up where they are used, at a consistency that sees every acknowledged insert
     * @return how many ids can be issued again, and the claims that were too old
     * @throws SequenceException.Conflict if several holders have the name {@code pid@host}, which the message lists, or if the
     *     process claimed anything within the last hour
     * @throws IllegalArgumentException if it is this instance
     */
    public Reclaimed reclaim(String name, String process, IdCheck check) {
        return administration.reclaim(name, process, check);
    }

    /**
     * Returns the processes of this datacenter that hold ids from before the last raise. Processes that crashed stay in the
     * list.
     */
    public List<Holder> holdersBehind(String name) {
        return administration.holdersBehind(name);
    }

    /**
     * Makes this datacenter take part in a sequence, also after its reserve was lost. A new reserve begins above every grant
     * that the datacenter ever got, and what was left of these grants is a gap. The record of which processes held ids was
     * lost with the reserve: the next raise waits until {@code release(name, "unknown")} says that no such process is left.
     */
    public void join(String name) {
        administration.join(name);
    }

    /** Reads a sequence in the global keyspace. */
    public Optional<SequenceState> find(String name) {
        return administration.find(name);
    }

    /** Reads every sequence in the global keyspace, by name. */
    public List<SequenceState> list() {
        return administration.list();
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
     * 1,000 blocks, or more, that it has claimed of a sequence, and those of the last 16 node numbers of a time-ordered one. It
     * knows no ids of other processes or instances, none that it issued before {@link #afterRestore}, none of a claim that
     * it has seen Cassandra forget, and none from before it found the sequence set back, as by a restored backup. Of a
     * time-ordered sequence, it is true also for ids that were passed over as the time went on, which nobody issues. Does no I/O.
     */
    public boolean hasIssued(String name, long id) {
        return allocators.hasIssued(name, id);
    }

    /**
     * Records which column of a table takes a sequence's ids; a no-op if it is recorded.
     *
     * @throws SequenceException.Conflict if the table has another column or sequence recorded
     * @throws SequenceException.NotFound if there is no such sequence
     */
    public void registerIdentity(IdentityColumn column) {
        administration.join(column.sequence());
        calls.get(identities.register(column));
    }

    /**
     * Looks up the identity column of a table. The first call reads all registered columns, in the global keyspace; if that
     * does not answer within the request time-out, it reads this datacenter's copy. Later calls need no read: what is
     * registered elsewhere is known within a {@linkplain SequencesConfig#watchInterval watch interval}.
     */
    public CompletionStage<Optional<IdentityColumn>> identityColumnAsync(String keyspace, String table) {
        Optional<IdentityColumn> known = identities.cached(keyspace, table);
        return known.isPresent()
                ? CompletableFuture.completedFuture(known)
                : begun.thenCompose(begin -> identities.find(keyspace, table));
    }

    /**
     * Looks up the identity column of a table that seems to have none, in case it was registered a moment ago. Reads at most
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

    /**
     * Records what inserts give a column that they do not name; a no-op if it is recorded. Other processes know it within a
     * {@linkplain SequencesConfig#watchInterval watch interval}.
     *
     * @throws SequenceException.Conflict if the column has another default
     */
    public void registerDefault(ColumnDefault columnDefault) {
        if (columnDefault.kind() == ColumnDefault.Kind.NEXT_VALUE) {
            administration.join(columnDefault.value());
        }
        calls.get(defaults.register(columnDefault));
    }

    /** Drops the default of a column, names in internal form; a no-op if it has none. */
    public void dropDefault(String keyspace, String table, String column) {
        calls.get(defaults.drop(keyspace, table, column));
    }

    /**
     * Looks up the defaults of a table's columns, in the order of their names. The first call reads those of all tables, as
     * {@link #identityColumnAsync} does; the stage fails if neither the global keyspace nor this datacenter's copy answers.
     */
    public CompletionStage<List<ColumnDefault>> columnDefaultsAsync(String keyspace, String table) {
        List<ColumnDefault> known = defaults.cached(keyspace, table);
        return known != null
                ? CompletableFuture.completedFuture(known)
                : begun.thenCompose(begin -> defaults.find(keyspace, table));
    }

    /** Returns the defaults of a table's columns as far as they are known already; does no I/O. */
    public List<ColumnDefault> cachedColumnDefaults(String keyspace, String table) {
        List<ColumnDefault> known = defaults.cached(keyspace, table);
        return known == null ? List.of() : known;
    }

    /** Returns a number that grows whenever this instance learns that a column's default was changed. */
    public long columnDefaultsGeneration() {
        return defaults.generation();
    }

    /**
     * Declares that a table's rows are written under conditions from now on; a no-op if that is declared. While it waits, and
     * after a failure until it is called again, processes refuse to write to the table.
     *
     * <p>First it waits, for three minutes at most, until each other datacenter has copied the declaration; a process there
     * that writes does it within a minute, and so does this method when it is called there. Then it waits three {@linkplain SequencesConfig#watchInterval watch intervals}, in which every process learns of it that
     * reads its datacenter's keyspace, and for as long as clocks may be ahead: a write with a later timestamp would hide every
     * conditional one until then. A process that reads nothing of Cassidy's keyspaces during all that time, and writes to the
     * table nevertheless, goes on plainly.
     *
     * @param skew by how much the clock of a client that has written to the table may be ahead of the servers' clocks
     * @throws SequenceException.Unavailable naming a datacenter that has not copied it, or if processes could not be told; the
     *     table stays closed until the method was called again
     * @throws SequenceException.Conflict if the table has another mode that is not complete, or is to become PLAIN again
     */
    public void declareWrites(TableWrites writes, Duration skew) {
        WriteModes.Stored begun = calls.get(modes.begin(writes));
        if (begun.given().changing()) {
            awaitCopies(begun);
            Duration wait = config.watchInterval().multipliedBy(3).plus(skew);
            calls.get(timer.after(wait), wait);
            calls.get(modes.complete(begun.given()));
        }
    }

    /**
     * Waits until every datacenter's keyspace has the row: a process that starts while its datacenter is cut off reads nothing
     * else.
     */
    private void awaitCopies(WriteModes.Stored begun) {
        long tries = COPIED.dividedBy(config.watchInterval());
        for (String datacenter : otherDatacenters) {
            String keyspace = Schema.datacenterKeyspace(config.globalKeyspace(), datacenter);
            while (!calls.get(modes.isCopied(keyspace, begun))) {
                if (tries-- <= 0) {
                    throw new SequenceException.Unavailable("datacenter " + datacenter + " has not copied to keyspace "
                            + keyspace + " that table " + begun.given().keyspace() + "."
                            + begun.given().table() + " is about to be written "
                            + begun.given().mode() + "; nothing can be written to the table until the change is"
                            + " complete. Run the command in that datacenter, and then here again");
                }
                calls.get(timer.after(config.watchInterval()), config.watchInterval());
            }
        }
    }

    /**
     * Looks up how a table is written; empty if nothing is declared of it. The stage fails if neither the global keyspace nor
     * this datacenter's copy has answered yet.
     */
    public CompletionStage<Optional<TableWrites>> tableWritesAsync(String keyspace, String table) {
        return begun.thenCompose(begin -> modes.find(keyspace, table));
    }

    /** Returns whether every table is written plainly; false also if that is not known without a read. Does no I/O. */
    public boolean writesPlainlyAlone() {
        return modes.areNone();
    }

    /**
     * Returns every column that takes or took its values from a sequence, as all datacenters know it: the identity columns, and
     * the columns with DEFAULT NEXT VALUE FOR it, also if that default was dropped, because the rows keep their ids. A table or
     * a column that was dropped since is still returned. A default that was replaced by one of another sequence is not known.
     *
     * @throws SequenceException.Unavailable if a majority of the global keyspace's replicas does not answer
     */
    public List<IdentityColumn> columnsOf(String sequence) {
        Stream<IdentityColumn> byDefault = calls.get(defaults.everywhere()).stream()
                .map(ColumnDefaults.Stored::given)
                .filter(each -> each.kind() == ColumnDefault.Kind.NEXT_VALUE)
                .map(each -> new IdentityColumn(each.keyspace(), each.table(), each.column(), each.value()));
        return Stream.concat(calls.get(identities.everywhere()).stream(), byDefault)
                .filter(column -> column.sequence().equals(sequence))
                .distinct()
                .toList();
    }

    /**
     * Returns which ids earlier generations of a sequence were granted past the end of a repaired one, without any order. They
     * may have been issued, and the sequence's {@code next} and {@code floor} do not tell of them. Empty if there is no such
     * sequence, or if no repair left any behind.
     */
    public List<TakenIds> takenIds(String name) {
        return administration.takenIds(name);
    }

    /**
     * Returns the datacenters whose copy of a sequence is older than the sequence. Their clients notice by themselves; until
     * then they rely on the old copy, and so on its floor. {@link #join}, called there, brings it up to date.
     *
     * @throws SequenceException.Unavailable if a datacenter does not answer; the message names it
     */
    public List<String> outdatedCopies(String name) {
        return administration.outdatedCopies(name);
    }

    /** Returns every identity column that is recorded in this datacenter. */
    public List<IdentityColumn> identityColumns() {
        return calls.get(identities.all());
    }

    /**
     * Returns this datacenter's copy of a sequence: specification, incarnation, readiness and floor, but not the global
     * level's {@code next}, which is left empty. A copy that is ready is remembered for a watch interval; its floor can only
     * be higher than remembered.
     *
     * @return a stage that fails with {@link SequenceException.NotFound} if there is no such sequence
     */
    public CompletionStage<SequenceState> localStateAsync(String name) {
        return states.find(name);
    }

    /**
     * Reads how much is left of every sequence, by name. Works while datacenters are cut off: the status says which of them
     * did not answer.
     */
    public List<SequenceStatus> status() {
        return calls.get(statusAsync(), LONGEST_STATUS);
    }

    /** Does the same as {@link #status()}, without blocking. */
    public CompletionStage<List<SequenceStatus>> statusAsync() {
        return headroom.reader().all();
    }

    /**
     * Reads how much is left of one sequence.
     *
     * @throws SequenceException.NotFound if there is none of that name
     */
    public SequenceStatus status(String name) {
        return calls.get(headroom.reader().one(name), LONGEST_STATUS)
                .orElseThrow(() -> new SequenceException.NotFound(
                        "there is no sequence " + name + " in keyspace " + config.globalKeyspace()));
    }

    /**
     * Adds a listener, which from now on learns when a sequence that this process uses passes 50, 70, 85
     * or 95 % of its ids, has fewer than 180 days left, when its reserve would not last for {@link SequencesConfig#isolation()}, and when the
     * reserve cannot be refilled. A background task checks this once a minute. Each alarm comes once, and again if it was over
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

    Headroom headroom() {
        return headroom;
    }

    /** Returns what this process's allocator of a sequence has done; empty if it has none. */
    Optional<AllocatorFigures> figures(String name) {
        return allocators.figures(name);
    }

    /** Returns how many conditional writes this instance has sent to claim and grant ranges since it was opened. */
    public long conditionalWrites() {
        return store.conditionalWrites();
    }

    /**
     * Prepares for a copy of this process, as CRaC, CRIU and snapshots of virtual machines make them. Gives back every id and
     * node number that this instance holds, within the request time-out, and issues nothing until {@link #afterRestore}.
     * Meanwhile callers of allocators wait, up to the claim time-out; callers of time-ordered sequences get
     * {@link SequenceException.Detached}. A no-op if it was called already, or if this is closed. Called automatically if
     * {@code org.crac} is on the class path.
     */
    public void beforeCheckpoint() {
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
        LOG.info("this instance goes on as {}", identity.holder());
        // What was changed since the copy was made.
        begun = rounds.lookAgain()
                .toCompletableFuture()
                .completeOnTimeout(null, LONGEST_BEGIN.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Closes every allocator and gives their unused ids back, within the request time-out. Leaves the session open. If a
     * process ends without this call, by return or by SIGTERM, the same happens while it exits.
     */
    @Override
    public void close() {
        ExitHook.INSTANCE.remove(hooks);
        // A second caller waits for the first.
        allocators.close(config.requestTimeout());
        timer.close();
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
