package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/** The contestants of {@link AssistRace} on one driver, in a JVM of their own: {@code DRIVER HOST PORT DATACENTER KEYSPACE}. */
public final class AssistClient {

    private AssistClient() {}

    public static void main(String[] arguments) throws Exception {
        String datacenter = arguments[3];
        String keyspace = arguments[4];
        Map<String, Turns.Opening> works = new HashMap<>();
        if (AssistRace.Driver.valueOf(arguments[0]) == AssistRace.Driver.JDBC) {
            String url = InsertClient.cassidyUrl(arguments[1] + ':' + arguments[2], datacenter, keyspace);
            for (AssistRace.Contestant each : AssistRace.Driver.JDBC.contestants()) {
                String own = each.mode() == AssistRace.Mode.OFF ? url + "&assist=off" : url;
                works.put(each.name(), () -> new JdbcRead(DriverManager.getConnection(own), each.statement()));
            }
            Turns.serve(works);
            return;
        }
        try (CqlSession session =
                InsertClient.connect(arguments[1], Integer.parseInt(arguments[2]), datacenter, keyspace)) {
            for (AssistRace.Contestant each : AssistRace.Driver.BARE.contestants()) {
                works.put(each.name(), () -> byHand(session, each.statement()));
            }
            Turns.serve(works);
        }
    }

    private static int any(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    private static void require(int rows, int expected) {
        if (rows != expected) {
            throw new IllegalStateException("must find " + expected + " rows: rows=" + rows);
        }
    }

    /** One statement with a key. */
    private static final class JdbcRead implements Work {

        private final Connection connection;
        private final java.sql.PreparedStatement statement;
        private final boolean lines;

        JdbcRead(Connection connection, AssistRace.Statement read) throws SQLException {
            this.connection = connection;
            this.lines = read == AssistRace.Statement.JOIN_OF_LINES;
            this.statement = connection.prepareStatement(
                    switch (read) {
                        case JOIN ->
                            "SELECT o.id, o.total, c.name FROM orders o JOIN customer c ON c.id = o.customer WHERE o.id = ?";
                        case JOIN_OF_LINES ->
                            "SELECT l.no, l.qty, i.name FROM line l JOIN item i ON i.id = l.item WHERE l.orders = ?";
                        case DIRECT -> "SELECT name, city FROM customer WHERE id = ?";
                    });
        }

        @Override
        public int call() throws SQLException {
            statement.setInt(1, any(lines ? 10 : AssistRace.ROWS));
            int rows = 0;
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows += Objects.requireNonNull(result.getString(2)).isEmpty() ? 0 : 1;
                }
            }
            require(rows, lines ? AssistRace.LINES : 1);
            return 1;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private static Work byHand(CqlSession session, AssistRace.Statement read) {
        if (read == AssistRace.Statement.JOIN) {
            PreparedStatement order = session.prepare("SELECT id, total, customer FROM orders WHERE id = ?");
            PreparedStatement customer = session.prepare("SELECT name FROM customer WHERE id = ?");
            return () -> {
                Row found = one(session, order, any(AssistRace.ROWS));
                return one(session, customer, found.getInt("customer")).getString("name") == null ? 0 : 1;
            };
        }
        PreparedStatement lines = session.prepare("SELECT no, qty, item FROM line WHERE orders = ?");
        PreparedStatement item = session.prepare("SELECT name FROM item WHERE id = ?");
        return () -> {
            int rows = 0;
            for (Row line : session.execute(lines.bind(any(10)))) {
                rows += one(session, item, line.getInt("item")).getString("name") == null ? 0 : 1;
            }
            require(rows, AssistRace.LINES);
            return 1;
        };
    }

    private static Row one(CqlSession session, PreparedStatement statement, int id) {
        return Objects.requireNonNull(session.execute(statement.bind(id)).one(), "the row is missing");
    }
}
