package dev.cassidy.embedded.child;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;

/** The calls to Linux that Java lacks. On other systems they do nothing: then only the lifeline guards the child. */
final class Kernel {
    private static final int PR_SET_PDEATHSIG = 1;
    private static final int SIGKILL = 9;
    private static final int RLIMIT_MEMLOCK = 8;
    private static final int CAPABILITY_VERSION_3 = 0x20080522;
    private static final int CAP_IPC_LOCK = 14;

    private Kernel() {}

    /** A stopped child cannot read its lifeline, so the kernel itself is asked to end it with the parent. */
    static void dieWithParent(long parent) {
        if (!linux()) {
            return;
        }
        call("prctl", PR_SET_PDEATHSIG, (long) SIGKILL, 0L, 0L, 0L);
        // A parent that died before the call above sends no signal any more.
        if (call("getppid") != parent) {
            Runtime.getRuntime().halt(1);
        }
    }

    /** As root, or without a limit on locked memory, Cassandra's mlockall would pin the whole heap of every node. */
    static void forbidMemoryLock() {
        if (!linux()) {
            return;
        }
        Memory limits = new Memory(16);
        limits.clear();
        call("setrlimit", RLIMIT_MEMLOCK, limits);
        Memory header = new Memory(8);
        header.setInt(0, CAPABILITY_VERSION_3);
        header.setInt(4, 0);
        // Two words for each of: effective, permitted, inheritable.
        Memory sets = new Memory(24);
        if (call("capget", header, sets) == 0) {
            int withoutLock = ~(1 << CAP_IPC_LOCK);
            for (int set = 0; set < 12; set += 4) {
                sets.setInt(set, sets.getInt(set) & withoutLock);
            }
            call("capset", header, sets);
        }
    }

    private static boolean linux() {
        return System.getProperty("os.name", "").startsWith("Linux");
    }

    private static int call(String name, Object... arguments) {
        Function function = NativeLibrary.getInstance("c").getFunction(name);
        return function.invokeInt(arguments);
    }
}
