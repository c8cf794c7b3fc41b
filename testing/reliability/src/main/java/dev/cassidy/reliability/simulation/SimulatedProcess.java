package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Timer;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Repairs;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceCatalog;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** A process as {@code Sequences} sets it up: one store, one catalog, and the real registry on them. */
final class SimulatedProcess {

    /** A task that is tried this rarely waits for a process that may never come. */
    private static final Duration LONG_BACK_OFF = Duration.ofMinutes(2);

    /** Differs from that of any other process, and from the name under which it claims. */
    final String name;

    final Datacenter datacenter;
    final RangeStore store;
    final SequenceCatalog catalog;
    final SequenceRegistry registry;
    final HeldClaims claims;
    final Raises raises;
    final Repairs repairs;
    final Acknowledgements acknowledgements;
    final AllocatorContext context;
    final ChangeLog changes;
    private final AtomicBoolean alive;

    /**
     * @param background the timer for tasks that are tried for ever, more and more rarely
     * @param alive whether it still runs; the same for its links to the replicas
     */
    SimulatedProcess(
            String name,
            Datacenter datacenter,
            RangeStore store,
            SequenceCatalog catalog,
            ChangeLog changes,
            AllocatorContext context,
            Timer background,
            Duration watchInterval,
            Defect defect,
            AtomicBoolean alive) {
        this.name = name;
        this.datacenter = datacenter;
        this.store = store;
        this.catalog = catalog;
        RangeStore steps = defect.registrySteps().apply(store);
        this.registry = new SequenceRegistry(catalog, steps, changes, context);
        this.claims = new HeldClaims(catalog, steps, context);
        this.raises = new Raises(catalog, changes, registry, claims, context);
        this.repairs = new Repairs(catalog, registry, context);
        Timer timer = (task, delay) ->
                (delay.compareTo(LONG_BACK_OFF) < 0 ? context.timer() : background).schedule(task, delay);
        AllocatorContext patient = new AllocatorContext(
                context.claimTimeout(),
                context.prefetchThreshold(),
                context.isolation(),
                context.reserveThreshold(),
                timer,
                context.nanoTime(),
                context.random(),
                context.tokens());
        this.acknowledgements = new Acknowledgements(catalog, registry, raises, patient, watchInterval);
        this.changes = changes;
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
