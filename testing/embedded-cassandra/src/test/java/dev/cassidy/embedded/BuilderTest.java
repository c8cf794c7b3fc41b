package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BuilderTest {
    private final EmbeddedCassandra.Builder builder = EmbeddedCassandra.builder();

    @Test
    void shouldRefuseAYamlKeyThatTheNodeSetsItself() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.yaml("native_transport_port", "9042"))
                .withMessage("is set by the node itself, not by yaml(...): native_transport_port");
    }

    @Test
    void shouldRefuseAServerJarThatDoesNotExist() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.serverJar(Path.of("/nowhere/functions.jar")))
                .withMessage("must exist: serverJar=/nowhere/functions.jar");
    }

    @Test
    void shouldRefuseADatacenterThatThePropertiesFileCannotHold() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.datacenter("dc 1\nrack=x"))
                .withMessageContaining("datacenter=dc 1");
    }

    @Test
    void shouldRefuseAStartTimeoutOfZero() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.startTimeout(Duration.ZERO))
                .withMessage("must be > 0: startTimeout=PT0S");
    }

    @Test
    void shouldRefuseAPortOutOfRange() {
        assertThatIllegalArgumentException().isThrownBy(() -> builder.port(0)).withMessageContaining("port=0");
    }

    @Test
    void shouldRefuseAClusterWithoutADatacenter() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EmbeddedCluster.builder().start())
                .withMessage("needs a datacenter: datacenter(name, nodes)");
    }

    @Test
    void shouldMoveTheClockOfNoNodeThatIsNotThere() {
        EmbeddedCluster.Builder cluster = EmbeddedCluster.builder().datacenter("dc1", 2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.clockOffset("dc1", 2, Duration.ofDays(1)))
                .withMessage("no such node: datacenter=dc1 index=2; there are {dc1=2}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.clockOffset("dc2", 0, Duration.ofDays(1)))
                .withMessageContaining("datacenter=dc2");
    }
}
