package dev.cassidy.embedded;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.time.Duration;
import java.util.List;

/**
 * A cluster of two datacenters with a node each, whose links can be cut, and a table that both have. The second node is two days
 * behind.
 */
final class TwoDatacenters implements AutoCloseable {

    static final Duration BEHIND = Duration.ofDays(2);

    private final EmbeddedCluster cluster = EmbeddedCluster.builder()
            .datacenter("dc1", 1)
            .datacenter("dc2", 1)
            .clockOffset("dc2", 0, BEHIND.negated())
            .severable()
            .start();

    TwoDatacenters() {
        try (CqlSession dc1 = connect("dc1")) {
            dc1.execute("CREATE KEYSPACE both WITH replication ="
                    + " {'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1}");
            dc1.execute("CREATE TABLE both.words (word text PRIMARY KEY)");
        }
    }

    EmbeddedCluster cluster() {
        return cluster;
    }

    CqlSession connect(String datacenter) {
        return Cql.connect(cluster.node(datacenter, 0));
    }

    static SimpleStatement insert(String word, ConsistencyLevel level) {
        return SimpleStatement.newInstance("INSERT INTO both.words (word) VALUES (?)", word)
                .setConsistencyLevel(level)
                .setTimeout(Duration.ofSeconds(60));
    }

    List<String> words(String datacenter) {
        try (CqlSession session = connect(datacenter)) {
            return Cql.eventually(
                            session,
                            SimpleStatement.newInstance("SELECT word FROM both.words")
                                    .setConsistencyLevel(ConsistencyLevel.LOCAL_ONE))
                    .all()
                    .stream()
                    .map(row -> row.getString(0))
                    .toList();
        }
    }

    @Override
    public void close() {
        cluster.close();
    }
}
