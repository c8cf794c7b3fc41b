package dev.cassidy.cluster;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;

/**
 * Calls the open instances when CRaC copies the process. {@code org.crac} is an optional dependency. If it may be missing,
 * only {@link #register} may be called.
 */
final class CheckpointHook {

    private CheckpointHook() {}

    /** A no-op if {@code org.crac} is not on the class path, and on the second and later calls. */
    static void register() {
        if (isCracPresent()) {
            Hook.INSTANCE.register();
        }
    }

    private static boolean isCracPresent() {
        try {
            Class.forName("org.crac.Core", false, CheckpointHook.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Kept here because the JVM refers to it weakly. */
    private static final class Hook implements Resource {

        static final Hook INSTANCE = new Hook();

        private boolean registered;

        synchronized void register() {
            if (!registered) {
                registered = true;
                Core.getGlobalContext().register(this);
            }
        }

        @Override
        public void beforeCheckpoint(Context<? extends Resource> context) {
            ExitHook.INSTANCE.forEachOpen(ProcessHooks::beforeCheckpoint);
        }

        @Override
        public void afterRestore(Context<? extends Resource> context) {
            ExitHook.INSTANCE.forEachOpen(ProcessHooks::afterRestore);
        }
    }
}
