package dev.cassidy.transaction;

import dev.cassidy.transaction.TransactionRecord.State;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * The records of transactions, at the level of {@code home}: the datacenter that decides, or all if it is empty. Safe for use by many
 * threads; nothing blocks.
 */
public interface RecordStore {

    /**
     * Writes a new record. Its id is random, so that there is none to compare it with: this is no compare-and-set, and earlier than all.
     *
     * @return applied if a majority has it, and whoever looks for it finds it. If that is unknown, it may be found by some and not by others,
     *     and appear later. The stage fails only if certainly nothing was done
     */
    CompletionStage<WriteOutcome<Void>> create(TransactionRecord pending);

    /**
     * Changes the state of a record that is pending, by compare-and-set.
     *
     * @return refused with the state; empty if there is no record. The stage fails only if certainly nothing was done
     */
    CompletionStage<WriteOutcome<Optional<State>>> end(String home, UUID id, State state);

    /**
     * Removes a record, whatever it says and even if it is made later; no compare-and-set. For two kinds of records: those that are known to
     * say COMMITTED, when all their rows are written, because these do not change any more, and to those who do not see it yet they say
     * what a missing one does; and those that are not known to be made, when no lock was sent.
     *
     * @return a stage that fails if a majority is not known to have done it
     */
    CompletionStage<Void> remove(String home, UUID id);

    /**
     * Removes a record that says ABORTED, by compare-and-set.
     *
     * @return refused with the state; empty if there is no record. The stage fails only if certainly nothing was done
     */
    CompletionStage<WriteOutcome<Optional<State>>> removeAborted(String home, UUID id);

    /** Reads a record in the order of the writes; empty if there is none. */
    CompletionStage<Optional<TransactionRecord>> read(String home, UUID id);

    /**
     * What a record says, without its rows.
     *
     * @param rows how many there are
     */
    record Look(State state, int rows) {}

    /**
     * Reads the state of a record; empty if there is none.
     *
     * @param inOrder whether in the order of the writes. If not, what a majority has: a record that is not there has ended, as has one
     *     that says so, but one that says PENDING may be about to end
     */
    default CompletionStage<Optional<Look>> look(String home, UUID id, boolean inOrder) {
        return read(home, id)
                .thenApply(found -> found.map(
                        record -> new Look(record.state(), record.changes().size())));
    }
}
