package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.contract.SequenceCatalogContract;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceCatalog;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/** Without faults, the simulated catalog behaves like the real one. */
class SimulatedCatalogTest extends SequenceCatalogContract {

    private final VirtualTime time = new VirtualTime();
    private final SimulatedCluster cluster = new SimulatedCluster();
    private final SimulatedCluster.Datacenter datacenter = new SimulatedCluster.Datacenter("dc1");
    private final SimulatedLink link = new SimulatedLink(
            datacenter,
            time,
            new SplittableRandom(1),
            new SimulatedLink.Weather(SimulatedLink.Faults.NONE, Set.of()),
            () -> true);

    @Override
    protected RangeStore store() {
        return new SimulatedStore(cluster, datacenter, datacenter.partitions, 1, "contract", link, () -> 500_000);
    }

    @Override
    protected SequenceCatalog catalog() {
        return new SimulatedCatalog(cluster, datacenter, datacenter.partitions, link);
    }

    @Override
    protected <T> T await(CompletionStage<T> stage) {
        while (time.step()) {}
        return stage.toCompletableFuture().join();
    }
}
