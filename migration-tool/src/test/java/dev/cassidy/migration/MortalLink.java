package dev.cassidy.migration;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The link of one process to the node, on which the process can die: from some write on, nothing passes any more. So the cluster
 * is left as a killed process leaves it, and no code of the process can tidy up. A link can also lose the answer to one write, and
 * pass everything else on.
 *
 * <p>It speaks version 4 of the protocol, in which each request is a frame of its own.
 */
final class MortalLink implements AutoCloseable {

    /** What happens at the write of a number. */
    enum Fault {
        /** It and everything after it are not sent. */
        DEATH,
        /** It is executed, and reported as timed out. */
        LOST_ANSWER,
        /** It is not sent, and reported as timed out. */
        LOST_REQUEST
    }

    private static final byte VERSION = 4;
    private static final byte ANSWER = (byte) 0x80;
    private static final int HEADER = 9;

    private static final int ERROR = 0x00;
    private static final int QUERY = 0x07;
    private static final int RESULT = 0x08;
    private static final int PREPARE = 0x09;
    private static final int EXECUTE = 0x0A;
    private static final int BATCH = 0x0D;

    private static final int WARNED = 0x08;
    private static final int PREPARED = 4;
    private static final int PROTOCOL_ERROR = 0x000A;
    private static final int WRITE_TIMEOUT = 0x1100;
    private static final int QUORUM = 4;

