package dev.cassidy.table;

import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Registers a table's identity with one installation of several. It is claimed first, and complete after a look at the others. So of
 * two installations that register a table at the same moment, one at least sees the claim of the other and takes its own back. No
 * process counts on a claim: one that finds it looks at the others, too, and completes it or takes it back. So what was
 * acknowledged stays, and a claim that a dead process has left is settled by the next one of its installation.
 *
 * <p>A claim must be visible to the others' looks before the look that allows to complete it. It is: it was acknowledged, or
 * read in the order of compare-and-sets, and looks ask a majority.
 */
final class IdentityClaim {

    private final TableName name;
    private final String own;
    private final Store store;

    /** What one table's contracts say and become. */
    interface Store {

        /** Looks up the contract that another installation has now; one that binds goes before a claim. */
        CompletionStage<Optional<ForeignContract>> ofAnother();

        /** Changes this installation's contract, and returns it afterwards. */
        CompletionStage<TableContract> change(ContractChanges.Telling telling, ContractChanges.Step step);
    }

    /** @param own the global keyspace of this installation */
    IdentityClaim(TableName name, String own, Store store) {
        this.name = name;
        this.own = own;
        this.store = store;
    }

    /**
     * Changes the contract in a way that may claim an identity, and completes what is claimed.
     *
     * @param claim what the contract is changed to
     * @return the contract as {@code claim} has made or found it; the stage fails if another installation numbers the table, is
     *     about to, or has another contract of it
     */
    CompletionStage<TableContract> make(ContractChanges.Step claim) {
        // Not refused here by a claim: this installation's own claim would stay, and each refuse the other for ever.
        return store.ofAnother().thenCompose(other -> other.filter(ForeignContract::binds)
                .map(binding -> store.change(ContractChanges.Telling.HINT, TableContract::withoutClaim)
                        .thenCompose(left -> this.<TableContract>refused(binding)))
                .orElseGet(() -> store.change(ContractChanges.Telling.UNLESS_CLAIMED, claim)
                        .thenCompose(claimed -> complete(claimed).thenApply(complete -> claimed))));
    }

    private <T> CompletionStage<T> refused(ForeignContract other) {
        return CompletableFuture.failedFuture(other.refusal(name, own));
    }

    /**
     * Completes what a contract claims, or takes it back.
     *
     * @param seen the contract before the look: no later one is completed by it
     */
    CompletionStage<Void> complete(TableContract seen) {
        IdentityColumn claim = seen.claim();
        return store.ofAnother().thenCompose(other -> {
            if (claim == null) {
                return other.filter(ForeignContract::binds)
                        .map(this::<Void>refused)
                        .orElseGet(() -> CompletableFuture.completedFuture(null));
            }
            return store.change(
                            ContractChanges.Telling.HINT,
                            // Also what another process has claimed: nothing else would end the claims of dead ones.
                            found -> other.isPresent() ? found.withoutClaim() : found.completing(seen))
                    .thenCompose(now -> {
                        if (claim.equals(now.identity())) {
                            return CompletableFuture.completedFuture(null);
                        }
                        if (claim.equals(now.claim())) {
                            // Something was changed since, so the look proves nothing of this revision.
                            return complete(now);
                        }
                        return other.map(this::<Void>refused)
                                .orElseGet(() -> CompletableFuture.failedFuture(
                                        new SequenceException.Unavailable("table " + name.asCql()
                                                + " was changed at the same time by another process; call again")));
                    });
        });
    }
}
