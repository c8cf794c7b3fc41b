package dev.cassidy.reliability.simulation.counter;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.ActorRows;
import dev.cassidy.counter.store.BrokenOff;
import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Fold;
import dev.cassidy.counter.store.Settled;
import dev.cassidy.counter.store.SettlementStore;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.counter.store.TouchedStore;
import dev.cassidy.counter.store.Versions;
import dev.cassidy.reliability.simulation.counter.Datacenter.Settlement;
import dev.cassidy.reliability.simulation.counter.Datacenter.Slot;
import dev.cassidy.reliability.simulation.counter.Mutation.RangeDelete;
import dev.cassidy.reliability.simulation.counter.Mutation.Write;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The stores of one process, over its link. */
final class SimulatedStores {

    /** What the stores do otherwise than they must. */
    enum Bug {
        /** The write timestamp is the time, as an ordinary client's. */
        WRITTEN_BY_THE_CLOCK,
        /** A fold writes its sum and deletes its increments in two steps. */
        FOLDED_IN_TWO_STEPS,
        /** A slot is looked at on any replica. */
        LOOKED_AT_ANYWHERE,
        /** What ended in doubt is not noted. */
        ENDS_NOT_NOTED,
        /** Which numbers of an epoch count is not stored with the decision. */
        NUMBERS_NOT_STORED,
        /** Which numbers of an epoch count is asked of any replica. */
        NUMBERS_READ_ANYWHERE,
        /** A decision replaces the one before, whatever that is. */
        DECIDED_TWICE,
        /** What an actor left is read a page at a time. */
        READ_IN_PAGES,
        /** What an actor left is read from one replica. */
        READ_FROM_ONE_REPLICA,
        /** What an actor left is what it was at the process's look before the last one, and not after that. */
        READ_BEFORE_THE_LOOK,
        /** A lease does not compare what it replaces. */
        TAKEN_BLINDLY,
        /** A write that timed out is taken for one that was refused. */
        TIME_OUT_TAKEN_FOR_REFUSAL,
        /** A process opens a table whose contract names another installation. */
        CONTRACT_NOT_ASKED,
        /** What was known of an emptied table is written into it. Only where tables are emptied. */
        GENERATION_NOT_ASKED,
        /** What was settled in a table before it was emptied is kept for it. Only where tables are emptied. */
        GENERATIONS_SHARE_SETTLEMENTS,
        /** A table is emptied in one step. Only where tables are emptied. */
        EMPTIED_IN_ONE_STEP,
        /** The row of a generation does not name its table, so that a process continues in another one. Only where it is made anew. */
        TABLE_NOT_NAMED,
        /** A contract is taken for one of whatever table has the name. Only where it is made anew. */
        CONTRACT_OF_ANY_TABLE,
        /** A process that has learned that its table is gone continues to count. Only where it is made anew. */
        GONE_NOT_REMEMBERED,
        /** A table is created under the id with which another process has begun, and perhaps ended. Only where it is made anew. */
        ID_USED_AGAIN,
        /** A process that has found no table replaces the contract, whatever that says by now. Only where it is made anew. */
        CONTRACT_REPLACED_BLINDLY,
        /** A claim is completed though it was changed since the other installation was asked. Only where it is made anew. */
        COMPLETED_WHATEVER_THE_REVISION,
        /** The other installation is not asked after a claim. Only where it is made anew. */
        OTHERS_NOT_ASKED_AFTER_THE_CLAIM,
        /** A process opens a table that its installation has claimed. Only where it is made anew. */
        CLAIM_OPENED
    }

    /** A table as a process has opened it. */
    static final class OpenTable {

        /** The id of a table that nobody drops. */
        static final int KEPT = 0;

        final int id;

        /** Whether the process has learned that there is no such table any more. */
        boolean gone;

        OpenTable(int id) {
            this.id = id;
        }
    }

    private final Datacenter datacenter;
    private final Link link;
    private final @Nullable Bug bug;

