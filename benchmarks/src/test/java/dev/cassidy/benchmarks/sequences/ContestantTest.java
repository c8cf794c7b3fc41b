package dev.cassidy.benchmarks.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.sequences.Contestant.Generator;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContestantTest {

    @ParameterizedTest
    @EnumSource
    void shouldIssueEachIdOnceToAllThreads(Contestant contestant) throws Exception {
        int threads = 4;
        int each = 5_000;
        Set<Long> issued = ConcurrentHashMap.newKeySet();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (Generator generator = contestant.open()) {
            List<Future<Void>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                running.add(pool.submit((Callable<Void>) () -> {
                    LongSupplier ids = generator.forThread();
                    for (int i = 0; i < each; i++) {
                        issued.add(ids.getAsLong());
                    }
                    return null;
                }));
            }
            for (Future<Void> one : running) {
                one.get();
            }
        } finally {
            pool.shutdownNow();
        }

        assertThat(issued).hasSize(threads * each);
    }
}
