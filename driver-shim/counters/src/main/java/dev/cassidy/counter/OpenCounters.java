package dev.cassidy.counter;

import java.math.BigInteger;
import java.util.concurrent.CompletionStage;

/** The counters of one table, as one kind keeps them. Safe for use by many threads; nothing but {@link #clean} blocks. */
interface OpenCounters {

    /** Returns a counter; asks nothing. */
    Counter counter(String type);

    /** Does what {@link Counters#clean} says, or refuses it. */
    boolean clean();

    /** Does what {@link Counters#carryOver} says, or refuses it. */
    default CompletionStage<BigInteger> carryOver(String type, BigInteger total) {
        throw new CounterException.Refused("only counters of the kind " + CounterKind.FOLDED
                + " take over what was counted elsewhere; add it to counter '" + type + "' instead, once: " + total);
    }

    /** Does what {@link Counters#figures} says, or refuses it. */
    default CountersFigures figures() {
        throw new CounterException.Refused("only counters of the kind " + CounterKind.FOLDED
                + " have figures: leave the call out, or measure what the application sends");
    }

    /** From now on the figures say how many slots are held. */
    default void observe() {}

    /** Refuses further increments, and completes when the ones before have ended. That may be never. */
    CompletionStage<Void> close();

    /** Tells every caller that still waits that this process gives up. */
    void abandon();

    /** Prepares for a copy of the process: gives back what the process holds. */
    CompletionStage<Void> suspend();

    /** Separates this process, which may be a copy, from the one that was copied. */
    void resume();
}
