package dev.cassidy.benchmarks.sequences;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;

/**
 * What is usually written first: a compare-and-set for each id, tried again with the value that came back, at once the
 * first time and after up to 50 ms then. What ends unknown is a gap. One instance for one client.
 */
final class LwtPerId {

    static final String TABLE = "lwt_per_id (name text PRIMARY KEY, next bigint)";

    private static final long LONGEST_PAUSE_MILLIS = 50;

    private final CqlSession session;
    private final RandomGenerator random;
    private final LongAdder statements;
    private final PreparedStatement take;
    private long seen = 1;

    LwtPerId(CqlSession session, String keyspace, RandomGenerator random, LongAdder statements) {
        this.session = session;
        this.random = random;
        this.statements = statements;
        session.execute("INSERT INTO " + keyspace + ".lwt_per_id (name, next) VALUES ('ids', 1) IF NOT EXISTS");
        this.take = session.prepare("UPDATE " + keyspace + ".lwt_per_id SET next = ? WHERE name = 'ids' IF next = ?");
    }

    long nextLong() {
        for (int attempt = 1; ; attempt++) {
            long id = seen;
            seen = id + 1;
            statements.increment();
            try {
                Row row = Objects.requireNonNull(session.execute(take.bind(id + 1, id)
                                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                                .setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL))
                        .one());
                if (row.getBoolean("[applied]")) {
                    return id;
                }
                seen = row.getLong("next");
            } catch (DriverException unknown) {
                // It may have taken effect; the next refusal tells where the row stands.
                seen = id + 1;
            }
            if (attempt > 1) {
                pause(1 + random.nextLong(LONGEST_PAUSE_MILLIS));
            }
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the row", e);
        }
    }
}
