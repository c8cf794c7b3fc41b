package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PortsTest {
    private static final List<String> HOSTS = List.of("127.0.0.1", "127.0.0.2");

    @Test
    void shouldNotOfferAPortThatIsTakenOnOneOfTheHosts() throws IOException {
        int taken = new Ports(new Random(7)).freeOn(HOSTS);

        try (ServerSocket ignored = new ServerSocket(taken, 1, InetAddress.getByName("127.0.0.2"))) {
            assertThat(new Ports(new Random(7)).freeOn(HOSTS)).isNotEqualTo(taken);
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
