package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServerCheckIT {

    @Test
    void shouldRefuseAServerWhoseReadsProveNothing() {
        try (EmbeddedCassandra node = EmbeddedCassandra.builder()
                        .startsOnce()
                        .requestTimeout(Duration.ofMinutes(1))
                        .yaml("paxos_variant", "v2_without_linearizable_reads")
                        .start();
                CqlSession session = CqlSession.builder()
                        .addContactPoint(node.contactPoint())
                        .withLocalDatacenter(node.localDatacenter())
                        .build()) {
            SequencesConfig config = SequencesConfig.defaults();
            CassidySchema.install(session, Replication.parse("dc1:1"), config);

            assertThatThrownBy(() -> Sequences.open(session, config))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("v2_without_linearizable_reads")
                    .hasMessageContaining("paxos_variant: v2");
        }
    }
}
