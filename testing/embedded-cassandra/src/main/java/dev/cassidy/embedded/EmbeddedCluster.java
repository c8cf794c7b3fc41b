package dev.cassidy.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Cassandra cluster of one or several datacenters: a child JVM for each node, on 127.0.0.1, 127.0.0.2 and so on,
 * all on the same free ports. The contract of {@link EmbeddedCassandra} holds for each node.
 */
public final class EmbeddedCluster implements AutoCloseable {
    private static final String HOSTS = "127.0.0.";

    private final List<EmbeddedCassandra> nodes;
    private final @Nullable Path dataDirectory;
    private final @Nullable Links links;

    /** How many addresses were used; the address of a node that left is not used again. */
    private int hosts;

    private EmbeddedCluster(List<EmbeddedCassandra> nodes, @Nullable Path dataDirectory, @Nullable Links links) {
        this.nodes = new CopyOnWriteArrayList<>(nodes);
        this.dataDirectory = dataDirectory;
        this.links = links;
        this.hosts = nodes.size();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** All nodes, datacenter by datacenter in the order of the builder. */
    public List<EmbeddedCassandra> nodes() {
        return List.copyOf(nodes);
    }

    /** The nodes of one datacenter. */
    public List<EmbeddedCassandra> nodes(String datacenter) {
        List<EmbeddedCassandra> found = nodes.stream()
                .filter(node -> node.localDatacenter().equals(datacenter))
                .toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException("no such datacenter: " + datacenter + "; there are "
                    + nodes.stream()
                            .map(EmbeddedCassandra::localDatacenter)
                            .distinct()
                            .toList());
        }
        return found;
    }

    /** One node of a datacenter, counted from 0. */
    public EmbeddedCassandra node(String datacenter, int index) {
        return nodes(datacenter).get(index);
    }

    /** Where CQL clients of that datacenter connect. */
    public List<InetSocketAddress> contactPoints(String datacenter) {
        return nodes(datacenter).stream().map(EmbeddedCassandra::contactPoint).toList();
    }

    /**
     * Returns once every node sees every node up, serving clients, and with the same schema; all must be alive and none
     * paused. For use after a restart or a resume, which the other nodes notice with a delay.
     *
     * @throws EmbeddedCassandraException if that does not happen within the start timeout, or a node dies
     */
    public void awaitAllUp() {
        EmbeddedCassandra.awaitJoined(nodes);
    }

    /**
     * Adds a node to a datacenter while the others run; they stream its data to it. Returns once every node sees every node
     * up. All nodes must be alive, and none paused.
     *
     * @throws EmbeddedCassandraException if it does not start, or the others do not see it
     * @throws IllegalStateException if the cluster was built with {@link Builder#severable()}
     */
    public synchronized EmbeddedCassandra join(String datacenter) {
        EmbeddedCassandra neighbour = node(datacenter, 0);
        EmbeddedCassandra joining = further((host, folder) ->
                neighbour.joining(host, ThreadLocalRandom.current().nextLong(), folder));
        nodes.add(joining);
        awaitAllUp();
        return joining;
    }

    /**
     * Replaces a node that was killed, for good: a new node on another address takes over its place in the ring and streams
     * its data from the other replicas. Returns once every node sees every node up. All others must be alive, and none paused.
     *
     * @param dead is closed, and its data is removed
     * @throws EmbeddedCassandraException if the new node does not start, or the others do not see it
     * @throws IllegalArgumentException if the node is alive, or none of this cluster
     * @throws IllegalStateException if the cluster was built with {@link Builder#severable()}
     */
    public synchronized EmbeddedCassandra replace(EmbeddedCassandra dead) {
        requireOwn(dead);
        if (dead.isAlive()) {
            throw new IllegalArgumentException("must be killed before it is replaced: " + dead.contactPoint());
        }
        EmbeddedCassandra replacing = further(dead::replacing);
        nodes.remove(dead);
        dead.close();
        nodes.add(replacing);
        awaitAllUp();
        return replacing;
    }

    /** A node on its own address, launched; it is not listed yet. */
    private EmbeddedCassandra further(BiFunction<String, NodeFolder, EmbeddedCassandra> create) {
        if (links != null) {
            throw new IllegalStateException("no node can be added to a cluster that was built with severable()");
        }
        String host = HOSTS + ++hosts;
        NodeFolder folder;
        try {
            folder = folder(dataDirectory, host);
        } catch (IOException e) {
            throw new UncheckedIOException("the folder of node " + host + " could not be created", e);
        }
        EmbeddedCassandra node = create.apply(host, folder);
        try {
            node.launch();
        } catch (RuntimeException e) {
            node.abandon(true);
            throw e;
        }
        return node;
    }

