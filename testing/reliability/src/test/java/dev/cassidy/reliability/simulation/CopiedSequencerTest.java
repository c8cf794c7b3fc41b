package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.protocol.CopiedSequencer;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The node number under which a copied process continues. The origin continues under the first number. */
class CopiedSequencerTest {

    private final OneSnowflake there = new OneSnowflake(128);
    private final List<NodeRow> taken = new ArrayList<>();

    private LeasedSequencer sequencer() {
        return there.sequencer(Recorded::new);
    }

    /** Records which numbers are taken. */
    private final class Recorded extends DefectiveNodeStore {

        Recorded(NodeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted) {
            taken.add(wanted);
            return super.take(sequence, seen, wanted);
        }
    }

    private void step(List<?> until) {
        while (until.isEmpty()) {
            there.time.step();
        }
    }

    @Test
    void shouldLeaveItsNumberToItsOrigin() {
        LeasedSequencer sequencer = sequencer();
        there.await(sequencer.attachAsync());
        int first = sequencer.node().orElseThrow();
        long id = sequencer.nextLong();
        NodeRow row = there.row(first);

        CopiedSequencer.afterRestore(sequencer);
        assertThat(sequencer.state()).isEqualTo(SnowflakeState.DETACHED);
        assertThatThrownBy(sequencer::nextLong).isInstanceOf(SequenceException.Detached.class);
        there.await(sequencer.attachAsync());

        assertThat(sequencer.node().orElseThrow()).isNotEqualTo(first);
        assertThat(sequencer.nextLong()).isGreaterThan(id);
        there.await(there.after(Duration.ofMinutes(1)));
        assertThat(there.row(first)).as("neither renewed nor let go of").isEqualTo(row);
    }

    /** The origin has taken the number with the same token, and serves ids. */
    @Test
    void shouldNotServeUnderANumberThatItWasAboutToTake() {
        LeasedSequencer sequencer = sequencer();
        CompletionStage<Void> attaching = sequencer.attachAsync();
        step(taken);
        NodeRow origins = taken.get(0);

        CopiedSequencer.afterRestore(sequencer);
        there.await(attaching);

        assertThat(sequencer.node().orElseThrow()).isNotEqualTo(origins.number());
        assertThat(there.row(origins.number()).token()).isEqualTo(origins.token());
    }

    /**
     * A row is created by one statement, sent once. A copy that sent it again could create a lost row a second time.
     */
    @Test
    void shouldNotCreateARowThatItWasAboutToCreate() {
        for (int steps = 0; steps < 40; steps++) {
            OneSnowflake here = new OneSnowflake(128);
            List<NodeGrant> granted = new ArrayList<>();
            List<Integer> made = new ArrayList<>();
            LeasedSequencer sequencer = here.sequencer(store -> new DefectiveNodeStore(store) {
                @Override
                public CompletionStage<ClaimOutcome> prepare(String sequence, int number) {
                    made.add(number);
                    return super.prepare(sequence, number);
                }

                @Override
                public CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID grantee) {
                    granted.add(wanted);
                    return super.grant(seen, wanted, grantee);
                }
            });
            CompletionStage<Void> attaching = sequencer.attachAsync();
            for (int step = 0; step < steps; step++) {
                here.time.step();
            }
            List<NodeGrant> origins = List.copyOf(granted);
            made.clear();

            CopiedSequencer.afterRestore(sequencer);
            here.await(attaching);
            here.await(here.after(Duration.ofMinutes(1)));

            assertThat(made)
                    .as("rows of its own, where it was copied after " + steps + " steps")
                    .noneMatch(
                            number -> origins.stream().anyMatch(grant -> grant.lo() <= number && number < grant.hi()));
        }
    }

    /**
     * Another copy would draw the same tokens until each copy has renewed them. Two processes with the same grantee
     * would both create its rows.
     */
    @Test
    void shouldDrawNoTokenBeforeTheProcessIsRenewed() {
        List<UUID> drawn = new ArrayList<>();
        List<UUID> grantees = new ArrayList<>();
        LeasedSequencer sequencer = there.sequencer(
                store -> new DefectiveNodeStore(store) {
                    @Override
                    public CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID grantee) {
                        grantees.add(grantee);
                        return super.grant(seen, wanted, grantee);
                    }
                },
                () -> {
                    drawn.add(new UUID(0, drawn.size()));
                    return drawn.get(drawn.size() - 1);
                });
        CompletionStage<Void> attaching = sequencer.attachAsync();
        step(grantees);
        List<UUID> before = new ArrayList<>();

        CopiedSequencer.afterRestore(sequencer, () -> before.addAll(drawn));
        there.await(attaching);

        assertThat(grantees).hasSize(2);
        assertThat(before).contains(grantees.get(0)).doesNotContain(grantees.get(1));
    }

    @Test
    void shouldFailWaitingCallersWhenItIsClosed() {
        LeasedSequencer sequencer = sequencer();
        CompletionStage<Void> attaching = sequencer.attachAsync();

        there.await(sequencer.closeAsync());

        assertThat(attaching.toCompletableFuture()).as("without another step").isCompletedExceptionally();
    }

    @Test
    void shouldGiveItsNumberBackBeforeACheckpoint() {
        LeasedSequencer sequencer = sequencer();
        there.await(sequencer.attachAsync());
        int first = sequencer.node().orElseThrow();

        there.await(CopiedSequencer.beforeCheckpoint(sequencer));

        assertThat(there.row(first).free()).isTrue();
        assertThatThrownBy(sequencer::nextLong)
                .isInstanceOf(SequenceException.Detached.class)
                .hasMessageContaining("numbered")
                .hasMessageContaining("afterRestore()");
        CompletionStage<Void> waiting = sequencer.attachAsync();
        there.await(there.after(Duration.ofMinutes(1)));
        assertThat(waiting.toCompletableFuture()).isNotDone();
        CopiedSequencer.afterRestore(sequencer);
        there.await(waiting);
        assertThat(sequencer.nextLong()).isPositive();
    }

    @Test
    void shouldGiveBackANumberThatItTakesDuringTheSuspension() {
        LeasedSequencer sequencer = sequencer();
        CompletionStage<Void> attaching = sequencer.attachAsync();
        step(taken);

        there.await(CopiedSequencer.beforeCheckpoint(sequencer));
        there.await(there.after(Duration.ofMinutes(1)));

        assertThat(there.row(taken.get(0).number()).free()).isTrue();
        assertThat(attaching.toCompletableFuture()).isNotDone();
        CopiedSequencer.afterRestore(sequencer);
        there.await(attaching);
    }

    @Test
    void shouldStayDetachedIfItWas() {
        LeasedSequencer sequencer = sequencer();
        there.await(sequencer.attachAsync());
        there.await(sequencer.detachAsync());

        CopiedSequencer.afterRestore(sequencer);
        there.await(there.after(Duration.ofMinutes(1)));

        assertThat(sequencer.state()).isEqualTo(SnowflakeState.DETACHED);
    }

    @Test
    void shouldFailWaitingCallersIfItWasDetachedMeanwhile() {
        LeasedSequencer sequencer = sequencer();
        there.await(CopiedSequencer.beforeCheckpoint(sequencer));
        CompletionStage<Void> waiting = sequencer.attachAsync();
        there.await(sequencer.detachAsync());

        CopiedSequencer.afterRestore(sequencer);

        assertThatThrownBy(() -> there.await(waiting)).hasCauseInstanceOf(SequenceException.Detached.class);
    }
}
