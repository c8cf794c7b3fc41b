package dev.cassidy.reliability.cluster;

import com.datastax.oss.driver.api.core.config.DriverOption;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistanceEvaluator;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Makes a session use one node alone, by the file that configures it. */
public final class OnlyNode implements NodeDistanceEvaluator {

    private static final DriverOption HOST = () -> "only-node";

    private final String host;

    /** The driver makes it. */
    public OnlyNode(DriverContext context, String profile) {
        this.host = context.getConfig().getProfile(profile).getString(HOST);
    }

    /** Writes a file by which a session uses this node. */
    static Path configure(Path file, EmbeddedCassandra node) throws IOException {
        return Files.writeString(
                file,
                "datastax-java-driver {\n  basic.load-balancing-policy.evaluator.class = \"" + OnlyNode.class.getName()
                        + "\"\n  " + HOST.getPath() + " = \"" + node.host() + "\"\n}\n");
    }

    @Override
    public NodeDistance evaluateDistance(Node node, @Nullable String localDatacenter) {
        return node.getEndPoint().resolve() instanceof InetSocketAddress address
                        && address.getAddress().getHostAddress().equals(host)
                ? NodeDistance.LOCAL
                : NodeDistance.IGNORED;
    }
}
