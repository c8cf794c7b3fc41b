package dev.cassidy.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A real Cassandra cluster of one or several datacenters: a child JVM for each node, on 127.0.0.1, 127.0.0.2 and so on,
 * all on the same free ports. What {@link EmbeddedCassandra} promises holds for each node.
 */
public final class EmbeddedCluster implements AutoCloseable {
    private final List<EmbeddedCassandra> nodes;

    private EmbeddedCluster(List<EmbeddedCassandra> nodes) {
        this.nodes = List.copyOf(nodes);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** All nodes, datacenter by datacenter in the order of the builder. */
    public List<EmbeddedCassandra> nodes() {
        return nodes;
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
     * @throws EmbeddedCassandraException if that does not happen within the start timeout
     */
    public void awaitAllUp() {
        nodes.forEach(EmbeddedCassandra::awaitJoined);
    }

    /** Closes every node. */
    @Override
    public void close() {
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
    public static final class Builder {
        private final Map<String, Integer> datacenters = new LinkedHashMap<>();
        private NodeSettings settings = NodeSettings.ofClusterNode();
        private @Nullable Path dataDirectory;
        private @Nullable Boolean keepData;
        private int port;

        private Builder() {}

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

        /** Default {@code cassidy}. */
        public Builder clusterName(String name) {
            settings = settings.withClusterName(name);
            return this;
        }

        /** The folder with a folder per node, kept on close. Default: temporary ones, removed on close. */
        public Builder dataDirectory(Path folder) {
            dataDirectory = folder.toAbsolutePath();
            return this;
        }

        /** Whether {@link #close()} leaves the nodes' files. Default: true for a folder that was given, else false. */
        public Builder keepData(boolean keep) {
            keepData = keep;
            return this;
        }

        /** The native transport's port on every address. Default: a free one. */
        public Builder port(int number) {
            port = Ports.require(number);
            return this;
        }

        /** Adds a jar to the classpath of every server. */
        public Builder serverJar(Path jar) {
            settings = settings.withServerJar(jar);
            return this;
        }

        /** Adds an option of every child JVM, after ours: the last one wins. */
        public Builder jvmOption(String option) {
            settings = settings.withJvmOption(option);
            return this;
        }

        /** Each child's heap in the JVM's notation. Default {@code 384m}. */
        public Builder heap(String size) {
            settings = settings.withHeap(size);
            return this;
        }

        /** Sets a key of every cassandra.yaml; see {@link EmbeddedCassandra.Builder#yaml}. */
        public Builder yaml(String key, String value) {
            settings = settings.withYaml(key, value);
            return this;
        }

        /** How long the start of one node may take. Default 3 minutes, for machines under load. */
        public Builder startTimeout(Duration timeout) {
            settings = settings.withStartTimeout(timeout);
            return this;
        }

        /**
         * Starts the nodes one after another and returns once each sees all of them up.
         *
         * @throws EmbeddedCassandraException if a node does not start; the message names its log file, which stays
         */
        public EmbeddedCluster start() {
            JavaVersions.requireHost(Runtime.version().feature(), System.getProperty("java.home"));
            if (datacenters.isEmpty()) {
                throw new IllegalArgumentException("needs a datacenter: datacenter(name, nodes)");
            }
            List<String> names = new ArrayList<>();
            datacenters.forEach((name, count) -> IntStream.range(0, count).forEach(i -> names.add(name)));
            List<String> hosts = IntStream.rangeClosed(1, names.size())
                    .mapToObj(i -> "127.0.0." + i)
                    .toList();
            Ports ports = new Ports(ThreadLocalRandom.current());
            return new EmbeddedCluster(StartAttempts.run(port == 0, () -> {
                List<NodeAddress> addresses =
                        NodeAddress.cluster(hosts, port == 0 ? ports.freeOn(hosts) : port, ports.freeOn(hosts));
                List<EmbeddedCassandra> drawn = new ArrayList<>();
                for (int i = 0; i < addresses.size(); i++) {
                    NodeAddress address = addresses.get(i);
                    drawn.add(new EmbeddedCassandra(
                            settings.withDatacenter(names.get(i)), address, folder(address), keep()));
                }
                return drawn;
            }));
        }

        private boolean keep() {
            return keepData == null ? dataDirectory != null : keepData;
        }

        private NodeFolder folder(NodeAddress address) throws IOException {
            return dataDirectory == null
                    ? NodeFolder.temporary()
                    : new NodeFolder(Files.createDirectories(dataDirectory.resolve(address.host())));
        }
    }
}
