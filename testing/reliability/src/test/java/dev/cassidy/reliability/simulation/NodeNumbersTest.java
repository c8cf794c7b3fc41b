package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.reliability.simulation.DefectiveNodeStore.Fate;
import dev.cassidy.reliability.simulation.DefectiveNodeStore.Step;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which node number a process gets, what it waits for before that, and what it refuses. */
class NodeNumbersTest {

    private static final int NODES = 128;

    /** A datacenter takes this many numbers freely. */
    private static final int QUARTER = NODES / 4;

    /** Enough for a few steps and the pauses between them, but not for waiting for another process. */
    private static final Duration AT_ONCE = Duration.ofSeconds(3);

    private static final Duration STILL = Duration.ofSeconds(30);
    private static final Duration OVERDUE = Duration.ofSeconds(10);

    /** Longer than the pause before the store is read again. */
    private static final Duration A_LOOK = Duration.ofSeconds(5);

    /** How long a process tries to get a number, without its last step. */
    private static final Duration PATIENCE = OneSnowflake.TIMEOUT.plusSeconds(36);

    private final OneSnowflake there = new OneSnowflake(NODES);

    @AfterEach
    void requireNoGrantSkippedWithoutNeed() {
        assertThat(there.violations).isEmpty();
    }

    private int attached(LeasedSequencer sequencer) {
        there.await(sequencer.attachAsync());
        return sequencer.node().orElseThrow();
    }

    private void refused(LeasedSequencer sequencer, Class<? extends Exception> by, String because) {
        assertThatThrownBy(() -> there.await(sequencer.attachAsync()))
                .hasCauseInstanceOf(by)
                .hasMessageContaining(because);
        assertThat(sequencer.node()).isEmpty();
    }

    private List<Integer> owned() {
        return there.here.rows.values().stream()
                .filter(row -> !row.free())
                .map(NodeRow::number)
                .toList();
    }

    // Choosing a number.

    @Test
    void shouldPreferANeverUsedNumberToAReleasedOne() {
        there.grant(0, 4);
        there.release(0, 7);
        there.release(1, 7);
        there.hold(3, 7);

        assertThat(attached(there.sequencer())).isEqualTo(2);
    }

    @Test
    void shouldTakeAReleasedNumberBeforeItRequestsNewOnes() {
        there.grantToTheDead(0, 4);
        there.release(1, 7);

        assertThat(attached(there.sequencer())).isEqualTo(1);

        assertThat(there.ungranted()).isEqualTo(4);
    }

    @Test
    void shouldGetNewNumbersImmediatelyWhileItsDatacenterHasLessThanAQuarter() {
        there.grantToTheDead(0, QUARTER - 4);
        LeasedSequencer sequencer = there.sequencer();

        assertThat(there.duration(sequencer.attachAsync())).isLessThan(AT_ONCE);

        assertThat(sequencer.node().orElseThrow()).isBetween(QUARTER - 4, QUARTER - 1);
        assertThat(there.ungranted()).isEqualTo(QUARTER);
    }

    @Test
    void shouldTakeOverTheLowestUnchangedLimitIfItsDatacenterHasAQuarter() {
        there.grant(0, QUARTER);
        IntStream.range(0, QUARTER).forEach(number -> there.hold(number, there.now() - number));
        there.hold(17, there.now() - 1_000);
        there.renew(5, 60_000);
        LeasedSequencer sequencer = there.sequencer();

        assertThat(there.duration(sequencer.attachAsync())).isBetween(STILL, STILL.plus(A_LOOK));

        assertThat(sequencer.node()).hasValue(17);
        assertThat(there.ungranted()).as("nothing was granted").isEqualTo(QUARTER);
    }

