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
        BlockingOperation.checkNotDriverThread();
    }
}
