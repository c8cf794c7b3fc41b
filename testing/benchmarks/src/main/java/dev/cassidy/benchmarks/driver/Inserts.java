package dev.cassidy.benchmarks.driver;

/** The repeated work of one thread of a client. Used by that thread alone. */
interface Inserts extends AutoCloseable {

    /** Inserts and waits for the answer; returns how many rows were acknowledged. */
    int call() throws Exception;

    /** Returns once everything that {@link #call} left under way is answered. */
    default void finish() throws Exception {}

    @Override
    default void close() throws Exception {}
}
