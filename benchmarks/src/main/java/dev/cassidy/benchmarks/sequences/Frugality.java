package dev.cassidy.benchmarks.sequences;

import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.sequence.AllocatorContext;
import dev.cassidy.sequence.BlockAllocator;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** How many ids a process holds of a sequence that hardly anybody uses: what its end by a crash would cost. */
final class Frugality {

    private static final int LIMIT = 64;

    private Frugality() {}

    static void run(Report report) {
        int idle = mostHeld(Duration.ofHours(6), 1);
        int eachMinute = mostHeld(Duration.ofMinutes(1), 2_000);
        int eachTenSeconds = mostHeld(Duration.ofSeconds(10), 10_000);
        report.add(Case.atMost(
                        "idle-or-slow-holds-at-most-64",
                        "ids held by a process, on a virtual clock",
                        Math.max(idle, Math.max(eachMinute, eachTenSeconds)),
                        LIMIT,
                        "ids")
                .with("after one id", idle)
                .with("an id a minute", eachMinute)
                .with("an id each 10 s", eachTenSeconds));
    }

    /** Returns the most ids that were claimed and not yet issued, at any time while {@code ids} were drawn. */
    static int mostHeld(Duration between, int ids) {
        AtomicLong nanos = new AtomicLong();
        InMemoryStore store = new InMemoryStore(Runnable::run, 0);
        AllocatorContext context = new AllocatorContext(
                Duration.ofSeconds(15),
                0.5,
                (task, delay) -> task.run(),
                nanos::get,
                new SecureRandom(),
                UUID::randomUUID);
        int most = 0;
        try (BlockAllocator allocator =
                new BlockAllocator(SequenceSpec.of("slow", IdentityType.BIGINT, 1, 1), 1, store, context)) {
            for (int issued = 1; issued <= ids; issued++) {
                nanos.addAndGet(between.toNanos());
                allocator.nextLong();
                most = Math.max(most, Math.toIntExact(store.given() - issued));
            }
        }
        return most;
    }
}
