package dev.cassidy.benchmarks.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContestantTest {

    private final NextId benchmark = new NextId();
    private final List<Runnable> opened = new ArrayList<>();

    @ParameterizedTest
    @EnumSource
    void shouldIssueEachIdOnceToAllThreads(Contestant contestant) throws Exception {
        int threads = 4;
        int each = 5_000;
        Set<Long> issued = ConcurrentHashMap.newKeySet();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        Supplier<LongSupplier> contestants = open(contestant);
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                running.add(pool.submit((Callable<Void>) () -> {
                    LongSupplier ids = contestants.get();
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
            opened.forEach(Runnable::run);
        }

        assertThat(issued).hasSize(threads * each);
        assertThat(NextId.class.getMethods())
                .as("%s is one of the benchmarks", contestant.benchmark())
                .anyMatch(method -> (NextId.class.getName() + "." + method.getName()).matches(contestant.benchmark()));
    }

    /** Returns the source of ids for each thread. */
    private Supplier<LongSupplier> open(Contestant contestant) {
        return switch (contestant) {
            case ATOMIC_LONG -> {
                NextId.Addition shared = new NextId.Addition();
                yield () -> () -> benchmark.atomicLong(shared);
            }
            case COSID_CHAIN -> {
                NextId.CosIdChain shared = new NextId.CosIdChain();
                yield () -> () -> benchmark.cosIdChain(shared);
            }
            case COSID_SEGMENT -> {
                NextId.CosIdSegment shared = new NextId.CosIdSegment();
                yield () -> () -> benchmark.cosIdSegment(shared);
            }
            case HAZELCAST_FLAKE -> {
                NextId.HazelcastFlake shared = new NextId.HazelcastFlake();
                opened.add(shared::close);
                yield () -> () -> benchmark.hazelcastFlake(shared);
            }
            case TSID -> {
                NextId.Tsids shared = new NextId.Tsids();
                yield () -> () -> benchmark.tsid(shared);
            }
            case PROCESS -> {
                NextId.ProcessOrder shared = new NextId.ProcessOrder();
                opened.add(shared::close);
                yield () -> () -> benchmark.processOrder(shared);
            }
            case THREAD -> {
                NextId.ThreadOrder shared = new NextId.ThreadOrder();
                opened.add(shared::close);
                yield () -> () -> benchmark.threadOrder(shared);
            }
            case CURSOR -> {
                NextId.ProcessOrder shared = new NextId.ProcessOrder();
                opened.add(shared::close);
                yield () -> {
                    NextId.OwnCursor own = new NextId.OwnCursor();
                    own.open(shared);
                    return () -> benchmark.cursor(own);
                };
            }
        };
    }
}
