package dev.cassidy.counter.store;

import java.math.BigInteger;

/**
 * The increments of one epoch up to {@code upto}, as one sum. Its write timestamp is {@code upto}, so of two folds the
 * longer one wins, and a row that arrives late is deleted already. The increments are immutable and complete, so every
 * fold up to the same version has the same sum: nobody has to be the only one who folds.
 *
 * @param upto the version of the last increment within
 */
public record Fold(int epoch, BigInteger sum, long upto) {

    public Fold {
        if (Versions.epoch(upto) != epoch || !Versions.isIncrement(upto)) {
            throw new IllegalArgumentException("must be an increment of epoch " + epoch + ": upto=" + upto);
        }
    }
}
