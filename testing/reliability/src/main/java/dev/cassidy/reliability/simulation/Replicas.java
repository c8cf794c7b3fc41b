package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedLink.SimulatedFault;
import dev.cassidy.sequence.store.ClaimOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One partition on replicas that acknowledge writes before they are on their disks, and forget them when they are
 * killed, as in Cassandra 5.0 with Paxos v2. A compare-and-set and a linearizable read ask a majority. Each completes
 * what was accepted and not committed, brings the latest commit to those of the majority that missed it, <i>and only
 * that</i>, and judges by what they have together, the newest value of each cell. A plain read at a majority makes the
 * replicas that it asks agree on everything that it reads.
 *
 * @param <R> what a statement sees of the partition, and changes
 */
final class Replicas<R> {

    /** How a partition is stored. A column that all its rows share has a {@link String} for a key. */
    interface Format<R> {
        Map<Object, @Nullable Object> cells(R partition);

        R partition(Map<Object, @Nullable Object> cells);
    }

    private static final String COMMITTED = "$committed";
    private static final String ACCEPTED = "$accepted";

    private record Cell(long ballot, @Nullable Object value) {}

    /** What a compare-and-set writes; a null value removes. */
    private record Mutation(long ballot, Map<Object, @Nullable Object> cells) {}

    private static final class Replica {
        boolean up = true;
        Map<Object, Cell> cells = new HashMap<>();
        Map<Object, Cell> onDisk = new HashMap<>();

        void put(Object key, Cell cell) {
            cells.merge(key, cell, (before, after) -> after.ballot() >= before.ballot() ? after : before);
        }

        void commit(Mutation mutation) {
            mutation.cells().forEach((key, value) -> put(key, new Cell(mutation.ballot(), value)));
            put(COMMITTED, new Cell(mutation.ballot(), mutation));
        }

        @Nullable
        Mutation latest(String key) {
            Cell cell = cells.get(key);
            return cell == null ? null : (Mutation) cell.value();
        }
    }

    private final Format<R> format;
    private final List<Replica> replicas = new ArrayList<>();
    private final int majority;
    private final SplittableRandom random;
    private final double halfDone;
    private final boolean whole;
    private long ballots;

    /**
     * @param halfDone how probably a compare-and-set is accepted, but its commit reaches only some, and its sender gets
     *     no answer
     * @param whole whether statements that change a shared column write all of them
     */
    Replicas(int count, Format<R> format, R made, SplittableRandom random, double halfDone, boolean whole) {
        this.format = format;
        this.random = random;
        this.whole = whole;
        this.halfDone = halfDone;
        this.majority = count / 2 + 1;
        for (int i = 0; i < count; i++) {
            replicas.add(new Replica());
        }
        Mutation first = new Mutation(++ballots, format.cells(made));
        replicas.forEach(replica -> {
            replica.commit(first);
            replica.onDisk = new HashMap<>(replica.cells);
        });
    }

    void sync(int index) {
        Replica replica = replicas.get(index);
        replica.onDisk = new HashMap<>(replica.cells);
    }

    /**
     * It is killed, and starts again: everything that it acknowledged since its last sync is lost. Returns whether there was
     * anything.
     */
    boolean forget(int index) {
        Replica replica = replicas.get(index);
        boolean forgets = !replica.cells.equals(replica.onDisk);
        replica.cells = new HashMap<>(replica.onDisk);
        return forgets;
    }

    void up(int index, boolean up) {
        replicas.get(index).up = up;
    }

    private List<Replica> someMajority() {
        List<Replica> asked =
                new ArrayList<>(replicas.stream().filter(each -> each.up).toList());
        if (asked.size() < majority) {
            throw new SimulatedFault("unavailable");
        }
        while (asked.size() > majority) {
            asked.remove(random.nextInt(asked.size()));
        }
        return asked;
    }

    private static @Nullable Mutation newest(List<Replica> asked, String key) {
        Mutation newest = null;
        for (Replica replica : asked) {
            Mutation mutation = replica.latest(key);
            if (mutation != null && (newest == null || mutation.ballot() > newest.ballot())) {
                newest = mutation;
            }
        }
        return newest;
    }

    private static boolean isBefore(@Nullable Mutation one, Mutation other) {
        return one == null || one.ballot() < other.ballot();
    }

