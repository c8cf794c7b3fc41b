package dev.cassidy.crac;

public final class Core {

    private static final Context GLOBAL = new Context();

    private Core() {}

    public static Context getGlobalContext() {
        return GLOBAL;
    }

    public static void checkpointRestore() throws Exception {
        for (Resource resource : GLOBAL.resources()) {
            resource.beforeCheckpoint(GLOBAL);
        }
        for (Resource resource : GLOBAL.resources()) {
            resource.afterRestore(GLOBAL);
        }
    }
}
