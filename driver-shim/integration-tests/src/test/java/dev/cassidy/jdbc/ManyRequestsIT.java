package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.internal.core.pool.ChannelPool;
import com.datastax.oss.driver.internal.core.session.DefaultSession;
import dev.cassidy.cluster.ForwardingSession;
import dev.cassidy.cql.IdentitySession;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** More concurrent requests than the driver allows on one connection by default. */
class ManyRequestsIT {

    /** The number of rows that a batch sends before it waits for an answer. */
    private static final int ROWS = 128;

    private static final int BATCHES = 9;

    @AutoClose
    private static HeldLink link;

    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newFixedThreadPool(BATCHES);

    @BeforeAll
    static void prepare() throws IOException {
        TestCluster cluster = TestCluster.fresh("many_requests_it");
        cluster.cql("CREATE TABLE $.plain (k text PRIMARY KEY, v int)");
        link = new HeldLink(TestCluster.NODE.contactPoint());
    }

    private static String url() {
        return "jdbc:cassidy://127.0.0.1:" + link.port() + "/many_requests_it?localDatacenter="
                + TestCluster.NODE.localDatacenter() + "&requestTimeout=2m&connectTimeout=1m";
    }

    @Test
    void shouldSendTheRequestsOfManyConcurrentBatches() throws Exception {
        try (Connection connection = DriverManager.getConnection(url());
                PreparedStatement warm = insert(connection, "warm", 1)) {
            assertThat(warm.executeBatch()).containsExactly(1);
            link.hold();
            List<Future<int[]>> running = new ArrayList<>();
            for (int batch = 0; batch < BATCHES; batch++) {
                PreparedStatement insert = insert(connection, "batch " + batch, ROWS);
                running.add(threads.submit(insert::executeBatch));
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> inProgress(connection) >= BATCHES * ROWS);

            link.release();

            for (Future<int[]> each : running) {
                assertThat(each.get(2, TimeUnit.MINUTES)).hasSize(ROWS).containsOnly(1);
            }
        }
    }

    private static PreparedStatement insert(Connection connection, String key, int rows) throws SQLException {
        PreparedStatement insert = connection.prepareStatement("INSERT INTO plain (k, v) VALUES (?, ?)");
        for (int row = 0; row < rows; row++) {
            insert.setString(1, key + " " + row);
            insert.setInt(2, row);
            insert.addBatch();
        }
        return insert;
    }

    private static int inProgress(Connection connection) throws SQLException {
        CqlSession session = connection.unwrap(CqlSession.class);
        if (session instanceof IdentitySession identities) {
            session = identities.unwrap();
        }
        // That of a connection refuses USE.
        CqlSession driversOwn = ((ForwardingSession) session).unwrap();
        return ((DefaultSession) driversOwn)
                .getPools().values().stream().mapToInt(ChannelPool::getInFlight).sum();
    }
}
