package dev.cassidy.examples.quickstart;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.examples.shop.Customer;
import dev.cassidy.examples.shop.Order;
import dev.cassidy.examples.shop.Product;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The shop's database after the move: a Cassandra node, its schema, and a plain session of the Apache driver that reads
 * back what others wrote. Cassidy has no part in that session.
 */
final class NewShop implements AutoCloseable {

    static final String KEYSPACE = "shop";

    static final String DDL = """
            CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1};
            CREATE TABLE shop.product  (id int PRIMARY KEY, name text, price decimal);
            CREATE TABLE shop.customer (id int PRIMARY KEY, name text, email text);
            CREATE TABLE shop.orders   (id int PRIMARY KEY, customer_id int, product_id int, quantity int);
            """;

    private final EmbeddedCassandra node;
    private final CqlSession reader;

    private NewShop(EmbeddedCassandra node, CqlSession reader) {
        this.node = node;
        this.reader = reader;
    }

    /** Starts the node and connects to it. */
    static NewShop start() {
        EmbeddedCassandra node =
                EmbeddedCassandra.builder().datacenter("dc1").startsOnce().start();
        try {
            return new NewShop(node, connect(node));
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private static CqlSession connect(EmbeddedCassandra node) {
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
                        // Reads rows alone: without the schema's copy a CREATE need not wait for it to settle.
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .build())
                .build();
    }

    void execute(String ddl) {
        for (String statement : ddl.split(";\\s*", -1)) {
            if (!statement.isBlank()) {
                reader.execute(statement);
            }
        }
    }

    CqlSession session() {
        return reader;
    }

    String contactPoint() {
        return node.host() + ":" + node.port();
    }

    String datacenter() {
        return node.localDatacenter();
    }

    /** Returns what the shop's data access takes in place of its old URL. */
    String url() {
        return "jdbc:cassidy://" + contactPoint() + "/" + KEYSPACE + "?localDatacenter=" + datacenter();
    }

    String version() {
        return Objects.requireNonNull(
                reader.execute("SELECT release_version FROM system.local").one().getString(0));
    }

    List<Product> products() {
        return reader.execute("SELECT id, name, price FROM shop.product").all().stream()
                .map(row -> new Product(row.getInt(0), string(row, 1), Objects.requireNonNull(row.getBigDecimal(2))))
                .sorted(Comparator.comparingInt(Product::id))
                .toList();
    }

    List<Customer> customers() {
        return reader.execute("SELECT id, name, email FROM shop.customer").all().stream()
                .map(row -> new Customer(row.getInt(0), string(row, 1), string(row, 2)))
                .sorted(Comparator.comparingInt(Customer::id))
                .toList();
    }

    List<Order> orders() {
        return reader.execute("SELECT id, customer_id, product_id, quantity FROM shop.orders").all().stream()
                .map(row -> new Order(row.getInt(0), row.getInt(1), row.getInt(2), row.getInt(3)))
                .sorted(Comparator.comparingInt(Order::id))
                .toList();
    }

    /** Returns the ids of a table as its rows have them. */
    List<Integer> ids(String table) {
        return reader.execute("SELECT id FROM shop." + table).all().stream()
                .map(row -> row.getInt(0))
                .sorted()
                .toList();
    }

    /** Returns how many tables the shop has. */
    long tables() {
        return number("SELECT COUNT(*) FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE + "'")
                .longValueExact();
    }

    /** Returns how many writes the node has applied to the tables of a keyspace since it started, by its own count. */
    long writesTo(String keyspace) {
        return reader.execute("SELECT keyspace_name, count FROM system_views.local_write_latency").all().stream()
                .filter(row -> keyspace.equals(row.getString(0)))
                .mapToLong(row -> row.getLong(1))
                .sum();
    }

    /** Returns the one number that a query gives. */
    BigInteger number(String cql) {
        return new BigInteger(String.valueOf(
                Objects.requireNonNull(reader.execute(cql).one(), cql).getObject(0)));
    }

    private static String string(Row row, int column) {
        return Objects.requireNonNull(row.getString(column));
    }

    @Override
    public void close() {
        reader.close();
        node.close();
    }
}
