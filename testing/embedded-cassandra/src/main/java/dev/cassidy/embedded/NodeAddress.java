package dev.cassidy.embedded;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Where one node listens, the host under which the other nodes know it, and the cluster it belongs to: the seeds, each
 * as {@code host:storagePort}, the token this one starts with.
 */
record NodeAddress(String host, String knownAs, int port, int storagePort, String seeds, long token) {
    static NodeAddress alone(String host, int port, int storagePort) {
        return cluster(List.of(host), List.of(host), port, storagePort).get(0);
    }

    /**
     * One node on each host, all on the same ports. Tokens divide the ring evenly. Each node is a seed: a node that is
     * none ends if no seed answers it within a second of its start, because of a cut, a busy machine, or since the seed
     * is down too. What speaks against many seeds, that they do not bootstrap, is wanted here.
     */
    static List<NodeAddress> cluster(List<String> hosts, List<String> knownAs, int port, int storagePort) {
        String seeds = knownAs.stream().map(host -> host + ":" + storagePort).collect(Collectors.joining(","));
        int size = hosts.size();
        long step = Long.divideUnsigned(-1L, size);
        return IntStream.range(0, size)
                .mapToObj(i -> new NodeAddress(
                        hosts.get(i), knownAs.get(i), port, storagePort, seeds, Long.MIN_VALUE + step / 2 + i * step))
                .toList();
    }

    /** A further node. It is no seed, since a seed does not bootstrap. */
    NodeAddress joining(String newHost, long newToken) {
        return new NodeAddress(newHost, newHost, port, storagePort, seeds, newToken);
    }
}