    @Test
    void shouldGetNewNumbersBeyondAQuarterIfNoneOfItsOwnIsUnchanged() {
        there.grantToTheLiving(0, QUARTER);
        LeasedSequencer sequencer = there.sequencer();

        assertThat(there.duration(sequencer.attachAsync())).isBetween(STILL, STILL.plus(A_LOOK));

        assertThat(sequencer.node().orElseThrow()).isGreaterThanOrEqualTo(QUARTER);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, QUARTER})
    void shouldReportThatNoneIsLeftIfNoneOfItsOwnIsUnchanged(int own) {
        there.grantToTheLiving(0, own);
        there.global.ledger = new NodeLedger(there.spec, false, NODES);
        long begin = there.time.nanoTime();

        refused(
                there.sequencer(),
                SequenceException.Exhausted.class,
                "all " + own + " node numbers of this datacenter are in use or lost, and of the sequence's 128 none"
                        + " is left to be granted. Detach a node, or create a sequence of more nodes");

        assertThat(Duration.ofNanos(there.time.nanoTime() - begin)).isBetween(STILL, STILL.plus(A_LOOK));
    }

    @Test
    void shouldReportThatNoneIsLeftForADatacenterWithoutNumbers() {
        there.await(there.store().create(there.spec));
        there.global.ledger = new NodeLedger(there.spec, false, NODES);

        refused(
                there.sequencer(),
                SequenceException.Exhausted.class,
                "this datacenter has no node numbers, and of the sequence's 128 none is left to be granted. Create a sequence");
    }

    @Test
    void shouldTakeOverAnUnchangedNumberIfNoneIsLeft() {
        there.grantToTheDead(0, 4);
        there.hold(2, 7);
        there.global.ledger = new NodeLedger(there.spec, false, NODES);

        assertThat(attached(there.sequencer())).isEqualTo(2);
    }

    @Test
    void shouldTakeOverAnUnchangedNumberIfTheGlobalLevelIsUnreachable() {
        there.grantToTheDead(0, 4);
        there.here.cutOff = true;
        there.hold(2, 7);
        LeasedSequencer sequencer = there.sequencer();

        assertThat(there.duration(sequencer.attachAsync())).isBetween(STILL, STILL.plus(A_LOOK));

        assertThat(sequencer.node()).hasValue(2);
    }

    @Test
    void shouldTakeANumberOfItsOwnDatacenterIfTheGlobalLevelIsUnreachable() {
        there.grant(0, 4);
        there.here.cutOff = true;

        assertThat(attached(there.sequencer())).isBetween(0, 3);
    }

    /** A number that has not changed for a while counts as unchanged in the next attempt, too. */
    @Test
    void shouldNotStartToWatchAgainInEveryAttempt() {
        there.grantToTheDead(0, 4);
        there.here.cutOff = true;
        there.time.schedule(
                () -> IntStream.range(0, 4).forEach(number -> there.hold(number, there.now())), STILL.minusSeconds(5));
        LeasedSequencer sequencer = there.sequencer();
        assertThat(there.end(sequencer.attachAsync())).isCompletedExceptionally();

        assertThat(there.duration(sequencer.attachAsync())).isLessThan(STILL.dividedBy(2));

        assertThat(sequencer.node()).isPresent();
    }

    @Test
    void shouldReportTheLastFailureWhenTheTimeIsUp() {
        there.grantToTheLiving(0, 4);
        there.here.cutOff = true;
        long begin = there.time.nanoTime();

        refused(
                there.sequencer(),
                SequenceException.Unavailable.class,
                "within " + PATIENCE + ": simulated: no answer");

        assertThat(Duration.ofNanos(there.time.nanoTime() - begin)).isBetween(PATIENCE, PATIENCE.plus(A_LOOK));
    }

    /** There is no number to watch for 30 s. */
    @Test
    void shouldWaitForTheGlobalLevelNoLongerThanACallerIfItsDatacenterHasNone() {
        there.await(there.store().create(there.spec));
        there.await(there.store().join(there.spec, 0));
        there.here.cutOff = true;
        long begin = there.time.nanoTime();

        refused(
                there.sequencer(),
                SequenceException.Unavailable.class,
                "within " + OneSnowflake.TIMEOUT + ": simulated: no answer");

        assertThat(Duration.ofNanos(there.time.nanoTime() - begin))
                .isBetween(OneSnowflake.TIMEOUT, OneSnowflake.TIMEOUT.plus(A_LOOK));
    }

    @Test
    void shouldNotTakeANumberWhoseLimitIsFarAheadOfItsClock() {
        there.grantToTheDead(0, 4);
        there.release(0, there.now() + OneSnowflake.LEAD_MILLIS + 10_000);
        there.release(3, there.now() + OneSnowflake.LEAD_MILLIS - 1_000);

        assertThat(attached(there.sequencer())).as("the other one").isEqualTo(3);
        assertThat(attached(there.sequencer())).as("a new one").isGreaterThan(3);
    }

    @Test
    void shouldNotUseANumberWithoutARow() {
        there.grantToTheDead(0, 4);
        there.here.rows.clear();
        there.hold(1, 7);

        assertThat(attached(there.sequencer())).isGreaterThan(3);

        assertThat(there.here.rows).doesNotContainKeys(0, 2, 3);
    }

    // Using the number.

    /** A successor's first millisecond is later than any that its predecessors could issue. */
    @Test
    void shouldIssueOnlyMillisecondsBeyondTheLastOwnersLimit() {
        there.grantToTheDead(0, 4);
        long limit = there.now() + 5_000;
        there.release(1, limit);
        NodeRow before = there.row(1);
        LeasedSequencer sequencer = there.sequencer();

        assertThat(attached(sequencer)).isEqualTo(1);

        NodeRow ours = there.row(1);
        assertThat(ours.epoch()).as("owners that it had").isEqualTo(before.epoch() + 1);
        assertThat(ours.tsHigh()).isEqualTo(limit + OneSnowflake.LEAD_MILLIS);
        assertThat(ours.token()).isNotEqualTo(before.token());
        assertThat(ours.free()).isFalse();
        assertThat(there.await(sequencer.nextLongAsync()) >>> 23).isGreaterThan(limit);
    }

    @Test
    void shouldPromiseAsFarAheadOfItsClockAsLimitsAreWritten() {
        there.grant(0, 4);
        long begin = there.now();

        NodeRow ours = there.row(attached(there.sequencer()));

        assertThat(ours.tsHigh()).isBetween(begin + OneSnowflake.LEAD_MILLIS, there.now() + OneSnowflake.LEAD_MILLIS);
    }

    /** Otherwise numbers would be unusable for all processes for 30 s. */
    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"UNKNOWN_AND_APPLIED", "EXECUTED_TWICE"})
    void shouldOwnANumberThatItTookWithAnUnknownOutcome(Fate fate) {
        there.grant(0, 4);

        int number = attached(there.sequencer(store -> DefectiveNodeStore.first(Step.TAKE, fate, store)));

        assertThat(owned()).containsExactly(number);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"UNKNOWN_AND_NOT_APPLIED", "NOT_EXECUTED"})
    void shouldTakeANumberAgainIfItDidNotGetOne(Fate fate) {
        there.grant(0, 4);

        int number = attached(there.sequencer(store -> DefectiveNodeStore.first(Step.TAKE, fate, store)));

        assertThat(owned()).containsExactly(number);
    }

    @Test
    void shouldNeverOwnANumberWithoutProof() {
        there.grant(0, 4);
        List<Integer> asked = new ArrayList<>();

        int number = attached(
                there.sequencer(around -> new DefectiveNodeStore(DefectiveNodeStore.unanswered(Step.NODE, around)) {
                    @Override
                    public CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted) {
                        asked.add(wanted.number());
                        return asked.size() == 1
                                ? Fate.UNKNOWN_AND_APPLIED.meet(() -> super.take(sequence, seen, wanted))
                                : super.take(sequence, seen, wanted);
                    }
                }));

        assertThat(number).isNotEqualTo(asked.get(0));
        assertThat(owned()).containsExactlyInAnyOrder(number, asked.get(0));
    }

    @Test
    void shouldNotUseANumberThatAnotherTookInBetween() {
        there.grant(0, 4);
        NodeRow[] theirs = new NodeRow[1];

        int number = attached(there.sequencer(around -> new DefectiveNodeStore(around) {
            @Override
            public CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted) {
                if (theirs[0] == null) {
                    theirs[0] = new NodeRow(seen.number(), seen.epoch() + 1, wanted.tsHigh(), new UUID(7, 7), false);
                    there.here.rows.put(seen.number(), theirs[0]);
                }
                return super.take(sequence, seen, wanted);
            }
        }));

        assertThat(number).isNotEqualTo(theirs[0].number());
        assertThat(there.row(theirs[0].number())).isEqualTo(theirs[0]);
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"SHARE", "LEDGER", "HIGHEST_GRANT", "GRANT_AT", "GLANCE"})
    void shouldReadAgainIfThereWasNoAnswer(Step step) {
        LeasedSequencer sequencer = there.sequencer(store -> DefectiveNodeStore.unanswered(step, store));

        assertThat(there.duration(sequencer.attachAsync())).isLessThan(AT_ONCE);

        assertThat(sequencer.node()).isPresent();
    }

    // New numbers.

    @ParameterizedTest
    @CsvSource({"128, 4", "256, 8", "512, 16", "8192, 16"})
    void shouldBeGrantedAChunkThatSuitsTheSequence(int nodes, int size) {
        OneSnowflake sequence = new OneSnowflake(nodes);

        sequence.await(sequence.sequencer().attachAsync());

        assertThat(sequence.grants()).containsExactly(new NodeGrant(1, 0, size));
    }

    @Test
    void shouldBeGrantedNoNumberBeyondTheSequencesLast() {
        there.await(there.store().create(there.spec));
        there.global.ledger = new NodeLedger(there.spec, false, NODES - 2);

        assertThat(attached(there.sequencer())).isGreaterThanOrEqualTo(NODES - 2);

        assertThat(there.grants()).containsExactly(new NodeGrant(1, NODES - 2, NODES));
    }

    @ParameterizedTest
    @EnumSource(Fate.class)
    void shouldBeGrantedOneChunkWhateverHappensToTheStatement(Fate fate) {
        LeasedSequencer sequencer = there.sequencer(store -> DefectiveNodeStore.first(Step.GRANT, fate, store));

        assertThat(there.duration(sequencer.attachAsync())).isLessThan(AT_ONCE);

        assertThat(there.grants()).containsExactly(new NodeGrant(1, 0, 4));
        assertThat(there.ungranted()).isEqualTo(4);
    }

    /** Records for which rows statements are sent, and which rows exist when the grant is absorbed. */
    private static final class Preparing extends DefectiveNodeStore {
        final List<Integer> sent = new ArrayList<>();
        final List<Integer> absorbedAfter = new ArrayList<>();
        private final OneSnowflake there;
        private final int defective;
        private final Fate fate;

        Preparing(OneSnowflake there, int defective, Fate fate, NodeStore store) {
            super(store);
            this.there = there;
            this.defective = defective;
            this.fate = fate;
        }

        @Override
        public CompletionStage<ClaimOutcome> prepare(String sequence, int number) {
            boolean first = !sent.contains(number);
            sent.add(number);
            return number == defective && first
                    ? fate.meet(() -> super.prepare(sequence, number))
                    : super.prepare(sequence, number);
        }

        @Override
        public CompletionStage<ClaimOutcome> absorb(String sequence, NodeGrant grant) {
            absorbedAfter.clear();
            absorbedAfter.addAll(there.here.rows.keySet());
            return super.absorb(sequence, grant);
        }
    }

    private Preparing preparing(int defective, Fate fate) {
        Preparing[] store = new Preparing[1];
        attached(there.sequencer(around -> store[0] = new Preparing(there, defective, fate, around)));
        return store[0];
    }

    /** A second statement could land after the row was lost, and create a number again that is in use. */
    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"UNKNOWN_AND_APPLIED", "UNKNOWN_AND_NOT_APPLIED"})
    void shouldSendTheStatementForARowOnceAlthoughItsOutcomeIsUnknown(Fate fate) {
        Preparing store = preparing(2, fate);

        assertThat(store.sent).containsExactly(0, 1, 2, 3);
        assertThat(there.grants()).containsExactly(new NodeGrant(1, 0, 4));
        assertThat(there.here.rows.containsKey(2)).isEqualTo(fate == Fate.UNKNOWN_AND_APPLIED);
    }

    @Test
    void shouldRepeatTheStatementForARowThatWasCertainlyNotCreated() {
        Preparing store = preparing(2, Fate.NOT_EXECUTED);

        assertThat(store.sent).containsExactly(0, 1, 2, 3, 2);
        assertThat(store.absorbedAfter).as("rows, when the grant is absorbed").containsExactly(0, 1, 2, 3);
    }

    @ParameterizedTest
    @EnumSource(Fate.class)
    void shouldAbsorbItsGrantWhateverHappensToTheStatementAndRepeatNoRow(Fate fate) {
        Preparing[] store = new Preparing[1];
        LeasedSequencer sequencer = there.sequencer(around ->
                store[0] = new Preparing(there, -1, fate, DefectiveNodeStore.first(Step.ABSORB, fate, around)));

        assertThat(there.duration(sequencer.attachAsync())).isLessThan(AT_ONCE);

        assertThat(there.grants()).containsExactly(new NodeGrant(1, 0, 4));
        assertThat(store[0].sent).containsExactly(0, 1, 2, 3);
    }

    // Grants of others.

    @ParameterizedTest
    @EnumSource(Fate.class)
    void shouldSkipAGrantThatItsGranteeDoesNotAbsorbFor10Seconds(Fate fate) {
        there.promise(0, 4);
        LeasedSequencer sequencer = there.sequencer(store -> DefectiveNodeStore.first(Step.SKIP, fate, store));

        assertThat(there.duration(sequencer.attachAsync())).isBetween(OVERDUE, OVERDUE.plus(A_LOOK));

        assertThat(there.grants()).containsExactly(new NodeGrant(2, 4, 8));
        assertThat(there.here.rows).as("no process creates another's rows").containsOnlyKeys(4, 5, 6, 7);
    }

    @Test
    void shouldTakeANumberOfAGrantThatItsGranteeAbsorbs() {
        NodeGrant theirs = there.promise(0, 4);
        CompletionStage<Void> attaching = there.sequencer().attachAsync();
        there.await(there.after(OVERDUE.minusSeconds(3)));
        there.absorb(theirs);

        there.await(attaching);

        assertThat(there.grants()).containsExactly(theirs);
        assertThat(owned()).hasSize(1);
    }

    @Test
    void shouldWaitEquallyLongForEachGrantee() {
        NodeGrant first = there.promise(0, 4);
        LeasedSequencer sequencer = there.sequencer();
        CompletionStage<Void> attaching = sequencer.attachAsync();
        there.await(there.after(OVERDUE.minusSeconds(3)));
        there.absorb(first);
        IntStream.range(0, 4).forEach(number -> there.hold(number, there.now()));
        there.promise(4, 8);

        assertThat(there.duration(attaching)).isBetween(OVERDUE, OVERDUE.plus(A_LOOK));

        assertThat(there.grants()).containsExactly(first, new NodeGrant(3, 8, 12));
    }

    /** The copy was created late, by a process that had read the grants long before. */
    @Test
    void shouldImmediatelySkipAllGrantsThatACopyWithoutNumbersHasMissed() {
        there.promise(0, 4);
        there.promise(4, 8);
        LeasedSequencer sequencer = there.sequencer();

        assertThat(there.duration(sequencer.attachAsync())).isLessThan(AT_ONCE);

        assertThat(there.grants()).containsExactly(new NodeGrant(3, 8, 12));
    }

    // Rows that were set back.

    @Test
    void shouldRefuseACopyWithNumbersThatIsTwoGrantsBehind() {
        there.grantToTheDead(0, 4);
        there.promise(4, 8);
        there.promise(8, 12);

        refused(
                there.sequencer(),
                SequenceException.Conflict.class,
                "was set back: its copy stands at grant 1, but grant 3 was made");
    }

    /** What it knows of the copy may be older than the grants that it reads. */
    @Test
    void shouldNotTreatACopyAsSetBackIfOthersMovedItMeanwhile() {
        there.grantToTheDead(0, 4);
        NodeGrant second = there.promise(4, 8);
        LeasedSequencer sequencer = there.sequencer(around -> new DefectiveNodeStore(around) {
            private boolean moved;

            @Override
            public CompletionStage<Integer> highestGrant(String sequence) {
                if (!moved) {
                    moved = true;
                    there.absorb(second);
                    there.grantToTheDead(8, 12);
                }
                return super.highestGrant(sequence);
            }
        });

        assertThat(there.duration(sequencer.attachAsync())).isLessThan(AT_ONCE);

        assertThat(sequencer.node().orElseThrow()).isBetween(4, 7);
    }

    @Test
    void shouldRefuseACopyWhoseGrantIsMissing() {
        there.grantToTheDead(0, 4);
        there.global.grants("dc1").clear();

        refused(
                there.sequencer(),
                SequenceException.Conflict.class,
                "was set back: its grant 1 is gone from the global keyspace");
    }

    @Test
    void shouldRefuseACopyWhoseGlobalRowIsMissing() {
        there.grantToTheDead(0, 4);
        there.global.ledger = null;

        refused(there.sequencer(), SequenceException.Conflict.class, "was set back: its global row is gone");
    }

    @Test
    void shouldRefuseAGlobalRowThatIsBehindTheCopy() {
        there.grantToTheDead(0, 4);
        there.global.ledger = new NodeLedger(there.spec, false, 3);

        refused(
                there.sequencer(),
                SequenceException.Conflict.class,
                "was set back: its next node number is 3 in the global keyspace, but this datacenter has numbers up to 4");
    }

    @Test
    void shouldRequestNoNumbersOfADestroyedSequence() {
        there.grantToTheDead(0, 4);
        there.global.ledger = new NodeLedger(there.spec, true, 4);
        LeasedSequencer sequencer = there.sequencer();

        refused(sequencer, SequenceException.Destroyed.class, "was destroyed, for ever");

        assertThat(sequencer.state()).isEqualTo(SnowflakeState.DESTROYED);
        assertThat(there.ungranted()).isEqualTo(4);
    }

    // What callers are told without a number.

    /** Cassandra answers, so "as soon as Cassandra lets it" would be wrong. */
    @Test
    void shouldSayWhatMayBringANumberBackWhenNoneIsLeft() {
        there.grantToTheLiving(0, 4);
        there.release(2, 7);
        there.global.ledger = new NodeLedger(there.spec, false, NODES);
        LeasedSequencer sequencer = there.sequencer();
        assertThat(attached(sequencer)).isEqualTo(2);

        // Another process has taken the number over, and keeps it.
        there.renew(2, 0);
        there.await(there.after(Duration.ofMinutes(2)));

        assertThatThrownBy(sequencer::nextLong)
                .isInstanceOf(SequenceException.Detached.class)
                .hasCauseInstanceOf(SequenceException.Exhausted.class)
                .hasMessageContaining("waiting alone brings none; it tries again every 10 s")
                .hasMessageContaining("Detach a node, or create a sequence of more nodes under another name");

        there.release(3, 7);
        there.await(there.after(Duration.ofMinutes(1)));
        assertThat(sequencer.node()).hasValue(3);
    }

    @Test
    void shouldSayThatTheSequenceHasEnded() {
        there.grantToTheDead(0, 4);
        there.release(2, 7);
        there.setTimeOfDay(OneSnowflake.LIFE_MILLIS - 30_000);
        LeasedSequencer sequencer = there.sequencer();
        attached(sequencer);

        there.await(there.after(Duration.ofSeconds(60)));

        assertThatThrownBy(sequencer::nextLong)
                .isInstanceOf(SequenceException.Exhausted.class)
                .hasMessageContaining("ended at " + there.spec.end())
                .hasMessageContaining("Create one of a later epoch under another name");
    }

    // Threads that must not wait.

    @Test
    void shouldRefuseToWaitWhereAnswersAreDelivered() {
        there.onDeliveringThread();
        CompletableFuture<Void> answers = new CompletableFuture<>();
        LeasedSequencer sequencer = there.sequencer(store -> new DefectiveNodeStore(store) {
            @Override
            CompletionStage<ClaimOutcome> write(Step step, Supplier<CompletionStage<ClaimOutcome>> send) {
                return step == Step.RENEW ? answers.thenCompose(come -> send.get()) : send.get();
            }
        });
        assertThatThrownBy(sequencer::attach).hasMessage("delivers the answers");
        there.await(sequencer.attachAsync());
        assertThat(sequencer.nextLong()).as("of memory").isPositive();

        // Its promise is used up, and the answer to its renewal is still to come.
        there.await(there.after(Duration.ofMillis(OneSnowflake.LEAD_MILLIS + 1)));
        List<ThrowingCallable> waiting = List.of(
                sequencer::nextLong,
                () -> sequencer.nextRange(5),
                () -> sequencer.cursor().nextLong(),
                sequencer::destroy);
        assertThat(waiting).allSatisfy(call -> assertThatThrownBy(call)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("delivers the answers"));
        CompletionStage<Long> id = sequencer.nextLongAsync();
        answers.complete(null);
        assertThat(there.await(id)).isPositive();
    }

    // The lifetime of the sequence.

    @ParameterizedTest
    @ValueSource(longs = {-3_600_000, -1_000})
    void shouldIssueNothingBeforeItsEpoch(long millis) {
        there.setTimeOfDay(millis);

        refused(there.sequencer(), SequenceException.Conflict.class, "which this machine's clock has not reached");
    }

    @Test
    void shouldTakeNoNumberWhoseLimitWouldLieBeyondTheSequencesEnd() {
        there.grantToTheDead(0, 4);
        there.setTimeOfDay(OneSnowflake.LIFE_MILLIS - 2_000);

        refused(there.sequencer(), SequenceException.Exhausted.class, "ended at " + there.spec.end());

        there.setTimeOfDay(OneSnowflake.LIFE_MILLIS - 15_000);
        there.release(2, OneSnowflake.LIFE_MILLIS - 8_000);
        refused(there.sequencer(), SequenceException.Exhausted.class, "ended at " + there.spec.end());
        assertThat(there.row(2).free()).isTrue();
    }

    @Test
    void shouldPromiseTheSequencesLastMillisecond() {
        there.grantToTheDead(0, 4);
        there.setTimeOfDay(OneSnowflake.LIFE_MILLIS - 15_000);
        long last = OneSnowflake.LIFE_MILLIS - 1;
        there.release(2, last - OneSnowflake.LEAD_MILLIS);

        assertThat(attached(there.sequencer())).isEqualTo(2);

        assertThat(there.row(2).tsHigh()).isEqualTo(last);
    }
}
