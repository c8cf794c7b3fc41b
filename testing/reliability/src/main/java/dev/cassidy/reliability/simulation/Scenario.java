package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedLink.Faults;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The kind of a schedule.
 *
 * @param disaster what an operator does to the rows
 * @param raises whether the sequence is raised, dropped and created again now and then
 * @param awaitsSeed whether it is registered first, and seeded later
 * @param crashes whether processes are killed
 * @param slow whether processes take minutes between two ids
 * @param reclaims whether the sequence is raised mostly during a reclaim
 * @param silences whether a datacenter's replicas do not answer for longer than a claim is tried
 * @param losesDatacenter whether a datacenter is lost for good
 * @param watchInterval how often a process looks for raises
 * @param steps how many events until the faults end
 */
record Scenario(
        SequenceSpec spec,
        int datacenters,
        int population,
        Faults faults,
        Disaster disaster,
        boolean raises,
        boolean awaitsSeed,
        boolean crashes,
        boolean slow,
        boolean reclaims,
        boolean silences,
        boolean losesDatacenter,
        Duration watchInterval,
        int steps) {

    enum Disaster {
        NONE,
        /** A reserve's rows are deleted, and a join makes them again. */
        RESERVE_DELETED,
        /** The global row is gone for a while. */
        GLOBAL_ROW_GONE,
        /**
         * A reserve is set back to the state in a backup. Only the process that claimed since then can tell, so there
         * is only one process.
         */
        RESERVE_SET_BACK,
        /**
         * The global row is set back to the state in a backup. Only the reserve that was granted since then can tell,
         * so there is only one reserve.
         */
        GLOBAL_ROW_SET_BACK
    }

    static Scenario draw(RandomGenerator random) {
        Disaster disaster =
                random.nextInt(6) == 0 ? Disaster.values()[random.nextInt(1, Disaster.values().length)] : Disaster.NONE;
        boolean setBack = disaster == Disaster.RESERVE_SET_BACK || disaster == Disaster.GLOBAL_ROW_SET_BACK;
        boolean quiet = disaster == Disaster.NONE && random.nextInt(3) == 0;
        boolean raises = !setBack && random.nextInt(5) < (disaster == Disaster.RESERVE_DELETED ? 4 : 2);
        boolean slow = random.nextInt(6) == 0;
        boolean silences = !quiet && !setBack && !slow && random.nextInt(raises ? 6 : 12) == 0;
        int datacenters = setBack ? 1 : random.nextInt(1, 4);
        return new Scenario(
                spec(random, setBack ? 1 : Math.max(1, random.nextInt(-3, 5)), setBack),
                datacenters,
                disaster == Disaster.RESERVE_SET_BACK ? 1 : random.nextInt(2, 7),
                quiet
                        ? Faults.NONE
                        : new Faults(
                                random.nextDouble(0.1),
                                random.nextDouble(0.4),
                                random.nextDouble(),
                                random.nextInt(3) == 0 ? random.nextDouble(0.1) : 0),
                disaster,
                raises,
                raises && random.nextInt(4) == 0,
                !quiet && disaster != Disaster.RESERVE_SET_BACK,
                slow,
                raises && !quiet && !slow && disaster == Disaster.NONE && random.nextInt(3) == 0,
                silences,
                raises && !quiet && disaster == Disaster.NONE && datacenters > 1 && random.nextInt(3) == 0,
                Duration.ofMillis(
                        slow
                                ? random.nextInt(10_000, 60_000)
                                : silences ? random.nextInt(1_000, 5_000) : random.nextInt(50, 500)),
                slow ? random.nextInt(100, 400) : random.nextInt(silences ? 1_000 : 200, raises ? 2_000 : 1_500));
    }

    /** @param manyGrants whether every grant is to be small */
    private static SequenceSpec spec(RandomGenerator random, int stripes, boolean manyGrants) {
        boolean bulk = !manyGrants && random.nextInt(5) == 0;
        long increment = random.nextBoolean() ? 1 : random.nextInt(-3, 0);
        long space =
                switch (random.nextInt(4)) {
                    case 0 -> random.nextLong(50, 3_000);
                    case 1 -> 1_000_000;
                    default -> 1_000_000_000;
                };
        long start = random.nextLong(-1_000, 1_000);
        if (bulk) {
            space = 1_000_000_000_000L;
        }
        long last = start + increment * (space - 1);
        long smallest = bulk ? 1L << random.nextInt(8, 15) : 1L << random.nextInt(0, 8);
        long largest = random.nextInt(3) == 0 ? smallest : bulk ? 1 << 20 : smallest << random.nextInt(0, 12);
        long reserve = bulk ? 1L << random.nextInt(20, 24) : 1L << random.nextInt(3, manyGrants ? 8 : 16);
        long mostReserve = manyGrants || random.nextInt(3) == 0 ? reserve << 2 : Long.MAX_VALUE;
        return new SequenceSpec(
                        "simulated",
                        IdentityType.BIGINT,
                        start,
                        increment,
                        Math.min(start, last),
                        Math.max(start, last))
                .withStripes(stripes)
                .withOrder(random.nextInt(3) == 0 ? Order.THREAD : Order.PROCESS)
                .withBlock(smallest, largest)
                .withReserve(reserve, mostReserve);
    }

    /** Returns a schedule of the same kind, without disasters, of one of a sequence's streams, or of another sequence. */
    Scenario of(SequenceSpec other) {
        return new Scenario(
                other,
                datacenters,
                Math.max(2, population / 2),
                faults,
                Disaster.NONE,
                raises,
                awaitsSeed,
                crashes,
                slow,
                reclaims,
                silences,
                losesDatacenter,
                watchInterval,
                steps);
    }

    /** Whether the sequence may be dropped: one that is a stream cannot be created again. */
    boolean drops() {
        return spec.streams() == 0;
    }

    /** Whether nothing can go wrong, so that nothing may leak. */
    boolean isQuiet() {
        return faults.equals(Faults.NONE) && !crashes && disaster == Disaster.NONE && !raises;
    }

    /** Whether rows are set back to an earlier state: then nothing can be accounted for, and refusing is right. */
    boolean isSetBack() {
        return disaster == Disaster.RESERVE_SET_BACK || disaster == Disaster.GLOBAL_ROW_SET_BACK;
    }
}
