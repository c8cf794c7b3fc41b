package dev.cassidy.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The links between the nodes of a cluster: nodes know each other by their broadcast addresses, where this JVM listens and
 * passes on what it is sent, unless the link is cut. A node names itself in the first bytes of every connection that it
 * opens to another, so a link is told by both of its ends. What goes from one datacenter to another may take a time on its way.
 *
 * <p>Safe for use by several threads. Two threads serve each connection, four if it takes time; all of them end with
 * {@link #close()}.
 */
final class Links implements AutoCloseable {
    /** Begins every connection between nodes, see Cassandra's HandshakeProtocol; then flags, the sender's address. */
    static final int MAGIC = 0xCA552DFA;

    private static final int FLAGS = 4;
    private static final int ADDRESS_AND_PORT = 6;
    private static final int HELLO = Integer.BYTES + FLAGS + 1 + 4;
    private static final int BUFFER = 16 * 1024;

    /** Where one node is known to the others, where it listens, and the datacenter that it is in. */
    record End(InetSocketAddress known, InetSocketAddress listening, String datacenter) {}

    private record Link(String from, String to) {}

    /** Bytes on their way, and when they arrive, by {@link System#nanoTime()}; none is the end of the stream. */
    private record Sent(long arrives, ByteBuffer bytes) {}

    /** What each byte takes from one datacenter to another; zero for no time. */
    private final Duration oneWay;

    private final Map<InetAddress, String> datacenters = new HashMap<>();
    private final List<ServerSocket> listeners = new ArrayList<>();
    private final Map<Link, Cut> cuts = new HashMap<>();
    private final Set<Relay> relays = new HashSet<>();
    private boolean closed;

    private Links(Duration oneWay) {
        this.oneWay = oneWay;
    }

    /**
     * Listens for the nodes, which need not run yet.
     *
     * @param oneWay the time that each byte takes from one datacenter to another
     */
    static Links open(List<End> ends, Duration oneWay) throws IOException {
        Links links = new Links(oneWay);
        ends.forEach(end -> links.datacenters.put(end.known().getAddress(), end.datacenter()));
        try {
            for (End end : ends) {
                ServerSocket listener = new ServerSocket();
                links.listeners.add(listener);
                listener.setReuseAddress(true);
                listener.bind(end.known());
                daemon(() -> links.accept(listener, end));
            }
        } catch (IOException e) {
            links.close();
            throw e;
        }
        return links;
    }

    /** Cuts the connections that nodes of {@code from} have opened, and will open, to nodes of {@code to}. */
    synchronized void cut(String from, String to, Cut cut) {
        Link link = new Link(from, to);
        cuts.put(link, cut);
        if (cut == Cut.CLOSED) {
            relays.stream().filter(relay -> link.equals(relay.link)).forEach(Relay::close);
        }
        notifyAll();
    }

    /** Heals every link that the datacenter is an end of. */
    synchronized void heal(String datacenter) {
        cuts.keySet()
                .removeIf(link -> link.from().equals(datacenter) || link.to().equals(datacenter));
        notifyAll();
    }

    @Override
    public synchronized void close() {
        closed = true;
        listeners.forEach(Links::closeQuietly);
        relays.forEach(Relay::close);
        notifyAll();
    }

    private void accept(ServerSocket listener, End end) {
        try {
            while (true) {
                Relay relay = new Relay(listener.accept(), end);
                if (add(relay)) {
                    daemon(relay::run);
                }
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private synchronized boolean add(Relay relay) {
        if (closed) {
            relay.close();
        } else {
            relays.add(relay);
        }
        return !closed;
    }

    private synchronized void remove(Relay relay) {
        relays.remove(relay);
    }

    private synchronized void name(Relay relay, Link link) {
        relay.link = link;
    }

    /** Waits while the link is silent; false if the data on it is lost. */
    private synchronized boolean mayPass(Link link) throws IOException {
        try {
            while (cuts.get(link) == Cut.SILENT && !closed) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
        return !closed && cuts.get(link) == null;
    }

    /** The datacenter of the node that opened a connection with these bytes; empty if that was no node of ours. */
    private Optional<String> sender(byte[] hello) throws IOException {
        if (hello.length < HELLO) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.wrap(hello);
        boolean node = bytes.getInt() == MAGIC && bytes.get(Integer.BYTES + FLAGS) == ADDRESS_AND_PORT;
        InetAddress address = InetAddress.getByAddress(Arrays.copyOfRange(hello, HELLO - 4, HELLO));
        return node ? Optional.ofNullable(datacenters.get(address)) : Optional.empty();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "cassidy-link");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            // It is of no more use, closed or not.
        }
    }

    /** One connection between two nodes. */
    private final class Relay {
        private final Socket incoming;
        private final Socket outgoing = new Socket();
        private final End end;
        private volatile Link link = new Link("", "");

        Relay(Socket incoming, End end) {
            this.incoming = incoming;
            this.end = end;
        }

        void run() {
            try {
                byte[] hello = incoming.getInputStream().readNBytes(HELLO);
                Optional<String> from = sender(hello);
                if (from.isEmpty()) {
                    return;
                }
                name(this, new Link(from.get(), end.datacenter()));
                if (!mayPass(link)) {
                    return;
                }
                incoming.setTcpNoDelay(true);
                outgoing.setTcpNoDelay(true);
                outgoing.connect(end.listening());
                outgoing.getOutputStream().write(hello);
                Thread answers = daemon(() -> pump(outgoing, incoming));
                pump(incoming, outgoing);
                answers.join();
            } catch (IOException e) {
                // One end is gone, or the link was cut: both ends notice by the close.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                close();
                remove(this);
            }
        }

        /** Passes on until the end of the stream, and that too: the other direction may go on. */
        private void pump(Socket from, Socket to) {
            try {
                InputStream in = from.getInputStream();
                if (oneWay.isZero() || link.from().equals(link.to())) {
                    passAtOnce(in, to);
                } else {
                    passLater(in, to);
                }
            } catch (IOException e) {
                close();
            }
        }

        private void passAtOnce(InputStream in, Socket to) throws IOException {
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[BUFFER];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!mayPass(link)) {
                    close();
                    return;
                }
                out.write(buffer, 0, read);
            }
            to.shutdownOutput();
        }

        /** A thread of its own writes, so that what comes meanwhile does not wait for what came before. */
        private void passLater(InputStream in, Socket to) throws IOException {
            BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();
            daemon(() -> deliver(sent, to));
            try {
                byte[] buffer = new byte[BUFFER];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    sent.add(new Sent(
                            System.nanoTime() + oneWay.toNanos(), ByteBuffer.wrap(Arrays.copyOf(buffer, read))));
                }
            } finally {
                sent.add(new Sent(System.nanoTime() + oneWay.toNanos(), ByteBuffer.allocate(0)));
            }
        }

        private void deliver(BlockingQueue<Sent> sent, Socket to) {
            try {
                OutputStream out = to.getOutputStream();
                for (Sent next = sent.take(); next.bytes().hasRemaining(); next = sent.take()) {
                    TimeUnit.NANOSECONDS.sleep(next.arrives() - System.nanoTime());
                    if (!mayPass(link)) {
                        close();
                        return;
                    }
                    out.write(next.bytes().array());
                }
                to.shutdownOutput();
            } catch (IOException e) {
                close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                close();
            }
        }

        void close() {
            closeQuietly(incoming);
            closeQuietly(outgoing);
        }
    }
}
