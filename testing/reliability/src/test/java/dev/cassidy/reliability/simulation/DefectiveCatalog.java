package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Holdings;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.SequenceOutlook;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The registry's protocol, each time with one careless step. The simulation must find every one of them. */
abstract class DefectiveCatalog implements SequenceCatalog {

    final SequenceCatalog catalog;

    DefectiveCatalog(SequenceCatalog catalog) {
        this.catalog = catalog;
    }

    /** Does not look for processes that hold older ids. */
    static final class HoldersOverlooked extends DefectiveCatalog {
        HoldersOverlooked(SequenceCatalog catalog) {
            super(catalog);
        }

        @Override
        public CompletionStage<List<HeldClaim>> claims(Stripe stripe, int from, int before) {
            return CompletableFuture.completedFuture(List.of());
        }
    }

    /** Looks for processes that hold older ids while older ids can still be claimed. */
    static final class ClaimsReadBeforeTheReservesMoved extends DefectiveCatalog {
        private static final int STRIPES = 4;

        private final Map<Stripe, List<HeldClaim>> before = new HashMap<>();

        ClaimsReadBeforeTheReservesMoved(SequenceCatalog catalog) {
            super(catalog);
        }

        @Override
        public CompletionStage<List<Participation>> participations(String name) {
            CompletionStage<Void> read = CompletableFuture.completedFuture(null);
            for (int number = 0; number < STRIPES; number++) {
                Stripe stripe = new Stripe(name, number);
                read = read.thenCompose(done -> super.claims(stripe, 0, Integer.MAX_VALUE))
                        .thenAccept(claims -> before.put(stripe, claims));
            }
            return read.thenCompose(done -> super.participations(name));
        }

        @Override
        public CompletionStage<List<HeldClaim>> claims(Stripe stripe, int from, int to) {
            List<HeldClaim> read = before.remove(stripe);
            return read == null
                    ? super.claims(stripe, from, to)
                    : CompletableFuture.completedFuture(read.stream()
                            .filter(held -> from <= held.claim().incarnation()
                                    && held.claim().incarnation() < to)
                            .toList());
        }
    }

    /** Waits only for its own datacenter. */
    static final class OthersOverlooked extends DefectiveCatalog {
        OthersOverlooked(SequenceCatalog catalog) {
            super(catalog);
        }

        @Override
        public CompletionStage<List<Participation>> participations(String name) {
            return super.participations(name).thenApply(all -> all.stream()
                    .filter(each -> each.datacenter().equals(datacenter()))
                    .toList());
        }
    }

    /** Relies on a raise although it is not known whether it took effect. */
    static final class UnknownTakenForReplaced extends DefectiveCatalog {
        UnknownTakenForReplaced(SequenceCatalog catalog) {
            super(catalog);
        }

        @Override
        public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after) {
            return super.replace(seen, after)
                    .thenApply(
                            outcome -> outcome instanceof ClaimOutcome.Unknown ? new ClaimOutcome.Claimed() : outcome);
        }
    }

    /** Reads only some of the grants when it looks for what was never granted. */
    static final class GrantsOverlooked extends DefectiveCatalog {
        private final boolean newest;

        /** @param newest whether it overlooks those of the newest incarnation; otherwise, all others */
        GrantsOverlooked(SequenceCatalog catalog, boolean newest) {
            super(catalog);
            this.newest = newest;
        }

        @Override
        public CompletionStage<GrantHistory> history(String name) {
            return super.history(name).thenApply(all -> {
                int last = all.grants().stream()
                        .mapToInt(GrantHistory.Granted::incarnation)
                        .max()
                        .orElse(0);
                return new GrantHistory(
                        all.grants().stream()
                                .filter(grant -> (grant.incarnation() == last) != newest)
                                .toList(),
                        all.taken());
            });
        }
    }

    /** Proves by the grants as they were before the drop. */
    static final class GrantsReadOnce extends DefectiveCatalog {
        private @Nullable GrantHistory before;

        GrantsReadOnce(SequenceCatalog catalog) {
            super(catalog);
        }

        @Override
        public CompletionStage<GrantHistory> history(String name) {
            GrantHistory read = before;
            return read == null
                    ? super.history(name).thenApply(all -> {
                        before = all;
                        return all;
                    })
                    : CompletableFuture.completedFuture(read);
        }
    }

    @Override
    public String datacenter() {
        return catalog.datacenter();
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> find(String name) {
        return catalog.find(name);
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> findAgreed(String name) {
        return catalog.findAgreed(name);
    }

    @Override
    public CompletionStage<ClaimOutcome> insert(SequenceEntry entry) {
        return catalog.insert(entry);
    }

    @Override
    public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after) {
        return catalog.replace(seen, after);
    }

    @Override
    public CompletionStage<ClaimOutcome> replace(SequenceEntry seen, SequenceEntry after, GrantHistory.Taken taken) {
        return catalog.replace(seen, after, taken);
    }

    @Override
    public CompletionStage<GrantHistory> history(String name) {
        return catalog.history(name);
    }

    @Override
    public CompletionStage<List<Holdings>> holdings(SequenceEntry entry) {
        return catalog.holdings(entry);
    }

    @Override
    public CompletionStage<List<Participation>> participations(String name) {
        return catalog.participations(name);
    }

    @Override
    public CompletionStage<ClaimOutcome> acknowledge(String name, int incarnation, String datacenter) {
        return catalog.acknowledge(name, incarnation, datacenter);
    }

    @Override
    public CompletionStage<List<SequenceGlimpse>> glimpses() {
        return catalog.glimpses();
    }

    @Override
    public CompletionStage<List<SequenceGlimpse>> copyGlimpses() {
        return catalog.copyGlimpses();
    }

    @Override
    public CompletionStage<Optional<SequenceOutlook>> outlook(String name) {
        return catalog.outlook(name);
    }

    @Override
    public CompletionStage<Void> noteAcknowledged(String name, int incarnation) {
        return catalog.noteAcknowledged(name, incarnation);
    }

    @Override
    public CompletionStage<Optional<SequenceEntry>> findCopy(String name) {
        return catalog.findCopy(name);
    }

    @Override
    public CompletionStage<ClaimOutcome> insertCopy(SequenceEntry entry) {
        return catalog.insertCopy(entry);
    }

    @Override
    public CompletionStage<ClaimOutcome> replaceCopy(SequenceEntry seen, SequenceEntry after) {
        return catalog.replaceCopy(seen, after);
    }

    @Override
    public CompletionStage<List<HeldClaim>> claims(Stripe stripe, int from, int before) {
        return catalog.claims(stripe, from, before);
    }

    @Override
    public CompletionStage<Duration> forgottenFor() {
        return catalog.forgottenFor();
    }
}