    /** Each has slots, settlements and hints of its own, and so has each generation. */
    private final int installation;

    private final Generation generation;
    private Map<String, List<CounterRow>> seenAtLook = Map.of();
    private Map<String, List<CounterRow>> lastSeen = Map.of();

    /**
     * Of which generation of the table the stores are.
     *
     * @param asks whether the table may be emptied, so that it is asked
     * @param ended is told which one has begun
     */
    record Generation(OpenTable table, int number, boolean asks, IntConsumer ended) {

        static final String ROWS = "~cassidy|";

        /** Of a table that nobody empties. */
        static Generation only() {
            return new Generation(new OpenTable(OpenTable.KEPT), 0, false, begun -> {});
        }

        /** The row that names a generation of a table. */
        static Mutation row(int table, int number) {
            return new Mutation(ROWS + table + " " + number, List.of(new Write(1, BigInteger.ZERO, null, 1)), null);
        }

        /** Returns the generations of a table that rows name. */
        static List<Integer> in(Collection<String> keys, int table, @Nullable Bug bug) {
            return keys.stream()
                    .filter(key -> key.startsWith(ROWS + (bug == Bug.TABLE_NOT_NAMED ? "" : table + " ")))
                    .map(key -> Integer.parseInt(key.substring(key.indexOf(' ') + 1)))
                    .sorted()
                    .toList();
        }
    }

    SimulatedStores(Datacenter datacenter, Link link, @Nullable Bug bug, int installation, Generation generation) {
        this.datacenter = datacenter;
        this.link = link;
        this.bug = bug;
        this.installation = installation;
        this.generation = generation;
    }

    private Register<Slot> slot(int number) {
        return datacenter.slot(installation, keptFor(), number);
    }

    private Register<Settlement> settlement(String counter, int slot) {
        return datacenter.settlement(installation, keptFor(), counter, slot);
    }

    private NavigableSet<String> touched(int slot, int epoch) {
        return datacenter.touched.computeIfAbsent(touchedKey(slot, epoch), first -> new TreeSet<>());
    }

    private String touchedKey(int slot, int epoch) {
        return installation + "|" + keptFor() + "|" + slot + "|" + epoch;
    }

    private int keptFor() {
        return bug == Bug.GENERATIONS_SHARE_SETTLEMENTS ? 0 : generation.number();
    }

    final class Slots implements SlotStore {

        @Override
        public CompletionStage<List<SlotLease>> glance(int from, int to) {
            return link.read(() -> IntStream.range(from, to)
                    .mapToObj(slot -> slot(slot).look().lease())
                    .flatMap(Optional::stream)
                    .toList());
        }

        @Override
        public CompletionStage<Optional<SlotLease>> read(int slot) {
            return link.read(() -> slot(slot).read().lease());
        }

        @Override
        public CompletionStage<Optional<SlotLease>> look(int slot) {
            if (bug == Bug.READ_BEFORE_THE_LOOK) {
                return link.select("")
                        .thenCompose(seen -> link.read(() -> {
                            seenAtLook = lastSeen;
                            lastSeen = seen;
                            return slot(slot).look().lease();
                        }));
            }
            return link.read(() -> bug == Bug.LOOKED_AT_ANYWHERE
                    ? slot(slot).stale().lease()
                    : slot(slot).look().lease());
        }

        @Override
        public CompletionStage<List<BrokenOff>> brokenOff(int slot, int epoch) {
            return link.read(() -> slot(slot).read().brokenOff().entrySet().stream()
                    .filter(ended -> ended.getKey() >= epoch)
                    .map(ended -> new BrokenOff(ended.getKey(), ended.getValue()))
                    .toList());
        }

        private CompletionStage<StepOutcome> step(int number, Predicate<Slot> condition, UnaryOperator<Slot> change) {
            Register<Slot> register = slot(number);
            return link.step(
                    () -> {
                        boolean holds = condition.test(register.read());
                        if (holds) {
                            register.step(change);
                        }
                        return holds;
                    },
                    register::commit);
        }

