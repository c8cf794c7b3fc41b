package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.contract.RangeStoreContract;
import dev.cassidy.sequence.RangeStore;
import dev.cassidy.sequence.SequenceSpec;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/** The simulated store, in fair weather, is what the real one is. */
class SimulatedStoreTest extends RangeStoreContract {

    private final VirtualTime time = new VirtualTime();
    private SimulatedCluster cluster = new SimulatedCluster("none", 1);
    private final SimulatedCluster.Datacenter datacenter = new SimulatedCluster.Datacenter("dc1");

    @Override
    protected RangeStore store() {
        return new SimulatedStore(
                cluster,
                datacenter,
                datacenter.partitions,
                1,
                time,
                new SplittableRandom(1),
                new SimulatedStore.Weather(SimulatedStore.Faults.NONE, Set.of()),
                () -> true,
                () -> 500_000);
    }

    @Override
    protected void create(SequenceSpec spec) {
        cluster = new SimulatedCluster(spec.name(), spec.count());
    }

    @Override
    protected void raise(String name, long ordinal) {
        cluster.raise(ordinal);
    }

    @Override
    protected <T> T await(CompletionStage<T> stage) {
        while (time.step()) {}
        return stage.toCompletableFuture().join();
    }
}
