package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
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
                works.put(each.name(), () -> jdbc(url, each));
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

    static Work jdbc(String url, ExactRace.Contestant contestant) throws SQLException {
        String mode = contestant.mode().name().toLowerCase(Locale.ROOT);
        String table = mode + "_product";
        return switch (contestant.statement()) {
            case INSERT -> JdbcInserts.withIdentity(url, table, 1);
            case BATCH -> JdbcInserts.withIdentity(url, table, InsertClient.BATCH);
            case INSERT_OWN_KEY -> JdbcInserts.withUuid(url, mode + "_by_uuid", 1);
            case UPDATE -> JdbcWrites.update(url, table);
            case UPDATE_OF_TEN -> JdbcWrites.updateOfTen(url, table);
            case DECREMENT -> JdbcWrites.decrement(url, table);
            case DELETE -> JdbcWrites.delete(url, table);
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
