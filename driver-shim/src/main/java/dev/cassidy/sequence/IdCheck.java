package dev.cassidy.sequence;

import java.util.Collection;

/** Tells which ids are used, by looking where they are used: in the table whose rows they identify. */
@FunctionalInterface
public interface IdCheck {

    /**
     * Returns those of {@code ids} that any row has, or may get from a statement that is under way. What is left out is
     * issued again: an answer that may be incomplete, such as one of a time-out, must be an exception instead.
     *
     * @param ids at most {@value #MOST}
     */
    Collection<Long> used(IdRange ids);

    /** How many ids are asked about at a time. */
    int MOST = 1_000;
}
