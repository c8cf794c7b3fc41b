package dev.cassidy.embedded;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Where one node listens, the host under which the other nodes know it, and the cluster it belongs to: the seed as
 * {@code host:storagePort}, the number of nodes, the token this one starts with.
 */
record NodeAddress(String host, String knownAs, int port, int storagePort, String seed, int clusterSize, long token) {
    static NodeAddress alone(String host, int port, int storagePort) {
        return cluster(List.of(host), List.of(host), port, storagePort).get(0);
    }

    /** One node on each host, all on the same ports; the first is the seed of all. Tokens divide the ring evenly. */
    static List<NodeAddress> cluster(List<String> hosts, List<String> knownAs, int port, int storagePort) {
        String seed = knownAs.get(0) + ":" + storagePort;
        int size = hosts.size();
        long step = Long.divideUnsigned(-1L, size);
        return IntStream.range(0, size)
                .mapToObj(i -> new NodeAddress(
                        hosts.get(i),
                        knownAs.get(i),
                        port,
                        storagePort,
                        seed,
                        size,
                        Long.MIN_VALUE + step / 2 + i * step))
                .toList();
    }
}
