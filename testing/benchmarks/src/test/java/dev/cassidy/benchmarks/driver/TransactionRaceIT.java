package dev.cassidy.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.scalar.db.api.DistributedTransactionManager;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.OutputStream;
import java.io.PrintStream;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransactionRaceIT {

    private static final String KEYSPACE = "transaction_race_it";
    private static final int CALLS = 3;

    private static final EmbeddedCassandra NODE = EmbeddedCassandra.shared();

    private static CqlSession session;
    private static DistributedTransactionManager scalar;

    @BeforeAll
    static void create() {
        TransactionRace.prepare(new Cluster(List.of(NODE), 1), KEYSPACE);
        session = InsertClient.connect(NODE.host(), NODE.port(), NODE.localDatacenter(), KEYSPACE);
        scalar = ScalarTransactions.factory(NODE.host(), NODE.port(), KEYSPACE).getTransactionManager();
    }

    @AfterAll
    static void close() {
        session.close();
        scalar.close();
    }

    @Test
    void shouldMeasureEveryCase() throws Exception {
        Report report = new Report("test");
        Duration turn = Duration.ofMillis(50);
        try (TransactionRace race = new TransactionRace(
                new Cluster(List.of(NODE), 1),
                // They end before the second compiler pays off.
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                new Pace(1, turn, turn, turn),
                new PrintStream(OutputStream.nullOutputStream()))) {
            race.run(report);
        }

        assertThat(report.cases()).extracting(Case::name).containsExactlyElementsOf(TransactionRace.caseNames());
        assertThat(report.cases()).allSatisfy(each -> {
            assertThat(each.ours()).isPositive();
            assertThat(each.rival()).isPositive();
        });
    }

    /** Transfers move what there is; an order has its lines. SERIAL writes as EXACT does, in tables of its own. */
    @ParameterizedTest
    @EnumSource(names = "SERIAL", mode = EnumSource.Mode.EXCLUDE)
    void shouldWriteWhatItCounts(TransactionRace.Mode mode) throws Exception {
        String suffix = mode == TransactionRace.Mode.BY_HAND ? "_by_hand" : "";
        String keyspace = mode == TransactionRace.Mode.SCALARDB ? ScalarTransactions.keyspace(KEYSPACE) : KEYSPACE;
        AtomicInteger ids = new AtomicInteger();
        for (TransactionRace.Shape shape : TransactionRace.Shape.values()) {
            String table = keyspace + '.' + table(shape) + suffix;
            String column = shape == TransactionRace.Shape.ONE_PARTITION ? "quantity" : "balance";
            try (Work work = new Transactions(store(mode, ids), shape)) {
                work.prepare();
                Table before = shape == TransactionRace.Shape.FRESH ? null : table(table, column);
                int rows = 0;
                for (int call = 0; call < CALLS; call++) {
                    rows += work.call();
                }
                assertThat(rows).isEqualTo(CALLS * shape.rows());
                if (before == null) {
                    assertThat(count(table)).isEqualTo(CALLS);
                    assertThat(count(keyspace + ".line" + suffix)).isEqualTo(CALLS * TransactionStore.LINES);
                } else {
                    Table after = table(table, column);
                    assertThat(after.sum()).isEqualTo(before.sum());
                    assertThat(after.changed() - before.changed()).isEqualTo(rows);
                }
            }
        }
    }

    private static TransactionStore store(TransactionRace.Mode mode, AtomicInteger ids) throws Exception {
        return switch (mode) {
            case EXACT, SERIAL ->
                new JdbcTransactions(
                        DriverManager.getConnection(InsertClient.cassidyUrl(
                                NODE.host() + ':' + NODE.port(), NODE.localDatacenter(), KEYSPACE)),
                        ids);
            case BY_HAND -> new BatchesByHand(session, ids);
            case SCALARDB -> new ScalarTransactions(scalar, ScalarTransactions.keyspace(KEYSPACE), ids);
        };
    }

    private static String table(TransactionRace.Shape shape) {
        return switch (shape) {
            case ONE_PARTITION -> "position";
            case FRESH -> "purchase";
            case TWO_PARTITIONS, FIVE_PARTITIONS -> "account";
        };
    }

    /** @param changed how many rows no longer have what they were inserted with */
    private record Table(long sum, int changed) {}

    private static Table table(String table, String column) {
        long sum = 0;
        int changed = 0;
        for (Row row : session.execute("SELECT " + column + " FROM " + table)) {
            sum += row.getInt(0);
            changed += row.getInt(0) == OwnRows.QUANTITY ? 0 : 1;
        }
        return new Table(sum, changed);
    }

    private static int count(String table) {
        return session.execute("SELECT * FROM " + table).all().size();
    }
}
