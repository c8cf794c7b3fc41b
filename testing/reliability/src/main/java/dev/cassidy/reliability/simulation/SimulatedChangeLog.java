package dev.cassidy.reliability.simulation;

import static dev.cassidy.reliability.simulation.SimulatedStore.outcome;

import dev.cassidy.reliability.simulation.SimulatedCluster.Changes;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.ClaimOutcome;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One process's view of the recent changes in a simulated cluster. */
final class SimulatedChangeLog implements ChangeLog {

    private final SimulatedCluster cluster;
    private final Datacenter datacenter;
    private final SimulatedLink link;
    private final Supplier<UUID> ids;

    SimulatedChangeLog(SimulatedCluster cluster, Datacenter datacenter, SimulatedLink link, Supplier<UUID> ids) {
        this.cluster = cluster;
        this.datacenter = datacenter;
        this.link = link;
        this.ids = ids;
    }

    private Changes changes(Level level) {
        return level == Level.GLOBAL ? cluster.changes : datacenter.changes;
    }

    @Override
    public CompletionStage<@Nullable UUID> mark(Level level) {
        CompletionStage<Optional<UUID>> seen = link.peek(level == Level.GLOBAL, () -> changes(level).marks);
        return seen.thenApply(mark -> mark.orElse(null));
    }

    @Override
    public CompletionStage<List<Entry>> since(Level level, Instant time) {
        return link.read(level == Level.GLOBAL, () -> changes(level).log.stream()
                .filter(entry -> entry.at().isAfter(time))
                .toList());
    }

    @Override
    public CompletionStage<Void> announce(Level level, Change change) {
        return link.write(level == Level.GLOBAL, () -> {
                    changes(level).add(new Entry(ids.get(), Instant.EPOCH.plusNanos(link.nanoTime()), change));
                    return outcome(true);
                })
                .thenAccept(outcome -> {
                    if (outcome instanceof ClaimOutcome.Unknown) {
                        throw new SimulatedLink.SimulatedFault("time-out");
                    }
                });
    }
}
