package dev.cassidy.sequence;

import java.util.Optional;

/** Looks for ids in every place where an application keeps those of a sequence. */
@FunctionalInterface
public interface IdScan {

    /**
     * What was found.
     *
     * @param lowest the lowest id that is used
     * @param highest the highest one; at least {@code lowest}
     * @param where where one of them is, for messages, such as {@code shop.product.id}
     */
    record Found(long lowest, long highest, String where) {}

    /**
     * Returns the lowest and the highest of {@code ids} that a row has; empty if no row has any. Ids that are not found may be
     * issued again. So throw an exception if the answer may be incomplete: read at a consistency that sees every acknowledged
     * insert of every datacenter, and all tables that take ids of the sequence.
     *
     * @param ids of any number
     */
    Optional<Found> find(IdRange ids);
}
