package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NodeAddressTest {
    @Test
    void shouldDivideTheRingEvenlyAndMakeEachNodeASeed() {
        List<NodeAddress> nodes = NodeAddress.cluster(
                List.of("127.0.0.1", "127.0.0.2", "127.0.0.3"),
                List.of("127.0.1.1", "127.0.1.2", "127.0.1.3"),
                9042,
                7000);

        assertThat(nodes).extracting(NodeAddress::seeds).containsOnly("127.0.1.1:7000,127.0.1.2:7000,127.0.1.3:7000");
        long step = nodes.get(1).token() - nodes.get(0).token();
        assertThat(step).isEqualTo(Long.divideUnsigned(-1L, 3));
        assertThat(nodes.get(2).token()).isEqualTo(nodes.get(1).token() + step);
        assertThat(nodes.get(0).token()).isGreaterThan(Long.MIN_VALUE);
    }
}
