package dev.cassidy.benchmarks.sequences;

import com.github.f4b6a3.tsid.TsidFactory;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.flakeidgen.FlakeIdGenerator;
import dev.cassidy.sequence.AllocatorContext;
import dev.cassidy.sequence.BlockAllocator;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ThreadOrderAllocator;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import me.ahoo.cosid.segment.DefaultSegmentId;
import me.ahoo.cosid.segment.IdSegment;
import me.ahoo.cosid.segment.IdSegmentDistributor;
import me.ahoo.cosid.segment.SegmentChainId;
import me.ahoo.cosid.segment.concurrent.PrefetchWorkerExecutorService;

/** Who issues ids within one process. Each runs in a JVM of its own, so that none spoils another's profile. */
public enum Contestant {
    /** Nothing but the addition: the bound of whoever orders ids within a process. */
    ATOMIC_LONG("AtomicLong") {
        @Override
        Generator open() {
            AtomicLong last = new AtomicLong();
            return Generator.shared(last::getAndIncrement, () -> {});
        }
    },
    COSID_CHAIN("CosId SegmentChainId") {
        @Override
        Generator open() {
            SegmentChainId ids = new SegmentChainId(
                    IdSegment.TIME_TO_LIVE_FOREVER,
                    SegmentChainId.DEFAULT_SAFE_DISTANCE,
                    new IdSegmentDistributor.Mock(COSID_STEP, MOCK_STEPS_A_SECOND),
                    PrefetchWorkerExecutorService.DEFAULT);
            return Generator.shared(ids::generate, () -> {});
        }
    },
    COSID_SEGMENT("CosId SegmentId") {
        @Override
        Generator open() {
            DefaultSegmentId ids = new DefaultSegmentId(new IdSegmentDistributor.Mock(COSID_STEP, MOCK_STEPS_A_SECOND));
            return Generator.shared(ids::generate, () -> {});
        }
    },
    HAZELCAST_FLAKE("Hazelcast FlakeIdGenerator") {
        @Override
        Generator open() {
            // A member that nobody joins, on loopback alone.
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
            HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
            FlakeIdGenerator ids = member.getFlakeIdGenerator("ids");
            return Generator.shared(ids::newId, member::shutdown);
        }
    },
    TSID("TSID") {
        @Override
        Generator open() {
            TsidFactory ids = TsidFactory.newInstance1024(1);
            return Generator.shared(() -> ids.create().toLong(), () -> {});
        }
    },
    PROCESS("Cassidy, PROCESS order") {
        @Override
        Generator open() {
            Ours ours = new Ours(Order.PROCESS);
            return Generator.shared(ours.allocator()::nextLong, ours::close);
        }
    },
    THREAD("Cassidy, THREAD order") {
        @Override
        Generator open() {
            Ours ours = new Ours(Order.THREAD);
            return Generator.shared(ours.allocator()::nextLong, ours::close);
        }
    },
    CURSOR("Cassidy, a cursor for each thread") {
        @Override
        Generator open() {
            Ours ours = new Ours(Order.PROCESS);
            return new Generator() {
                @Override
                public LongSupplier forThread() {
                    IdCursor cursor = ours.allocator().cursor();
                    return cursor::nextLong;
                }

                @Override
                public void close() {
                    ours.close();
                }
            };
        }
    };

    /**
     * Its default is 10, with which its chain is as fast once its prefetch has grown, but its SegmentId waits for the mock
     * most of the time. With this one, as with our blocks in steady state, a range lasts for milliseconds, and what is
     * compared is the cost of an id.
     */
    static final long COSID_STEP = 1 << 20;

    /** The mock's default. */
    static final int MOCK_STEPS_A_SECOND = 220_000;

    private final String title;

    Contestant(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    abstract Generator open();

    /** Ids for several threads, each of which asks for a supplier of its own. */
    interface Generator extends AutoCloseable {

        LongSupplier forThread();

        @Override
        void close();

        static Generator shared(LongSupplier ids, Runnable close) {
            return new Generator() {
                @Override
                public LongSupplier forThread() {
                    return ids;
                }

                @Override
                public void close() {
                    close.run();
                }
            };
        }
    }

    /** An allocator over a store in memory that takes as long for a claim as CosId's mock. */
    private static final class Ours {
        private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "store");
            thread.setDaemon(true);
            return thread;
        });
        private final IdAllocator allocator;

        Ours(Order order) {
            InMemoryStore store = new InMemoryStore(scheduler, TimeUnit.SECONDS.toNanos(1) / MOCK_STEPS_A_SECOND);
            SequencesConfig defaults = SequencesConfig.defaults();
            AllocatorContext context = new AllocatorContext(
                    defaults.claimTimeout(),
                    defaults.prefetchThreshold(),
                    defaults.isolation(),
                    defaults.reserveThreshold(),
                    (task, delay) -> {
                        Future<?> unused = scheduler.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
                    },
                    System::nanoTime,
                    new SecureRandom(),
                    UUID::randomUUID);
            SequenceSpec spec =
                    SequenceSpec.of("ids", IdentityType.BIGINT, 1, 1).withOrder(order);
            BlockAllocator blocks = new BlockAllocator(spec, 1, store, context);
            this.allocator = order == Order.THREAD ? new ThreadOrderAllocator(blocks) : blocks;
        }

        IdAllocator allocator() {
            return allocator;
        }

        void close() {
            allocator.close();
            scheduler.shutdown();
        }
    }
}
