package dev.cassidy.cluster;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What this JVM has logged about a cluster, since many sessions and instances have the same to say. */
public final class SaidOnce {

    public static final SaidOnce INSTANCE = new SaidOnce();

    private final Set<String> said = ConcurrentHashMap.newKeySet();

    private SaidOnce() {}

    /** Whether it is the first time. */
    public boolean first(String cluster, String what) {
        return said.add(cluster + '\n' + what);
    }
}