    /** @param write whether the latest commit must have reached all replicas asked before anything is proposed */
    private void prepare(List<Replica> asked, boolean write) {
        Mutation accepted = newest(asked, ACCEPTED);
        Mutation committed = newest(asked, COMMITTED);
        if (accepted != null && isBefore(committed, accepted)) {
            asked.forEach(replica -> replica.commit(accepted));
        } else if (committed != null && (write || random.nextBoolean())) {
            asked.stream()
                    .filter(replica -> isBefore(replica.latest(COMMITTED), committed))
                    .forEach(replica -> replica.commit(committed));
        }
    }

    private static Map<Object, Cell> together(List<Replica> asked) {
        Map<Object, Cell> all = new HashMap<>();
        for (Replica replica : asked) {
            replica.cells.forEach((key, cell) -> {
                if (!key.equals(COMMITTED) && !key.equals(ACCEPTED)) {
                    all.merge(key, cell, (one, other) -> other.ballot() > one.ballot() ? other : one);
                }
            });
        }
        return all;
    }

    ClaimOutcome compareAndSet(Function<R, ClaimOutcome> step) {
        List<Replica> asked = someMajority();
        prepare(asked, true);
        R row = partition(together(asked));
        Map<Object, @Nullable Object> before = format.cells(row);
        ClaimOutcome outcome = step.apply(row);
        Mutation mutation = new Mutation(++ballots, difference(before, format.cells(row)));
        if (mutation.cells().isEmpty()) {
            return outcome;
        }
        asked.forEach(replica -> replica.put(ACCEPTED, new Cell(mutation.ballot(), mutation)));
        boolean done = random.nextDouble() >= halfDone;
        for (Replica replica : replicas) {
            boolean reached =
                    asked.contains(replica) ? done || random.nextInt(3) == 0 : replica.up && random.nextInt(3) > 0;
            if (reached) {
                replica.commit(mutation);
            }
        }
        return done ? outcome : new ClaimOutcome.Unknown(new SimulatedFault("time-out"));
    }

    <T> T readInOrder(Function<R, T> look) {
        List<Replica> asked = someMajority();
        prepare(asked, false);
        return look.apply(partition(together(asked)));
    }

    /** What a read in order would see now, without what it does to replicas. */
    <T> T witness(Function<R, T> look) {
        List<Replica> asked = someMajority();
        Map<Object, Cell> all = together(asked);
        for (String key : List.of(COMMITTED, ACCEPTED)) {
            Mutation mutation = newest(asked, key);
            if (mutation != null) {
                mutation.cells()
                        .forEach((cell, value) -> all.merge(
                                cell,
                                new Cell(mutation.ballot(), value),
                                (one, other) -> other.ballot() > one.ballot() ? other : one));
            }
        }
        return look.apply(partition(all));
    }

    /** As at ONE. */
    <T> T readOne(Function<R, T> look) {
        List<Replica> up = replicas.stream().filter(each -> each.up).toList();
        if (up.isEmpty()) {
            throw new SimulatedFault("unavailable");
        }
        return look.apply(partition(together(List.of(up.get(random.nextInt(up.size()))))));
    }

    /** As at LOCAL_QUORUM, with read repair. */
    <T> T readAndRepair(Function<R, T> look) {
        List<Replica> asked = someMajority();
        Map<Object, Cell> all = together(asked);
        asked.forEach(replica -> all.forEach(replica::put));
        return look.apply(partition(all));
    }

    private Map<Object, @Nullable Object> difference(
            Map<Object, @Nullable Object> before, Map<Object, @Nullable Object> after) {
        Map<Object, @Nullable Object> changed = new HashMap<>();
        boolean shared = whole
                && after.entrySet().stream()
                        .anyMatch(cell ->
                                isShared(cell.getKey()) && !Objects.equals(cell.getValue(), before.get(cell.getKey())));
        after.forEach((key, value) -> {
            if ((shared && isShared(key)) || !Objects.equals(before.get(key), value)) {
                changed.put(key, value);
            }
        });
        before.keySet().stream().filter(key -> !after.containsKey(key)).forEach(key -> changed.put(key, null));
        return changed;
    }

    private static boolean isShared(Object key) {
        return key instanceof String;
    }

    private R partition(Map<Object, Cell> cells) {
        Map<Object, @Nullable Object> values = new HashMap<>();
        cells.forEach((key, cell) -> values.put(key, cell.value()));
        return format.partition(values);
    }
}
