package dev.cassidy.benchmarks.sequences;

import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** How many ids a process holds of a sequence that is hardly used: what its crash would cost. */
final class Frugality {

    private static final int LIMIT = 64;
    private static final Duration WATCH = SequencesConfig.defaults().watchInterval();

    private Frugality() {}

    static void run(Report report) {
        int afterOne = new Simulated().mostHeld(Duration.ofSeconds(1), 1);
        int eachMinute = new Simulated().mostHeld(Duration.ofMinutes(1), 2_000);
        int eachTenSeconds = new Simulated().mostHeld(Duration.ofSeconds(10), 10_000);
        Simulated busy = new Simulated();
        busy.mostHeld(Duration.ofMillis(1), 200_000);
        busy.idle(Duration.ofMinutes(5));
        report.add(Case.atMost(
                        "idle-or-slow-holds-at-most-64",
                        "the most ids that a process holds, on a virtual clock",
                        Math.max(Math.max(afterOne, busy.held()), Math.max(eachMinute, eachTenSeconds)),
                        LIMIT,
                        "ids")
                .with("after one id", afterOne)
                .with("an id a minute", eachMinute)
                .with("an id each 10 s", eachTenSeconds)
                .with("idle for 5 minutes after 200,000 ids in 200 s", busy.held()));
    }

    /** One process, alone with the store; its idle ids are given back as often as {@code Sequences} does. */
    static final class Simulated {
        private final AtomicLong nanos = new AtomicLong();
        private final InMemoryStore store = new InMemoryStore(Runnable::run, 0);
        private final BlockAllocator allocator;
        private long issued;

        Simulated() {
            SequencesConfig defaults = SequencesConfig.defaults();
            AllocatorContext context = new AllocatorContext(
                    defaults.claimTimeout(),
                    AllocatorContext.PREFETCH_THRESHOLD,
                    defaults.isolation(),
                    AllocatorContext.RESERVE_THRESHOLD,
                    (task, delay) -> task.run(),
                    nanos::get,
                    new SecureRandom(),
                    UUID::randomUUID);
            allocator = new BlockAllocator(SequenceSpec.of("slow", IdentityType.BIGINT, 1, 1), 1, store, context);
        }

        /** Draws {@code ids}; returns the most that were held at any time. */
        int mostHeld(Duration between, int ids) {
            int most = 0;
            for (int i = 0; i < ids; i++) {
                idle(between);
                allocator.nextLong();
                issued++;
                most = Math.max(most, held());
            }
            return most;
        }

        void idle(Duration time) {
            long end = nanos.get() + time.toNanos();
            long watch = WATCH.toNanos();
            for (long at = (nanos.get() / watch + 1) * watch; at <= end; at += watch) {
                nanos.set(at);
                allocator.giveBackIdle();
            }
            nanos.set(end);
        }

        /** Returns how many ids are claimed, not issued and not given back. */
        int held() {
            return Math.toIntExact(store.given() - issued);
        }
    }
}
