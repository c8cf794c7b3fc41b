package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An insert that cannot be checked against the issued ids must not reach the cluster. */
class FloorCheckIT {

    private static TestCluster cluster;

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("floor_check_it");
        cluster.cql("CREATE TABLE $.t (id int PRIMARY KEY, v text)");
    }

    private static String url(String globalKeyspace) {
        return cluster.url() + "&globalKeyspace=" + globalKeyspace;
    }

    private static void assertRefusesWrites(String globalKeyspace, String state, String... says) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(globalKeyspace));
                Statement statement = connection.createStatement()) {
            cluster.cql("UPDATE $.t SET v = 'issued' WHERE id = 100");
            for (String write : new String[] {
                "INSERT INTO t (id, v) VALUES (100, 'overwritten')",
                // The writes to the table may be exact.
                "UPDATE t SET v = 'overwritten' WHERE id = 100",
                "INSERT INTO t JSON '{\"id\": 100, \"v\": \"overwritten\"}'",
                "BEGIN BATCH INSERT INTO t (id, v) VALUES (100, 'overwritten'); APPLY BATCH"
            }) {
                assertThatThrownBy(() -> statement.execute(write))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining(TestCluster.datacenterKeyspace(globalKeyspace))
                        .hasMessageContainingAll(says)
                        .hasFieldOrPropertyWithValue("SQLState", state);
            }
            try (var rows = statement.executeQuery("SELECT v FROM t WHERE id = 100")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("issued");
            }
        }
    }

    @Test
    void shouldRefuseWritesIfCassidyHasAnotherVersion() throws SQLException {
        TestCluster.install("cassidy_other");
        cluster.cql("ALTER TABLE " + TestCluster.datacenterKeyspace("cassidy_other")
                + ".reserve WITH comment = 'cassidy schema 0'");

        assertRefusesWrites(
                "cassidy_other", "42000", "is of version 0", "needs version 1", "Run: cassidy init --replication ");
    }

    @Test
    void shouldRefuseWritesIfTheDatacentersKeyspaceIsMissing() throws SQLException {
        TestCluster.install("cassidy_half");
        cluster.cql("DROP KEYSPACE " + TestCluster.datacenterKeyspace("cassidy_half"));

        assertRefusesWrites("cassidy_half", "3F000", "Nothing was written", "Restore Cassidy's keyspaces");
    }
}
