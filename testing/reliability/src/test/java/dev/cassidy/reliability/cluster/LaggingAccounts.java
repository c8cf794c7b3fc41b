package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Rows of an exact table, of which a replica of {@link LaggingReplica} has missed the last writes and claims. */
final class LaggingAccounts implements AutoCloseable {

    static final int CHANGED = 1;
    static final int DELETED = 2;
    static final int HELD = 3;

    /** By a statement of its own, which leaves the mark as it was. */
    static final int SET = 4;

    /** Its session uses the nodes that are there. */
    private final Connection writer;

    /** In a transaction that holds a row. */
    private final Connection holder;

    private Connection lagging;

    /** Creates the rows, on all nodes. */
    LaggingAccounts(EmbeddedCassandra node, CqlSession session) throws SQLException {
        writer = DriverManager.getConnection(url(node));
        holder = DriverManager.getConnection(url(node));
        run(writer, "CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
        for (int id : List.of(CHANGED, DELETED, HELD, SET)) {
            run(writer, "INSERT INTO account (id, balance) VALUES (" + id + ", 1)");
            assertThat(ofAll(session, id)).containsExactly(1);
        }
    }

    private static String url(EmbeddedCassandra node) {
        return "jdbc:cassidy://" + node.host() + ":" + node.port()
                + "/lagging?localDatacenter=dc1&writes=exact:dc1&connectTimeout=2m&requestTimeout=2m&globalKeyspace="
                + FreshClusterIT.COUNTING;
    }

    /** Writes what one replica misses. */
    void write() throws SQLException {
        run(writer, "UPDATE account SET balance = 2 WHERE id = " + SET);
        writer.setAutoCommit(false);
        assertThat(underLock(writer, CHANGED)).containsExactly(1);
        run(writer, "UPDATE account SET balance = 2 WHERE id = " + CHANGED);
        run(writer, "DELETE FROM account WHERE id = " + DELETED);
        writer.commit();
        holder.setAutoCommit(false);
        assertThat(underLock(holder, HELD)).containsExactly(1);
    }

    /** Connects to the replica alone, which answers queries from what it has. */
    void connectTo(EmbeddedCassandra node, Path configuration) throws SQLException, IOException {
        Properties properties = new Properties();
        properties.setProperty(
                "configFile", OnlyNode.configure(configuration, node).toString());
        lagging = DriverManager.getConnection(url(node) + "&consistency=LOCAL_ONE", properties);
        lagging.setAutoCommit(false);
    }

    Connection lagging() {
        return lagging;
    }

    Connection holder() {
        return holder;
    }

    static int run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return Math.max(0, statement.execute(sql) ? 0 : statement.getUpdateCount());
        }
    }

    private static List<Integer> balances(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            List<Integer> balances = new ArrayList<>();
            while (found.next()) {
                balances.add(found.getInt(1));
            }
            return balances;
        }
    }

    static List<Integer> read(Connection connection, int id) throws SQLException {
        return balances(connection, "SELECT balance FROM account WHERE id = " + id);
    }

    static List<Integer> underLock(Connection connection, int id) throws SQLException {
        return balances(connection, "SELECT balance FROM account WITH (UPDLOCK) WHERE id = " + id);
    }

    /** What all replicas have together. */
    static List<Integer> ofAll(CqlSession session, int id) {
        return session.execute(SimpleStatement.newInstance("SELECT balance FROM lagging.account WHERE id = ?", id)
                        .setConsistencyLevel(ConsistencyLevel.ALL))
                .map(row -> row.getInt(0))
                .all();
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : new Connection[] {lagging, holder, writer}) {
            if (connection != null) {
                connection.close();
            }
        }
    }
}
