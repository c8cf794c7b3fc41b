package dev.cassidy.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Free TCP ports, drawn at random so that JVMs that look at the same moment rarely meet; a port may still be lost
 * before the server binds it, which the caller answers with another draw.
 */
final class Ports {
    /** Below the range that Linux gives to outgoing connections, which could take a port at any moment. */
    private static final int FIRST = 20_000;

    private static final int COUNT = 12_000;
    private static final int DRAWS = 200;

    private final RandomGenerator random;

    Ports(RandomGenerator random) {
        this.random = random;
    }

    /** A port that is free on every one of the hosts. */
    int freeOn(List<String> hosts) {
        for (int draw = 0; draw < DRAWS; draw++) {
            int port = FIRST + random.nextInt(COUNT);
            if (hosts.stream().allMatch(host -> isFree(host, port)) && ClaimedPorts.claim(port)) {
                return port;
            }
        }
        throw new EmbeddedCassandraException("no free port on " + hosts + " in " + DRAWS + " draws from " + FIRST
                + " to " + (FIRST + COUNT - 1)
                + "; are these addresses of the loopback device? (on macOS: sudo ifconfig lo0 alias 127.0.0.2)");
    }

    static int require(int number) {
        if (number < 1 || number > 65_535) {
            throw new IllegalArgumentException("must be in 1..65535: port=" + number);
        }
        return number;
    }

    static boolean isFree(String host, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
