package dev.cassidy.benchmarks.driver;

import com.scalar.db.api.DistributedTransaction;
import com.scalar.db.api.DistributedTransactionAdmin;
import com.scalar.db.api.DistributedTransactionManager;
import com.scalar.db.api.Get;
import com.scalar.db.api.Insert;
import com.scalar.db.api.Result;
import com.scalar.db.api.Scan;
import com.scalar.db.api.TableMetadata;
import com.scalar.db.api.Update;
import com.scalar.db.exception.storage.ExecutionException;
import com.scalar.db.exception.transaction.TransactionException;
import com.scalar.db.io.DataType;
import com.scalar.db.io.Key;
import com.scalar.db.service.TransactionFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;

/** ScalarDB's Consensus Commit, at SNAPSHOT as by default, and with its commit of one partition in one phase. */
final class ScalarTransactions implements TransactionStore {

    private static final int PREPARED_AT_ONCE = 25;

    private final DistributedTransactionManager manager;
    private final String keyspace;
    private final AtomicInteger ids;

    /** @param ids those of the rows of all threads so far */
    ScalarTransactions(DistributedTransactionManager manager, String keyspace, AtomicInteger ids) {
        this.manager = manager;
        this.keyspace = keyspace;
        this.ids = ids;
    }

    /** Returns the keyspace of its tables for a race in {@code keyspace}; its own library creates it. */
    static String keyspace(String keyspace) {
        return keyspace + "_scalar";
    }

