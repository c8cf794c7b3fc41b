package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.session.Session;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What this JVM has logged about a cluster, since many sessions and instances have the same to say. A cluster is known by the
 * host ids of its nodes: two clusters may have one name, and most have Cassandra's default. A cluster that has gained and
 * lost nodes is the same one as long as it has one of those that it had.
 *
 * <p>Safe for use by many threads.
 */
public final class SaidOnce {

    public static final SaidOnce INSTANCE = new SaidOnce();

    /** The nodes of all clusters of which a thing was said. */
    private final Map<String, Set<UUID>> said = new HashMap<>();

    SaidOnce() {}

    /** Whether it is the first time that this is said of the session's cluster. */
    public boolean first(Session session, String what) {
        return first(session.getMetadata().getNodes().keySet(), what);
    }

    /** Whether it is the first time that this is said of a cluster that has these nodes. */
    public synchronized boolean first(Set<UUID> nodes, String what) {
        Set<UUID> before = said.computeIfAbsent(what, none -> new HashSet<>());
        boolean first = Collections.disjoint(before, nodes);
        before.addAll(nodes);
        return first;
    }
}
