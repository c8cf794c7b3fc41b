package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.scalar.db.api.DistributedTransactionManager;
import java.sql.DriverManager;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A contestant of {@link TransactionRace} in a JVM of its own: {@code MODE HOST PORT DATACENTER KEYSPACE}. */
public final class TransactionClient {

    private interface Stores {
        TransactionStore open() throws Exception;
    }

    private TransactionClient() {}

    public static void main(String[] arguments) throws Exception {
        String host = arguments[1];
        int port = Integer.parseInt(arguments[2]);
        String datacenter = arguments[3];
        String keyspace = arguments[4];
        AtomicInteger ids = new AtomicInteger();
        switch (TransactionRace.Mode.valueOf(arguments[0])) {
            case EXACT, SERIAL -> {
                String url = InsertClient.cassidyUrl(host + ':' + port, datacenter, keyspace);
                serve(() -> new JdbcTransactions(DriverManager.getConnection(url), ids));
            }
            case BY_HAND -> {
                try (CqlSession session = InsertClient.connect(host, port, datacenter, keyspace)) {
                    serve(() -> new BatchesByHand(session, ids));
                }
            }
            case SCALARDB -> {
                try (DistributedTransactionManager manager =
                        ScalarTransactions.factory(host, port, keyspace).getTransactionManager()) {
                    serve(() -> new ScalarTransactions(manager, ScalarTransactions.keyspace(keyspace), ids));
                }
            }
        }
    }

    private static void serve(Stores stores) throws Exception {
        Map<String, Turns.Opening> works = new HashMap<>();
        for (TransactionRace.Shape shape : TransactionRace.Shape.values()) {
            works.put(shape.name(), () -> new Transactions(stores.open(), shape));
        }
        Turns.serve(works);
    }
}