        @Override
        public CompletionStage<StepOutcome> create(SlotLease wanted) {
            return step(wanted.slot(), slot -> slot.lease().isEmpty(), slot -> slot.with(wanted));
        }

        @Override
        public CompletionStage<StepOutcome> take(SlotLease seen, SlotLease wanted) {
            return step(
                    seen.slot(),
                    slot -> slot.lease().filter(seen::equals).isPresent() || bug == Bug.TAKEN_BLINDLY,
                    slot -> seen.free() || bug == Bug.ENDS_NOT_NOTED
                            ? slot.with(wanted)
                            : slot.with(wanted).withBrokenOff(seen.epoch(), false));
        }

        @Override
        public CompletionStage<StepOutcome> renew(SlotLease held, long beat) {
            return step(
                    held.slot(),
                    slot -> slot.lease()
                            .filter(lease -> lease.isLeaseOf(held) && !lease.free())
                            .isPresent(),
                    slot -> slot.with(slot.lease().orElseThrow().withBeat(beat)));
        }

        @Override
        public CompletionStage<StepOutcome> release(SlotLease held) {
            return step(
                    held.slot(),
                    slot -> slot.lease()
                            .filter(lease -> lease.isLeaseOf(held) && !lease.free())
                            .isPresent(),
                    slot -> {
                        SlotLease lease = slot.lease().orElseThrow();
                        return slot.with(new SlotLease(lease.slot(), lease.epoch(), lease.token(), lease.beat(), true));
                    });
        }

        @Override
        public CompletionStage<StepOutcome> swept(int slot, int epoch) {
            return step(
                    slot,
                    found -> Boolean.FALSE.equals(found.brokenOff().get(epoch)),
                    found -> found.withBrokenOff(epoch, true));
        }

        @Override
        public CompletionStage<Optional<String>> holder(int slot) {
            return link.read(() -> Optional.of("somebody"));
        }
    }

    final class Settlements implements SettlementStore {

        @Override
        public CompletionStage<Settled> read(String counter, int slot) {
            return link.read(() -> settlement(counter, slot).read().settled());
        }

        @Override
        public CompletionStage<StepOutcome> advance(
                String counter, int slot, Settled seen, Settled wanted, Map<Integer, Long> counted) {
            Register<Settlement> register = settlement(counter, slot);
            return link.step(
                    () -> {
                        boolean holds = register.read().settled().epoch() == seen.epoch() || bug == Bug.DECIDED_TWICE;
                        if (holds) {
                            register.step(before -> {
                                Map<Integer, Long> more = new TreeMap<>(before.counted());
                                more.putAll(bug == Bug.NUMBERS_NOT_STORED ? Map.of() : counted);
                                return new Settlement(wanted, more);
                            });
                        }
                        return holds;
                    },
                    register::commit);
        }

        @Override
        public CompletionStage<OptionalLong> counted(String counter, int slot, int epoch) {
            return link.read(() -> {
                Register<Settlement> register = settlement(counter, slot);
                Settlement found = bug == Bug.NUMBERS_READ_ANYWHERE ? register.stale() : register.read();
                Long last = found.counted().get(epoch);
                return last == null ? OptionalLong.empty() : OptionalLong.of(last);
            });
        }
    }

    final class Touched implements TouchedStore {

        @Override
        public CompletionStage<Void> note(int slot, int epoch, Collection<String> counters) {
            return link.read(() -> {
                touched(slot, epoch).addAll(counters);
                return null;
            });
        }

        @Override
        public CompletionStage<List<String>> next(int slot, int epoch, String after) {
            return link.read(() -> touched(slot, epoch).stream()
                    .filter(counter -> counter.compareTo(after) > 0)
                    .limit(2)
                    .toList());
        }

        @Override
        public CompletionStage<Void> forget(int slot, int epoch, String after, String upto) {
            return link.read(() -> {
                touched(slot, epoch).subSet(after, false, upto, true).clear();
                return null;
            });
        }

