package dev.cassidy.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LookUpsTest {

    private final AtomicLong time = new AtomicLong(-5);
    private final LookUps<String> lookUps = new LookUps<>(time::get);
    private final List<CompletableFuture<String>> begun = new ArrayList<>();

    private CompletionStage<Void> lookUp(String name) {
        return lookUps.lookUp(name, () -> {
            CompletableFuture<String> answer = new CompletableFuture<>();
            begun.add(answer);
            return answer;
        });
    }

    @Test
    void shouldLookANameUpOnceASecond() {
        lookUp("a");
        lookUp("a");
        assertThat(begun).hasSize(1);
        lookUp("b");
        assertThat(begun).hasSize(2);
        time.addAndGet(LookUps.PAUSE.toNanos() - 1);
        lookUp("a");
        assertThat(begun).hasSize(2);
        time.addAndGet(1);
        lookUp("a");
        lookUp("a");
        assertThat(begun).hasSize(3);
    }

    /** Otherwise the second of two threads would be told that there is nothing, while the first one reads that there is. */
    @Test
    void shouldShareTheAnswerWithThoseWhoAskMeanwhile() {
        CompletionStage<Void> first = lookUp("a");
        CompletionStage<Void> second = lookUp("a");
        assertThat(second.toCompletableFuture()).isNotDone();

        begun.get(0).complete("found");

        assertThat(first.toCompletableFuture()).isCompleted();
        assertThat(second.toCompletableFuture()).isCompleted();
        assertThat(lookUp("a").toCompletableFuture()).isCompleted();
    }

    @Test
    void shouldGoOnForTheOthersIfOneOfThemWaitsNoLonger() {
        lookUp("a").toCompletableFuture().cancel(true);
        CompletionStage<Void> second = lookUp("a");
        assertThat(second.toCompletableFuture()).isNotDone();

        begun.get(0).complete("found");

        assertThat(second.toCompletableFuture()).isCompleted();
    }

    @Test
    void shouldEndWithALookUpThatFails() {
        CompletionStage<Void> asynchronous = lookUp("a");
        begun.get(0).completeExceptionally(new IllegalStateException("no answer"));
        CompletionStage<Void> synchronous = lookUps.lookUp("b", () -> {
            throw new IllegalStateException("closed");
        });

        assertThat(asynchronous.toCompletableFuture()).isCompleted();
        assertThat(synchronous.toCompletableFuture()).isCompleted();
    }

    /** An injection, or a generator of statements, could make up any number of names. */
    @Test
    void shouldRememberALimitedNumberOfNames() {
        for (int i = 0; i < 3 * LookUps.MAX_NAMES; i++) {
            lookUp("name " + i);
            assertThat(lookUps.size()).isLessThanOrEqualTo(LookUps.MAX_NAMES);
        }
        assertThat(begun).hasSize(3 * LookUps.MAX_NAMES);
    }
}
