package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The contestants of {@link ExactRace} on one driver, in a JVM of their own: {@code DRIVER HOST PORT DATACENTER KEYSPACE}. */
public final class ExactClient {

    private static final String INSERT_BY_HAND =
            "INSERT INTO by_hand_by_uuid (id, name, quantity, cassidy_tx) VALUES (?, ?, ?, 0xff) IF NOT EXISTS";

    private ExactClient() {}

    public static void main(String[] arguments) throws Exception {
        String datacenter = arguments[3];
        String keyspace = arguments[4];
        Map<String, Turns.Opening> works = new HashMap<>();
        if (ExactRace.Driver.valueOf(arguments[0]) == ExactRace.Driver.JDBC) {
            String url = InsertClient.cassidyUrl(arguments[1] + ':' + arguments[2], datacenter, keyspace);
            for (ExactRace.Contestant each : ExactRace.Driver.JDBC.contestants()) {
                works.put(each.name(), () -> jdbc(DriverManager.getConnection(url), each));
            }
            Turns.serve(works);
            return;
        }
        try (CqlSession session =
                InsertClient.connect(arguments[1], Integer.parseInt(arguments[2]), datacenter, keyspace)) {
            AtomicInteger ids = new AtomicInteger();
            for (ExactRace.Contestant each : ExactRace.Driver.BARE.contestants()) {
                works.put(each.name(), () -> byHand(session, ids, each.statement()));
            }
            Turns.serve(works);
        }
    }

    /** @param connection is closed with the work */
    static Work jdbc(Connection connection, ExactRace.Contestant contestant) throws SQLException {
        String mode = contestant.mode().name().toLowerCase(Locale.ROOT);
        String table = mode + "_product";
        return switch (contestant.statement()) {
            case INSERT -> JdbcInserts.withIdentity(connection, table, 1);
            case BATCH -> JdbcInserts.withIdentity(connection, table, InsertClient.BATCH);
            case INSERT_UNIQUE -> JdbcInserts.withUnique(connection, mode + "_member");
            case INSERT_OWN_KEY -> JdbcInserts.withUuid(connection, mode + "_by_uuid", 1);
            case UPDATE -> JdbcWrites.update(connection, table);
            case UPDATE_OF_TEN -> JdbcWrites.updateOfTen(connection, table);
            case DECREMENT -> JdbcWrites.decrement(connection, table);
            case DELETE -> JdbcWrites.delete(connection, table);
            case COUNT_HOT -> new HotRow(connection, HotRow.COUNTED);
            case ADD_HOT -> new HotRow(connection, HotRow.CONDITIONAL);
        };
    }

    /** @param ids those of the rows of {@link BareWrites#TABLE} so far */
    static Work byHand(CqlSession session, AtomicInteger ids, ExactRace.Statement statement) {
        return switch (statement) {
            case INSERT_OWN_KEY -> new BareInserts(session, INSERT_BY_HAND, 1);
            case UPDATE -> BareWrites.update(session, ids);
            case DECREMENT -> BareWrites.decrement(session, ids);
            case DELETE -> BareWrites.delete(session, ids);
            default -> throw new IllegalArgumentException("is not written by hand: " + statement);
        };
    }
}