        @Override
        public CompletionStage<Void> forget(int slot, int epoch) {
            return link.read(() -> {
                datacenter.touched.remove(touchedKey(slot, epoch));
                return null;
            });
        }
    }

    final class Table implements CounterTable {

        private static final int PAGE = 3;

        /** Less than the time between the two steps in which a table is emptied. */
        private static final Duration LONGEST_STAND = Duration.ofSeconds(4);

        private long stamp(long version) {
            return bug == Bug.WRITTEN_BY_THE_CLOCK ? Clocks.micros(datacenter.time()) : version;
        }

        @Override
        public CompletionStage<Void> write(String counter, String actor, long version, BigInteger increment) {
            if (generation.table().gone && bug != Bug.GONE_NOT_REMEMBERED) {
                return CompletableFuture.failedFuture(gone());
            }
            datacenter.sent.put(counter + "|" + actor + "|" + version, increment);
            CompletionStage<Void> written = link.write(new Mutation(
                    counter + "|" + actor, List.of(new Write(version, increment, null, stamp(version))), null));
            return bug == Bug.TIME_OUT_TAKEN_FOR_REFUSAL
                    ? written.exceptionallyCompose(failure ->
                            CompletableFuture.failedFuture(new Rejected("refused", new Link.Fault("refused"))))
                    : written;
        }

        @Override
        public CompletionStage<Void> writeAgain(String counter, String actor, long version, BigInteger increment) {
            return generation.asks()
                    ? writeIfSame(new Mutation(
                            counter + "|" + actor, List.of(new Write(version, increment, null, stamp(version))), null))
                    : write(counter, actor, version, increment);
        }

        private CompletionStage<Void> writeIfSame(Mutation mutation) {
            if (!generation.asks() || bug == Bug.GENERATION_NOT_ASKED) {
                return link.write(mutation);
            }
            // A process that stands still here for longer writes into the emptied table: nothing can prevent that.
            long latest = datacenter.time().nanoTime() + LONGEST_STAND.toNanos();
            return require().thenCompose(same -> link.write(mutation, latest));
        }

        CompletionStage<Void> require() {
            if (!generation.asks() || bug == Bug.GENERATION_NOT_ASKED) {
                return CompletableFuture.completedFuture(null);
            }
            return link.select(Generation.ROWS)
                    .thenCompose(found -> isIn(found)
                            ? CompletableFuture.<Void>completedFuture(null)
                            : link.select(Generation.ROWS, 3)
                                    .thenCompose(all ->
                                            isIn(all) ? CompletableFuture.<Void>completedFuture(null) : emptied(all)))
                    .exceptionallyCompose(failure -> Stages.cause(failure) instanceof Rejected rejected
                            ? requireTable().thenCompose(same -> CompletableFuture.<Void>failedFuture(rejected))
                            : CompletableFuture.<Void>failedFuture(failure));
        }

        private boolean isIn(Map<String, List<CounterRow>> found) {
            return generations(found).contains(generation.number());
        }

        private List<Integer> generations(Map<String, List<CounterRow>> found) {
            return Generation.in(found.keySet(), generation.table().id, bug);
        }

        private CompletionStage<Void> emptied(Map<String, List<CounterRow>> all) {
            List<Integer> others = generations(all);
            if (others.isEmpty()) {
                return requireTable()
                        .thenCompose(
                                same -> CompletableFuture.failedFuture(new Link.Fault("no row names the generation")));
            }
            generation.ended().accept(others.get(0));
            return CompletableFuture.failedFuture(new Emptied("emptied", new UUID(0, others.get(0))));
        }

        /** Asks a node whether there is the table still. */
        private CompletionStage<Void> requireTable() {
            if (generation.table().id == OpenTable.KEPT) {
                return CompletableFuture.completedFuture(null);
            }
            return link.table().thenAccept(now -> {
                if (now != generation.table().id) {
                    generation.table().gone = true;
                    throw gone();
                }
            });
        }

        private Rejected gone() {
            return new Rejected("the table is not the one that was opened", new Link.Fault("gone"));
        }

