package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Session;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SaidOnceTest {

    private static final UUID A = new UUID(0, 1);
    private static final UUID B = new UUID(0, 2);
    private static final UUID C = new UUID(0, 3);

    private final SaidOnce said = new SaidOnce();

    /** A session of a cluster with Cassandra's default name. */
    private static Session session(UUID... nodes) {
        Map<UUID, Node> all = new HashMap<>();
        for (UUID node : nodes) {
            all.put(node, proxy(Node.class, Map.of()));
        }
        Metadata metadata =
                proxy(Metadata.class, Map.of("getNodes", all, "getClusterName", Optional.of("Test Cluster")));
        return proxy(Session.class, Map.of("getMetadata", metadata));
    }

    private static <T> T proxy(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> answers.get(method.getName());
                }));
    }

    @Test
    void shouldTellTwoClustersOfOneNameApart() {
        assertThat(said.first(session(A, B), "warning")).isTrue();
        assertThat(said.first(session(A, B), "warning")).isFalse();
        assertThat(said.first(session(A, B), "another")).isTrue();

        assertThat(said.first(session(C), "warning")).as("another cluster").isTrue();
        assertThat(said.first(session(C), "warning")).isFalse();
    }

    @Test
    void shouldKnowAClusterWhoseNodesChangeOneByOne() {
        assertThat(said.first(Set.of(A), "warning")).isTrue();
        assertThat(said.first(Set.of(A, B), "warning")).isFalse();
        assertThat(said.first(Set.of(B, C), "warning")).isFalse();
        assertThat(said.first(Set.of(C), "warning")).isFalse();
    }
}
