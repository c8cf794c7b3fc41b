package dev.cassidy.embedded.child;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.service.StorageService;

/** What this node knows of its cluster, from gossip. */
record Cluster(int size) {
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Returns once every node is a member of the ring, alive, serves clients and has the same schema as this one. */
    void awaitAllUp() {
        while (!allUp()) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    private boolean allUp() {
        Set<InetAddressAndPort> members =
                StorageService.instance.getTokenMetadata().getAllEndpoints();
        Set<UUID> schemas = new HashSet<>();
        for (InetAddressAndPort member : members) {
            if (!Gossiper.instance.getLiveMembers().contains(member) || !StorageService.instance.isRpcReady(member)) {
                return false;
            }
            schemas.add(Gossiper.instance.getSchemaVersion(member));
        }
        return members.size() == size && schemas.size() == 1;
    }
}
