package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Stages;
import dev.cassidy.reliability.simulation.SimulatedLink.SimulatedFault;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.HolderName;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Repairs;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.SequenceEntry;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What operators do with a sequence, in a process of their own and by the calls that {@code SequenceAdmin} makes for them.
 * They rely on what the sequence tells them, and know which processes are gone.
 */
final class Operator {

    /** After this time, a claim of a process that is gone may be reclaimed: an hour by the servers' clocks. */
    static final Duration RECLAIMABLE =
            Duration.ofHours(1).dividedBy(SimulatedCatalog.PACE).plusMillis(1);

    private final String name;
    private final SequenceRegistry registry;
    private final HeldClaims claims;
    private final Raises raises;
    private final Repairs repairs;
    private final Promises promises;
    private final List<String> violations;
    private final Duration watchInterval;
    private final Predicate<String> gone;
    private final Function<HolderName, String> called;
    private final Occurrences occurrences;

    /**
     * @param violations collects failures that mean nothing to a caller
     * @param gone whether a process of this datacenter has ended
     * @param called how to name a holder whose process name no other holder has
     * @param occurrences counts what the operator's work meets
     */
    Operator(
            String name,
            SimulatedProcess process,
            Promises promises,
            List<String> violations,
            Duration watchInterval,
            Predicate<String> gone,
            Function<HolderName, String> called,
            Occurrences occurrences) {
        this.name = name;
        this.registry = process.registry;
        this.claims = process.claims;
        this.raises = process.raises;
        this.repairs = process.repairs;
        this.promises = promises;
        this.violations = violations;
        this.watchInterval = watchInterval;
        this.gone = gone;
        this.called = called;
        this.occurrences = occurrences;
    }

    void advancePast(long id) {
        end(settled(() -> raises.recallPast(name, id)).thenCompose(recalled -> raises.raiseFloor(recalled)
                // Whatever the rows say: this is what was asked for.
                .thenAccept(raised -> promises.advancedPast(id, recalled))));
    }

    void seed(long next) {
        end(settled(() -> raises.seed(name, next)).thenAccept(seeded -> promises.begun(next, seeded)));
    }

    void restart(long next) {
        end(settled(() -> raises.restart(name, next, true)).thenAccept(restarted -> {
            promises.begun(next, restarted);
            if (restarted.spec().idAt(restarted.origin()) != next) {
                violations.add("asked to restart with " + next + ", and it is " + restarted);
            }
        }));
    }

    void drop() {
        end(settled(() -> registry.drop(name)));
    }

    /**
     * Repairs the sequence in the same steps as {@code SequenceAdmin}, to begin within a gap. No table shows any used id, so
     * everything relies on the steps.
     *
     * @param within at which of the gap's ids
     */
    void repair(LongUnaryOperator within) {
        end(repairs.evidence(name).thenCompose(evidence -> {
            IdRange gap = evidence.gap().ids();
            long next = gap.get(within.applyAsLong(gap.count()));
            return repairs.alreadyIssuing(name, next, OptionalLong.empty())
                    .thenCompose(done -> done.isPresent()
                            ? CompletableFuture.completedFuture(null)
                            : prove(next)
                                    .thenCompose(target -> settled(
                                            () -> registry.drop(target.gap().entry())))
                                    .thenCompose(dropped -> prove(next))
                                    .thenCompose(target -> {
                                        promises.repairing(next);
                                        return repairs.repair(target);
                                    })
                                    .thenAccept(repaired -> occurrences.count(Occurrence.REPAIRED)));
        }));
    }

    private CompletionStage<Repairs.Target> prove(long next) {
        return repairs.evidence(name)
                .thenApply(evidence -> Repairs.target(evidence.gap(next), next, OptionalLong.empty(), true));
    }