    /**
     * Decommissions a node while the others run: it streams its data to them, leaves the ring and is closed. Returns once
     * every other node sees the others up and this one gone. All nodes must be alive, and none paused.
     *
     * @throws EmbeddedCassandraException if it cannot leave, for example because a keyspace has more replicas than nodes
     *     would be left
     * @throws IllegalArgumentException if it is none of this cluster
     */
    public synchronized void decommission(EmbeddedCassandra node) {
        requireOwn(node);
        node.leave();
        nodes.remove(node);
        node.close();
        awaitAllUp();
    }

    private void requireOwn(EmbeddedCassandra node) {
        if (!nodes.contains(node)) {
            throw new IllegalArgumentException("must be a node of this cluster: " + node.contactPoint());
        }
    }

    /** Completes when the first of the nodes dies, as {@link EmbeddedCassandra#death()} says. */
    public CompletableFuture<String> death() {
        return EmbeddedCassandra.anyDeath(nodes);
    }

    /** As {@link #cutOff(String, Cut)}, {@link Cut#SILENT silently}: the nastier of the two. */
    public void cutOff(String datacenter) {
        cutOff(datacenter, Cut.SILENT);
    }

    /**
     * Cuts the links between a datacenter and every other one, both ways. All nodes stay up, and clients go on reaching
     * them. The nodes take the others for down within seconds, by their time-outs and failure detectors.
     *
     * @throws IllegalStateException if the cluster was built without {@link Builder#severable()}
     */
    public void cutOff(String datacenter, Cut cut) {
        nodes(datacenter);
        Links all = links();
        for (EmbeddedCassandra node : nodes) {
            String other = node.localDatacenter();
            if (!other.equals(datacenter)) {
                all.cut(datacenter, other, cut);
                all.cut(other, datacenter, cut);
            }
        }
    }

    /**
     * Cuts one way: what nodes of {@code from} send to nodes of {@code to} on connections that they opened themselves,
     * as all their messages are.
     *
     * @throws IllegalStateException if the cluster was built without {@link Builder#severable()}
     */
    public void cut(String from, String to, Cut cut) {
        nodes(from);
        nodes(to);
        if (from.equals(to)) {
            throw new IllegalArgumentException("must be two datacenters: from=" + from + " to=" + to);
        }
        links().cut(from, to, cut);
    }

    /**
     * Heals every link of the datacenter, whichever call has cut it. The nodes notice within seconds ({@link
     * #awaitAllUp()}). Does nothing where nothing is cut.
     *
     * @throws IllegalStateException if the cluster was built without {@link Builder#severable()}
     */
    public void heal(String datacenter) {
        nodes(datacenter);
        links().heal(datacenter);
    }

    private static NodeFolder folder(@Nullable Path dataDirectory, String host) throws IOException {
        return dataDirectory == null
                ? NodeFolder.temporary()
                : new NodeFolder(Files.createDirectories(dataDirectory.resolve(host)));
    }

    private Links links() {
        if (links == null) {
            throw new IllegalStateException("its links cannot be cut: build the cluster with severable()");
        }
        return links;
    }

