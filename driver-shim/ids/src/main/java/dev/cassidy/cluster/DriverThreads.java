package dev.cassidy.cluster;

import com.datastax.oss.driver.internal.core.util.concurrent.BlockingOperation;

/** The driver's own threads, which must never wait for an answer that only they can deliver. */
public final class DriverThreads {

    private DriverThreads() {}

    /**
     * Refuses to wait on one of them.
     *
     * @throws IllegalStateException if the calling thread is one
     */
    public static void refuseToWait() {
        try {
            BlockingOperation.checkNotDriverThread();
        } catch (IllegalStateException refused) {
            throw new IllegalStateException(
                    "a driver thread must not wait for Cassandra, because it delivers Cassandra's answers. Call the"
                            + " asynchronous form of this method (nextLongAsync for nextLong, executeAsync for execute),"
                            + " or call this method in another thread",
                    refused);
        }
    }
}
