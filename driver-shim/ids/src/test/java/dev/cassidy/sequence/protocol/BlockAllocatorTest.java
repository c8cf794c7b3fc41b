package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.async.Waiting;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Tails;
import dev.cassidy.sequence.store.Usage;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What happens to callers when the store does not answer, or when the allocator is closed while they wait. */
class BlockAllocatorTest {

    private static BlockAllocator allocator(Function<String, Object> store) {
        return allocator(store, Waiting.ANYWHERE);
    }

    private static BlockAllocator allocator(Function<String, Object> store, Waiting waiting) {
        RangeStore answers = (RangeStore) Proxy.newProxyInstance(
                RangeStore.class.getClassLoader(),
                new Class<?>[] {RangeStore.class},
                (proxy, method, arguments) -> store.apply(method.getName()));
        AllocatorContext context = new AllocatorContext(
                Duration.ofMillis(50),
                0.5,
                Duration.ofHours(24),
                0.5,
                (task, delay) -> CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS)
                        .execute(task),
                System::nanoTime,
                new SplittableRandom(1),
                UUID::randomUUID,
                Safety.SOUND,
                waiting);
        return new BlockAllocator(SequenceSpec.of("orders"), 1, answers, context);
    }

    @Test
    void shouldFailWaitingCallersWhenItIsClosed() {
        BlockAllocator allocator = allocator(step -> new CompletableFuture<>());
        CompletionStage<Long> waiting = allocator.nextLongAsync();
        assertThat(waiting.toCompletableFuture()).isNotDone();

        allocator.close();

        assertThat(waiting.toCompletableFuture()).isCompletedExceptionally();
        assertThatThrownBy(allocator::nextLong)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("orders");
    }

    @Test
    void shouldRemoveRowsThatACloseCouldNotGiveBackAfterTheReserveHasMoved() {
        Reserve filled = new Reserve(1, new Span(0, 1_000), null, 1, Tails.NONE, Usage.NONE, Numbering.NONE);
        AtomicReference<Reserve> reserve = new AtomicReference<>(filled);
        AtomicInteger removed = new AtomicInteger();
        BlockAllocator allocator = allocator(step -> CompletableFuture.completedFuture(
                switch (step) {
                    case "reserve", "glance" -> Optional.of(reserve.get());
                    case "claim" -> new ClaimOutcome.Claimed();
                    case "giveBack" -> new ClaimOutcome.Unknown(new IllegalStateException("no answer"));
                    case "forget" -> {
                        removed.incrementAndGet();
                        yield new ClaimOutcome.Claimed();
                    }
                    default -> throw new AssertionError(step);
                }));
        assertThat(allocator.nextLong()).isEqualTo(1);
        allocator.closeAsync().toCompletableFuture().join();

        allocator.removeLeftovers();
        assertThat(removed).as("while the reserve has not moved").hasValue(0);

        reserve.set(Reserve.empty(2, 0));
        allocator.removeLeftovers();
        allocator.removeLeftovers();
        assertThat(removed).hasValue(1);
    }

    /** It would wait for what only this thread can deliver. */
    @Test
    void shouldRefuseToWaitInAThreadThatDeliversTheAnswers() {
        CompletableFuture<Optional<Reserve>> answer = new CompletableFuture<>();
        BlockAllocator allocator = allocator(
                step -> switch (step) {
                    case "reserve", "glance" -> answer;
                    case "claim" -> CompletableFuture.completedFuture(new ClaimOutcome.Claimed());
                    default -> throw new AssertionError(step);
                },
                () -> {
                    throw new IllegalStateException("delivers the answers");
                });
        IdAllocator ofThreads = new ThreadOrderAllocator(allocator);
        List<ThrowingCallable> waiting = List.of(
                allocator::nextLong,
                allocator::nextInt,
                () -> allocator.nextRange(10),
                () -> allocator.cursor().nextLong(),
                ofThreads::nextLong,
                () -> ofThreads.nextRange(10));

        assertThat(waiting).allSatisfy(call -> assertThatThrownBy(call)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("delivers the answers"));
        CompletionStage<Long> id = allocator.nextLongAsync();

        answer.complete(
                Optional.of(new Reserve(1, new Span(0, 1_000), null, 1, Tails.NONE, Usage.NONE, Numbering.NONE)));
        assertThat(id.toCompletableFuture()).isCompletedWithValue(1L);
        assertThat(allocator.nextLong()).as("of memory").isEqualTo(2);
    }

    @Test
    void shouldFailAfterTheClaimTimeoutWhenTheStoreDoesNotAnswer() {
        BlockAllocator allocator = allocator(step -> new CompletableFuture<>());

        assertThatThrownBy(allocator::nextLong)
                .isInstanceOf(SequenceException.Unavailable.class)
                .hasMessageContaining("orders")
                .hasMessageContaining("claimTimeout");
    }

    @Test
    void shouldClaimAgainAfterTheStoreThrewImmediately() {
        int[] calls = new int[1];
        BlockAllocator allocator = allocator(step -> {
            calls[0]++;
            throw new IllegalStateException("the session is closed");
        });

        for (int call = 1; call <= 3; call++) {
            assertThatThrownBy(allocator::nextLong)
                    .isInstanceOf(SequenceException.Unavailable.class)
                    .hasMessageContaining("the session is closed");
            // One call for each caller, not repeated calls until the claim time-out.
            assertThat(calls[0]).isEqualTo(call);
        }
        assertThatThrownBy(() -> allocator.nextLongAsync().toCompletableFuture().join())
                .hasCauseInstanceOf(SequenceException.Unavailable.class);
    }

    @Test
    void shouldSayThatTheReserveIsUsedUpWhenTheGlobalLevelCannotBeReached() {
        BlockAllocator allocator = allocator(step -> step.equals("reserve") || step.equals("glance")
                ? CompletableFuture.completedFuture(Optional.of(Reserve.empty(1, 0)))
                : CompletableFuture.failedFuture(new IllegalStateException("cut off")));

        assertThatThrownBy(() -> allocator.nextLongAsync().toCompletableFuture().join())
                .hasCauseInstanceOf(SequenceException.Unavailable.class)
                .hasMessageContaining("orders")
                .hasMessageContaining("reserve is used up")
                .hasMessageContaining("cut off");
    }
}