    private CompletionStage<SequenceEntry> settled(Supplier<CompletionStage<SequenceEntry>> change) {
        return raises.carryOut(change, made -> {}, watchInterval.multipliedBy(3), watchInterval.dividedBy(2))
                .thenApply(carried -> {
                    if (!carried.behind().isNobody()) {
                        throw new SequenceException.NotAcknowledged("behind: " + carried.behind());
                    }
                    promises.complete(carried.entry());
                    return carried.entry();
                });
    }

    void create(SequenceSpec spec) {
        end(registry.create(spec, true));
    }

    void join() {
        end(registry.require(name).thenCompose(registry::join));
    }

    void acknowledge() {
        end(registry.requireKnown(name).thenCompose(raises::acknowledge));
    }

    /** Acknowledges for a datacenter that is lost for good. */
    void releaseDatacenter(String lost) {
        end(registry.requireKnown(name).thenCompose(entry -> raises.releaseDatacenter(entry, lost)));
    }

    /** Releases the claims of all processes that are gone. */
    void release() {
        end(registry.requireKnown(name).thenCompose(entry -> claims.claimsBefore(entry)
                .thenCompose(held -> each(holders(held), holder -> claims.release(entry, named(holder, held))))));
    }

    /** Gives back the unused ids of processes that are gone. */
    void reclaim() {
        end(registry.require(name).thenCompose(entry -> claims.claimsOf(entry)
                .thenCompose(held -> each(holders(held), holder -> reclaim(entry, holder, named(holder, held))))));
    }

    private CompletionStage<Void> reclaim(SequenceEntry entry, String holder, String named) {
        // It is not known which ids were used by the processes whose rows were lost.
        return holder.equals(SimulatedStore.UNKNOWN_HOLDER)
                ? CompletableFuture.completedFuture(null)
                : claims.abandonedBy(entry, named)
                        .thenCompose(abandoned -> each(abandoned.reclaimable(), each -> reclaim(each)));
    }

    private CompletionStage<Boolean> reclaim(HeldClaim abandoned) {
        Claim claim = abandoned.claim();
        boolean before = promises.isCurrent(claim.incarnation());
        return claims.reclaim(abandoned, promises.unused(claim.incarnation(), claim.span()))
                .whenComplete((done, thrown) -> {
                    if (before && !promises.isCurrent(claim.incarnation())) {
                        occurrences.count(Occurrence.RECLAIM_OVERTAKEN);
                    }
                });
    }

    /**
     * Names a holder in an allowed way: by its process alone only if no other holder has that process name. Otherwise,
     * if another operator reclaims or releases the one that is gone in between, the name would mean the one that runs.
     */
    private String named(String holder, List<HeldClaim> held) {
        HolderName name = HolderName.of(holder);
        long bearers = held.stream()
                .map(HeldClaim::holder)
                .distinct()
                .filter(each -> HolderName.of(each).process().equals(name.process()))
                .count();
        return bearers == 1 ? called.apply(name) : holder;
    }

    private List<String> holders(List<HeldClaim> held) {
        return held.stream().map(HeldClaim::holder).distinct().filter(gone).toList();
    }

    private static <T> CompletionStage<Void> each(List<T> all, Function<T, CompletionStage<?>> step) {
        CompletionStage<Void> done = CompletableFuture.completedFuture(null);
        for (T one : all) {
            done = done.thenCompose(before -> step.apply(one)).thenAccept(after -> {});
        }
        return done;
    }

    /** They try again another time, whatever the error, as long as it is one that a caller may get. */
    private void end(CompletionStage<?> stage) {
        stage.whenComplete((done, thrown) -> {
            Throwable cause = thrown == null ? null : Stages.cause(thrown);
            if (cause instanceof SequenceException
                    && String.valueOf(cause.getMessage()).contains("rows of its grants are missing")) {
                occurrences.count(Occurrence.REPAIR_REFUSED);
            }
            if (cause != null && !(cause instanceof SequenceException) && !(cause instanceof SimulatedFault)) {
                violations.add("an operator is told " + cause);
            }
        });
    }
}
