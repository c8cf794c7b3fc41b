package dev.cassidy.benchmarks.driver;

/** The repeated work of one thread of a client. Used by that thread alone. */
interface Work extends AutoCloseable {

    /** Prepares what the calls of a turn use up. It is not measured. */
    default void prepare() throws Exception {}

    /** Sends and waits for the answer; returns how many rows were acknowledged, or 0 if what was prepared is used up. */
    int call() throws Exception;

    /** Returns once everything that {@link #call} left under way is answered. */
    default void finish() throws Exception {}

    @Override
    default void close() throws Exception {}
}
