package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.SequenceEntry;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Faults that take several steps, one soon after the other, so that they coincide often enough. */
final class Mishaps {

    private static final int LONGEST_SILENCE_MILLIS = 45_000;
    private static final int SHORTEST_SILENCE_MILLIS = 10_000;
    private static final int PEOPLE = 3;

    private final AllocatorSimulation simulation;
    private final Scenario scenario;
    private final SimulatedCluster cluster;
    private final VirtualTime time;
    private final SplittableRandom random;

    /** Whether a raise is to come during a reclaim. */
    private boolean raisesSoon;

    Mishaps(
            AllocatorSimulation simulation,
            Scenario scenario,
            SimulatedCluster cluster,
            VirtualTime time,
            SplittableRandom random) {
        this.simulation = simulation;
        this.scenario = scenario;
        this.cluster = cluster;
        this.time = time;
        this.random = random;
    }

    /** Whether another raise would come before the one that is to meet a reclaim. */
    boolean raisesSoon() {
        return raisesSoon;
    }

    /** A datacenter's replicas do not answer, usually for longer than a claim is tried; and then another's. */
    void silenceOne() {
        if (!simulation.isOver() && scenario.silences()) {
            Datacenter datacenter = simulation.anywhere();
            datacenter.silent = true;
            time.schedule(
                    () -> {
                        datacenter.silent = false;
                        later(this::silenceOne, 10_000);
                        if (scenario.raises()) {
                            later(this::raiseForCertain, 5_000);
                        }
                    },
                    Duration.ofMillis(random.nextInt(SHORTEST_SILENCE_MILLIS, LONGEST_SILENCE_MILLIS)));
        }
    }

    /** A process is killed, and while its claims are reclaimed, another operator raises the sequence. */
    void reclaimBesideARaise(SimulatedProcess holding) {
        raisesSoon = true;
        simulation.crash(holding);
        time.schedule(
                () -> {
                    for (int person = 0; person < PEOPLE; person++) {
                        later(() -> reclaim(holding.datacenter), 400);
                    }
                    later(this::raiseForCertain, 400);
                },
                Operator.RECLAIMABLE);
    }

    /** Twice, by operators who do not know of each other. */
    void reclaimTwice(Datacenter datacenter) {
        reclaim(datacenter);
        later(() -> reclaim(datacenter), 200);
    }

    private void reclaim(Datacenter datacenter) {
        if (!simulation.isOver() && simulation.datacenters().contains(datacenter)) {
            simulation.operator(datacenter).reclaim();
        }
    }

    /** Past everything that was granted, so that it takes effect. */
    private void raiseForCertain() {
        raisesSoon = false;
        SequenceEntry entry = cluster.entry();
        if (!simulation.isOver() && entry != null && entry.ready()) {
            SequenceSpec spec = entry.spec();
            long past = Math.min(spec.count() - 1, entry.next() + random.nextInt(10));
            simulation.operator(simulation.anywhere()).advancePast(spec.idAt(past));
        }
    }

    /**
     * All processes of a datacenter end, and it never comes back.
     *
     * @param processes all processes, including the operators'
     * @return those that have ended and ran until now
     */
    List<SimulatedProcess> loseDatacenter(Datacenter lost, List<SimulatedProcess> processes) {
        simulation.datacenters().remove(lost);
        List<SimulatedProcess> ended = processes.stream()
                .filter(process -> process.datacenter == lost && process.isAlive())
                .toList();
        ended.forEach(simulation::kill);
        return ended;
    }

    /** Acknowledges for the datacenters that are lost. */
    void releaseLost(List<Datacenter> all) {
        for (Datacenter lost : all) {
            if (!simulation.datacenters().contains(lost)) {
                simulation.operator(simulation.anywhere()).releaseDatacenter(lost.name);
            }
        }
    }

    private void later(Runnable task, int mostMillis) {
        time.schedule(task, Duration.ofMillis(random.nextInt(mostMillis)));
    }
}
