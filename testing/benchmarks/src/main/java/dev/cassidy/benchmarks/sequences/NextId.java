package dev.cassidy.benchmarks.sequences;

import com.github.f4b6a3.tsid.TsidFactory;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.flakeidgen.FlakeIdGenerator;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.ThreadOrderAllocator;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import me.ahoo.cosid.segment.DefaultSegmentId;
import me.ahoo.cosid.segment.IdSegment;
import me.ahoo.cosid.segment.IdSegmentDistributor;
import me.ahoo.cosid.segment.SegmentChainId;
import me.ahoo.cosid.segment.concurrent.PrefetchWorkerExecutorService;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One id per operation. Each contestant is called as a program would call it, with nothing in between. */
public class NextId {

    /**
     * CosId's default is 10. With it, its chain is as fast once its prefetch has grown, but its SegmentId waits for the
     * mock most of the time. With this value a range lasts for milliseconds, as our blocks do in steady state, and what
     * is compared is the cost of an id.
     */
    static final long COSID_STEP = 1 << 20;

    /** The mock's default. */
    static final int MOCK_STEPS_A_SECOND = 220_000;

    /** Nothing but the addition: the bound for anything that orders ids within a process. */
    @State(Scope.Benchmark)
    public static class Addition {
        final AtomicLong last = new AtomicLong();
    }

    @Benchmark
    public long atomicLong(Addition shared) {
        return shared.last.getAndIncrement();
    }

    @State(Scope.Benchmark)
    public static class CosIdChain {
        final SegmentChainId ids = new SegmentChainId(
                IdSegment.TIME_TO_LIVE_FOREVER,
                SegmentChainId.DEFAULT_SAFE_DISTANCE,
                new IdSegmentDistributor.Mock(COSID_STEP, MOCK_STEPS_A_SECOND),
                PrefetchWorkerExecutorService.DEFAULT);
    }

    @Benchmark
    public long cosIdChain(CosIdChain shared) {
        return shared.ids.generate();
    }

    @State(Scope.Benchmark)
    public static class CosIdSegment {
        final DefaultSegmentId ids =
                new DefaultSegmentId(new IdSegmentDistributor.Mock(COSID_STEP, MOCK_STEPS_A_SECOND));
    }

    @Benchmark
    public long cosIdSegment(CosIdSegment shared) {
        return shared.ids.generate();
    }

    @State(Scope.Benchmark)
    public static class HazelcastFlake {
        private final HazelcastInstance member = alone();
        final FlakeIdGenerator ids = member.getFlakeIdGenerator("ids");

        /** A member that nobody joins, on loopback alone. */
        private static HazelcastInstance alone() {
            System.setProperty("hazelcast.local.localAddress", "127.0.0.1");
            Config config = new Config("benchmarks")
                    .setProperty("hazelcast.phone.home.enabled", "false")
                    .setProperty("hazelcast.logging.type", "slf4j")
                    .setProperty("hazelcast.socket.bind.any", "false");
            JoinConfig join = config.getNetworkConfig().getJoin();
            join.getAutoDetectionConfig().setEnabled(false);
            join.getMulticastConfig().setEnabled(false);
            join.getTcpIpConfig().setEnabled(false);
            config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
            return Hazelcast.newHazelcastInstance(config);
        }

        @TearDown(Level.Trial)
        public void close() {
            member.shutdown();
        }
    }

    @Benchmark
    public long hazelcastFlake(HazelcastFlake shared) {
        return shared.ids.newId();
    }

    @State(Scope.Benchmark)
    public static class Tsids {
        final TsidFactory ids = TsidFactory.newInstance1024(1);
    }

    @Benchmark
    public long tsid(Tsids shared) {
        return shared.ids.create().toLong();
    }

    /** An allocator over a store in memory that takes as long for a claim as CosId's mock. */
    abstract static class Cassidy {
        private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "store");
            thread.setDaemon(true);
            return thread;
        });
        final IdAllocator ids;

        Cassidy(Order order) {
            InMemoryStore store = new InMemoryStore(scheduler, TimeUnit.SECONDS.toNanos(1) / MOCK_STEPS_A_SECOND);
            SequencesConfig defaults = SequencesConfig.defaults();
            AllocatorContext context = new AllocatorContext(
                    defaults.claimTimeout(),
                    AllocatorContext.PREFETCH_THRESHOLD,
                    defaults.isolation(),
                    AllocatorContext.RESERVE_THRESHOLD,
                    (task, delay) -> {
                        Future<?> unused = scheduler.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
                    },
                    System::nanoTime,
                    new SecureRandom(),
                    UUID::randomUUID);
            SequenceSpec spec =
                    SequenceSpec.of("ids", IdentityType.BIGINT, 1, 1).withOrder(order);
            BlockAllocator blocks = new BlockAllocator(spec, 1, store, context);
            this.ids = order == Order.THREAD ? new ThreadOrderAllocator(blocks) : blocks;
        }

        @TearDown(Level.Trial)
        public void close() {
            ids.close();
            scheduler.shutdown();
        }
    }

    @State(Scope.Benchmark)
    public static class ProcessOrder extends Cassidy {
        public ProcessOrder() {
            super(Order.PROCESS);
        }
    }

    @Benchmark
    public long processOrder(ProcessOrder shared) {
        return shared.ids.nextLong();
    }

    @State(Scope.Benchmark)
    public static class ThreadOrder extends Cassidy {
        public ThreadOrder() {
            super(Order.THREAD);
        }
    }

    @Benchmark
    public long threadOrder(ThreadOrder shared) {
        return shared.ids.nextLong();
    }

    @State(Scope.Thread)
    public static class OwnCursor {
        @SuppressWarnings("NullAway.Init") // by open, before anything else
        IdCursor ids;

        @Setup(Level.Trial)
        public void open(ProcessOrder shared) {
            ids = shared.ids.cursor();
        }
    }

    @Benchmark
    public long cursor(OwnCursor own) {
        return own.ids.nextLong();
    }
}
