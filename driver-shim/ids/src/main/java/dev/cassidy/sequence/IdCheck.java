package dev.cassidy.sequence;

import java.util.Collection;

/** Tells which ids are used, by reading the table whose rows they identify. */
@FunctionalInterface
public interface IdCheck {

    /**
     * Returns those of {@code ids} that a row has, or may get from a statement that is under way. The ids that are not
     * returned are issued again. So throw an exception if the answer may be incomplete, for instance after a time-out.
     *
     * @param ids at most {@value #MAX_IDS}
     */
    Collection<Long> used(IdRange ids);

    /** The largest number of ids in one call. */
    int MAX_IDS = 1_000;
}
