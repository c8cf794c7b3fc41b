package dev.cassidy.cluster;

import java.time.Duration;

/**
 * What holds something in the cluster on behalf of this process: it ends with the process, and is not copied with it. {@link
 * ExitHook} calls {@link #onExit} on SIGTERM and whenever else the JVM exits, {@link CheckpointHook} the other two.
 */
public interface ProcessHooks {

    /** Gives everything back before the JVM exits, within {@code most}. */
    void onExit(Duration most);

    /** Prepares for a copy of the process: gives everything back, and takes nothing until {@link #afterRestore}. */
    void beforeCheckpoint();

    /** Separates this instance, in a copy of the process, from the process that was copied. */
    void afterRestore();
}
