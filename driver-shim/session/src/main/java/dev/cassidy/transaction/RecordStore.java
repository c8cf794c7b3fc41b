package dev.cassidy.transaction;

import dev.cassidy.transaction.TransactionRecord.State;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * The records of transactions. All writes are compare-and-sets at the level of {@code home}: the datacenter that decides, or all if it is
 * empty. A stage fails only if certainly nothing was done. Safe for use by many threads; nothing blocks.
 */
public interface RecordStore {

    /**
     * Writes a record if there is none of this id.
     *
     * @return refused with the state of the one that there is
     */
    CompletionStage<WriteOutcome<Optional<State>>> create(TransactionRecord pending);

    /**
     * Changes the state of a record that is pending.
     *
     * @return refused with the state; empty if there is no record
     */
    CompletionStage<WriteOutcome<Optional<State>>> end(String home, UUID id, State state);

    /** Removes a record that is in this state. */
    CompletionStage<WriteOutcome<Optional<State>>> remove(String home, UUID id, State state);

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
