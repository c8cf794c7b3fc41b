package dev.cassidy.reliability.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import dev.cassidy.cluster.JvmTimer;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.cassandra.CassandraCounterTable;
import dev.cassidy.counter.cassandra.CassandraSettlementStore;
import dev.cassidy.counter.cassandra.CassandraSlotStore;
import dev.cassidy.counter.cassandra.CassandraTouchedStore;
import dev.cassidy.counter.cassandra.CountedGeneration;
import dev.cassidy.counter.cassandra.CountedTable;
import dev.cassidy.counter.cassandra.IncrementColumn;
import dev.cassidy.counter.store.BrokenOff;
import dev.cassidy.counter.store.Settled;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.StepOutcome;
import dev.cassidy.counter.store.Versions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.lwt.ConditionalStatements;
import java.io.IOException;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What decides whether an increment counts is asked through a replica that has missed it all: it was down, nobody kept hints
 * for it, and it answers reads at ONE from what it has. And transactions hold rows whose last writes it has missed. The cluster is that of {@link FreshClusterIT}.
 */
abstract class LaggingReplica {

    private static final String DATACENTER = "dc1";
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final String TABLE = "lagging.counted";
    private static final String ACTOR = DATACENTER + "/0";
    private static final int EPOCH = 1 << 26;
    private static final long VERSION = Versions.of(EPOCH, 1);
    private static final Settled SETTLED = new Settled(EPOCH + 1, BigInteger.valueOf(7));

    private static JvmTimer timer;
    private static Stores present;
    private static Stores lagging;
    private static LaggingAccounts accounts;

    /** All that is stored, through some nodes. */
    private static final class Stores implements AutoCloseable {
        final CqlSession session;
        final CassandraSlotStore slots;
        final CassandraSettlementStore settlements;
        final CassandraTouchedStore touched;
        final CassandraCounterTable table;

        Stores(List<EmbeddedCassandra> through, UUID id) {
            String keyspace = FreshClusterIT.COUNTING + "_" + DATACENTER;
            session = Clients.connectTo(through);
            ConditionalStatements local = ConditionalStatements.withinDatacenter(session, TIMEOUT);
            slots = new CassandraSlotStore(local, keyspace, TABLE, () -> "a test", Instant::now);
            settlements = new CassandraSettlementStore(local, keyspace, TABLE);
            touched = new CassandraTouchedStore(local, keyspace, TABLE);
            CountedTable counted = new CountedTable(
                    session,
                    CqlIdentifier.fromCql("lagging"),
                    CqlIdentifier.fromCql("counted"),
                    id,
                    CountedTable.Form.FOLDED,
                    TIMEOUT);
            CountedGeneration generation = new CountedGeneration(
                    counted, counted.generation().toCompletableFuture().join(), (ended, begun) -> {});
            table = new CassandraCounterTable(session, TABLE, generation, IncrementColumn.BIGINT, TIMEOUT, timer);
        }

        @Override
        public void close() {
            session.close();
        }
    }

    @BeforeAll
    static void fallBehind() throws SQLException, IOException {
        EmbeddedCluster nodes = FreshClusterIT.cluster;
        timer = new JvmTimer();
        UUID id;
        // By one node: on a busy machine another one may take long to hear of a keyspace.
        try (CqlSession ddl = Clients.connectTo(nodes.node(DATACENTER, 0))) {
            FreshClusterIT.installForCounters(ddl);
            ddl.execute("CREATE KEYSPACE lagging WITH replication = {'class': 'NetworkTopologyStrategy', '" + DATACENTER
                    + "': 3}");
            Counters.create(ddl, CountersConfig.of(TABLE).withGlobalKeyspace(FreshClusterIT.COUNTING));
            id = requireNonNull(
                    requireNonNull(ddl.execute("SELECT id FROM system_schema.tables WHERE keyspace_name = 'lagging'"
                                            + " AND table_name = 'counted'")
                                    .one())
                            .getUuid("id"));
        }
        nodes.awaitAllUp();
        present = new Stores(List.of(nodes.node(DATACENTER, 0), nodes.node(DATACENTER, 1)), id);
        accounts = new LaggingAccounts(nodes.node(DATACENTER, 0), present.session);
        EmbeddedCassandra behind = nodes.node(DATACENTER, 2);
        behind.stop();
        // Before that they would keep what they send it, and a node that comes back soon would get it.
        present.session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                .forEach(LaggingReplica::awaitThatItKnows);
        write();
        accounts.write();
        behind.restart();
        nodes.awaitAllUp();
        lagging = new Stores(List.of(behind), id);
        accounts.connectTo(behind, FreshClusterIT.data.resolve("lagging.conf"));
    }

