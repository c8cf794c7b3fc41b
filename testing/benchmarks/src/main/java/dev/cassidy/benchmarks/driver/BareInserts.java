package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The java-driver alone: a prepared insert with a random uuid, a name and a quantity. */
final class BareInserts implements Work {

    private final CqlSession session;
    private final PreparedStatement insert;
    private final int underWay;
    private final Deque<CompletableFuture<?>> pending = new ArrayDeque<>();
    private int number;

    /** @param underWay how many requests may be unanswered; 1 to wait for each */
    BareInserts(CqlSession session, String cql, int underWay) {
        this.session = session;
        this.insert = session.prepare(cql);
        this.underWay = underWay;
    }

    @Override
    public int call() {
        var bound = insert.bind(UUID.randomUUID(), "Kettle", number++);
        if (underWay == 1) {
            if (!session.execute(bound).wasApplied()) {
                throw new IllegalStateException("a row was there already");
            }
            return 1;
        }
        if (pending.size() == underWay) {
            pending.remove().join();
        }
        pending.add(session.executeAsync(bound).toCompletableFuture());
        return 1;
    }

    @Override
    public void finish() {
        while (!pending.isEmpty()) {
            pending.remove().join();
        }
    }
}
