package dev.cassidy.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A link to the real node that can hold the node's answers back: the node has executed the request, and the client
 * still waits. The first connection is the driver's control connection, which is never held.
 */
final class HeldLink implements AutoCloseable {

    private final InetSocketAddress node;
    private final ServerSocket listener;
    private final List<Socket> sockets = new ArrayList<>();
    private boolean holding;
    private @Nullable String awaited;
    private int held;

    HeldLink(InetSocketAddress node) throws IOException {
        this.node = node;
        listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        start("cassidy-test-link-accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    synchronized void hold() {
        holding = true;
        held = 0;
    }

    /** Holds answers from the first request on that contains {@code text}. */
    synchronized void holdFrom(String text) {
        awaited = text;
        held = 0;
    }

    private synchronized void requested(byte[] bytes, int length) {
        if (awaited != null && new String(bytes, 0, length, StandardCharsets.ISO_8859_1).contains(awaited)) {
            awaited = null;
            hold();
        }
    }

    /** Returns when the node has sent an answer that is held back from the client. */
    synchronized void awaitHeld() throws InterruptedException {
        while (held == 0) {
            wait();
        }
    }

    synchronized void release() {
        holding = false;
        awaited = null;
        notifyAll();
    }

    private void accept() throws IOException {
        for (boolean control = true; !listener.isClosed(); control = false) {
            Socket client = listener.accept();
            Socket server = new Socket(node.getAddress(), node.getPort());
            synchronized (this) {
                sockets.add(client);
                sockets.add(server);
            }
            boolean holdable = !control;
            start("cassidy-test-link-requests", () -> copy(client, server, this::requested));
            start(
                    "cassidy-test-link-answers",
                    () -> copy(server, client, holdable ? (bytes, length) -> pass() : (bytes, length) -> {}));
        }
    }

    private interface Watch {
        void passes(byte[] bytes, int length) throws IOException;
    }

    private void copy(Socket from, Socket to, Watch watch) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                watch.passes(bytes, read);
                out.write(bytes, 0, read);
            }
        }
    }

    private synchronized void pass() throws IOException {
        while (holding) {
            held++;
            notifyAll();
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    /** A thread ends when its socket is closed. */
    private static void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // The link is closed.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        release();
        try {
            listener.close();
            synchronized (this) {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