    /** Closes every node. */
    @Override
    public void close() {
        if (links != null) {
            links.close();
        }
        RuntimeException failure = null;
        for (EmbeddedCassandra node : nodes) {
            try {
                node.close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Options of a cluster; each applies to all nodes. Not safe for use by several threads. */
    public static final class Builder extends NodeBuilder<Builder> {
        private final Map<String, Integer> datacenters = new LinkedHashMap<>();
        private final Map<String, Map<Integer, Duration>> clockOffsets = new HashMap<>();
        private boolean severable;
        private Duration oneWay = Duration.ZERO;

        private Builder() {
            super(NodeSettings.ofClusterNode());
        }

        @Override
        Builder self() {
            return this;
        }

        /** Adds a datacenter of so many nodes; at least one is needed. */
        public Builder datacenter(String name, int count) {
            if (count < 1) {
                throw new IllegalArgumentException("must be > 0: nodes of " + name + "=" + count);
            }
            settings.withDatacenter(name);
            if (datacenters.putIfAbsent(name, count) != null) {
                throw new IllegalArgumentException("named twice: datacenter " + name);
            }
            return this;
        }

        /**
         * Lets the links between datacenters be cut ({@link #cutOff(String)}): nodes reach each other through this JVM,
         * which listens for them on 127.0.1.1, 127.0.1.2 and so on. Their own addresses, and what clients see, stay.
         */
        public Builder severable() {
            severable = true;
            return this;
        }

        /**
         * Lets what nodes of two datacenters send each other take a time, half of it each way; the cluster is {@link #severable()}
         * too. Clients reach all nodes at once.
         *
         * @param roundTrip not negative
         */
        public Builder roundTripBetweenDatacenters(Duration roundTrip) {
            if (roundTrip.isNegative()) {
                throw new IllegalArgumentException("must be >= 0: roundTrip=" + roundTrip);
            }
            oneWay = roundTrip.dividedBy(2);
            return severable();
        }

        /**
         * Moves a node's clock, over all restarts: {@code Duration.ofDays(-2)} for one that is two days behind. Then no node
         * looks at when another one sent a request ({@code internode_timeout}). A node that joins has the machine's clock, and
         * one that replaces another has that one's.
         *
         * @param index of the node in its datacenter, counted from 0
         */
        public Builder clockOffset(String datacenter, int index, Duration offset) {
            Integer count = datacenters.get(datacenter);
            if (count == null || index < 0 || index >= count) {
                throw new IllegalArgumentException(
                        "no such node: datacenter=" + datacenter + " index=" + index + "; there are " + datacenters);
            }
            clockOffsets.computeIfAbsent(datacenter, name -> new HashMap<>()).put(index, offset);
            return this;
        }

        /** The settings of each node. */
        private List<NodeSettings> settings() {
            NodeSettings common = clockOffsets.isEmpty() ? settings : settings.withForeignClocks();
            List<NodeSettings> all = new ArrayList<>();
            datacenters.forEach((name, count) -> {
                for (int i = 0; i < count; i++) {
                    Duration offset = clockOffsets.getOrDefault(name, Map.of()).get(i);
                    NodeSettings own = common.withDatacenter(name);
                    all.add(offset == null ? own : own.withClockOffset(offset));
                }
            });
            return all;
        }

        /**
         * Starts the nodes one after another and returns once each sees all of them up.
         *
         * @throws EmbeddedCassandraException if a node does not start; the message names its log file, which stays
         */
        public EmbeddedCluster start() {
            if (datacenters.isEmpty()) {
                throw new IllegalArgumentException("needs a datacenter: datacenter(name, nodes)");
            }
            List<NodeSettings> each = settings();
            List<String> names = each.stream().map(NodeSettings::datacenter).toList();
            List<String> hosts = hosts(HOSTS, names.size());
            List<String> knownAs = severable ? hosts("127.0.1.", names.size()) : hosts;
            Ports ports = new Ports(ThreadLocalRandom.current());
            AtomicReference<@Nullable Links> links = new AtomicReference<>();
            try {
                List<EmbeddedCassandra> started = StartAttempts.run(port == 0, () -> {
                    List<NodeAddress> addresses = NodeAddress.cluster(
                            hosts,
                            knownAs,
                            port == 0 ? ports.freeOn(hosts) : port,
                            ports.freeOn(Stream.concat(hosts.stream(), knownAs.stream())
                                    .distinct()
                                    .toList()));
                    if (severable) {
                        close(links.getAndSet(null));
                        links.set(Links.open(ends(addresses, names), oneWay));
                    }
                    List<EmbeddedCassandra> drawn = new ArrayList<>();
                    for (int i = 0; i < addresses.size(); i++) {
                        NodeAddress address = addresses.get(i);
                        drawn.add(new EmbeddedCassandra(
                                each.get(i), address, folder(dataDirectory, address.host()), keepsData()));
                    }
                    return drawn;
                });
                return new EmbeddedCluster(started, dataDirectory, links.get());
            } catch (RuntimeException e) {
                close(links.get());
                throw e;
            }
        }

        private static void close(@Nullable Links links) {
            if (links != null) {
                links.close();
            }
        }

        private static List<String> hosts(String prefix, int count) {
            return IntStream.rangeClosed(1, count).mapToObj(i -> prefix + i).toList();
        }

        private static List<Links.End> ends(List<NodeAddress> addresses, List<String> datacenters) {
            return IntStream.range(0, addresses.size())
                    .mapToObj(i -> {
                        NodeAddress address = addresses.get(i);
                        return new Links.End(
                                new InetSocketAddress(address.knownAs(), address.storagePort()),
                                new InetSocketAddress(address.host(), address.storagePort()),
                                datacenters.get(i));
                    })
                    .toList();
        }
    }
}
