package dev.cassidy.reliability.simulation.counter;

import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.reliability.simulation.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The clocks of one datacenter. Most are right but for seconds; others are wrong by up to two years, and any of them may be
 * set at any time. In some schedules all clocks are a year or two behind at first, before epochs began to be counted, and in
 * others they stand still, so that epochs are told apart by their order alone.
 */
final class Clocks {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final int NODES = 3;
    private static final long YEAR = Duration.ofDays(365).toMillis();

    /** Clocks that are further apart than this differ by more than the bound, however long a comparison takes. */
    private static final long CERTAINLY_WRONG =
            CheckedClock.BOUND.multipliedBy(3).toMillis();

    private final VirtualTime time;
    private final SplittableRandom random;
    private final boolean standStill;
    private final long[] nodesAreOff = new long[NODES];
    private long allAreOff;

    Clocks(VirtualTime time, SplittableRandom random) {
        this.time = time;
        this.random = random;
        this.standStill = random.nextInt(4) == 0;
        if (random.nextInt(4) == 0) {
            allAreOff = -random.nextLong(YEAR, 2 * YEAR);
        }
        for (int node = 0; node < NODES; node++) {
            nodesAreOff[node] = seconds(500);
        }
        if (random.nextInt(3) == 0) {
            setANode();
        }
    }

    private long seconds(long most) {
        return random.nextLong(-most, most + 1);
    }

    /** Returns by how many milliseconds the clock of a process is off. */
    long off() {
        return switch (random.nextInt(8)) {
            case 0 -> random.nextLong(-2 * YEAR, 2 * YEAR);
            case 1 -> random.nextLong(-2 * YEAR, 0);
            case 2 -> seconds(3_600_000);
            default -> seconds(9_000);
        };
    }

    /** The clock of one node is wrong, or is right again. */
    void setANode() {
        for (int node = 0; node < NODES; node++) {
            nodesAreOff[node] = seconds(500);
        }
        if (random.nextInt(3) > 0) {
            nodesAreOff[random.nextInt(NODES)] = random.nextLong(-2 * YEAR, 2 * YEAR);
        }
    }

    /** The clocks of the whole datacenter are set to the right time. */
    void setAll() {
        allAreOff = 0;
    }

    void clearUp() {
        setAll();
        Arrays.fill(nodesAreOff, 0);
    }

    int nodes() {
        return NODES;
    }

    /** Returns what a clock says that is right, in microseconds, as clients give their writes a time. */
    static long micros(VirtualTime time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, BEGIN.plusNanos(time.nanoTime()));
    }

    Instant node(int number) {
        return process(nodesAreOff[number]);
    }

    /** Returns what a clock says that is off by so many milliseconds. */
    Instant process(long isOff) {
        return standStill
                ? Instant.EPOCH
                : BEGIN.plusNanos(time.nanoTime()).plusMillis(allAreOff).plusMillis(isOff);
    }

    /** Whether a process whose clock is off by so many milliseconds must not count. */
    boolean isWrong(long isOff) {
        return !standStill
                && Arrays.stream(nodesAreOff)
                                .filter(node -> Math.abs(node - isOff) > CERTAINLY_WRONG)
                                .count()
                        > NODES / 2;
    }
}
