package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Uses sockets in place of nodes: the one in dc2 listens, those in dc1 and dc3 connect. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LinksTest {
    private static final int HELLO = 13;

    private int port;
    private ServerSocket node;
    private Links links;

    @BeforeEach
    void open() throws IOException {
        open(Duration.ZERO);
    }

    private void open(Duration oneWay) throws IOException {
        port = new Ports(ThreadLocalRandom.current())
                .freeOn(List.of("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.1.1", "127.0.1.2", "127.0.1.3"));
        node = new ServerSocket(port, 50, InetAddress.getByName("127.0.0.2"));
        links = Links.open(List.of(end(1), end(2), end(3)), oneWay);
    }

    @AfterEach
    void close() throws IOException {
        links.close();
        node.close();
    }

    private Links.End end(int number) {
        return new Links.End(
                new InetSocketAddress("127.0.1." + number, port),
                new InetSocketAddress("127.0.0." + number, port),
                "dc" + number);
    }

    /** Connects as Cassandra does: magic, flags, and the sender's own broadcast address. */
    private Socket connectFrom(int number, int magic) throws IOException {
        Socket socket = new Socket("127.0.1.2", port);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(magic);
        out.writeInt(0);
        out.write(new byte[] {6, 127, 0, 1, (byte) number});
        return socket;
    }

    private Socket connectFrom(int number) throws IOException {
        return connectFrom(number, Links.MAGIC);
    }

    private Socket accept() throws IOException {
        Socket accepted = node.accept();
        assertThat(accepted.getInputStream().readNBytes(HELLO)).hasSize(HELLO);
        return accepted;
    }

    private static void send(Socket from, int value) throws IOException {
        from.getOutputStream().write(value);
    }

    private static int read(Socket to) throws IOException {
        return to.getInputStream().read();
    }

    private static void assertSilent(Socket to) throws IOException {
        to.setSoTimeout(100);
        assertThatThrownBy(() -> read(to)).isInstanceOf(SocketTimeoutException.class);
        to.setSoTimeout(0);
    }

    private static void assertBroken(Socket socket) {
        try {
            assertThat(read(socket)).isEqualTo(-1);
        } catch (SocketException reset) {
            // A reset is as broken as an orderly end.
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldForwardBothWaysIfNotCut() throws IOException {
        try (Socket from = connectFrom(1);
                Socket to = accept()) {
            send(from, 7);
            assertThat(read(to)).isEqualTo(7);
            send(to, 8);
            assertThat(read(from)).isEqualTo(8);

            from.shutdownOutput();
            assertThat(read(to)).isEqualTo(-1);
            send(to, 9);
            assertThat(read(from)).isEqualTo(9);
        }
    }

    /** All of it, in order, with the end of the stream, and nothing before its time. */
    @Test
    void shouldTakeItsTimeBetweenDatacenters() throws IOException {
        close();
        open(Duration.ofMillis(200));
        try (Socket from = connectFrom(1);
                Socket to = accept()) {
            long sent = System.nanoTime();
            for (int value = 0; value < 100; value++) {
                send(from, value);
            }
            from.shutdownOutput();
            assertThat(read(to)).isZero();
            // A machine that is busy takes longer; a sleep may end a moment early.
            assertThat(System.nanoTime() - sent).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(150));
            for (int value = 1; value < 100; value++) {
                assertThat(read(to)).isEqualTo(value);
            }
            assertThat(read(to)).isEqualTo(-1);
            send(to, 7);
            assertThat(read(from)).isEqualTo(7);
        }
    }

    @Test
    void shouldHoldBackASilentLinkAndDeliverLate() throws IOException {
        try (Socket from = connectFrom(1);
                Socket to = accept()) {
            links.cut("dc1", "dc2", Cut.SILENT);
            send(from, 7);
            assertSilent(to);
            try (Socket later = connectFrom(1)) {
                node.setSoTimeout(100);
                assertThatThrownBy(() -> node.accept()).isInstanceOf(SocketTimeoutException.class);
                node.setSoTimeout(0);

                links.heal("dc1");

                assertThat(read(to)).isEqualTo(7);
                try (Socket arrived = accept()) {
                    send(later, 8);
                    assertThat(read(arrived)).isEqualTo(8);
                }
            }
        }
    }

    @Test
    void shouldBreakConnectionsOfAClosedLink() throws IOException {
        try (Socket from = connectFrom(1);
                Socket to = accept()) {
            links.cut("dc1", "dc2", Cut.CLOSED);
            assertBroken(from);
            assertBroken(to);
            try (Socket refused = connectFrom(1)) {
                assertBroken(refused);
            }

            links.heal("dc2");

            try (Socket again = connectFrom(1);
                    Socket arrived = accept()) {
                send(again, 7);
                assertThat(read(arrived)).isEqualTo(7);
            }
        }
    }

    @Test
    void shouldBreakASilentConnectionWhenTheLinkIsClosed() throws IOException {
        try (Socket from = connectFrom(1);
                Socket to = accept()) {
            links.cut("dc1", "dc2", Cut.SILENT);
            send(from, 7);
            assertSilent(to);
            links.cut("dc1", "dc2", Cut.CLOSED);
            assertBroken(from);
            assertBroken(to);
        }
    }

    @Test
    void shouldLeaveOtherLinksAlone() throws IOException {
        links.cut("dc1", "dc2", Cut.CLOSED);
        links.cut("dc2", "dc3", Cut.CLOSED);
        try (Socket from = connectFrom(3);
                Socket to = accept()) {
            send(from, 7);
            assertThat(read(to)).isEqualTo(7);
        }
        links.heal("dc3");
        try (Socket refused = connectFrom(1)) {
            assertBroken(refused);
        }
    }

    @Test
    void shouldRejectConnectionsThatDoNotComeFromANode() throws IOException {
        try (Socket stranger = connectFrom(1, 0xCAFEBABE);
                Socket unknown = connectFrom(9)) {
            assertBroken(stranger);
            assertBroken(unknown);
        }
    }

    @Test
    void shouldCloseEveryConnection() throws IOException {
        try (Socket from = connectFrom(1);
                Socket to = accept()) {
            links.cut("dc1", "dc2", Cut.SILENT);
            send(from, 7);
            links.close();
            assertBroken(from);
            assertBroken(to);
        }
        assertThatThrownBy(() -> {
                    // The port stays bound while a thread that was waiting on it is being woken. Until then, a new
                    // connection is cut off.
                    try (Socket late = connectFrom(1)) {
                        assertBroken(late);
                        throw new IOException("cut off");
                    }
                })
                .isInstanceOf(IOException.class);
    }
}
