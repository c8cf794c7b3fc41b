package dev.cassidy.cluster;

import java.time.Duration;

/** What holds something in the cluster on behalf of this process: it ends with the process, and is not copied with it. */
public interface ProcessBound {

    /** Gives everything back, within {@code most}. */
    void close(Duration most);

    /** Prepares for a copy of the process: gives everything back, and takes nothing until {@link #afterRestore}. */
    void beforeCheckpoint();

    /** Separates this instance, in a copy of the process, from the process that was copied. */
    void afterRestore();
}
