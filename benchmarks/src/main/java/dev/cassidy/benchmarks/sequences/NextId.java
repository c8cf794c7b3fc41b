package dev.cassidy.benchmarks.sequences;

import dev.cassidy.benchmarks.sequences.Contestant.Generator;
import java.util.function.LongSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One id an operation. The same few instructions around each contestant. */
public class NextId {

    /** What the threads share. */
    @State(Scope.Benchmark)
    public static class Shared {
        @Param("ATOMIC_LONG")
        public Contestant contestant = Contestant.ATOMIC_LONG;

        Generator generator = Generator.shared(() -> 0, () -> {});

        @Setup(Level.Trial)
        public void open() {
            generator = contestant.open();
        }

        @TearDown(Level.Trial)
        public void close() {
            generator.close();
        }
    }

    /** What a thread has for itself. */
    @State(Scope.Thread)
    public static class OwnThread {
        LongSupplier ids = () -> 0;

        @Setup(Level.Trial)
        public void open(Shared shared) {
            ids = shared.generator.forThread();
        }
    }

    @Benchmark
    public long nextId(OwnThread thread) {
        return thread.ids.getAsLong();
    }
}
