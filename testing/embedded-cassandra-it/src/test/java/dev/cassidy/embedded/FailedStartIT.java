package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailedStartIT {
    @TempDir
    private Path temporary;

    @Test
    void shouldShowTheServersErrorAndKeepItsLog() {
        Path folder = temporary.resolve("node");

        assertThatThrownBy(() -> EmbeddedCassandra.builder()
                        .dataDirectory(folder)
                        .keepData(false)
                        .yaml("no_such_key", "1")
                        .start())
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessageContaining(folder.resolve("logs/server.log").toString())
                .hasMessageContaining("no_such_key");

        assertThat(folder.resolve("logs/server.log")).content().contains("no_such_key");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void shouldShowWhyTheJvmItselfDidNotStart() {
        assertThatThrownBy(() -> EmbeddedCassandra.builder()
                        .dataDirectory(temporary.resolve("node"))
                        .jvmOption("-XX:NoSuchOption=1")
                        .start())
                .hasMessageContaining("NoSuchOption");
    }

    @Test
    void shouldEndAChildThatIsNotReadyInTime() {
        Path folder = temporary.resolve("node");

        assertThatThrownBy(() -> EmbeddedCassandra.builder()
                        .dataDirectory(folder)
                        .keepData(false)
                        .startTimeout(Duration.ofMillis(300))
                        .start())
                .hasMessageContaining("startTimeout")
                .hasMessageContaining(folder.resolve("logs/server.log").toString());

        assertThat(folder.resolve("data"))
                .as("the child has ended, so its data could go")
                .doesNotExist();
    }

    @Test
    void shouldRefuseARequestedPortThatIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(() -> EmbeddedCassandra.builder()
                            .port(taken.getLocalPort())
                            .start())
                    .hasMessage("in use by another program: port=" + taken.getLocalPort());
        }
    }

    @Test
    void shouldUseAnotherPortIfAnotherProgramTookItFirst() throws IOException {
        String host = "127.0.0.1";
        Ports ports = new Ports(new Random());
        int port = ports.freeOn(List.of(host));
        List<Integer> drawn = new ArrayList<>();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            EmbeddedCassandra node = StartAttempts.run(true, () -> {
                        int storagePort = drawn.isEmpty() ? taken.getLocalPort() : ports.freeOn(List.of(host));
                        drawn.add(storagePort);
                        return List.of(new EmbeddedCassandra(
                                NodeSettings.defaults(),
                                NodeAddress.alone(host, port, storagePort),
                                NodeFolder.temporary(),
                                false));
                    })
                    .get(0);
            try (CqlSession session = Cql.connect(node)) {
                assertThat(session.execute("SELECT cluster_name FROM system.local")
                                .one()
                                .getString(0))
                        .isEqualTo("cassidy");
            } finally {
                node.close();
            }
        }
        assertThat(drawn).hasSize(2);
    }
}
