package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.async.Waiting;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.protocol.SnowflakeContext;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Every statement is executed twice, and its sender gets the second answer: its own success refused it. */
class TwiceExecutedTest {

    private static final SnowflakeSpec SPEC = new SnowflakeSpec("twice", Instant.EPOCH, 128);
    private static final long SECOND = 1_000_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final SplittableRandom random = new SplittableRandom(1);
    private final SimulatedNodeStore.Global global = new SimulatedNodeStore.Global();
    private final SimulatedNodeStore.Local local = new SimulatedNodeStore.Local("dc1");
    private final List<String> violations = new ArrayList<>();

    private LeasedSequencer sequencer() {
        SimulatedNodeStore store = new SimulatedNodeStore(
                global,
                local,
                time,
                random,
                new SimulatedNodeStore.Weather(SimulatedLink.Faults.NONE, 0, 1, false),
                time,
                () -> false,
                violations,
                null);
        return new LeasedSequencer(
                SPEC,
                store,
                new SnowflakeContext(
                        Duration.ofSeconds(20),
                        time,
                        () -> Instant.ofEpochSecond(1_000_000).plusNanos(time.nanoTime()),
                        time::nanoTime,
                        random,
                        () -> new UUID(random.nextLong(), random.nextLong()),
                        Safety.SOUND,
                        Waiting.ANYWHERE));
    }

    private void runUntil(BooleanSupplier done, long most) {
        long end = time.nanoTime() + most;
        while (!done.getAsBoolean() && time.nanoTime() < end && time.step()) {
            // Events schedule further events.
        }
    }

    private void attach(LeasedSequencer sequencer) {
        sequencer.attachAsync();
        // Much less than the time for which a number must stay unchanged before it is taken from its owner.
        runUntil(() -> sequencer.state() == SnowflakeState.ATTACHED, 10 * SECOND);
        assertThat(sequencer.state()).isEqualTo(SnowflakeState.ATTACHED);
    }

    private NodeRow row(int number) {
        return Objects.requireNonNull(local.rows.get(number));
    }

    @Test
    void shouldRecogniseItsOwnNumber() {
        global.ledger = new NodeLedger(SPEC, false, SPEC.nodes() - 1);
        LeasedSequencer sequencer = sequencer();

        attach(sequencer);

        assertThat(sequencer.node()).hasValue(127);
        assertThat(row(127).epoch()).as("owners of the number").isEqualTo(1);
        long first = sequencer.nextLong();
        runUntil(() -> false, 60 * SECOND);
        assertThat(row(127).epoch()).as("owners of the number").isEqualTo(1);
        assertThat(sequencer.nextLong()).isGreaterThan(first);
        assertThat(violations).isEmpty();
    }

    @Test
    void shouldCreateJoinAbsorbAndLetGo() {
        LeasedSequencer first = sequencer();
        attach(first);
        int number = first.node().orElseThrow();
        first.close();
        runUntil(() -> row(number).free(), 10 * SECOND);

        assertThat(row(number).free()).isTrue();
        assertThat(Objects.requireNonNull(local.share).grants()).hasSize(1);
        assertThat(local.rows).hasSize(4);
        LeasedSequencer second = sequencer();
        attach(second);
        second.destroyAsync();
        runUntil(() -> second.state() == SnowflakeState.DESTROYED, 10 * SECOND);
        assertThat(second.state()).isEqualTo(SnowflakeState.DESTROYED);
        assertThat(Objects.requireNonNull(local.share).destroyed()).isTrue();
        assertThat(violations).isEmpty();
    }
}
