package dev.cassidy.reliability.exact;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows of drawn ids, and what is written to them next, through any node of three, of which one is two days behind. Were a new row written
 * at its client's present time, what that node writes next would change nothing.
 */
final class SlowNode {

    static final Duration BEHIND = Duration.ofDays(2);

    /** That one writes about every third of them. */
    private static final int ROWS = 120;

    private static final int OF_ONE_TRANSACTION = 20;

    /** 2^42 microseconds. */
    private static final long FRESH = 4_398_046_511_104L;

    private final Connection connection;
    private final CqlSession session;
    private final Node slow;

    /** @param slow where clients connect to the node that is behind */
    SlowNode(Connection connection, CqlSession session, InetSocketAddress slow) {
        this.connection = connection;
        this.session = session;
        this.slow = session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getEndPoint().resolve().equals(slow))
                .findFirst()
                .orElseThrow();
    }

    static void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE parcel (id INT IDENTITY PRIMARY KEY, n INT)");
        }
    }

    void requireThatItsWritesStay() throws SQLException {
        List<Integer> ids = insert();
        assertThat(rows().values())
                .extracting(Written::micros)
                .hasSize(2 * ROWS)
                .containsOnly(FRESH);

        requireWritten(each("UPDATE parcel SET n = 1 WHERE id = ?", ids.subList(0, ROWS)));

        List<Integer> deleted = each("DELETE FROM parcel WHERE id = ?", ids.subList(ROWS, 2 * ROWS));
        assertThat(rows()).doesNotContainKeys(deleted.toArray(Integer[]::new));
        // A connection refuses explicit ids of the sequence.
        deleted.forEach(this::insertByCql);
        requireWritten(deleted);
    }

    private void insertByCql(int id) {
        session.execute(SimpleStatement.newInstance(
                        "INSERT INTO shop.parcel (id, n, cassidy_tx) VALUES (?, 1, 0xff) IF NOT EXISTS", id)
                .setNode(slow)
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL));
    }

    private void requireWritten(List<Integer> ids) {
        Map<Integer, Written> rows = rows();
        List<Written> written = ids.stream().map(rows::get).toList();
        assertThat(written).allMatch(row -> row != null && row.n() == 1);
        // An INSERT is later than the DELETE before it: then the slow node has deleted the row, too.
        assertThat(written).as("some are of the slow node").anyMatch(row -> isOld(row.micros()));
    }

    private static boolean isOld(long micros) {
        return Instant.EPOCH
                .plus(micros, ChronoUnit.MICROS)
                .isBefore(Instant.now().minus(BEHIND.dividedBy(2)));
    }

    private List<Integer> insert() throws SQLException {
        List<Integer> ids = new ArrayList<>();
        connection.setAutoCommit(false);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO parcel (n) VALUES (0)", Statement.RETURN_GENERATED_KEYS)) {
            while (ids.size() < 2 * ROWS) {
                insert.executeUpdate();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    keys.next();
                    ids.add(keys.getInt(1));
                }
                if (ids.size() % OF_ONE_TRANSACTION == 0) {
                    connection.commit();
                }
            }
        }
        connection.setAutoCommit(true);
        return ids;
    }

    /** Returns those that were told that they wrote their row; on a busy machine some may be in doubt. */
    private List<Integer> each(String sql, List<Integer> ids) throws SQLException {
        List<Integer> told = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int id : ids) {
                statement.setInt(1, id);
                try {
                    assertThat(statement.executeUpdate()).as("%s: %s", sql, id).isEqualTo(1);
                    told.add(id);
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as("%s: %s: %s", sql, id, e).isEqualTo("HYT00");
                }
            }
        }
        return told;
    }

    /** A row as it stands. */
    private record Written(int n, long micros) {}

    private Map<Integer, Written> rows() {
        Map<Integer, Written> rows = new HashMap<>();
        session.execute(SimpleStatement.newInstance("SELECT id, n, writetime(n) FROM shop.parcel")
                        .setConsistencyLevel(ConsistencyLevel.ALL))
                .forEach(row -> rows.put(row.getInt(0), new Written(row.getInt(1), row.getLong(2))));
        return rows;
    }
}
