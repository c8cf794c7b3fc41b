package dev.cassidy.jdbc.plan;

import java.util.concurrent.atomic.LongAdder;

/**
 * How many steps of statements this process has run, by the kind of their plans. Safe for use by many threads; to count costs an
 * addition in memory.
 */
public final class StatementFigures {

    private final LongAdder direct = new LongAdder();
    private final LongAdder assisted = new LongAdder();
    private final LongAdder definitions = new LongAdder();
    private final LongAdder settings = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder overHalf = new LongAdder();
    private final LongAdder overFourFifths = new LongAdder();

    /** Counts a step that ran, or was refused before anything was done. */
    public void count(Plan.Kind kind) {
        of(kind).increment();
    }

    /** Returns how many were counted since the process began. */
    public long counted(Plan.Kind kind) {
        return of(kind).sum();
    }

    /**
     * Counts a statement that was evaluated in the client, and has used most of what it may read.
     *
     * @param percent which part of a bound it has passed: 50 or 80
     */
    public void countNearBound(int percent) {
        nearBound(percent).increment();
    }

    /** Returns how many were counted since the process began that have passed this part of a bound, and not the next one. */
    public long countedNearBound(int percent) {
        return nearBound(percent).sum();
    }

    private LongAdder nearBound(int percent) {
        return switch (percent) {
            case 50 -> overHalf;
            case 80 -> overFourFifths;
            default -> throw new IllegalArgumentException("must be 50 or 80: percent=" + percent);
        };
    }

    private LongAdder of(Plan.Kind kind) {
        return switch (kind) {
            case DIRECT -> direct;
            case ASSISTED -> assisted;
            case DEFINITION -> definitions;
            case SETTING -> settings;
            case REFUSED -> refused;
        };
    }
}
