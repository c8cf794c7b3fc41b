package dev.cassidy.reliability.simulation.counter;

import dev.cassidy.counter.store.Settled;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.reliability.simulation.VirtualTime;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** What one datacenter stores: three replicas of the counters' table, and Cassidy's own partitions. */
final class Datacenter {

    private static final int REPLICAS = 3;

    /** A slot's partition. Epochs that were broken off, and whether they are swept. */
    record Slot(Optional<SlotLease> lease, Map<Integer, Boolean> brokenOff) {
        static final Slot NONE = new Slot(Optional.empty(), Map.of());

        Slot with(SlotLease next) {
            return new Slot(Optional.of(next), brokenOff);
        }

        Slot withBrokenOff(int epoch, boolean swept) {
            Map<Integer, Boolean> more = new TreeMap<>(brokenOff);
            more.put(epoch, swept);
            return new Slot(lease, more);
        }
    }

    /** A settlement's partition. */
    record Settlement(Settled settled, Map<Integer, Long> counted) {
        static final Settlement NONE = new Settlement(Settled.NOTHING, Map.of());
    }

    final List<Replica> replicas = new ArrayList<>();
    final Weather weather;
    private final VirtualTime time;
    private final SplittableRandom random;

    /** Of what concerns the schema alone, so that the other schedules stay as they are. */
    private final SplittableRandom schemaRandom;

    private final Map<String, Register<Slot>> slots = new HashMap<>();
    private final Map<String, Register<Settlement>> settlements = new HashMap<>();
    final Map<String, TreeSet<String>> touched = new HashMap<>();

    /** Every increment that any process ever sent, by its counter, actor and version: for the judge alone. */
    final Map<String, BigInteger> sent = new HashMap<>();

    Datacenter(VirtualTime time, SplittableRandom random, Weather weather) {
        this(time, random, new SplittableRandom(0), weather);
    }

    Datacenter(VirtualTime time, SplittableRandom random, SplittableRandom schemaRandom, Weather weather) {
        this.time = time;
        this.random = random;
        this.schemaRandom = schemaRandom;
        this.weather = weather;
        for (int i = 0; i < REPLICAS; i++) {
            replicas.add(new Replica());
        }
    }

    VirtualTime time() {
        return time;
    }

    SplittableRandom random() {
        return random;
    }

    /** Returns the node that coordinates the next statement. */
    Replica coordinator() {
        List<Replica> up = replicas.stream().filter(Replica::isUp).toList();
        return up.isEmpty() ? replicas.get(0) : up.get(schemaRandom.nextInt(up.size()));
    }

    Register<Slot> slot(int installation, int generation, int number) {
        return slots.computeIfAbsent(
                installation + "|" + generation + "|" + number, first -> new Register<>(Slot.NONE, random));
    }

    Register<Settlement> settlement(int installation, int generation, String counter, int slot) {
        return settlements.computeIfAbsent(
                installation + "|" + generation + "|" + counter + "|" + slot,
                first -> new Register<>(Settlement.NONE, random));
    }

    /** Commits what steps in doubt have left. */
    void repairSteps() {
        slots.values().forEach(Register::commit);
        settlements.values().forEach(Register::commit);
    }
}
