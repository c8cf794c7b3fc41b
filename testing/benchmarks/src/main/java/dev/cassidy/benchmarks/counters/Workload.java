package dev.cassidy.benchmarks.counters;

import dev.cassidy.benchmarks.Form;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How much is measured, and for how long. A test runs the same cases with a tiny one.
 *
 * @param form as the report names it
 * @param sums the partitions that are summed
 * @param histories the counters that are read; the others are held against the first
 * @param reading the turns of reading
 * @param counters over how many counters increments are spread
 * @param spreadInFlight how many increments of these are not answered yet
 * @param busyInFlight the same, on a busier client
 * @param hotInFlight how many increments of one hot counter are not answered yet, and the same on a client that is
 *     busier still
 * @param threads how many threads increment one counter and wait for each answer
 * @param compiling how long each contestant increments before the rounds
 * @param incrementing the turns of incrementing
 */
record Workload(
        String form,
        List<Sums> sums,
        List<History> histories,
        Pace reading,
        int counters,
        int spreadInFlight,
        int busyInFlight,
        int hotInFlight,
        int threads,
        Duration compiling,
        Pace incrementing) {

    Workload {
        sums = List.copyOf(sums);
        histories = List.copyOf(histories);
    }

    /**
     * @param rounds those that are counted; one more comes before them
     * @param warmUp of each turn
     * @param measured of each turn
     */
    record Pace(int rounds, Duration warmUp, Duration measured) {

        static Pace of(int rounds, long warmUpMillis, long measuredMillis) {
            return new Pace(rounds, Duration.ofMillis(warmUpMillis), Duration.ofMillis(measuredMillis));
        }

        @Override
        public String toString() {
            return rounds + " rounds of turns, after one that is not counted, each in an order of its own: "
                    + warmUp.toMillis() + " ms to warm up, then " + measured.toMillis() + " ms measured";
        }
    }

    /**
     * A partition to sum.
     *
     * @param name the size in the cases' names
     */
    record Sums(String name, int rows, Pace pace) {}

    /**
     * A counter to read.
     *
     * @param name the size in the cases' names
     */
    record History(String name, int increments) {}

    static Workload of(Form form) {
        List<History> histories = new ArrayList<>(List.of(
                new History("1k", 1_000),
                new History("10k", 10_000),
                new History("100k", 100_000),
                new History("1m", 1_000_000)));
        if (form == Form.SHORT) {
            return new Workload(
                    "short (-Dshort)",
                    List.of(
                            new Sums("1k", 1_000, Pace.of(3, 100, 400)),
                            new Sums("100k", 100_000, Pace.of(5, 100, 400)),
                            // The script alone takes a quarter of a minute for one sum.
                            new Sums("1m", 1_000_000, Pace.of(2, 300, 600))),
                    histories,
                    Pace.of(3, 100, 300),
                    1_000,
                    64,
                    512,
                    5_000,
                    8,
                    Duration.ofSeconds(3),
                    Pace.of(3, 300, 600));
        }
        if (form == Form.LONG) {
            histories.add(new History("10m", 10_000_000));
        }
        return new Workload(
                form == Form.LONG ? "long (-Dlong)" : "full",
                List.of(
                        new Sums("1k", 1_000, Pace.of(9, 200, 1_000)),
                        // Goals are near 1 here: many short rounds, since other load of the machine changes within
                        // seconds.
                        new Sums("100k", 100_000, Pace.of(21, 200, 800)),
                        new Sums("1m", 1_000_000, Pace.of(5, 1_000, 2_000))),
                histories,
                Pace.of(9, 200, 800),
                1_000,
                64,
                512,
                5_000,
                8,
                Duration.ofSeconds(10),
                Pace.of(13, 500, 1_500));
    }
}
