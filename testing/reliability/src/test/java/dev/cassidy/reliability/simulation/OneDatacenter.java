package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.async.Waiting;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Repairs;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One sequence with one stripe in one simulated datacenter, for tests that write their own schedule. No faults occur
 * unless a test sets them.
 */
final class OneDatacenter {

    static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(15);

    final VirtualTime time = new VirtualTime();
    final SimulatedCluster cluster = new SimulatedCluster();
    final SimulatedCluster.Datacenter datacenter = new SimulatedCluster.Datacenter("dc1");
    final Stripe stripe;
    private final SequenceSpec spec;
    final SimulatedLink.Weather weather = new SimulatedLink.Weather(SimulatedLink.Faults.NONE, Set.of());
    final SplittableRandom random;

    OneDatacenter(SequenceSpec spec) {
        this(spec, true);
    }

    /** @param created whether the sequence exists from the beginning */
    OneDatacenter(SequenceSpec spec, boolean created) {
        this(spec, created, 1);
    }

    OneDatacenter(SequenceSpec spec, boolean created, long seed) {
        this.random = new SplittableRandom(seed);
        this.spec = spec;
        this.stripe = new Stripe(spec.name(), 0);
        cluster.datacenters = List.of(datacenter);
        if (created) {
            SequenceEntry entry = SequenceEntry.fresh(spec, 1, true);
            cluster.write(entry);
            datacenter.copy(entry);
            datacenter.partitions.put(stripe, new SimulatedCluster.Partition(1, 0));
        }
    }

    private SimulatedLink link() {
        return new SimulatedLink(datacenter, time, random, weather, () -> true);
    }

    RangeStore store() {
        return store("1@test");
    }

    private RangeStore store(String holder) {
        return new SimulatedStore(cluster, datacenter, datacenter.partitions, 1, holder, link(), () -> 500_000);
    }

    AllocatorContext context() {
        return context(Safety.SOUND);
    }

    private AllocatorContext context(Safety safety) {
        return context(safety, () -> new UUID(random.nextLong(), random.nextLong()));
    }

    private AllocatorContext context(Safety safety, Supplier<UUID> tokens) {
        return new AllocatorContext(
                CLAIM_TIMEOUT,
                0.5,
                Duration.ofHours(24),
                0.5,
                time,
                time::nanoTime,
                random,
                tokens,
                safety,
                Waiting.ANYWHERE);
    }

    /** @param around wraps the store */
    BlockAllocator allocator(UnaryOperator<RangeStore> around) {
        return allocator(around, Safety.SOUND);
    }

    BlockAllocator allocator(UnaryOperator<RangeStore> around, Safety safety) {
        return new BlockAllocator(spec, 1, around.apply(store()), context(safety));
    }

    BlockAllocator allocator(UnaryOperator<RangeStore> around, Supplier<UUID> tokens) {
        return new BlockAllocator(spec, 1, around.apply(store()), context(Safety.SOUND, tokens));
    }

    /** Returns an allocator of a process that opens the sequence as it is. */
    BlockAllocator allocator(SequenceEntry entry) {
        return new BlockAllocator(entry.spec(), 0, entry.incarnation(), store(), context());
    }

    Repairs repairs() {
        return new Repairs(catalog(), registry(UnaryOperator.identity()), context());
    }

    SequenceCatalog catalog() {
        return new SimulatedCatalog(cluster, datacenter, datacenter.partitions, link());
    }

    ChangeLog changes() {
        return new SimulatedChangeLog(
                cluster, datacenter, link(), () -> new UUID(random.nextLong(), random.nextLong()));
    }

    SequenceRegistry registry(UnaryOperator<RangeStore> around) {
        return new SequenceRegistry(catalog(), around.apply(store("2@operator")), changes(), context());
    }

    HeldClaims claims(UnaryOperator<RangeStore> around) {
        return new HeldClaims(catalog(), around.apply(store("2@operator")), context());
    }

    Raises raises() {
        UnaryOperator<RangeStore> plain = UnaryOperator.identity();
        return new Raises(catalog(), changes(), registry(plain), claims(plain), context());
    }

    /** Returns the stored reserve. */
    SimulatedCluster.Partition row() {
        return datacenter.row(stripe);
    }

    /** Lets time pass until the stage has ended, successfully or not. */
    <T> CompletableFuture<T> end(CompletionStage<T> stage) {
        while (!stage.toCompletableFuture().isDone() && time.step()) {}
        assertThat(stage.toCompletableFuture()).as("nothing happens any more").isDone();
        return stage.toCompletableFuture();
    }

    <T> T await(CompletionStage<T> stage) {
        return end(stage).join();
    }

    void pass(Duration duration) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        time.schedule(() -> over.complete(null), duration);
        await(over);
    }
}
