package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.IdentityColumn;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** The shared node and, on it, a keyspace for one test class. */
record TestCluster(String keyspace) {

    static final EmbeddedCassandra NODE = EmbeddedCassandra.shared();

    /** Makes the keyspace anew. */
    static TestCluster fresh(String keyspace) {
        try (CqlSession session = session().build()) {
            session.execute("DROP KEYSPACE IF EXISTS " + keyspace);
            session.execute("CREATE KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        }
        return new TestCluster(keyspace);
    }

    static CqlSessionBuilder session() {
        return CqlSession.builder().addContactPoint(NODE.contactPoint()).withLocalDatacenter(NODE.localDatacenter());
    }

    static String hosts() {
        return NODE.host() + ":" + NODE.port();
    }

    String url() {
        return "jdbc:cassidy://" + hosts() + "/" + keyspace + "?localDatacenter=" + NODE.localDatacenter()
                + "&requestTimeout=1m&connectTimeout=1m";
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /** Runs CQL past everything of ours. */
    void cql(String... statements) {
        try (CqlSession session = session().withKeyspace(keyspace).build()) {
            for (String statement : statements) {
                session.execute(statement);
            }
        }
    }

    /** Gives {@code table} an identity column whose first id is {@code start}, as a migration would. */
    void identity(String table, String column, IdentityType type, long start) {
        SequencesConfig config = SequencesConfig.defaults();
        try (CqlSession session = session().build()) {
            Sequences.install(session, Replication.parse(NODE.localDatacenter() + ":1"), config);
            try (Sequences sequences = Sequences.open(session, config)) {
                String name = keyspace + "." + table;
                sequences.create(SequenceSpec.of(name, type, start, 1));
                sequences.registerIdentity(new IdentityColumn(keyspace, table, column, name));
            }
        }
    }
}