        @Override
        public CompletionStage<ActorRows> read(String counter, String actor) {
            if (bug == Bug.READ_IN_PAGES) {
                return readPages(counter, actor);
            }
            String key = counter + "|" + actor;
            if (bug == Bug.READ_BEFORE_THE_LOOK) {
                return link.read(() -> rows(actor, seenAtLook.getOrDefault(key, List.of())));
            }
            return bug == Bug.READ_FROM_ONE_REPLICA
                    ? link.read(() -> rows(
                            actor,
                            Replica.merged(List.of(datacenter
                                            .replicas
                                            .get(datacenter.random().nextInt(3))
                                            .read(key)))
                                    .getOrDefault(key, List.of())))
                    : link.select(key).thenApply(found -> rows(actor, found.getOrDefault(key, List.of())));
        }

        private ActorRows rows(String actor, List<CounterRow> rows) {
            if (bug != Bug.WRITTEN_BY_THE_CLOCK) {
                return new ActorRows(actor, rows);
            }
            // Its reader does not mind the timestamps.
            return new ActorRows(
                    actor,
                    rows.stream()
                            .map(row -> new CounterRow(
                                    row.actor(),
                                    row.version(),
                                    row.increment(),
                                    row.upto(),
                                    row.upto() == null ? row.version() : row.upto(),
                                    false))
                            .toList());
        }

        @Override
        public CompletionStage<ActorRows> readPages(String counter, String actor) {
            return require()
                    .thenCompose(same -> pages(counter, actor, -1, new ArrayList<>()))
                    .thenApply(all -> rows(actor, all));
        }

        private CompletionStage<List<CounterRow>> pages(
                String counter, String actor, long after, List<CounterRow> before) {
            String key = counter + "|" + actor;
            return link.select(key).thenCompose(found -> {
                List<CounterRow> page = found.getOrDefault(key, List.of()).stream()
                        .filter(row -> row.version() > after)
                        .limit(PAGE)
                        .toList();
                before.addAll(page);
                return page.size() < PAGE
                        ? CompletableFuture.completedFuture(before)
                        : pages(counter, actor, page.get(PAGE - 1).version(), before);
            });
        }

        @Override
        public CompletionStage<List<ActorRows>> readAll(String counter) {
            return require().thenCompose(same -> link.select(counter + "|")).thenCompose(found -> {
                CompletionStage<List<ActorRows>> all = CompletableFuture.completedFuture(new ArrayList<>());
                for (String key : found.keySet()) {
                    String actor = key.substring(key.indexOf('|') + 1);
                    all = all.thenCompose(list -> readPages(counter, actor).thenApply(rows -> {
                        list.add(rows);
                        return list;
                    }));
                }
                return all;
            });
        }

        @Override
        public CompletionStage<Void> fold(String counter, String actor, Fold fold) {
            return writeBase(
                    counter + "|" + actor,
                    Versions.base(fold.epoch()),
                    Versions.bookend(fold.epoch()),
                    fold.sum(),
                    fold.upto());
        }

        @Override
        public CompletionStage<Void> settle(String counter, String actor, Settled settled) {
            return writeBase(counter + "|" + actor, Versions.SETTLED, Versions.LAST, settled.sum(), settled.upto());
        }

        private CompletionStage<Void> writeBase(String key, long base, long bookend, BigInteger sum, long upto) {
            List<Write> writes =
                    List.of(new Write(base, sum, upto, stamp(upto)), new Write(bookend, null, upto, stamp(upto)));
            RangeDelete delete = new RangeDelete(base, upto, stamp(upto));
            return bug == Bug.FOLDED_IN_TWO_STEPS
                    ? link.write(new Mutation(key, writes, null))
                            .thenCompose(done -> link.write(new Mutation(key, List.of(), delete)))
                    : writeIfSame(new Mutation(key, writes, delete));
        }

        @Override
        public boolean fits(BigInteger sum) {
            return true;
        }
    }
}
