package dev.cassidy.snowflake.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeldLeaseTest {

    private static final SnowflakeSpec SPEC = SnowflakeSpec.of("orders", Instant.EPOCH);

    private final HeldLease held = new HeldLease(
            SPEC,
            (NodeStore) Proxy.newProxyInstance(
                    NodeStore.class.getClassLoader(),
                    new Class<?>[] {NodeStore.class},
                    (proxy, method, arguments) -> CompletableFuture.completedFuture(new ClaimOutcome.Claimed())),
            new LogicalClock(() -> Instant.EPOCH, () -> 0, 0));

    private static Lease lease(int number) {
        NodeRow row = new NodeRow(number, 1, 1_000, new UUID(1, 2), false);
        return new Lease(row, 0, row.tsHigh(), SPEC.counterBits());
    }

    private long issued(int number, boolean detached) {
        held.lock.lock();
        try {
            Lease begun = lease(number);
            held.replace(begun);
            long id = begun.next(number + 1);
            if (detached) {
                held.end();
            }
            return id;
        } finally {
            held.lock.unlock();
        }
    }

    /** The page says "the last 16 node numbers", whether or not the sequencer was detached between them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKnowTheIdsOfItsLastSixteenNumbers(boolean detached) {
        assertThat(HeldLease.MAX_FORMER).isEqualTo(16);
        List<Long> ids = new ArrayList<>();
        for (int number = 0; number < 20; number++) {
            ids.add(issued(number, detached));
        }

        assertThat(ids.subList(4, 20)).allMatch(held::hasIssued);
        assertThat(held.hasIssued(ids.get(0))).as("forgotten").isFalse();
    }

    @Test
    void shouldKeepNoPlaceForANumberOfWhichNothingWasIssued() {
        long id = issued(0, true);
        for (int number = 1; number < 40; number++) {
            held.lock.lock();
            try {
                held.replace(lease(number));
            } finally {
                held.lock.unlock();
            }
        }

        assertThat(held.hasIssued(id)).isTrue();
    }
}
