package dev.cassidy.counter;

/**
 * How counters keep their values. Each kind has a table of its own layout, which {@link Counters#create(
 * com.datastax.oss.driver.api.core.CqlSession, CountersConfig)} makes, and which is opened as this kind alone. A kind refuses
 * what it cannot do with {@link CounterException.Refused}.
 *
 * <p>Choose {@link #FOLDED} unless you have a reason for another kind; docs/counters.md compares them.
 */
public enum CounterKind {

    /**
     * Rows of increments, which are folded into sums.
     *
     * <p>Guarantee: an acknowledged increment counts exactly once, and {@link Counter#status} tells for ever whether an
     * increment counts. Cost: one write and one read at LOCAL_QUORUM, which concurrent increments share; a sum of some
     * hundred rows for each read. It refuses nothing.
     */
    FOLDED,

    /**
     * One row for each actor, with the actor's total. The n-th write has the write timestamp n, so the last total wins.
     *
     * <p>Guarantee: an acknowledged increment counts exactly once, as long as each actor is used by one process at a time.
     * Two processes that use one actor at the same time lose increments. Cost: one write at LOCAL_QUORUM, which concurrent
     * increments share; one read and two writes before a process's first increment of each counter; a row for each actor.
     * It needs an actor, and refuses receipts and {@code fold}.
     */
    CUMULATIVE,

    /**
     * A row for each write of an actor, with the actor's total at that version. The actor's last version counts.
     *
     * <p>Guarantee and cost as {@link #CUMULATIVE}, and each write leaves a row until it is folded. So the history of each
     * actor can be read until then. It needs an actor, and refuses receipts.
     */
    VERSIONED,

    /**
     * One number, changed by compare-and-set.
     *
     * <p>Guarantee: an acknowledged increment counts exactly once, and {@code value()} is the number at one moment between
     * call and return. Cost: one lightweight transaction for the increments of a process that are under way at the same
     * time; processes that increment one counter at the same time refuse each other and try again after a pause, until
     * their time is up. It works in one datacenter, and refuses receipts and {@code fold}.
     */
    LINEARIZABLE,

    /**
     * One number, changed under a lock with a fencing token.
     *
     * <p>Guarantee: as {@link #LINEARIZABLE}. A holder that does not give the lock back is replaced, and the token keeps its
     * late writes out. Cost: three lightweight transactions where {@link #LINEARIZABLE} has one, and after the death of a
     * holder nobody increments its counter for up to the request time-out. It works in one datacenter, and refuses receipts
     * and {@code fold}.
     */
    SERIALIZABLE,

    /**
     * Cassandra's own type {@code counter}.
     *
     * <p>Guarantee: an acknowledged increment counts. One whose outcome is unknown counts or not, and nothing ever tells;
     * repeated by the caller, it may count twice. Cassandra wraps at 64 bits without an error. Cost: one write and a read
     * within it on one replica; a read of one row. It refuses receipts and {@code fold}.
     */
    NATIVE,

    /**
     * Increments by time, which are collected into a sum when they are a minute old. It is approximate, and opened only {@code
     * withApproximate(true)}.
     *
     * <p>Guarantee: an increment counts at most once. It counts if it reaches a majority of the nodes before its time is
     * collected; one that comes later, from a clock that is slow for instance, is never counted, and nobody is told. Cost:
     * one write at LOCAL_QUORUM, which concurrent increments share; two linearizable reads and a sum of the rows of the last
     * minutes for each read. It works in one datacenter. It needs an actor, and refuses receipts.
     */
    BUCKETED
}