    static TransactionFactory factory(String host, int port, String keyspace) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "scalar.db.storage",
                "cassandra",
                "scalar.db.contact_points",
                host,
                "scalar.db.contact_port",
                Integer.toString(port),
                "scalar.db.consensus_commit.one_phase_commit.enabled",
                "true",
                "scalar.db.consensus_commit.coordinator.namespace",
                keyspace + "_coordinator"));
        return TransactionFactory.create(properties);
    }

    /** Creates its keyspaces and its tables. */
    static void createTables(Cluster cluster, String keyspace) {
        Map<String, String> options = Map.of(
                "replication-strategy",
                "SimpleStrategy",
                "replication-factor",
                Integer.toString(cluster.replicas() * cluster.datacenters().size()));
        try (DistributedTransactionAdmin admin = factory(
                        cluster.contact().host(), cluster.contact().port(), keyspace)
                .getTransactionAdmin()) {
            admin.createCoordinatorTables(options);
            admin.createNamespace(keyspace(keyspace), options);
            admin.createTable(
                    keyspace(keyspace),
                    "account",
                    TableMetadata.newBuilder()
                            .addColumn("id", DataType.INT)
                            .addColumn("balance", DataType.INT)
                            .addPartitionKey("id")
                            .build());
            admin.createTable(
                    keyspace(keyspace),
                    "position",
                    TableMetadata.newBuilder()
                            .addColumn("portfolio", DataType.INT)
                            .addColumn("number", DataType.INT)
                            .addColumn("quantity", DataType.INT)
                            .addPartitionKey("portfolio")
                            .addClusteringKey("number")
                            .build());
            admin.createTable(
                    keyspace(keyspace),
                    "purchase",
                    TableMetadata.newBuilder()
                            .addColumn("id", DataType.INT)
                            .addColumn("customer", DataType.TEXT)
                            .addColumn("total", DataType.INT)
                            .addPartitionKey("id")
                            .build());
            admin.createTable(
                    keyspace(keyspace),
                    "line",
                    TableMetadata.newBuilder()
                            .addColumn("id", DataType.INT)
                            .addColumn("purchase", DataType.INT)
                            .addColumn("name", DataType.TEXT)
                            .addColumn("quantity", DataType.INT)
                            .addPartitionKey("id")
                            .build());
        } catch (ExecutionException e) {
            throw new IllegalStateException("the tables of ScalarDB cannot be made", e);
        }
    }

    /** What a transaction does. */
    private interface Body {
        void run(DistributedTransaction transaction) throws TransactionException;
    }

    private void transaction(Body body) throws TransactionException {
        DistributedTransaction transaction = manager.begin();
        try {
            body.run(transaction);
            transaction.commit();
        } catch (TransactionException | RuntimeException e) {
            transaction.rollback();
            throw e;
        }
    }

    @Override
    public Collection<Integer> insertAccounts(int count) throws TransactionException {
        List<Integer> inserted = new ArrayList<>();
        while (inserted.size() < count) {
            List<Integer> some = some(count - inserted.size());
            transaction(transaction -> {
                for (int id : some) {
                    transaction.insert(Insert.newBuilder()
                            .namespace(keyspace)
                            .table("account")
                            .partitionKey(Key.ofInt("id", id))
                            .intValue("balance", OwnRows.QUANTITY)
                            .build());
                }
            });
            inserted.addAll(some);
        }
        return inserted;
    }

    @Override
    public Collection<Integer> insertPortfolios(int count) throws TransactionException {
        List<Integer> inserted = new ArrayList<>();
        while (inserted.size() < count) {
            List<Integer> some = some(count - inserted.size());
            transaction(transaction -> {
                for (int id : some) {
                    for (int number = 0; number < POSITIONS; number++) {
                        transaction.insert(Insert.newBuilder()
                                .namespace(keyspace)
                                .table("position")
                                .partitionKey(Key.ofInt("portfolio", id))
                                .clusteringKey(Key.ofInt("number", number))
                                .intValue("quantity", OwnRows.QUANTITY)
                                .build());
                    }
                }
            });
            inserted.addAll(some);
        }
        return inserted;
    }

    private List<Integer> some(int missing) {
        List<Integer> some = new ArrayList<>();
        for (int row = 0; row < Math.min(missing, PREPARED_AT_ONCE); row++) {
            some.add(ids.incrementAndGet());
        }
        return some;
    }

    @Override
    public void transfer(List<Integer> accounts) throws TransactionException {
        transaction(transaction -> {
            List<Integer> balances = new ArrayList<>();
            for (int id : accounts) {
                Result row = transaction
                        .get(Get.newBuilder()
                                .namespace(keyspace)
                                .table("account")
                                .partitionKey(Key.ofInt("id", id))
                                .build())
                        .orElseThrow();
                balances.add(row.getInt("balance"));
            }
            for (int each = 0; each < accounts.size(); each++) {
                int change = each == 0 ? accounts.size() - 1 : -1;
                transaction.update(Update.newBuilder()
                        .namespace(keyspace)
                        .table("account")
                        .partitionKey(Key.ofInt("id", accounts.get(each)))
                        .intValue("balance", balances.get(each) + change)
                        .build());
            }
        });
    }

    @Override
    public void rebalance(int portfolio) throws TransactionException {
        transaction(transaction -> {
            Key key = Key.ofInt("portfolio", portfolio);
            List<Result> rows = transaction.scan(Scan.newBuilder()
                    .namespace(keyspace)
                    .table("position")
                    .partitionKey(key)
                    .build());
            for (Result row : rows) {
                int number = row.getInt("number");
                int change = number == 0 ? POSITIONS - 1 : -1;
                transaction.update(Update.newBuilder()
                        .namespace(keyspace)
                        .table("position")
                        .partitionKey(key)
                        .clusteringKey(Key.ofInt("number", number))
                        .intValue("quantity", row.getInt("quantity") + change)
                        .build());
            }
        });
    }

    @Override
    public void order() throws TransactionException {
        transaction(transaction -> {
            int purchase = ids.incrementAndGet();
            transaction.insert(Insert.newBuilder()
                    .namespace(keyspace)
                    .table("purchase")
                    .partitionKey(Key.ofInt("id", purchase))
                    .textValue("customer", "Miller")
                    .intValue("total", LINES)
                    .build());
            for (int line = 0; line < LINES; line++) {
                transaction.insert(Insert.newBuilder()
                        .namespace(keyspace)
                        .table("line")
                        .partitionKey(Key.ofInt("id", ids.incrementAndGet()))
                        .intValue("purchase", purchase)
                        .textValue("name", "Kettle")
                        .intValue("quantity", line)
                        .build());
            }
        });
    }

    @Override
    public void close() {
        // The manager is that of all threads.
    }
}
