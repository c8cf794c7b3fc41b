package dev.cassidy.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Starts nodes, again and elsewhere when another program took one of their ports first. */
final class StartAttempts {
    private static final int ATTEMPTS = 3;

    interface Plan {
        /** The nodes of one attempt, on ports drawn for it; none of them started. */
        List<EmbeddedCassandra> draw() throws IOException;
    }

    private StartAttempts() {}

    static List<EmbeddedCassandra> run(boolean portsMayChange, Plan plan) {
        for (int attempt = 1; ; attempt++) {
            List<EmbeddedCassandra> nodes = draw(plan);
            try {
                // One after another: each finds a ring that is at rest.
                nodes.forEach(EmbeddedCassandra::launch);
                EmbeddedCassandra.awaitJoined(nodes);
                return nodes;
            } catch (RuntimeException e) {
                boolean again = portsMayChange
                        && attempt < ATTEMPTS
                        && e instanceof EmbeddedCassandraException failure
                        && failure.isPortTaken();
                nodes.forEach(node -> abandon(node, !again, e));
                if (!again) {
                    throw e;
                }
            }
        }
    }

    private static void abandon(EmbeddedCassandra node, boolean keepLog, RuntimeException cause) {
        try {
            node.abandon(keepLog);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private static List<EmbeddedCassandra> draw(Plan plan) {
        try {
            return plan.draw();
        } catch (IOException e) {
            throw new UncheckedIOException("the folder of a node, or a link to it, could not be made", e);
        }
    }
}
