package dev.cassidy.embedded.child;

import java.lang.reflect.Field;
import java.time.Duration;

/**
 * Cassandra's threads for requests. When they have nothing to do, they look for work every 10 us, until they have looked
 * for 10 ms. In our build that was 9 % of the nodes' CPU time.
 */
final class RequestWorkers {

    /** Waking a thread that sleeps takes some microseconds. */
    private static final Duration LOOKING = Duration.ofMillis(1);

    private RequestWorkers() {}

    /**
     * Lets them sleep sooner. To be called before the daemon starts: compiled code takes the interval for a constant.
     * Cassandra has no setting for it; if another version has no such field, nothing changes.
     */
    static void sleepSooner() {
        try {
            Field interval =
                    Class.forName("org.apache.cassandra.concurrent.SEPWorker").getDeclaredField("stopCheckInterval");
            // The compiler warns of each use of this class, and reflection does not write final fields.
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            Object unsafe = instance.get(null);
            Object base = type.getMethod("staticFieldBase", Field.class).invoke(unsafe, interval);
            Object offset = type.getMethod("staticFieldOffset", Field.class).invoke(unsafe, interval);
            type.getMethod("putLong", Object.class, long.class, long.class)
                    .invoke(unsafe, base, offset, LOOKING.toNanos());
        } catch (ReflectiveOperationException e) {
            System.err.println("INFO  Cassandra's idle threads look for work as long as by default: " + e);
        }
    }
}
