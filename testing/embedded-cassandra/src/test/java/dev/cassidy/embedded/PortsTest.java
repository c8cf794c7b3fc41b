package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PortsTest {
    private static final List<String> HOSTS = List.of("127.0.0.1", "127.0.0.2");

    @Test
    void shouldNotOfferAPortThatIsTakenOnOneOfTheHosts() throws IOException {
        int first = firstDraw(7);

        try (ServerSocket ignored = new ServerSocket(first, 1, InetAddress.getByName("127.0.0.2"))) {
            assertThat(new Ports(new Random(7)).freeOn(HOSTS)).isNotEqualTo(first);
        }
    }

    private static int firstDraw(int seed) {
        return 20_000 + new Random(seed).nextInt(12_000);
    }

    /** A node that is down has its port still. */
    @Test
    void shouldOfferAPortOnce() {
        int once = new Ports(new Random(8)).freeOn(HOSTS);

        assertThat(new Ports(new Random(8)).freeOn(HOSTS)).isNotEqualTo(once);
    }

    @Test
    void shouldNotOfferThePortOfAnotherJvmWhileItLives() throws Exception {
        int port = firstDraw(9);
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Claiming.class.getName(),
                        "" + port)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(other.inputReader().readLine()).isEqualTo("true");
            assertThat(new Ports(new Random(9)).freeOn(HOSTS)).isNotEqualTo(port);
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertThat(ClaimedPorts.claim(port)).isTrue();
    }

    /** Claims a port, and lives until it is killed. */
    static final class Claiming {
        public static void main(String[] args) throws IOException {
            System.out.println(ClaimedPorts.claim(Integer.parseInt(args[0])));
            System.in.read();
        }
    }

    @Test
    void shouldGiveUpNamingTheHostsWhenNothingCanBeBound() {
        RandomGenerator random = new Random(7);

        assertThatThrownBy(() -> new Ports(random).freeOn(List.of("192.0.2.1")))
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessageContaining("192.0.2.1");
    }
}