    private static void awaitThatItKnows(Node node) {
        SimpleStatement ofAll = SimpleStatement.newInstance("SELECT * FROM " + TABLE + " WHERE type = 'nobody'")
                .setConsistencyLevel(ConsistencyLevel.ALL)
                .setNode(node);
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
            try {
                present.session.execute(ofAll);
                return false;
            } catch (AllNodesFailedException failed) {
                return failed.getAllErrors().values().stream()
                        .flatMap(List::stream)
                        .anyMatch(UnavailableException.class::isInstance);
            } catch (DriverException busy) {
                return false;
            }
        });
    }

    @AfterAll
    static void stop() throws SQLException {
        if (accounts != null) {
            accounts.close();
        }
        lagging.close();
        present.close();
        timer.close();
    }

    /** Each test has a partition of its own: a read that repairs makes the replica know. */
    private static void write() {
        for (int slot = 0; slot < 3; slot++) {
            SlotLease lease = lease(slot, EPOCH);
            done(present.slots.create(lease));
            done(present.slots.take(lease, lease(slot, EPOCH + 1)));
        }
        for (String counter : List.of("settled", "counted")) {
            done(present.settlements.advance(counter, 0, Settled.NOTHING, SETTLED, Map.of(EPOCH, 3L)));
        }
        await(present.touched.note(0, EPOCH, List.of("noted")));
        for (String counter : List.of("read", "probe")) {
            await(present.table.write(counter, ACTOR, VERSION, BigInteger.valueOf(7)));
        }
    }

    private static SlotLease lease(int slot, int epoch) {
        return new SlotLease(slot, epoch, new UUID(slot, epoch), 0, false);
    }

    private static void done(CompletionStage<StepOutcome> step) {
        assertThat(await(step)).isEqualTo(new StepOutcome.Done());
    }

    private static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Test
    void shouldLagBehind() {
        assertThat(lagging.session
                        .execute(SimpleStatement.newInstance("SELECT * FROM " + TABLE + " WHERE type = 'probe'")
                                .setConsistencyLevel(ConsistencyLevel.LOCAL_ONE))
                        .all())
                .isEmpty();
    }

    /** By this read an increment is confirmed. */
    @Test
    void shouldSeeThatASlotWasTakenAway() {
        assertThat(await(lagging.slots.look(0))).isEqualTo(Optional.of(lease(0, EPOCH + 1)));
    }

    @Test
    void shouldReadASlotInTheOrderOfItsSteps() {
        assertThat(await(lagging.slots.read(1))).isEqualTo(Optional.of(lease(1, EPOCH + 1)));
    }

    @Test
    void shouldSeeThatAnEpochWasBrokenOff() {
        assertThat(await(lagging.slots.brokenOff(2, 0))).containsExactly(new BrokenOff(EPOCH, false));
    }

    @Test
    void shouldSeeWhatWasDecided() {
        assertThat(await(lagging.settlements.read("settled", 0))).isEqualTo(SETTLED);
    }

    @Test
    void shouldSeeWhichNumbersCount() {
        assertThat(await(lagging.settlements.counted("counted", 0, EPOCH))).isEqualTo(OptionalLong.of(3));
    }

    @Test
    void shouldSeeWhichCountersWereTouched() {
        assertThat(await(lagging.touched.next(0, EPOCH, ""))).containsExactly("noted");
    }

    /** From these rows it is decided, and told, what counts. */
    @Test
    void shouldSeeTheRowsOfAnActor() {
        assertThat(await(lagging.table.read("read", ACTOR)).row(VERSION)).isPresent();
        assertThat(await(lagging.table.readPages("read", ACTOR)).row(VERSION)).isPresent();
        assertThat(await(lagging.table.readAll("read"))).hasSize(1);
    }

    // ---- rows that are held: UPDLOCK

    @ParameterizedTest
    @ValueSource(ints = {LaggingAccounts.CHANGED, LaggingAccounts.SET})
    void shouldHoldARowAsTheMajorityHasIt(int id) throws SQLException {
        Connection connection = accounts.lagging();
        assertThat(LaggingAccounts.read(connection, id)).containsExactly(1);
        assertThat(LaggingAccounts.underLock(connection, id)).containsExactly(2);
        LaggingAccounts.run(connection, "UPDATE account SET balance = 3 WHERE id = " + id);
        connection.commit();
        assertThat(LaggingAccounts.ofAll(present.session, id)).containsExactly(3);
    }

    @Test
    void shouldNotHoldARowThatIsDeleted() throws SQLException {
        Connection connection = accounts.lagging();
        assertThat(LaggingAccounts.read(connection, LaggingAccounts.DELETED)).containsExactly(1);
        assertThat(LaggingAccounts.underLock(connection, LaggingAccounts.DELETED))
                .isEmpty();
        connection.commit();
        assertThat(LaggingAccounts.ofAll(present.session, LaggingAccounts.DELETED))
                .isEmpty();
    }

    /** It waits, and then takes the row, though what its node has of the mark is older. */
    @Test
    void shouldTakeARowOfWhoseHolderItsNodeHasNotHeard() throws SQLException {
        Connection connection = accounts.lagging();
        assertThat(LaggingAccounts.underLock(connection, LaggingAccounts.HELD)).containsExactly(1);
        assertThatThrownBy(() -> accounts.holder().commit()).isInstanceOf(SQLTransactionRollbackException.class);
        LaggingAccounts.run(connection, "UPDATE account SET balance = 4 WHERE id = " + LaggingAccounts.HELD);
        connection.commit();
        assertThat(LaggingAccounts.ofAll(present.session, LaggingAccounts.HELD)).containsExactly(4);
    }
}
