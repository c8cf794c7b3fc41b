package dev.cassidy.snowflake.store;

import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.snowflake.SnowflakeSpec;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * The protocol's single steps, each one linearizable statement on one partition, unless it says that it is a hint.
 * Global steps (ledger, create, destroy, highestGrant, grantAt, standing, grant) are ordered among all datacenters; the others
 * within the datacenter.
 *
 * <p>Nothing blocks. A stage of a conditional step fails only if the step certainly was not executed; a stage of a read
 * fails when there was no answer. {@link ClaimOutcome.Lost} is no proof that nothing was written: what was executed twice
 * on the way is refused by its own success.
 */
public interface NodeStore {

    /** Reads the global account; empty if there is no such sequence. */
    CompletionStage<Optional<NodeLedger>> ledger(String sequence);

    /** Creates the global account if there is none. */
    CompletionStage<ClaimOutcome> create(SnowflakeSpec spec);

    /** Marks the sequence destroyed, if the ledger is still as {@code seen}. */
    CompletionStage<ClaimOutcome> destroy(NodeLedger seen);

    /** Reads the number of the last grant to this datacenter; 0 if there is none. */
    CompletionStage<Integer> highestGrant(String sequence);

    /** Reads a grant to this datacenter. */
    CompletionStage<Optional<GrantedTo>> grantAt(String sequence, int number);

    /**
     * Reads what a majority of all replicas have of a grant to this datacenter that was made a while ago, as of incarnation 0.
     *
     * @param repair whether to make the replicas that are asked agree on what is read; otherwise it is read in the order of
     *     the compare-and-sets
     */
    CompletionStage<GrantStanding> standing(String sequence, NodeGrant grant, boolean repair);

    /** Gives {@code wanted} to this datacenter if the ledger is still as {@code seen} and has no such grant. */
    CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID grantee);

    /** Reads this datacenter's copy; empty if it has not joined the sequence. */
    CompletionStage<Optional<NodeShare>> share(String sequence);

    /**
     * Makes this datacenter's copy if there is none.
     *
     * @param grantNumber the highest grant that it ever got; from a lower one it has all later ones to skip
     */
    CompletionStage<ClaimOutcome> join(SnowflakeSpec spec, int grantNumber);

    /** Marks this datacenter's copy destroyed, if it is there. */
    CompletionStage<ClaimOutcome> destroyHere(String sequence);

    /** Whether the sequence was destroyed, as far as is known here without asking many: a hint. */
    CompletionStage<Boolean> seemsDestroyed(String sequence);

    /**
     * Makes the row of a number that was just granted, if there is none: as {@link NodeRow#fresh}. Sent at most once for
     * each number, by its grantee alone: a second one could land when the row was lost, and issue its ids again.
     */
    CompletionStage<ClaimOutcome> prepare(String sequence, int number);

    /** Adds {@code grant} to this datacenter's numbers, once: only as the next number after the copy's. */
    CompletionStage<ClaimOutcome> absorb(String sequence, NodeGrant grant);

    /** Moves the copy from grant {@code from} to grant {@code to} without their numbers, which nobody will have. */
    CompletionStage<ClaimOutcome> skip(String sequence, int from, int to);

    /** Reads the row of a number; it may be older than the last change: a hint. */
    CompletionStage<Optional<NodeRow>> glance(String sequence, int number);

    /** Reads the row of a number: the evidence of whose it is. */
    CompletionStage<Optional<NodeRow>> node(String sequence, int number);

    /**
     * Reads the row of a number, and makes a majority of the datacenter's replicas agree on it; they may be asked in any
     * order with the changes to the row.
     */
    CompletionStage<Optional<NodeRow>> agreed(String sequence, int number);

    /** Makes {@code seen} {@code wanted}, if its epoch and its {@code tsHigh} are still the same. */
    CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted);

    /**
     * Raises the limit of {@code lease} to {@code tsHigh}, if the row still has the lease's epoch and token, and a lower
     * limit: a renewal that lands late must not lower it.
     */
    CompletionStage<ClaimOutcome> renew(String sequence, NodeRow lease, long tsHigh);

    /**
     * Lets go of {@code lease}, if the row still has its epoch and token: anybody may take the number at once.
     *
     * @param last the last millisecond of which the lease's owner has issued an id, or, if it issued none, the limit
     *     beyond which it was to issue; it issues nothing after this was sent
     */
    CompletionStage<ClaimOutcome> release(String sequence, NodeRow lease, long last);
}
