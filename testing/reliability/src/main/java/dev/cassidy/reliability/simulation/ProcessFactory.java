package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.HolderName;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Makes the processes of one schedule, those of applications and those of operators. */
final class ProcessFactory {

    private static final String OPERATOR = "operator";

    private final SplittableRandom random;
    private final VirtualTime time;
    private final Scenario scenario;
    private final Defect defect;
    private final SimulatedCluster cluster;
    private final List<Datacenter> living;
    private final SimulatedLink.Weather weather;
    private final Doubts doubts;
    private final Occurrences occurrences;

    /** Other replicas of a datacenter: a coordinator that confuses the serial levels asks them. Empty if none does. */
    private final Map<Datacenter, Datacenter> otherReplicas = new HashMap<>();

    private final Set<UUID> reclaimed = new HashSet<>();
    private int started;

    /**
     * @param living the datacenters that are not lost for good; the list changes during the schedule
     * @param weather the faults of all processes' links
     */
    ProcessFactory(
            SplittableRandom random,
            VirtualTime time,
            Scenario scenario,
            Defect defect,
            SimulatedCluster cluster,
            List<Datacenter> living,
            SimulatedLink.Weather weather,
            Doubts doubts,
            Occurrences occurrences) {
        this.random = random;
        this.time = time;
        this.scenario = scenario;
        this.defect = defect;
        this.cluster = cluster;
        this.living = living;
        this.weather = weather;
        this.doubts = doubts;
        this.occurrences = occurrences;
    }

    /** Makes the process of an application. */
    SimulatedProcess application(Datacenter datacenter) {
        return make("process" + started++, datacenter);
    }

    /** Makes the process of an operator. */
    SimulatedProcess operator(Datacenter datacenter) {
        return make(OPERATOR, datacenter);
    }

    /**
     * Gives a datacenter other replicas, which half of its processes use.
     *
     * @param over whether the faults have ended; until then the replicas exchange their rows
     */
    void divideReplicas(Datacenter datacenter, BooleanSupplier over) {
        Datacenter other = new Datacenter(datacenter.name);
        otherReplicas.put(datacenter, other);
        exchange(datacenter, other, over);
    }

    /** Copies rows from one replica to the other, and later back. The row that was written last stays. */
    private void exchange(Datacenter from, Datacenter to, BooleanSupplier over) {
        from.partitions.forEach((stripe, row) -> {
            Partition theirs = to.partitions.get(stripe);
            if (theirs == null || theirs.next <= row.next) {
                to.partitions.put(stripe, row.copy());
            }
        });
        if (!over.getAsBoolean()) {
            time.schedule(() -> exchange(to, from, over), Duration.ofMillis(random.nextInt(1, 200)));
        }
    }

    /** Draws the name of a holder. There are few names for many processes, as in containers. */
    private String holder() {
        String process = random.nextInt(1, 4) + "@web";
        Optional<UUID> instance =
                defect.sharedNames() ? Optional.empty() : Optional.of(new UUID(random.nextLong(), random.nextLong()));
        return new HolderName(process, instance).toString();
    }

    private SimulatedProcess make(String name, Datacenter datacenter) {
        AtomicBoolean alive = new AtomicBoolean(true);
        SimulatedLink link = new SimulatedLink(datacenter, time, random, weather, alive::get);
        Datacenter replicas = started % 2 == 0 ? datacenter : otherReplicas.getOrDefault(datacenter, datacenter);
        long hourOff = random.nextInt(4) == 0 ? random.nextInt(-30, 31) : 0;
        LongSupplier hour = () -> 500_000 + hourOff + time.nanoTime() / 3_600_000_000_000L;
        SimulatedStore store = name.equals(OPERATOR)
                ? new OperatorStore(
                        cluster,
                        datacenter,
                        replicas.partitions,
                        scenario.datacenters(),
                        name,
                        link,
                        hour,
                        occurrences,
                        reclaimed)
                : new ObservedStore(
                        cluster, datacenter, replicas.partitions, scenario.datacenters(), holder(), link, hour, doubts);
        UUID shared = new UUID(0, living.indexOf(datacenter));
        AllocatorContext context = new AllocatorContext(
                Duration.ofSeconds(random.nextInt(5, 21)),
                random.nextDouble(0.1, 1),
                Duration.ofHours(24),
                0.5,
                (task, delay) -> time.schedule(
                        () -> {
                            if (alive.get()) {
                                task.run();
                            }
                        },
                        delay),
                time::nanoTime,
                random,
                () -> defect.sharedTokens() ? shared : new UUID(random.nextLong(), random.nextLong()));
        return new SimulatedProcess(
                name,
                datacenter,
                defect.steps().apply(store),
                defect.catalog().apply(new SimulatedCatalog(cluster, datacenter, replicas.partitions, link)),
                new SimulatedChangeLog(cluster, datacenter, link, () -> new UUID(random.nextLong(), random.nextLong())),
                context,
                (task, delay) -> time.scheduleInBackground(
                        () -> {
                            if (alive.get()) {
                                task.run();
                            }
                        },
                        delay),
                scenario.watchInterval(),
                defect,
                alive);
    }
}
