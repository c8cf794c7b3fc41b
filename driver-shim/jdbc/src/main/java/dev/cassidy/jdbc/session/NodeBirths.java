package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * When the nodes of a cluster joined it: a node writes its host id once, when it starts for the first time, so the write
 * time of that cell is its birth. Every process sees the same, nothing has to be kept, and any role may read it.
 */
final class NodeBirths {

    private static final String BIRTH = "SELECT WRITETIME(host_id) FROM system.local WHERE key = 'local'";

    /** So many nodes are asked at a time. */
    private static final int WAVE = 40;

    private NodeBirths() {}

    /**
     * Returns when a datacenter got more than {@code maxNodes} nodes; empty if too few of its nodes answer. Blocks.
     *
     * @param enough once it is known to have been before this time, no more nodes are asked, and the result may be later
     *     than the true one
     */
    static Optional<Instant> passed(
            CqlSession session, String datacenter, int maxNodes, Instant enough, Duration timeout) {
        List<Node> nodes = session.getMetadata().getNodes().values().stream()
                .filter(node -> datacenter.equals(node.getDatacenter()))
                .toList();
        return passed(nodes, node -> birth(session, node, timeout), maxNodes, enough, timeout);
    }

    static <N> Optional<Instant> passed(
            List<N> nodes,
            Function<N, CompletableFuture<Optional<Instant>>> birth,
            int maxNodes,
            Instant enough,
            Duration timeout) {
        List<Instant> births = new ArrayList<>();
        for (int from = 0; from < nodes.size(); from += WAVE) {
            List<CompletableFuture<Optional<Instant>>> asked =
                    nodes.subList(from, Math.min(from + WAVE, nodes.size())).stream()
                            .map(birth)
                            .toList();
            for (CompletableFuture<Optional<Instant>> answer : asked) {
                await(answer, timeout).ifPresent(births::add);
            }
            births.sort(null);
            if (births.size() > maxNodes && births.get(maxNodes).isBefore(enough)) {
                break;
            }
        }
        return births.size() > maxNodes ? Optional.of(births.get(maxNodes)) : Optional.empty();
    }

    private static Optional<Instant> await(CompletableFuture<Optional<Instant>> answer, Duration timeout) {
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // A node that is down tells nothing; the others decide.
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static CompletableFuture<Optional<Instant>> birth(CqlSession session, Node node, Duration timeout) {
        SimpleStatement statement = SimpleStatement.newInstance(BIRTH)
                .setNode(node)
                .setConsistencyLevel(DefaultConsistencyLevel.ONE)
                .setTimeout(timeout)
                .setIdempotent(true);
        return session.executeAsync(statement)
                .thenApply(rows -> {
                    Row row = rows.one();
                    return row == null || row.isNull(0)
                            ? Optional.<Instant>empty()
                            : Optional.of(Instant.EPOCH.plus(row.getLong(0), ChronoUnit.MICROS));
                })
                .toCompletableFuture();
    }
}
