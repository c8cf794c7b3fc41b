package dev.cassidy.sequence.store;

import dev.cassidy.sequence.SequenceException;

/**
 * How incarnations count. A raise takes the next number. A sequence that was dropped and created again takes the first
 * number of the next <i>generation</i>: its ordinals may mean other ids, so what an allocator claimed in one generation
 * says nothing about another.
 */
public final class Incarnations {

    public static final int FIRST = 1;

    /** More raises than are ever made, and 2,047 generations of them. */
    private static final int A_GENERATION = 1 << 20;

    private Incarnations() {}

    public static int generation(int incarnation) {
        return incarnation / A_GENERATION;
    }

    public static boolean sameGeneration(int one, int other) {
        return generation(one) == generation(other);
    }

    public static int first(int generation) {
        return generation == 0 ? FIRST : Math.multiplyExact(generation, A_GENERATION);
    }

    /** Whether there are older incarnations, so that a datacenter may have something to bring up to date. */
    public static boolean isRaised(int incarnation) {
        return incarnation > FIRST;
    }

    static int next(String name, int incarnation) {
        int next = incarnation + 1;
        if (!sameGeneration(incarnation, next)) {
            throw new SequenceException.Conflict("sequence " + name + " was raised " + A_GENERATION
                    + " times, which is the most that can be counted: incarnation=" + incarnation
                    + "; create another sequence for the ids that are left");
        }
        return next;
    }

    /** Returns the first incarnation of the next generation. */
    public static int firstOfNextGeneration(String name, int incarnation) {
        int generation = generation(incarnation) + 1;
        if (generation > generation(Integer.MAX_VALUE)) {
            throw new SequenceException.Conflict("sequence " + name + " was dropped and created "
                    + generation(Integer.MAX_VALUE) + " times, which is the most that can be counted: incarnation="
                    + incarnation + "; give it another name");
        }
        return first(generation);
    }
}
