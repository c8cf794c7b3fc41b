package dev.cassidy.examples;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The Cassandra that an example talks to: the one that its command line names, else an embedded node of its own. */
final class ExampleCluster implements AutoCloseable {

    /** Where all examples have their tables. */
    static final String KEYSPACE = "cassidy_examples";

    private final InetSocketAddress contactPoint;
    private final String localDatacenter;
    private final @Nullable EmbeddedCassandra owned;

    private ExampleCluster(InetSocketAddress contactPoint, String localDatacenter, @Nullable EmbeddedCassandra owned) {
        this.contactPoint = contactPoint;
        this.localDatacenter = localDatacenter;
        this.owned = owned;
    }

    /**
     * Finds the cluster, and creates Cassidy's keyspaces and {@value #KEYSPACE} where they are missing, with one replica:
     * enough for an example.
     *
     * @param args nothing, or {@code host:port datacenter}
     */
    static ExampleCluster of(String... args) {
        ExampleCluster cluster;
        if (args.length == 0) {
            EmbeddedCassandra node = EmbeddedCassandra.start();
            cluster = new ExampleCluster(node.contactPoint(), node.localDatacenter(), node);
        } else if (args.length == 2 && args[0].matches("[^:]+:[0-9]{1,5}")) {
            String[] address = args[0].split(":", 2);
            cluster =
                    new ExampleCluster(new InetSocketAddress(address[0], Integer.parseInt(address[1])), args[1], null);
        } else {
            throw new IllegalArgumentException(
                    "must be nothing, for an embedded node, or: host:port datacenter; got " + String.join(" ", args));
        }
        try {
            cluster.prepare();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void prepare() {
        try (CqlSession session = connect()) {
            session.execute("CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
                    + " WITH replication = {'class': 'NetworkTopologyStrategy', '" + localDatacenter + "': 1}");
            CassidySchema.install(session, Replication.parse(localDatacenter + ":1"), SequencesConfig.defaults());
        }
    }

    InetSocketAddress contactPoint() {
        return contactPoint;
    }

    String localDatacenter() {
        return localDatacenter;
    }

    String jdbcUrl() {
        return "jdbc:cassidy://" + contactPoint.getHostString() + ":" + contactPoint.getPort() + "/" + KEYSPACE
                + "?localDatacenter=" + localDatacenter;
    }

    /** Opens a session of the driver as it is, without Cassidy. */
    CqlSession connect() {
        return CqlSession.builder()
                .addContactPoint(contactPoint)
                .withLocalDatacenter(localDatacenter)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(10))
                        .build())
                .build();
    }

    /** Creates a table in {@value #KEYSPACE} whose column {@code id} is an identity: int, from 1. */
    void createTable(String name, String columns) {
        String table = KEYSPACE + "." + name;
        try (CqlSession session = connect()) {
            session.execute("CREATE TABLE IF NOT EXISTS " + table + " (id int PRIMARY KEY, " + columns + ")");
            try (Sequences sequences = Sequences.open(session, SequencesConfig.defaults())) {
                sequences.create(SequenceSpec.of(table));
                sequences.registerIdentity(new IdentityColumn(KEYSPACE, name, "id", table));
            }
        }
    }

    @Override
    public void close() {
        if (owned != null) {
            owned.close();
        }
    }
}
