package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RowWriterTest {

    private final List<CompletableFuture<Void>> sent = new ArrayList<>();

    private CompletableFuture<Void> begin(int rows) {
        return RowWriter.all(IntStream.range(0, rows).boxed().toList(), row -> {
                    CompletableFuture<Void> answer = new CompletableFuture<>();
                    sent.add(answer);
                    return answer;
                })
                .toCompletableFuture();
    }

    @Test
    void shouldSendALimitedNumberAtATime() {
        CompletableFuture<Void> all = begin(150);
        assertThat(sent).hasSize(64);
        sent.subList(0, 64).forEach(answer -> answer.complete(null));
        assertThat(sent).hasSize(128);
        sent.subList(64, 128).forEach(answer -> answer.complete(null));
        assertThat(sent).hasSize(150);
        assertThat(all).isNotDone();
        sent.forEach(answer -> answer.complete(null));
        assertThat(all).isCompleted();
    }

    @Test
    void shouldGoOnAfterAFailureAndFailInTheEnd() {
        CompletableFuture<Void> all = begin(65);
        sent.get(0).completeExceptionally(new World.Fault("no"));
        assertThat(sent).hasSize(64);
        new ArrayList<>(sent).forEach(answer -> answer.complete(null));
        assertThat(sent).hasSize(65);
        assertThat(all).isNotDone();
        sent.get(64).complete(null);
        assertThat(all).isCompletedExceptionally();
    }

    @Test
    void shouldFailIfSomethingIsThrown() {
        assertThat(RowWriter.all(List.of(1), row -> {
                            throw new World.Fault("no");
                        })
                        .toCompletableFuture())
                .isCompletedExceptionally();
    }
}
