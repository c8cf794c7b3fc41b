package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class LocalDatacenterIT {

    private static String at(EmbeddedCassandra node) {
        return node.host() + ":" + node.port();
    }

    @Test
    void shouldRequireTheLocalDatacenterIfThereAreSeveral() throws SQLException {
        try (EmbeddedCluster cluster = EmbeddedCluster.builder()
                .datacenter("dc1", 1)
                .datacenter("dc2", 1)
                .start()) {
            String one = "jdbc:cassidy://" + at(cluster.node("dc1", 0)) + "/?connectTimeout=1m";
            String both = "jdbc:cassidy://" + at(cluster.node("dc1", 0)) + "," + at(cluster.node("dc2", 0))
                    + "/?connectTimeout=1m";

            assertThatThrownBy(() -> DriverManager.getConnection(one))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("the cluster has several datacenters (dc1, dc2); say which one is local")
                    .hasFieldOrPropertyWithValue("SQLState", "08001");
            assertThatThrownBy(() -> DriverManager.getConnection(both))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("localDatacenter=...")
                    .hasMessageContaining("dc2")
                    .hasFieldOrPropertyWithValue("SQLState", "08001");
            try (Connection connection = DriverManager.getConnection(both + "&localDatacenter=dc2")) {
                assertThat(connection.isValid(60)).isTrue();
            }
        }
    }
}
