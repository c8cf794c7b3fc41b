package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceOutlook;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** When a process does its datacenter's part in a raise, and how often it tries. */
class AcknowledgingTest {

    private static final String NAME = "noticed";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final OneDatacenter there =
            new OneDatacenter(new SequenceSpec(NAME, IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE)
                    .withBlock(10, 10)
                    .withReserve(200, 200));
    private final Raises raises = there.raises();
    private final BlockAllocator allocator = there.allocator(UnaryOperator.identity());
    private int looks;
    private int settled;
    private boolean cut;
    private final SequenceCatalog settling = new DefectiveCatalog(there.catalog()) {
        @Override
        public CompletionStage<Optional<SequenceEntry>> find(String name) {
            settled++;
            return super.find(name);
        }
    };
    private final SequenceRegistry registry =
            new SequenceRegistry(settling, there.store(), there.changes(), there.context());
    private final Acknowledgements acknowledgements = new Acknowledgements(
            new DefectiveCatalog(there.catalog()) {
                @Override
                public CompletionStage<Optional<SequenceOutlook>> outlook(String name) {
                    looks++;
                    return cut
                            ? CompletableFuture.failedFuture(new IllegalStateException("unavailable"))
                            : super.outlook(name);
                }
            },
            registry,
            new Raises(
                    settling,
                    there.changes(),
                    registry,
                    new HeldClaims(settling, there.store(), there.context()),
                    there.context()),
            there.context(),
            SECOND);

    private SequenceEntry raise() {
        there.await(allocator.nextLongAsync());
        return there.await(raises.recallPast(NAME, 1));
    }

    private void letGo() {
        allocator.reseeded(2);
        there.pass(SECOND);
    }

    private List<String> behind(SequenceEntry raised) {
        return there.await(raises.datacentersBehind(raised));
    }

    @Test
    void shouldAcknowledgeWithinTheTimeGiven() {
        SequenceEntry raised = raise();
        letGo();

        acknowledgements.noticed(NAME, SECOND.multipliedBy(10));
        there.pass(SECOND.multipliedBy(11));

        assertThat(behind(raised)).isEmpty();
        assertThat(looks).isEqualTo(1);
    }

    @Test
    void shouldFindOwedAcknowledgementsByItself() {
        SequenceEntry raised = raise();
        letGo();

        there.await(acknowledgements.lookAtAll(SECOND));
        there.pass(SECOND.multipliedBy(2));

        assertThat(behind(raised)).isEmpty();
        there.await(acknowledgements.lookAtAll(SECOND));
        there.pass(SECOND.multipliedBy(2));
        assertThat(looks).as("nothing is owed any more").isEqualTo(1);
    }

    /** The floor of an incarnation rises once everybody has acknowledged it, so also after this process did. */
    @Test
    void shouldCopyTheFloorThatRisesAfterTheAcknowledgement() {
        SequenceEntry raised = raise();
        letGo();
        acknowledgements.noticed(NAME, SECOND);
        there.pass(SECOND.multipliedBy(2));
        // As an operator in another datacenter does it.
        SequenceEntry risen = raised.withFloor(raised.origin());
        there.await(
                there.catalog().replace(there.await(there.catalog().find(NAME)).orElseThrow(), risen));

        acknowledgements.noticed(NAME, SECOND);
        there.pass(SECOND.multipliedBy(2));

        assertThat(there.await(there.catalog().findCopy(NAME)).orElseThrow().floor())
                .isEqualTo(raised.origin());
        int before = settled;
        acknowledgements.noticed(NAME, SECOND);
        there.pass(SECOND.multipliedBy(2));
        assertThat(settled).as("nothing is left to do").isEqualTo(before);
    }

    @Test
    void shouldTreatManyNoticesAsOne() {
        raise();
        letGo();

        for (int i = 0; i < 100; i++) {
            acknowledgements.noticed(NAME, SECOND);
        }
        there.pass(SECOND.multipliedBy(2));

        assertThat(looks).isEqualTo(1);
    }

    @Test
    void shouldReadOnlyTheMarksIfNothingIsOwed() {
        there.await(allocator.nextLongAsync());

        acknowledgements.noticed(NAME, SECOND);
        there.pass(SECOND.multipliedBy(2));

        assertThat(looks).isEqualTo(1);
        assertThat(settled).isZero();
        acknowledgements.noticed(NAME, SECOND);
        there.pass(SECOND.multipliedBy(2));
        assertThat(looks).as("noticed again").isEqualTo(2);
    }

    @Test
    void shouldTryLessAndLessOftenWhileOlderIdsAreHeld() {
        SequenceEntry raised = raise();

        acknowledgements.noticed(NAME, SECOND);
        there.pass(SECOND.multipliedBy(20));
        assertThat(looks).as("in the first 20 s").isBetween(3, 7);
        there.pass(Duration.ofMinutes(20));
        int before = looks;
        there.pass(Duration.ofMinutes(50));

        assertThat(looks - before).as("in 50 min, at most 5 min apart").isBetween(10, 21);
        assertThat(behind(raised)).containsExactly("dc1");
        letGo();
        there.pass(Duration.ofMinutes(6));
        assertThat(behind(raised)).isEmpty();
        before = looks;
        there.pass(Duration.ofHours(1));
        assertThat(looks).as("done").isEqualTo(before);
    }

    /** The obstacle to the raise may be gone. */
    @Test
    void shouldTryAgainSoonAfterANewNotice() {
        SequenceEntry raised = raise();
        acknowledgements.noticed(NAME, SECOND);
        there.pass(Duration.ofMinutes(20));
        letGo();

        acknowledgements.noticed(NAME, SECOND);
        there.pass(SECOND.multipliedBy(2));

        assertThat(behind(raised)).isEmpty();
        int before = looks;
        there.pass(Duration.ofHours(1));
        assertThat(looks).as("the earlier turn has ended").isEqualTo(before);
    }

    @Test
    void shouldTryAgainWhenNothingCouldBeRead() {
        SequenceEntry raised = raise();
        letGo();
        cut = true;
        acknowledgements.noticed(NAME, SECOND);
        there.pass(SECOND.multipliedBy(5));
        cut = false;

        there.pass(SECOND.multipliedBy(20));

        assertThat(behind(raised)).isEmpty();
    }
}
