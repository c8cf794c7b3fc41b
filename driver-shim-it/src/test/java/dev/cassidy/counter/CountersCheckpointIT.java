package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A process that is copied while it counts: each copy goes on with a slot of its own. */
class CountersCheckpointIT {

    @Test
    void shouldCountOnInAnotherEpochAfterACheckpoint() throws Exception {
        EmbeddedCassandra node = SharedNode.get();
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build()) {
            SequencesConfig cassidy = SequencesConfig.defaults().withGlobalKeyspace("counters_checkpoint_cassidy");
            Sequences.install(session, Replication.parse(node.localDatacenter() + ":1"), cassidy);
            session.execute("CREATE KEYSPACE counters_checkpoint_it WITH replication ="
                    + " {'class': 'NetworkTopologyStrategy', '" + node.localDatacenter() + "': 1}");
            Counters.create(session, "counters_checkpoint_it.t");
            CountersConfig config = CountersConfig.of("counters_checkpoint_it.t")
                    .withGlobalKeyspace("counters_checkpoint_cassidy")
                    .withRequestTimeout(Duration.ofMinutes(1))
                    .withIncrementTimeout(Duration.ofMinutes(2));
            try (Counters counters = Counters.open(session, config)) {
                Counter counter = counters.counter("c");
                Receipt before = counter.increment(1);

                org.crac.Core.checkpointRestore();

                Receipt after = counter.increment(2);
                assertThat(after.version() >>> 32)
                        .as("a version of the copy is never one of its origin")
                        .isGreaterThan(before.version() >>> 32);
                assertThat(counter.status(before)).isEqualTo(ReceiptStatus.COUNTED);
                assertThat(counter.value()).isEqualTo(3);
            }
        }
    }
}
