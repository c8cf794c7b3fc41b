package dev.cassidy.sequence.cassandra;

import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.sequence.IdCheck;
import dev.cassidy.sequence.IdScan;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.protocol.UnusedIds;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Holdings;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.protocol.ClusterSnowflakes;
import dev.cassidy.table.TableRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What an operator does with sequences: looks at them, raises, drops and repairs them, and deals with the ids of processes and
 * datacenters that are gone. Raising needs a majority of all replicas of the global keyspace.
 *
 * <p>{@link #seed}, {@link #restart}, {@link #advancePast}, {@link #drop} and {@link #repair} return when no node forgets what
 * they changed, even if it is killed: after {@link #standing} at the soonest, {@code advancePast} after twice that. What is
 * created is looked at in the background, and created again if it is gone.
 *
 * <p>Safe for use by many threads. Every method blocks. On one of the driver's threads it throws an {@link
 * IllegalStateException} where it would wait; what it has begun goes on.
 */
public final class SequenceAdmin {

    private static final Duration LONGEST_WAIT = Duration.ofDays(365);

    /** With thousands of sequences a status takes long. */
    private static final Duration LONGEST_STATUS = Duration.ofMinutes(5);

    private final Stores stores;
    private final SequenceRegistry registry;
    private final HeldClaims claims;
    private final Raises raises;
    private final Acknowledgements acknowledgements;
    private final SequenceRepairs repairs;
    private final Settlement settlement;
    private final ClusterSnowflakes snowflakes;
    private final OpenAllocators allocators;
    private final TableRegistry tables;
    private final BlockingCalls calls;

    /** @param allocators the allocators of this instance, which learn of its changes immediately */
    SequenceAdmin(
            Stores stores,
            SequenceRegistry registry,
            HeldClaims claims,
            Raises raises,
            Acknowledgements acknowledgements,
            SequenceRepairs repairs,
            Settlement settlement,
            ClusterSnowflakes snowflakes,
            OpenAllocators allocators,
            TableRegistry tables,
            BlockingCalls calls) {
        this.stores = stores;
        this.registry = registry;
        this.claims = claims;
        this.raises = raises;
        this.acknowledgements = acknowledgements;
        this.repairs = repairs;
        this.settlement = settlement;
        this.snowflakes = snowflakes;
        this.allocators = allocators;
        this.tables = tables;
        this.calls = calls;
    }

    // ---- what there is

    /** Reads a sequence in the global keyspace. */
    public Optional<SequenceState> find(String name) {
        return calls.get(registry.find(name)).map(SequenceState::of);
    }

    /** Reads every sequence in the global keyspace, by name. */
    public List<SequenceState> list() {
        List<SequenceState> states = new ArrayList<>();
        for (SequenceGlimpse each : calls.get(stores.catalog().glimpses())) {
            find(each.name()).ifPresent(states::add);
        }
        states.sort(Comparator.comparing(state -> state.spec().name()));
        return states;
    }

    /**
     * Reads how much is left of every sequence, by name. Works while datacenters are cut off: the status says which of them
     * did not answer.
     */
    public List<SequenceStatus> status() {
        return calls.get(stores.status().all(), LONGEST_STATUS);
    }

    /**
     * Reads how much is left of one sequence.
     *
     * @throws SequenceException.NotFound if there is none of that name
     */
    public SequenceStatus status(String name) {
        return calls.get(stores.status().one(name), LONGEST_STATUS)
                .orElseThrow(() -> new SequenceException.NotFound(
                        "there is no sequence " + name + " in keyspace " + stores.globalKeyspace()));
    }

    /**
     * Returns which ids earlier generations of a sequence were granted past the end of a repaired one, without any order. They
     * may have been issued, and the sequence's {@code next} and {@code floor} do not tell of them. Empty if there is no such
     * sequence, or if no repair left any behind.
     */
    public List<TakenIds> takenIds(String name) {
        return calls.get(stores.catalog().history(name)).taken().stream()
                .map(taken -> new TakenIds(taken.lowest(), taken.highest()))
                .toList();
    }

    /**
     * Returns the datacenters whose copy of a sequence is older than the sequence, or has a lower floor. Their clients notice by
     * themselves; until then they rely on the old copy, and so on its floor. {@link #join}, called there, brings it up to date.
     *
     * @throws SequenceException.Unavailable if a datacenter does not answer; the message names it
     */
    public List<String> outdatedCopies(String name) {
        return calls.get(registry.requireKnown(name)
                .thenCompose(entry -> stores.catalog().holdings(entry).thenApply(all -> all.stream()
                        .filter(each -> each.copy()
                                .filter(copy -> copy.isBehind(SequenceGlimpse.of(entry)))
                                .isPresent())
                        .map(Holdings::datacenter)
                        .toList())));
    }

    /**
     * Returns how long nodes that are killed may still forget what they acknowledge, by their settings: the longest
     * {@code commitlog_sync_period} and a second; zero if they forget nothing. Raises and drops wait for so long, and are then
     * read back and repeated if they are gone.
     */
    public Duration standing() {
        return raises.standing();
    }

    /** Returns how many conditional writes this instance has sent to claim and grant ranges since it was opened. */
    public long conditionalWrites() {
        return stores.ranges().conditionalWrites();
    }

    // ---- create, raise and drop

    /** See {@link Sequences#create(SequenceSpec)}. */
    void create(SequenceSpec spec) {
        requireCounted(spec);
        settlement.created(registry, calls.get(registry.create(spec, true)));
    }

    /** See {@link Sequences#create(SnowflakeSpec)}. */
    void create(SnowflakeSpec spec) {
        // The name first: if it is taken, nothing else is created.
        SequenceSpec named = SequenceSpec.timeOrdered(spec.name());
        settlement.created(registry, calls.get(registry.create(named, true)));
        calls.get(snowflakes.createAsync(spec));
    }

    /**
     * Registers a sequence that issues nothing until it is {@linkplain #seed seeded}; a no-op if there is one of the same
     * type and increment.
     *
     * @throws SequenceException.Conflict if there is one of another type or increment
     * @throws IllegalArgumentException if the specification is time-ordered
     */
    public void register(SequenceSpec spec) {
        requireCounted(spec);
        settlement.created(registry, calls.get(registry.create(spec, false)));
    }

    /**
     * Registers a sequence and the column that takes its ids, as {@link #register(SequenceSpec)} and {@link
     * Sequences#registerIdentity} do one after the other, with fewer requests. The table may be created later.
     *
     * @throws SequenceException.Conflict as those do; if it is about the column, the sequence is registered
     * @throws IllegalArgumentException if the specification is time-ordered, the column takes another sequence's ids, or the
     *     table is one of Cassidy's own
     */
    public void register(SequenceSpec spec, IdentityColumn column) {
        if (!column.sequence().equals(spec.name())) {
            throw new IllegalArgumentException("must take the ids of sequence " + spec.name() + ": column=" + column);
        }
        stores.contracts().refuseOwn(column.keyspace(), column.table());
        register(spec);
        calls.get(stores.contracts().register(column, true));
    }

    private static void requireCounted(SequenceSpec spec) {
        if (spec.order() == Order.TIME) {
            throw new IllegalArgumentException("is time-ordered, and needs an epoch: sequence=" + spec.name()
                    + "; create it by create(SnowflakeSpec.of(\"" + spec.name() + "\", epoch))");
        }
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
        return raise(name, next, settlement.usualWait());
    }

    /**
     * As {@link #seed(String, long)}, but waits no longer than {@code most} for processes that hold older ids. Zero means that
     * it looks once, and does not wait for {@link #standing} either. So a caller can raise many sequences first, and then wait
     * for all together by the same calls: a process that runs usually lets go within a watch interval.
     *
     * @param most from zero to 365 days; the call itself takes its usual time in addition
     * @throws SequenceException.NotAcknowledged if a process still holds older ids then, or if {@code most} is zero and nodes may
     *     still forget the raise; the sequence is raised
     */
    public SequenceState seed(String name, long next, Duration most) {
        // Before the raise, because a longer one could not be waited for after it.
        if (most.isNegative() || most.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("must be from 0 to " + LONGEST_WAIT + ": most=" + most);
        }
        return raise(name, next, most);
    }

    private SequenceState raise(String name, long next, Duration most) {
        return SequenceState.of(settlement.settled(() -> raises.seed(name, next), "raised to " + next, most));
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
        return restart(name, next, false);
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
        return restart(name, next, true);
    }

    private SequenceState restart(String name, long next, boolean confirmed) {
        return SequenceState.of(
                settlement.settled(() -> raises.restart(name, next, confirmed), "restarted with " + next));
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
        SequenceEntry entry = settlement.settled(() -> raises.recallPast(name, id), "raised past " + id);
        SequenceEntry raised = settlement.lasting(raises.raiseFloor(entry), Duration.ZERO);
        allocators.changed(name);
        return SequenceState.of(raised);
    }

    /**
     * Drops a sequence: it issues nothing any more, and allocators fail with {@link SequenceException.Dropped}. Its row stays
     * for ever. The sequence can be {@linkplain Sequences#create(SequenceSpec) created} again only past everything that it was
     * granted, in the same direction; a time-ordered one never.
     *
     * @throws SequenceException.NotAcknowledged if it was dropped, but a process still holds ids of it, as for {@link #seed}
     */
    public void drop(String name) {
        SequenceEntry dropped = settlement.settled(() -> registry.drop(name), "dropped");
        if (dropped.spec().order() == Order.TIME) {
            snowflakes.destroy(name);
        }
    }

    /**
     * Makes this datacenter take part in a sequence, also after its reserve was lost. A new reserve begins above every grant
     * that the datacenter ever got, and what was left of these grants is a gap. The record of which processes held ids was
     * lost with the reserve: the next raise waits until {@code release(name, "unknown")} says that no such process is left.
     */
    public void join(String name) {
        calls.get(registry.require(name).thenCompose(registry::join));
    }

    // ---- repair

    /**
     * Reads what a {@linkplain #repair repair} of a sequence that was raised too far would rely on. Changes nothing.
     *
     * @throws SequenceException.Conflict if there is nothing to repair: no raise passed over any ids, or the sequence is
     *     time-ordered or a stream; also if what the datacenters have shows that rows of grants are missing, as after a restore
     * @throws SequenceException.NotReady if the sequence awaits its seed
     * @throws SequenceException.Unavailable if a datacenter that has Cassidy's tables does not answer
     */
    public RepairOutlook repairOutlook(String name) {
        return repairs.outlook(name);
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
        insertConditionally(repair.sequence());
        return SequenceState.of(repairs.repair(repair, scan));
    }

    // ---- processes and datacenters that hold ids

    /** Returns the processes of this datacenter that hold ids of the sequence. Processes that crashed stay in the list. */
    public List<Holder> holders(String name) {
        return calls.get(registry.require(name)
                .thenCompose(entry -> claims.claimsOf(entry).thenApply(held -> Holder.of(entry, held))));
    }

    /**
     * Returns the processes of this datacenter that hold ids from before the last raise. Processes that crashed stay in the
     * list.
     */
    public List<Holder> holdersBehind(String name) {
        return calls.get(registry.requireKnown(name)
                .thenCompose(entry -> claims.claimsBefore(entry).thenApply(held -> Holder.of(entry, held))));
    }

    /**
     * Lets go of the ids that a process held before the last raise, if that process is gone for good. Release only a process
     * that certainly no longer runs: a paused process that is released and goes on would issue these ids.
     *
     * @param process as {@link #holdersBehind} names it, {@code pid@host/uuid}. {@code pid@host} alone is accepted if one
     *     holder has this name. It then means that holder, which is not necessarily the one that had the name when you
     *     looked. If names are reused, as in containers, use the whole name
     * @throws SequenceException.Conflict if several holders have the name {@code pid@host}, or if no holder of such ids has
     *     the name; the message lists them
     * @throws IllegalArgumentException if it is this instance
     */
    public void release(String name, String process) {
        calls.get(registry.requireKnown(name).thenCompose(entry -> claims.release(entry, process)));
        // That process may have been the last holder.
        acknowledgements.noticed(name, Duration.ZERO);
    }

    /**
     * Lets go of the ids that a datacenter held before the last raise, if that datacenter is lost for good. Release only a
     * datacenter that certainly does not run and will not come back: its processes would go on issuing these ids. A
     * datacenter that still exists acknowledges by itself. A no-op if it has acknowledged.
     *
     * @throws SequenceException.Conflict if the sequence has never granted ids to a datacenter of this name; the message
     *     lists those to which it has
     */
    public void releaseDatacenter(String name, String datacenter) {
        calls.get(registry.requireKnown(name).thenCompose(entry -> raises.releaseDatacenter(entry, datacenter)));
    }

    /**
     * Acknowledges the last raise for this datacenter, if no process of it holds older ids. Running processes do so by
     * themselves; this is for a datacenter in which no process runs.
     *
     * @return the processes that prevent it, as {@link #holdersBehind}
     */
    public List<Holder> acknowledge(String name) {
        return settlement.lasting(
                registry.requireKnown(name)
                        .thenCompose(entry -> raises.acknowledge(entry).thenApply(held -> Holder.of(entry, held))),
                Duration.ZERO);
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
     * @throws SequenceException.Conflict if several holders have the name {@code pid@host}, or no holder has it, which the
     *     message lists, or if the process claimed anything within the last hour
     * @throws IllegalArgumentException if it is this instance
     */
    public Reclaimed reclaim(String name, String process, IdCheck check) {
        if (process.equals(CassandraRangeStore.UNKNOWN_HOLDER)) {
            throw new IllegalArgumentException("must be a process that is gone: process='" + process
                    + "' is what stands for all whose claims were lost with their reserve");
        }
        SequenceEntry entry = calls.get(registry.require(name));
        HeldClaims.Abandoned abandoned = calls.get(claims.abandonedBy(entry, process));
        if (!abandoned.reclaimable().isEmpty()) {
            insertConditionally(name);
        }
        long ids = 0;
        for (HeldClaim each : abandoned.reclaimable()) {
            List<Span> unused = UnusedIds.of(entry.spec(), each.claim().span(), check);
            if (calls.get(claims.reclaim(each, unused))) {
                ids += unused.stream().mapToLong(Span::size).sum();
            }
        }
        return new Reclaimed(ids, Holder.of(entry, abandoned.tooOld()));
    }

    /** Rows of exact tables are written plainly only if nothing was ever written to them: what is issued again may have been. */
    private void insertConditionally(String sequence) {
        tables.columnsOf(sequence).forEach(column -> tables.insertConditionally(column.keyspace(), column.table()));
    }
}