    private static final Pattern WRITE = Pattern.compile(
            "\\s*(insert|update|delete|begin|create|alter|drop)\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** Questions for a right, which change nothing. */
    private static final Pattern QUESTION = Pattern.compile("cassidy_asks_for_a_right| IN \\(\\)");

    private final InetSocketAddress node;
    private final ServerSocket listener;
    private final List<Socket> sockets = new ArrayList<>();
    private final Map<ByteBuffer, String> prepared = new ConcurrentHashMap<>();
    private final List<String> passed = new ArrayList<>();
    private Fault fault = Fault.DEATH;
    private int left = Integer.MAX_VALUE;
    private final CompletableFuture<Void> death = new CompletableFuture<>();

    MortalLink(InetSocketAddress node) {
        this.node = node;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("cassidy-test-mortal-accept", this::accept);
    }

    /** Returns {@code host:port}. */
    String contactPoint() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** Passes a number of writes on from now on; the fault is that of the one after them. */
    synchronized void arm(int writes, Fault wanted) {
        passed.clear();
        fault = wanted;
        left = writes;
    }

    /** Returns the writes that were passed on since it was armed. */
    synchronized List<String> passed() {
        return List.copyOf(passed);
    }

    /** Returns a stage that completes when nothing passes any more. */
    CompletableFuture<Void> death() {
        return death;
    }

    private void die() {
        closeAll();
        death.complete(null);
    }

    /** Returns the fault of a request; null if it is to pass. */
    private synchronized Fault next(String cql) {
        if (!WRITE.matcher(cql).matches() || QUESTION.matcher(cql).find()) {
            return null;
        }
        if (left-- == 0) {
            return fault;
        }
        passed.add(cql);
        return null;
    }

    private void accept() throws IOException {
        while (!listener.isClosed()) {
            Socket client = listener.accept();
            Socket server = new Socket(node.getAddress(), node.getPort());
            synchronized (this) {
                sockets.add(client);
                sockets.add(server);
            }
            if (listener.isClosed()) {
                closeAll();
            } else {
                new Relay(client, server).begin();
            }
        }
    }

    /** A frame of the protocol. */
    private record Frame(byte[] header, byte[] body) {

        static Frame read(DataInputStream in) throws IOException {
            byte[] header = in.readNBytes(HEADER);
            if (header.length < HEADER) {
                throw new IOException("closed");
            }
            return new Frame(header, in.readNBytes(ByteBuffer.wrap(header).getInt(5)));
        }

        static Frame error(short stream, ByteBuffer body) {
            byte[] header = ByteBuffer.allocate(HEADER)
                    .put((byte) (ANSWER | VERSION))
                    .put((byte) 0)
                    .putShort(stream)
                    .put((byte) ERROR)
                    .putInt(body.position())
                    .array();
            byte[] bytes = new byte[body.position()];
            body.flip().get(bytes);
            return new Frame(header, bytes);
        }

        int version() {
            return header[0] & 0x7F;
        }

        int flags() {
            return header[1];
        }

        short stream() {
            return ByteBuffer.wrap(header).getShort(2);
        }

        int opcode() {
            return header[4];
        }

        /** Returns the statement of QUERY and PREPARE. */
        String text() {
            ByteBuffer in = ByteBuffer.wrap(body);
            return new String(body, Integer.BYTES, in.getInt(), StandardCharsets.UTF_8);
        }

        static ByteBuffer shortBytes(ByteBuffer in) {
            byte[] bytes = new byte[in.getShort() & 0xFFFF];
            in.get(bytes);
            return ByteBuffer.wrap(bytes);
        }
    }

    private static ByteBuffer text(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return out.putShort((short) bytes.length).put(bytes);
    }

    /** One connection. */
    private final class Relay {

        private final Socket client;
        private final Socket server;
        private final DataOutputStream toClient;

        /** What is being prepared, by its stream. */
        private final Map<Short, String> preparing = new ConcurrentHashMap<>();

        /** The stream whose answer is lost. */
        private final Map<Short, Boolean> lost = new HashMap<>();

        Relay(Socket client, Socket server) throws IOException {
            this.client = client;
            this.server = server;
            this.toClient = new DataOutputStream(client.getOutputStream());
        }

        void begin() {
            start("cassidy-test-mortal-requests", this::requests);
            start("cassidy-test-mortal-answers", this::answers);
        }

        private void requests() throws IOException {
            try (client;
                    server) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(server.getOutputStream());
                while (true) {
                    Frame frame = Frame.read(in);
                    if (frame.version() != VERSION) {
                        answer(Frame.error(
                                frame.stream(),
                                text(
                                        ByteBuffer.allocate(200).putInt(PROTOCOL_ERROR),
                                        "Invalid or unsupported protocol version (" + frame.version()
                                                + "); supported: 4/v4")));
                        continue;
                    }
                    Fault now = next(statement(frame));
                    if (now == Fault.DEATH) {
                        die();
                        return;
                    }
                    if (now == Fault.LOST_REQUEST) {
                        answer(timeout(frame.stream()));
                        continue;
                    }
                    if (now == Fault.LOST_ANSWER) {
                        synchronized (lost) {
                            lost.put(frame.stream(), true);
                        }
                    }
                    write(out, frame);
                }
            }
        }

        private String statement(Frame frame) {
            switch (frame.opcode()) {
                case QUERY -> {
                    return frame.text();
                }
                case PREPARE -> preparing.put(frame.stream(), frame.text());
                case EXECUTE -> {
                    return prepared.getOrDefault(Frame.shortBytes(ByteBuffer.wrap(frame.body())), "");
                }
                case BATCH -> {
                    return "BEGIN BATCH";
                }
                default -> {}
            }
            return "";
        }

        private void answers() throws IOException {
            try (client;
                    server) {
                DataInputStream in = new DataInputStream(server.getInputStream());
                while (true) {
                    Frame frame = Frame.read(in);
                    String cql = preparing.remove(frame.stream());
                    if (cql != null && frame.opcode() == RESULT) {
                        remember(frame, cql);
                    }
                    boolean drop;
                    synchronized (lost) {
                        drop = lost.remove(frame.stream()) != null;
                    }
                    answer(drop ? timeout(frame.stream()) : frame);
                }
            }
        }

        private void remember(Frame frame, String cql) {
            ByteBuffer in = ByteBuffer.wrap(frame.body());
            if ((frame.flags() & WARNED) != 0) {
                int warnings = in.getShort();
                for (int i = 0; i < warnings; i++) {
                    Frame.shortBytes(in);
                }
            }
            if (in.getInt() == PREPARED) {
                prepared.put(Frame.shortBytes(in), cql);
            }
        }

        private Frame timeout(short stream) {
            ByteBuffer body = ByteBuffer.allocate(100).putInt(WRITE_TIMEOUT);
            text(body, "lost by the test").putShort((short) QUORUM).putInt(0).putInt(1);
            return Frame.error(stream, text(body, "CAS"));
        }

        private void answer(Frame frame) throws IOException {
            synchronized (toClient) {
                write(toClient, frame);
            }
        }

        private static void write(DataOutputStream out, Frame frame) throws IOException {
            ByteBuffer all = ByteBuffer.allocate(HEADER + frame.body().length);
            out.write(all.put(frame.header()).put(frame.body()).array());
            out.flush();
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

    private synchronized void closeAll() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        die();
    }
}
