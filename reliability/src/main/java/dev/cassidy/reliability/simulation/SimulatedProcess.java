package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.sequence.Acknowledgements;
import dev.cassidy.sequence.AllocatorContext;
import dev.cassidy.sequence.RangeStore;
import dev.cassidy.sequence.SequenceCatalog;
import dev.cassidy.sequence.SequenceRegistry;
import java.util.concurrent.atomic.AtomicBoolean;

/** A process as {@code Sequences} sets it up: one store, one catalog, and the real registry on them. */
final class SimulatedProcess {

    /** Unlike that of any other, and unlike the name under which it claims. */
    final String name;

    final Datacenter datacenter;
    final RangeStore store;
    final SequenceCatalog catalog;
    final SequenceRegistry registry;
    final Acknowledgements acknowledgements;
    final AllocatorContext context;
    private final AtomicBoolean alive;

    /** @param alive whether it still runs; the same for its links to the replicas */
    SimulatedProcess(
            String name,
            Datacenter datacenter,
            RangeStore store,
            SequenceCatalog catalog,
            AllocatorContext context,
            Defect defect,
            AtomicBoolean alive) {
        this.name = name;
        this.datacenter = datacenter;
        this.store = store;
        this.catalog = catalog;
        this.registry = new SequenceRegistry(catalog, defect.registrySteps().apply(store), context);
        this.acknowledgements = new Acknowledgements(catalog, registry);
        this.context = context;
        this.alive = alive;
    }

    boolean isAlive() {
        return alive.get();
    }

    void kill() {
        alive.set(false);
    }
}
