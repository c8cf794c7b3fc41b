package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import org.junit.jupiter.api.Test;

class EmbeddedCassandraIT {
    @Test
    void shouldServeCqlClients() {
        EmbeddedCassandra node = EmbeddedCassandra.shared();

        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            assertThat(session.execute("SELECT release_version FROM system.local")
                            .one()
                            .getString(0))
                    .isEqualTo("5.0.9");
        }
    }
}
