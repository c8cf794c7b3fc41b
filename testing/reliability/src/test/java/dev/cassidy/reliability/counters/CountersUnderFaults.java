package dev.cassidy.reliability.counters;

import static dev.cassidy.reliability.counters.CounterCluster.KEYSPACE;
import static dev.cassidy.reliability.counters.CounterCluster.NATIVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.TraceEvent;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.IncrementType;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Each fault many times, and a limit. Not part of a build: {@code -Dit.test=CountersUnderFaults} runs it, {@code
 * -Dcounter.rounds=N} sets how often each fault is injected.
 */
class CountersUnderFaults extends CountersFaults {

    private static final Logger LOG = LoggerFactory.getLogger(CountersUnderFaults.class);
    private static final int INCREMENTS = 6;
    private static final int GC_GRACE_SECONDS = 1;
    private static final String TABLE = KEYSPACE + ".forgotten";

    CountersUnderFaults() {
        super(Integer.getInteger("counter.rounds", 5));
    }

    /**
     * The limit that docs/counters.md names: a replica that was down for longer than gc_grace_seconds brings increments back
     * that are folded. {@code crdt_exact} skips them, and a sum does not.
     */
    @Test
    @Order(20)
    void shouldCountFoldedIncrementsAgainIfAReplicaComesBackAfterGcGrace() throws Exception {
        CounterCluster cluster = cluster();
        EmbeddedCassandra late = cluster.node(2);
        List<EmbeddedCassandra> others = List.of(cluster.node(0), cluster.node(1));
        Counters.create(cluster.session(), CounterCluster.config(TABLE));
        cluster.nodes().awaitAllUp();
        try (CqlSession session = Sessions.onlyTo(others);
                Counters counters = Counters.open(session, CounterCluster.config(TABLE))) {
            // A table like this cannot be opened. This one is open already.
            cluster.session()
                    .execute("ALTER TABLE " + TABLE + " WITH gc_grace_seconds = " + GC_GRACE_SECONDS
                            + " AND compaction ="
                            + " {'class': 'LeveledCompactionStrategy', 'only_purge_repaired_tombstones': 'false'}");
            cluster.nodes().awaitAllUp();
            Ledger ledger = new Ledger();
            Incrementing client = new Incrementing.OfCassidy(counters);
            for (int k = 0; k < INCREMENTS; k++) {
                client.increment("late", k, ledger).toCompletableFuture().join();
            }
            BigInteger right = BigInteger.valueOf(ledger.acknowledgedTotal("late"));
            await().atMost(10, TimeUnit.MINUTES)
                    .until(() -> at(late, "SUM(CAST(increment AS varint))").equals(right));
            try (Repair operator = new Repair(late)) {
                operator.flush(KEYSPACE, "forgotten");
            }
            late.kill();
            counters.counter("late").fold();
            assertThat(counters.counter("late").exactValue()).isEqualTo(right);
            // It forgets by the clock. Then base and bookend are left.
            Instant folded = Instant.now();
            await().atMost(10, TimeUnit.MINUTES)
                    .until(() -> Instant.now().isAfter(folded.plusSeconds(5 * GC_GRACE_SECONDS)));
            for (EmbeddedCassandra node : others) {
                try (Repair operator = new Repair(node)) {
                    operator.flush(KEYSPACE, "forgotten");
                    operator.compact(KEYSPACE, "forgotten");
                }
            }
            late.restart();
            cluster.nodes().awaitAllUp();
            BigInteger sum = total(cluster.session(), "SUM(CAST(increment AS varint))", ConsistencyLevel.ALL, null);
            BigInteger exact = total(
                    cluster.session(),
                    KEYSPACE + ".crdt_exact(type, actor, version, upto, increment)",
                    ConsistencyLevel.ALL,
                    null);
            LOG.info(
                    "a replica comes back after gc_grace_seconds: of {} increments {} count twice in a sum, and {} in"
                            + " crdt_exact",
                    INCREMENTS,
                    twice(ledger, sum),
                    twice(ledger, exact));
            assertThat(exact).isEqualTo(right);
            assertThat(sum).isGreaterThan(right);
        }
    }

