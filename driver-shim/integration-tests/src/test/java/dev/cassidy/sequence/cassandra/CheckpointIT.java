package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.SharedNode;
import dev.cassidy.cluster.Identity;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Processes that are copied by checkpoints and snapshots. */
class CheckpointIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("checkpoint_it");

    private static CqlSession session;

    private Sequences sequences;

    @BeforeAll
    static void connect() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    @BeforeEach
    void open() {
        sequences = Sequences.open(session, CONFIG);
    }

    @AfterEach
    void close() {
        sequences.close();
    }

    private static SequenceSpec sequence(String name) {
        return SequenceSpec.of(name).withBlock(10, 10);
    }

    @Test
    void shouldContinueUnderAnotherNameAboveTheIdsOfItsOrigin() {
        sequences.create(sequence("copied"));
        IdAllocator allocator = sequences.allocator("copied");
        assertThat(allocator.nextLong()).isEqualTo(1);
        String origin = sequences.holder();

        sequences.afterRestore();

        assertThat(sequences.holder()).isNotEqualTo(origin);
        assertThat(allocator.nextLong()).as("past what the origin may issue").isGreaterThan(10);
        assertThat(sequences.admin().holders("copied").stream()
                        .map(Holder::process)
                        .distinct())
                .containsExactlyInAnyOrder(origin, sequences.holder());
        // An operator may declare the origin gone, but there is no raise that waits for it.
        assertThatThrownBy(() -> sequences.admin().release("copied", origin))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("all from after the raise")
                .hasMessageContaining(origin);
    }

    @Test
    void shouldHoldNothingBetweenCheckpointAndRestore() {
        sequences.create(sequence("suspended"));
        IdAllocator allocator = sequences.allocator("suspended");
        allocator.nextLong();

        sequences.beforeCheckpoint();

        assertThat(sequences.admin().holders("suspended")).isEmpty();
        CompletionStage<Long> waiting = allocator.nextLongAsync();
        sequences.create(sequence("opened.meanwhile"));
        CompletionStage<Long> second = sequences.allocator("opened.meanwhile").nextLongAsync();
        assertThat(sequences.admin().holders("opened.meanwhile")).isEmpty();
        assertThat(waiting.toCompletableFuture()).isNotDone();
        sequences.afterRestore();
        assertThat(waiting.toCompletableFuture().join()).isEqualTo(2);
        assertThat(second.toCompletableFuture().join()).isEqualTo(1);
    }

    @Test
    void shouldTakeAnotherNodeNumberAndLeaveTheFirstToItsOrigin() {
        SnowflakeSpec spec = SnowflakeSpec.of("copied.node", Instant.parse("2026-01-01T00:00:00Z"));
        sequences.create(spec);
        SnowflakeSequencer sequencer = (SnowflakeSequencer) sequences.allocator("copied.node");
        int first = sequencer.node().orElseThrow();
        long id = sequencer.nextLong();
        UUID token = token(first);

        sequences.afterRestore();
        sequencer.attachAsync().toCompletableFuture().join();

        assertThat(sequencer.node().orElseThrow()).isNotEqualTo(first);
        assertThat(sequencer.nextLong()).isGreaterThan(id);
        assertThat(token(first)).isEqualTo(token);
    }

    @Test
    void shouldIssueNoTimeOrderedIdsBetweenCheckpointAndRestore() {
        SnowflakeSpec spec = SnowflakeSpec.of("suspended.node", Instant.parse("2026-01-01T00:00:00Z"));
        sequences.create(spec);
        SnowflakeSequencer sequencer = (SnowflakeSequencer) sequences.allocator("suspended.node");

        sequences.beforeCheckpoint();

        assertThat(sequencer.node()).isEmpty();
        assertThatThrownBy(sequencer::nextLong)
                .isInstanceOf(SequenceException.Detached.class)
                .hasMessageContaining("suspended.node")
                .hasMessageContaining("afterRestore()");
        sequences.afterRestore();
        sequencer.attachAsync().toCompletableFuture().join();
        assertThat(sequencer.nextLong()).isPositive();
    }

    @Test
    void shouldBeNotifiedByCrac() throws Exception {
        sequences.create(sequence("crac"));
        IdAllocator allocator = sequences.allocator("crac");
        allocator.nextLong();
        String before = sequences.holder();

        org.crac.Core.checkpointRestore();

        assertThat(sequences.holder()).isNotEqualTo(before);
        assertThat(allocator.nextLong()).as("everything was given back").isEqualTo(2);
    }

    @Test
    void shouldDrawDifferentTokensInEachCopy() {
        Identity identity = new Identity(System::nanoTime, InstantSource.system());
        List<UUID> drawn = List.of(identity.token(), identity.token());
        assertThat(drawn).doesNotHaveDuplicates().allSatisfy(token -> {
            assertThat(token.version()).isEqualTo(4);
            assertThat(token.variant()).isEqualTo(2);
        });
    }

    private static UUID token(int number) {
        return session.execute(
                        "SELECT lease FROM checkpoint_it_dc1.snowflake_node WHERE seq = ? AND n = ?",
                        "copied.node",
                        number)
                .one()
                .getUuid("lease");
    }
}
