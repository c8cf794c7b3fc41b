package dev.cassidy.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One real Cassandra node in a child JVM, on 127.0.0.1 and free ports. A write that it has acknowledged survives
 * {@link #kill()}: the commit log is synced before the answer. The child ends with this JVM, however this JVM ends.
 *
 * <p>Safe for use by several threads.
 */
public final class EmbeddedCassandra implements AutoCloseable {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final int START_ATTEMPTS = 3;

    private final NodeSettings settings;
    private final NodeAddress address;
    private final NodeFolder folder;
    private final boolean keepData;
    private final Thread hook;
    private @Nullable ServerProcess process;
    private boolean closed;

    EmbeddedCassandra(NodeSettings settings, NodeAddress address, NodeFolder folder, boolean keepData) {
        this.settings = settings;
        this.address = address;
        this.folder = folder;
        this.keepData = keepData;
        this.hook = new Thread(this::end, "cassidy-close-" + address.port());
    }

    /** Starts one node with every default: datacenter {@code dc1}, a temporary folder that {@link #close()} removes. */
    public static EmbeddedCassandra start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The node of this JVM, started by the first call and ended with the JVM. Callers keep to keyspaces of their own
     * and never stop or close it.
     */
    public static EmbeddedCassandra shared() {
        return Shared.NODE;
    }

    /** Where CQL clients connect. */
    public InetSocketAddress contactPoint() {
        return new InetSocketAddress(address.host(), address.port());
    }

    public String host() {
        return address.host();
    }

    /** The native transport's port. */
    public int port() {
        return address.port();
    }

    public String localDatacenter() {
        return settings.datacenter();
    }

    /** What the server and its JVM have printed, over all restarts. Removed by {@link #close()} with a temporary folder. */
    public Path logFile() {
        return folder.log();
    }

    /** The child's process id; after a restart it is another. */
    public synchronized long pid() {
        return running().pid();
    }

    /** Whether the child exists; a paused one does. */
    public synchronized boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** An orderly end that keeps the data for {@link #restart()}. Does nothing on a node that is not alive. */
    public synchronized void stop() {
        if (process != null && process.isAlive()) {
            ServerProcess ending = process;
            uninterrupted(() -> {
                // A paused child could not read the request.
                ending.resume();
                ending.stop(STOP_TIMEOUT);
            });
        }
    }

    /** Starts the node again on its data and ports; stops it first if it is alive. */
    public synchronized void restart() {
        stop();
        launch();
    }

    /** Ends the child at once (SIGKILL), as a crash would; the data stays for {@link #restart()}. */
    public synchronized void kill() {
        ServerProcess ending = running();
        uninterrupted(ending::kill);
    }

    /** Freezes the child (SIGSTOP): its connections stay open and nothing answers. */
    public synchronized void pause() {
        ServerProcess running = running();
        uninterrupted(running::pause);
    }

    /** Lets a paused child continue (SIGCONT). */
    public synchronized void resume() {
        ServerProcess running = running();
        uninterrupted(running::resume);
    }

    /** Ends the child and removes its folder, unless the data is kept: then the end is orderly. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending: the hook does the same.
        }
        end();
    }

    private synchronized void end() {
        if (closed) {
            return;
        }
        closed = true;
        if (keepData) {
            stop();
            return;
        }
        if (isAlive()) {
            kill();
        }
        try {
            Trees.delete(folder.root());
        } catch (IOException e) {
            throw new UncheckedIOException("the node has ended, but its folder could not be removed", e);
        }
    }

    synchronized void launch() {
        if (closed) {
            throw new IllegalStateException("closed: " + address);
        }
        try {
            folder.write(settings, address);
            ServerProcess started = ServerProcess.fork(
                    ServerCommand.of(settings, folder, ServerJars.locate(Cache.ofUser())), folder.log());
            process = started;
            boolean ready = false;
            try {
                ready = started.awaitReady(settings.startTimeout());
                if (!ready) {
                    started.kill();
                    throw StartFailure.ended(folder.log());
                }
            } catch (TimeoutException e) {
                throw StartFailure.late(folder.log(), settings.startTimeout());
            } finally {
                if (!ready) {
                    started.kill();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the node could not be started in " + folder.root(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedCassandraException("interrupted while the node started: " + folder.log(), e);
        }
    }

    private ServerProcess running() {
        if (process == null || !process.isAlive()) {
            throw new IllegalStateException("not alive: " + address + "; its log is " + folder.log());
        }
        return process;
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private static void uninterrupted(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedCassandraException("interrupted", e);
        }
    }

    private static final class Shared {
        static final EmbeddedCassandra NODE = EmbeddedCassandra.start();
    }

    /** Options of one node. Not safe for use by several threads. */
    public static final class Builder {
        private NodeSettings settings = NodeSettings.defaults();
        private @Nullable Path dataDirectory;
        private @Nullable Boolean keepData;
        private int port;

        private Builder() {}

        /** Default {@code cassidy}. Kept data remembers its cluster's name and refuses another. */
        public Builder clusterName(String name) {
            settings = settings.withClusterName(name);
            return this;
        }

        /** Default {@code dc1}. */
        public Builder datacenter(String name) {
            settings = settings.withDatacenter(name);
            return this;
        }

        /** The node's folder, created if absent and kept on close. Default: a temporary one. */
        public Builder dataDirectory(Path folder) {
            dataDirectory = folder.toAbsolutePath();
            return this;
        }

        /** Whether {@link #close()} leaves the folder. Default: true for a folder that was given, else false. */
        public Builder keepData(boolean keep) {
            keepData = keep;
            return this;
        }

        /** The native transport's port. Default: a free one. */
        public Builder port(int number) {
            if (number < 1 || number > 65_535) {
                throw new IllegalArgumentException("must be in 1..65535: port=" + number);
            }
            port = number;
            return this;
        }

        /** Adds a jar to the server's classpath. */
        public Builder serverJar(Path jar) {
            settings = settings.withServerJar(jar);
            return this;
        }

        /** Adds an option of the child JVM, after ours: the last one wins. */
        public Builder jvmOption(String option) {
            settings = settings.withJvmOption(option);
            return this;
        }

        /** The child's heap in the JVM's notation. Default {@code 512m}. */
        public Builder heap(String size) {
            settings = settings.withHeap(size);
            return this;
        }

        /** Sets a key of cassandra.yaml; the value is YAML and is written as it is. */
        public Builder yaml(String key, String value) {
            settings = settings.withYaml(key, value);
            return this;
        }

        /** How long a start may take. Default 3 minutes, for machines under load. */
        public Builder startTimeout(Duration timeout) {
            settings = settings.withStartTimeout(timeout);
            return this;
        }

        /**
         * Starts the node and returns once it serves CQL clients.
         *
         * @throws EmbeddedCassandraException if it does not start; the message names the log file, which stays
         */
        public EmbeddedCassandra start() {
            JavaVersions.requireHost(Runtime.version().feature(), System.getProperty("java.home"));
            for (int attempt = 1; ; attempt++) {
                EmbeddedCassandra node = node();
                Runtime.getRuntime().addShutdownHook(node.hook);
                try {
                    node.launch();
                    return node;
                } catch (RuntimeException e) {
                    Runtime.getRuntime().removeShutdownHook(node.hook);
                    boolean retry = port == 0 && attempt < START_ATTEMPTS && StartFailure.portWasTaken(node.logFile());
                    if (!retry) {
                        throw e;
                    }
                }
            }
        }

        private EmbeddedCassandra node() {
            String host = "127.0.0.1";
            Ports ports = new Ports(ThreadLocalRandom.current());
            int nativePort = port == 0 ? ports.freeOn(List.of(host)) : port;
            int storagePort = ports.freeOn(List.of(host));
            try {
                NodeFolder folder = dataDirectory == null
                        ? NodeFolder.temporary()
                        : new NodeFolder(Files.createDirectories(dataDirectory));
                boolean keep = keepData == null ? dataDirectory != null : keepData;
                return new EmbeddedCassandra(settings, NodeAddress.alone(host, nativePort, storagePort), folder, keep);
            } catch (IOException e) {
                throw new UncheckedIOException("the node's folder could not be created", e);
            }
        }
    }
}
