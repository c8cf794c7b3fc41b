package dev.cassidy.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One real Cassandra node in a child JVM, on a loopback address and free ports. A write that it has acknowledged
 * survives {@link #kill()}: the commit log is synced before the answer. The child ends with this JVM, however this JVM
 * ends. If the child ends unexpectedly, {@link #death()} says why, and so do an error in the log and every call that
 * needs the child.
 *
 * <p>Safe for use by several threads; a call waits for the one before it.
 */
public final class EmbeddedCassandra implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EmbeddedCassandra.class.getName());
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final String HOST = "127.0.0.1";

    private final NodeSettings settings;
    private final NodeAddress address;
    private final NodeFolder folder;
    private final boolean keepData;
    private final Thread hook;
    private volatile @Nullable ServerProcess process;
    private volatile CompletableFuture<String> death = new CompletableFuture<>();
    private long logged;
    private boolean closed;

    EmbeddedCassandra(NodeSettings settings, NodeAddress address, NodeFolder folder, boolean keepData) {
        this.settings = settings;
        this.address = address;
        this.folder = folder;
        this.keepData = keepData;
        this.hook = new Thread(this::endWithJvm, "cassidy-end-" + address.host() + "-" + address.port());
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts one node with every default: datacenter {@code dc1}, a temporary folder that {@link #close()} removes. */
    public static EmbeddedCassandra start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The node of this JVM, started by the first call and ended with the JVM. Callers use keyspaces of their own and
     * never stop, kill, pause or close it. It works on a request for up to 60 s before it answers with a time-out, so
     * that a busy machine fails no test; Cassandra's own default is 2 s.
     */
    public static EmbeddedCassandra shared() {
        return Shared.NODE;
    }

    /**
     * The server's own jars, in classpath order: for a class loader without the caller's classes, whose libraries may
     * be of other versions.
     */
    public static List<Path> serverClasspath() {
        return ServerJars.locate(Cache.ofUser(), HostJdk.own());
    }

    /** Where CQL clients connect. */
    public InetSocketAddress contactPoint() {
        return new InetSocketAddress(address.host(), address.port());
    }

    public String host() {
        return address.host();
    }

    /** The native transport's port; it stays the same over restarts. */
    public int port() {
        return address.port();
    }

    public String localDatacenter() {
        return settings.datacenter();
    }

    /** What the server and its JVM have printed, over all restarts. {@link #close()} removes it with the folder. */
    public Path logFile() {
        return folder.log();
    }

    /** The child's process id; a restart changes it. */
    public synchronized long pid() {
        return alive().pid();
    }

    /** Whether the child exists; a paused one does. */
    public synchronized boolean isAlive() {
        ServerProcess current = process;
        return current != null && current.isAlive();
    }

    /**
     * Completes if the child ends unexpectedly (a crash, no memory, a signal from outside). The text says which node it
     * was and why: the last lines of its log, which then stays. {@link #restart()} may start a node that died; this is
     * about the child that runs now.
     */
    public CompletableFuture<String> death() {
        return death.copy();
    }

    static CompletableFuture<String> anyDeath(List<EmbeddedCassandra> nodes) {
        return CompletableFuture.anyOf(nodes.stream().map(node -> node.death).toArray(CompletableFuture<?>[]::new))
                .thenApply(String.class::cast);
    }

    /** Ends the child in an orderly way, keeps the data for {@link #restart()}; nothing if it is not alive. */
    public synchronized void stop() {
        ServerProcess ending = process;
        if (ending == null || !ending.isAlive()) {
            return;
        }
        act(() -> {
            // A paused child could not read the request.
            ending.resume();
            ending.stop(STOP_TIMEOUT);
        });
    }

    /**
     * Starts the node again on its data and its ports, after {@link #stop()} if it is alive. Returns once it serves CQL
     * clients; the other nodes of a cluster notice within seconds ({@link EmbeddedCluster#awaitAllUp()}).
     *
     * @throws EmbeddedCassandraException if it does not start; the message names the log file
     */
    public synchronized void restart() {
        stop();
        launch();
    }

    /** Ends the child at once (SIGKILL), as a crash would; the data stays for {@link #restart()}. */
    public synchronized void kill() {
        ServerProcess ending = alive();
        act(ending::kill);
    }

    /** Freezes the child (SIGSTOP): its connections stay open and nothing answers. */
    public synchronized void pause() {
        ServerProcess alive = alive();
        act(alive::pause);
    }

    /** Lets a paused child continue (SIGCONT). */
    public synchronized void resume() {
        ServerProcess alive = alive();
        act(alive::resume);
    }

    /**
     * Writes the memtables of all keyspaces but {@code system} and {@code system_schema} to disk, as {@code nodetool flush}
     * does. Returns once that is done.
     *
     * @throws EmbeddedCassandraException if it cannot be done; the message names the log file
     */
    public synchronized void flush() {
        ServerProcess alive = alive();
        act(() -> {
            try {
                if (!alive.awaitFlushed(settings.startTimeout())) {
                    throw new EmbeddedCassandraException(
                            "the node at " + address.host() + " could not flush; its log is " + folder.log());
                }
            } catch (TimeoutException e) {
                throw new EmbeddedCassandraException(
                        "the node at " + address.host() + " did not flush within "
                                + settings.startTimeout().toSeconds() + " s; its log is " + folder.log(),
                        e);
            }
        });
    }

    /** Ends the child and removes what it wrote; if the data is kept, the end is orderly and everything stays. */
    @Override
    public void close() {
        removeHook();
        end();
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending: the hook does the same as the caller.
        }
    }

    private void endWithJvm() {
        ServerProcess starting = process;
        if (!keepData && starting != null) {
            // Without the lock: a start that is under way holds it until the child is ready or gone.
            starting.destroy();
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
        boolean died = hasDied();
        if (isAlive()) {
            kill();
        }
        act(died ? folder::deleteData : folder::delete);
    }

    /** Gives the node up after a failed start. The log stays, unless it would explain nothing. */
    void abandon(boolean keepLog) {
        removeHook();
        synchronized (this) {
            closed = true;
            if (isAlive()) {
                kill();
            }
            if (!keepData) {
                act(keepLog ? folder::deleteData : folder::delete);
            }
        }
    }

    synchronized void launch() {
        if (closed) {
            throw new IllegalStateException("is closed: " + address);
        }
        act(() -> {
            folder.write(settings, address);
            HostJdk jdk = HostJdk.find();
            Cache cache = Cache.ofUser();
            List<Path> jars = ServerJars.locate(cache, jdk);
            ClassArchive archive = ClassArchive.of(cache, jdk, jars);
            // Of an earlier life in this folder.
            Files.deleteIfExists(folder.archiveBegun());
            logged = Files.exists(folder.log()) ? Files.size(folder.log()) : 0;
            if (hasDied()) {
                death = new CompletableFuture<>();
            }
            ServerProcess started = ServerProcess.fork(
                    ServerCommand.of(jdk, settings, folder, jars, archive), folder.root(), folder.log());
            process = started;
            boolean ready = false;
            try {
                ready = started.awaitReady(settings.startTimeout());
            } catch (TimeoutException e) {
                throw StartFailure.read(folder.log(), logged).late(settings.startTimeout());
            } finally {
                if (!ready) {
                    started.kill();
                }
            }
            if (!ready) {
                if (Files.exists(folder.archiveBegun())) {
                    archive.giveUp();
                }
                throw StartFailure.read(folder.log(), logged).ended();
            }
            CompletableFuture<String> ofThisLife = death;
            long from = logged;
            started.onDeath(() -> act(() -> {
                String why = account(started, from);
                LOG.log(Level.ERROR, why);
                ofThisLife.complete(why);
            }));
        });
    }

    private boolean hasDied() {
        ServerProcess current = process;
        return current != null && current.hasDied();
    }

    private String account(ServerProcess ended, long from) throws InterruptedException {
        return StartFailure.read(folder.log(), from)
                .died(
                        "Cassandra at " + address.host() + ":" + address.port() + " in " + settings.datacenter(),
                        ended.exitCode());
    }

    /** Returns once each of the nodes sees all of them up; fails as soon as one of them has died. */
    static void awaitJoined(List<EmbeddedCassandra> nodes) {
        CompletableFuture<String> death = anyDeath(nodes);
        nodes.forEach(node -> node.awaitJoined(nodes.size(), death));
    }

    private synchronized void awaitJoined(int size, CompletableFuture<String> ofAny) {
        ServerProcess alive = alive();
        act(() -> {
            try {
                if (!alive.awaitJoined(size, settings.startTimeout(), ofAny)) {
                    throw new EmbeddedCassandraException(ofAny.isDone() ? ofAny.join() : account(alive, logged));
                }
            } catch (TimeoutException e) {
                throw new EmbeddedCassandraException("the node at " + address.host() + " did not see all of the "
                        + size + " nodes up within "
                        + settings.startTimeout().toSeconds() + " s (raise it with startTimeout); its log is "
                        + folder.log());
            }
        });
    }

    /** A further node of this one's cluster and datacenter, with the machine's clock; it is not launched. */
    EmbeddedCassandra joining(String host, long token, NodeFolder itsFolder) {
        NodeSettings itsSettings =
                settings.hasMovedClock() ? ofBootstrap().withClockOffset(Duration.ZERO) : ofBootstrap();
        return new EmbeddedCassandra(itsSettings, address.joining(host, token), itsFolder, keepData);
    }

    /** A node on another address that takes this one's place; it is not launched. */
    EmbeddedCassandra replacing(String host, NodeFolder itsFolder) {
        NodeSettings itsSettings =
                ofBootstrap().withJvmOption("-Dcassandra.replace_address_first_boot=" + address.knownAs());
        return new EmbeddedCassandra(itsSettings, address.joining(host, address.token()), itsFolder, keepData);
    }

    private NodeSettings ofBootstrap() {
        return settings.withYaml("auto_bootstrap", "true")
                // Within this time it hears of all nodes. With the 0 of nodes that start together, it would see no
                // ring.
                .withJvmOption("-Dcassandra.ring_delay_ms=5000");
    }

    /** Decommissions the node; its process still runs. */
    synchronized void leave() {
        ServerProcess alive = alive();
        act(() -> {
            try {
                if (!alive.awaitLeft(settings.startTimeout())) {
                    throw new EmbeddedCassandraException(
                            "the node at " + address.host() + " could not leave; its log is " + folder.log());
                }
            } catch (TimeoutException e) {
                throw new EmbeddedCassandraException(
                        "the node at " + address.host() + " did not leave within "
                                + settings.startTimeout().toSeconds() + " s; its log is " + folder.log(),
                        e);
            }
        });
    }

    private ServerProcess alive() {
        ServerProcess current = process;
        if (current != null && current.hasDied()) {
            act(() -> {
                throw new EmbeddedCassandraException(account(current, logged));
            });
        }
        if (current == null || !current.isAlive()) {
            throw new IllegalStateException("the node at " + address.host() + ":" + address.port()
                    + " is not alive; its log is " + folder.log());
        }
        return current;
    }

    private interface Action {
        void run() throws IOException, InterruptedException;
    }

    private void act(Action action) {
        try {
            action.run();
        } catch (IOException e) {
            throw new UncheckedIOException("the node in " + folder.root(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedCassandraException("interrupted; the node's log is " + folder.log(), e);
        }
    }

    private static final class Shared {
        static final EmbeddedCassandra NODE =
                builder().requestTimeout(Duration.ofMinutes(1)).startsOnce().start();
    }

    /** Options of one node. Not safe for use by several threads. */
    public static final class Builder extends NodeBuilder<Builder> {

        private Builder() {
            super(NodeSettings.defaults());
        }

        @Override
        Builder self() {
            return this;
        }

        /** Default {@code dc1}. */
        public Builder datacenter(String name) {
            settings = settings.withDatacenter(name);
            return this;
        }

        /**
         * Starts the node and returns once it serves CQL clients.
         *
         * @throws EmbeddedCassandraException if it does not start; the message names the log file, which stays
         */
        public EmbeddedCassandra start() {
            Ports ports = new Ports(ThreadLocalRandom.current());
            if (port != 0 && !Ports.isFree(HOST, port)) {
                throw new EmbeddedCassandraException("in use by another program: port=" + port);
            }
            return StartAttempts.run(port == 0, () -> {
                        NodeAddress address = NodeAddress.alone(
                                HOST, port == 0 ? ports.freeOn(List.of(HOST)) : port, ports.freeOn(List.of(HOST)));
                        return List.of(new EmbeddedCassandra(settings, address, folder(), keepsData()));
                    })
                    .get(0);
        }

        private NodeFolder folder() throws IOException {
            return dataDirectory == null
                    ? NodeFolder.temporary()
                    : new NodeFolder(Files.createDirectories(dataDirectory));
        }
    }
}
