package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What is done with statements that ask many nodes, decided at most once an hour. Safe for use by many threads. */
final class FanOutDecisions {

    /** Nodes join, and grow old, slowly. */
    private static final Duration DECISION_REMEMBERED = Duration.ofHours(1);

    private static final Duration LONGEST_WAIT_FOR_AGES = Duration.ofSeconds(2);

    /** @param at in nanoseconds */
    private record Decision(FanOutRule rule, long at) {}

    private final CqlSession session;
    private final FanOut option;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private volatile @Nullable Decision decision;

    FanOutDecisions(CqlSession session, FanOut option, InstantSource clock, LongSupplier nanoTime) {
        this.session = session;
        this.option = option;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the rule for the cluster as it is now. Asks nodes for their age, at most once an hour, if the datacenter is
     * large.
     *
     * @param level of the application's statements
     */
    FanOutRule current(ConsistencyLevel level) {
        return current(NodeCounts.of(session), level);
    }

    FanOutRule current(NodeCounts nodes, ConsistencyLevel level) {
        long now = nanoTime.getAsLong();
        Decision known = decision;
        if (known != null && known.rule().nodes().equals(nodes) && now - known.at() < DECISION_REMEMBERED.toNanos()) {
            return known.rule();
        }
        Instant time = clock.instant();
        FanOutRule rule = FanOutRule.decide(
                option,
                nodes,
                level,
                () -> NodeBirths.passed(
                        session,
                        nodes.datacenter(),
                        FanOutRule.MAX_NODES,
                        time.minus(FanOutRule.GRACE),
                        LONGEST_WAIT_FOR_AGES),
                time);
        decision = new Decision(rule, now);
        return rule;
    }
}
