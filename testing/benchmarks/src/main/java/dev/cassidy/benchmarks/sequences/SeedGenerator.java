package dev.cassidy.benchmarks.sequences;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The generator of cassandra-id, step by step, on today's driver: batches under Astyanax's column-prefix row lock. Each
 * batch takes three round trips at QUORUM if no other client interferes: write a lock column with a unique name; read the
 * whole row, lock columns and value; write the value and delete the lock column in one mutation. A client that finds
 * another's lock column deletes its own and waits: a random time of up to 100 ms at first, then that times the number of
 * the attempt.
 *
 * <p>Its weakness is left as it is: nothing fences a holder whose lock has expired. One instance for one client.
 */
final class SeedGenerator {

    /** Where the value and the locks of a generator are, as in the wide rows of Thrift. */
    static final String TABLE = "seed_lock (key text, name text, value bigint, PRIMARY KEY (key, name))";

    private static final String LOCK_PREFIX = "_LOCK_";
    private static final String VALUE = "Target";
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(60);
    private static final long BASE_SLEEP_MILLIS = 100;
    private static final long LONGEST_SLEEP_MILLIS = 10_000;

    private final CqlSession session;
    private final String key;
    private final long first;
    private final long increment;
    private final long batch;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final LongSupplier timestamps;
    private final LongAdder statements;
    private final PreparedStatement put;
    private final PreparedStatement read;
    private final PreparedStatement delete;
    private long next;
    private long end;

    /**
     * @param key of the lock row; one for each stripe
     * @param first the stripe's first id
     * @param increment the number of stripes
     * @param timestamps microseconds for the writes, increasing among all clients. The algorithm needs more than its authors
     *     said: with a clock for each client, the value that a client writes is lost where the one before it was written
     *     by a clock ahead of its own, and the batch is issued twice.
     * @param statements counts what is sent
     */
    SeedGenerator(
            CqlSession session,
            String keyspace,
            String key,
            long first,
            long increment,
            long batch,
            InstantSource clock,
            RandomGenerator random,
            LongSupplier timestamps,
            LongAdder statements) {
        this.session = session;
        this.key = key;
        this.first = first;
        this.increment = increment;
        this.batch = batch;
        this.clock = clock;
        this.random = random;
        this.timestamps = timestamps;
        this.statements = statements;
        this.put = session.prepare("INSERT INTO " + keyspace + ".seed_lock (key, name, value) VALUES (?, ?, ?)");
        this.read = session.prepare("SELECT name, value FROM " + keyspace + ".seed_lock WHERE key = ?");
        this.delete = session.prepare("DELETE FROM " + keyspace + ".seed_lock WHERE key = ? AND name = ?");
    }

    long nextLong() {
        if (next == end) {
            next = takeBatch();
            end = next + batch * increment;
        }
        long id = next;
        next += increment;
        return id;
    }

    private long takeBatch() {
        String lock = LOCK_PREFIX + Uuids.timeBased();
        long base = 1 + random.nextLong(1 + random.nextLong(BASE_SLEEP_MILLIS));
        for (int attempt = 1; ; attempt++) {
            long now = TimeUnit.MILLISECONDS.toMicros(clock.millis());
            execute(put.bind(key, lock, now + TimeUnit.MILLISECONDS.toMicros(LOCK_TIMEOUT.toMillis())));
            Found found = look(lock, now);
            if (!found.lockedByAnother()) {
                execute(BatchStatement.newInstance(
                        BatchType.UNLOGGED,
                        put.bind(key, VALUE, found.value() + batch * increment),
                        delete.bind(key, lock)));
                return found.value();
            }
            execute(delete.bind(key, lock));
            if (base * attempt > LONGEST_SLEEP_MILLIS) {
                throw new Busy(key);
            }
            pause(base * attempt);
        }
    }

    /** As the seed, it gives up once it would wait longer than ten seconds. */
    static final class Busy extends IllegalStateException {
        private static final long serialVersionUID = 1;

        Busy(String key) {
            super("the lock of " + key + " was always busy");
        }
    }

    private record Found(long value, boolean lockedByAnother) {}

    private Found look(String lock, long now) {
        long value = first;
        boolean lockedByAnother = false;
        for (Row row : execute(read.bind(key))) {
            String name = String.valueOf(row.getString("name"));
            if (name.equals(VALUE)) {
                value = row.getLong("value");
            } else if (!name.equals(lock) && row.getLong("value") >= now) {
                lockedByAnother = true;
            }
        }
        return new Found(value, lockedByAnother);
    }

    private ResultSet execute(Statement<?> statement) {
        statements.increment();
        return session.execute(
                statement.setConsistencyLevel(ConsistencyLevel.QUORUM).setQueryTimestamp(timestamps.getAsLong()));
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the lock", e);
        }
    }
}
