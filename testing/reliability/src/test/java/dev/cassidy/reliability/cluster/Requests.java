package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.tracker.RequestTracker;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The answered statements of a session, so that a test can wait for them. */
final class Requests implements RequestTracker {

    private final BlockingQueue<String> answered = new LinkedBlockingQueue<>();

    @Override
    public void onSuccess(
            Request request, long latencyNanos, DriverExecutionProfile profile, Node node, String logPrefix) {
        if (request instanceof BoundStatement bound) {
            answered.add(bound.getPreparedStatement().getQuery());
        } else if (request instanceof SimpleStatement simple) {
            answered.add(simple.getQuery());
        }
    }

    /** Waits until the next statement with this text has been answered, and discards the statements before it. */
    void await(String text) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        String statement;
        do {
            // Other statements may arrive forever.
            long left = deadline - System.nanoTime();
            statement = left > 0 ? answered.poll(left, TimeUnit.NANOSECONDS) : null;
            assertThat(statement).as("a statement with '%s'", text).isNotNull();
        } while (!statement.contains(text));
    }

    @Override
    public void close() {}
}
