package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** When leftovers are reported as gone. The tests with the simulated datacenter show what happens to their rows. */
class LeftoversTest {

    private static final Claim OLD = new Claim(1, new Span(0, 10), new UUID(0, 1));
    private static final Claim NEW = new Claim(2, new Span(10, 20), new UUID(0, 2));

    private final CompletableFuture<Optional<Reserve>> reserve = new CompletableFuture<>();
    private final Map<Claim, CompletableFuture<ClaimOutcome>> forgotten = new HashMap<>();
    private final List<String> calls = new ArrayList<>();
    private final Leftovers leftovers = new Leftovers(store(), new Stripe("left", 0));

    private RangeStore store() {
        return (RangeStore) Proxy.newProxyInstance(
                RangeStore.class.getClassLoader(), new Class<?>[] {RangeStore.class}, (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return switch (method.getName()) {
                        case "reserve" -> reserve;
                        case "forget" ->
                            forgotten.computeIfAbsent((Claim) arguments[1], claim -> new CompletableFuture<>());
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    private static boolean ended(CompletionStage<Void> stage) {
        return stage.toCompletableFuture().isDone();
    }

    @Test
    void shouldReadNothingWhileNothingIsOlder() {
        leftovers.add(NEW);

        assertThat(leftovers.remove(2)).isCompleted();
        assertThat(calls).isEmpty();
    }

    @Test
    void shouldEndWhenEveryOlderRowIsGone() {
        leftovers.add(OLD);
        leftovers.add(NEW);
        CompletionStage<Void> removed = leftovers.remove(2);
        assertThat(ended(removed)).isFalse();
        reserve.complete(Optional.of(Reserve.empty(2, 0)));
        assertThat(forgotten).containsOnlyKeys(OLD);
        assertThat(ended(removed)).as("the row is not gone yet").isFalse();

        forgotten.get(OLD).complete(new ClaimOutcome.Claimed());

        assertThat(removed).isCompleted();
        calls.clear();
        assertThat(leftovers.remove(2)).isCompleted();
        assertThat(calls).as("for good").isEmpty();
    }

    @Test
    void shouldKeepRowsThatItCouldNotRemove() {
        leftovers.add(OLD);
        reserve.complete(Optional.of(Reserve.empty(2, 0)));
        CompletionStage<Void> first = leftovers.remove(2);
        forgotten.remove(OLD).complete(new ClaimOutcome.Unknown(new IllegalStateException("time-out")));
        assertThat(first).isCompleted();

        CompletionStage<Void> second = leftovers.remove(2);
        forgotten.get(OLD).completeExceptionally(new IllegalStateException("unavailable"));

        assertThat(second).isCompletedExceptionally();
        forgotten.clear();
        leftovers.remove(2);
        assertThat(forgotten).containsOnlyKeys(OLD);
    }

    @Test
    void shouldFailIfTheReserveCannotBeRead() {
        leftovers.add(OLD);
        reserve.completeExceptionally(new IllegalStateException("unavailable"));

        assertThat(leftovers.remove(2)).isCompletedExceptionally();
        assertThat(forgotten).isEmpty();
    }

    @Test
    void shouldKeepEverythingIfTheReserveIsLostOrHasNotMoved() {
        leftovers.add(OLD);
        reserve.complete(Optional.empty());
        assertThat(leftovers.remove(2)).isCompleted();
        CompletableFuture<Void> behind = new CompletableFuture<>();
        reserve.obtrudeValue(Optional.of(Reserve.empty(1, 0)));
        leftovers.remove(2).thenAccept(behind::complete);

        assertThat(behind).isCompleted();
        assertThat(forgotten).isEmpty();
    }

    @Test
    void shouldReadTheReserveOnceAtATime() {
        leftovers.add(OLD);
        leftovers.remove(2);
        leftovers.remove(2);
        assertThat(calls).as("while there is no answer").containsExactly("reserve");

        reserve.complete(Optional.of(Reserve.empty(1, 0)));
        leftovers.remove(2);

        assertThat(calls).containsExactly("reserve", "reserve");
    }

    @Test
    void shouldReadAReserveLessOftenTheLongerItStaysUnchanged() {
        leftovers.add(OLD);
        reserve.complete(Optional.of(Reserve.empty(1, 0)));
        List<Integer> read = new ArrayList<>();
        for (int call = 0; call < 100; call++) {
            calls.clear();
            leftovers.remove(2);
            if (!calls.isEmpty()) {
                read.add(call);
            }
        }

        assertThat(read).containsExactly(0, 1, 3, 7, 15, 31, 63, 95);
    }

    @Test
    void shouldReadTheReserveAgainWhenTheSequenceHasChanged() {
        leftovers.add(OLD);
        reserve.complete(Optional.of(Reserve.empty(1, 0)));
        for (int call = 0; call < 10; call++) {
            leftovers.remove(2);
        }
        calls.clear();
        reserve.obtrudeValue(Optional.of(Reserve.empty(2, 0)));

        leftovers.sequenceChanged();
        leftovers.remove(2);

        assertThat(calls).containsExactly("reserve", "forget");
    }

    @Test
    void shouldLookOnceForAClaimThatWasGivenUpInItsOwnIncarnation() {
        leftovers.abandoned(NEW);

        CompletionStage<Void> removed = leftovers.remove(2);

        assertThat(forgotten).containsOnlyKeys(NEW);
        assertThat(ended(removed)).isFalse();
        forgotten.remove(NEW).complete(new ClaimOutcome.Lost());
        assertThat(removed).isCompleted();
        leftovers.remove(2);
        assertThat(forgotten).as("it may land yet: kept for the raise").isEmpty();
        reserve.complete(Optional.of(Reserve.empty(3, 0)));
        leftovers.remove(3);
        assertThat(forgotten).containsOnlyKeys(NEW);
    }

    @Test
    void shouldEndAfterTheRemovalOfEndedClaims() {
        CompletionStage<Void> forgetting = leftovers.forget(OLD);
        assertThat(ended(forgetting)).isFalse();

        forgotten.get(OLD).complete(new ClaimOutcome.Lost());

        assertThat(forgetting).isCompleted();
        assertThat(leftovers.remove(2)).isCompleted();
        assertThat(calls).containsExactly("forget");
    }
}
