package dev.cassidy.counter.store;

import java.math.BigInteger;

/**
 * The final sum of all epochs of one actor and one counter before {@code epoch}. It is decided once, by a conditional
 * step, because readers may differ about increments that were never acknowledged.
 */
public record Settled(int epoch, BigInteger sum) {

    /** Nothing is settled yet. */
    public static final Settled NOTHING = new Settled(0, BigInteger.ZERO);

    /** The last version within. */
    public long upto() {
        return Versions.base(epoch) - 1;
    }
}