    /**
     * A replica misses folds, and hears of them by a repair of a part of the ring. The tombstone of the newer fold
     * contains that of the older one, so each replica keeps one, and no increment comes back.
     */
    @Test
    @Order(21)
    void shouldKeepOneTombstoneOfManyFoldsAfterARepairOfAPartOfTheRing() throws Exception {
        CounterCluster cluster = cluster();
        String table = "repaired";
        Counters.create(cluster.session(), CounterCluster.config(KEYSPACE + "." + table));
        cluster.nodes().awaitAllUp();
        EmbeddedCassandra late = cluster.node(2);
        try (CqlSession session = Sessions.onlyTo(List.of(cluster.node(0), cluster.node(1)));
                Counters counters = Counters.open(
                        session, CounterCluster.config(KEYSPACE + "." + table).withFoldAfter(1_000));
                Repair first = new Repair(cluster.node(0));
                Repair second = new Repair(cluster.node(1))) {
            Ledger ledger = new Ledger();
            Incrementing client = new Incrementing.OfCassidy(counters);
            for (Repair operator : List.of(first, second)) {
                operator.keepNoHints();
            }
            int k = 0;
            for (int fold = 0; fold < 5; fold++) {
                if (fold == 2) {
                    late.kill();
                }
                for (int i = 0; i < 4; i++) {
                    client.increment("late", k++, ledger).toCompletableFuture().join();
                }
                counters.counter("late").fold();
                for (Repair operator : List.of(first, second)) {
                    operator.flush(KEYSPACE, table);
                }
            }
            late.restart();
            cluster.nodes().awaitAllUp();
            long token = session.execute("SELECT token(type) FROM " + KEYSPACE + "." + table + " WHERE type = 'late'")
                    .one()
                    .getLong(0);
            first.repairRange(KEYSPACE, table, token - 1, token);
            try (Repair third = new Repair(late)) {
                for (Repair operator : List.of(first, second, third)) {
                    operator.keepHints();
                    operator.flush(KEYSPACE, table);
                    operator.compact(KEYSPACE, table);
                }
            }
            BigInteger right = BigInteger.valueOf(ledger.acknowledgedTotal("late"));
            assertThat(ledger.acknowledged()).isEqualTo(k);
            for (Node replica : cluster.replicas()) {
                ResultSet read = cluster.session()
                        .execute(SimpleStatement.newInstance("SELECT SUM(CAST(increment AS varint)), COUNT(*) FROM "
                                        + KEYSPACE + "." + table + " WHERE type = 'late'")
                                .setConsistencyLevel(ConsistencyLevel.ONE)
                                .setNode(replica)
                                .setTracing(true));
                Row row = read.one();
                assertThat(row.getBigInteger(0)).as("%s", replica).isEqualTo(right);
                assertThat(row.getLong(1)).as("rows of %s", replica).isEqualTo(2);
                // The deletion of a range has two ends.
                assertThat(read.getExecutionInfo().getQueryTrace().getEvents())
                        .as("%s", replica)
                        .extracting(TraceEvent::getActivity)
                        .contains("Read 2 live rows and 2 tombstone cells");
            }
        }
    }

    /** Cassandra's own counters wrap at 64 bits without an error. */
    @Test
    @Order(22)
    void shouldCountPastTheLargestLong() {
        CounterCluster cluster = cluster();
        String table = KEYSPACE + ".large";
        Counters.create(cluster.session(), CounterCluster.config(table), IncrementType.VARINT);
        cluster.nodes().awaitAllUp();
        BigInteger expected = BigInteger.valueOf(Long.MAX_VALUE).multiply(BigInteger.valueOf(3));
        try (Counters counters = Counters.open(cluster.session(), CounterCluster.config(table))) {
            Counter counter = counters.counter("large");
            Incrementing.OfCassandra ofCassandra = Incrementing.OfCassandra.of(cluster.session(), NATIVE, false);
            for (int i = 0; i < 3; i++) {
                counter.increment(Long.MAX_VALUE);
                cluster.session().execute(ofCassandra.update().bind(Long.MAX_VALUE, "large"));
            }
            assertThat(counter.exactValue()).isEqualTo(expected);
            counter.fold();
            assertThat(counter.exactValue()).isEqualTo(expected);
            assertThatThrownBy(counter::value)
                    .isInstanceOf(CounterException.Overflow.class)
                    .hasMessageContaining(expected.toString());
        }
        assertThat(cluster.nativeValues(List.of("large")))
                .containsEntry("large", BigInteger.valueOf(expected.longValue()));
    }

    private static long twice(Ledger ledger, BigInteger total) {
        return IntStream.range(0, INCREMENTS)
                .filter(k -> ledger.times(total, k) == 2)
                .count();
    }

    private BigInteger at(EmbeddedCassandra node, String function) {
        Node replica =
                cluster().session().getMetadata().findNode(node.contactPoint()).orElseThrow();
        return total(cluster().session(), function, ConsistencyLevel.ONE, replica);
    }

    private static BigInteger total(CqlSession session, String function, ConsistencyLevel level, Node at) {
        return session.execute(
                        SimpleStatement.newInstance("SELECT " + function + " FROM " + TABLE + " WHERE type = 'late'")
                                .setConsistencyLevel(level)
                                .setNode(at))
                .one()
                .getBigInteger(0);
    }
}
