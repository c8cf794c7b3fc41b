package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What the rules of columns cost a bound INSERT of three columns before it is sent. A node makes and describes the tables, and
 * gets no row.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Rules {

    /** The properties of the node: its address, its port and its datacenter. */
    static final String ADDRESS = "rules.address";

    static final String PORT = "rules.port";
    static final String DATACENTER = "rules.datacenter";

    private static final String KEYSPACE = "rules";
    /** An installation that has no tables. */
    private static final String EMPTY = "rules_empty";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final IdentitySession session;
    private final IdentitySession sessionWithoutRules;
    private final BoundStatement withoutRules;
    private final BoundStatement ofCql;
    private final BoundStatement withTexts;
    private final BoundStatement withDecimal;

    /** Makes what the benchmarks need, once for all of them. */
    static void install(InetSocketAddress node, String datacenter) throws SQLException {
        try (CqlSession bare = connect(node, datacenter)) {
            bare.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                    + datacenter + "': 1}");
            bare.execute("CREATE TABLE " + KEYSPACE + ".plain (id int PRIMARY KEY, name text, amount int)");
            for (String globalKeyspace : List.of(SequencesConfig.defaults().globalKeyspace(), EMPTY)) {
                CassidySchema.install(
                        bare,
                        Replication.parse(datacenter + ":1"),
                        SequencesConfig.defaults().withGlobalKeyspace(globalKeyspace));
            }
        }
        try (Connection connection = jdbc(node, datacenter);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE texts (id INT NOT NULL PRIMARY KEY, name NVARCHAR(50) NOT NULL, amount INT) WITH (plain)");
            statement.execute("CREATE TABLE decimals (id INT NOT NULL PRIMARY KEY, name NVARCHAR(50) NOT NULL,"
                    + " amount DECIMAL(10,2)) WITH (plain)");
        }
    }

    private static CqlSession connect(InetSocketAddress node, String datacenter) {
        return CqlSession.builder()
                .addContactPoint(node)
                .withLocalDatacenter(datacenter)
                .build();
    }

    private static Connection jdbc(InetSocketAddress node, String datacenter) throws SQLException {
        return DriverManager.getConnection("jdbc:cassidy://" + node.getHostString() + ':' + node.getPort() + '/'
                + KEYSPACE + "?localDatacenter=" + datacenter + "&connectTimeout=60s");
    }

    public Rules() {
        InetSocketAddress node = new InetSocketAddress(System.getProperty(ADDRESS), Integer.getInteger(PORT));
        String datacenter = System.getProperty(DATACENTER);
        CqlSession first = kept(opened, connect(node, datacenter));
        CqlSession second = kept(opened, connect(node, datacenter));
        session = kept(opened, IdentitySession.wrap(first));
        sessionWithoutRules = kept(
                opened, IdentitySession.wrap(second, SequencesConfig.defaults().withGlobalKeyspace(EMPTY)));
        withoutRules = bound(sessionWithoutRules, "plain", 2);
        ofCql = bound(session, "plain", 2);
        withTexts = bound(session, "texts", 2);
        withDecimal = bound(session, "decimals", new BigDecimal("12.50"));
    }

    private static <T extends AutoCloseable> T kept(Deque<AutoCloseable> opened, T closeable) {
        opened.push(closeable);
        return closeable;
    }

    private static BoundStatement bound(IdentitySession session, String table, Object amount) {
        return session.prepare("INSERT INTO " + KEYSPACE + '.' + table + " (id, name, amount) VALUES (?, ?, ?)")
                .bind(1, "some name", amount);
    }

    @TearDown
    public void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    @Benchmark
    public Object noTableIsDefined() {
        return sessionWithoutRules.fillAsync(withoutRules).toCompletableFuture().join();
    }

    @Benchmark
    public Object tableOfCql() {
        return session.fillAsync(ofCql).toCompletableFuture().join();
    }

    @Benchmark
    public Object lengthAndNotNull() {
        return session.fillAsync(withTexts).toCompletableFuture().join();
    }

    @Benchmark
    public Object decimalToo() {
        return session.fillAsync(withDecimal).toCompletableFuture().join();
    }
}
