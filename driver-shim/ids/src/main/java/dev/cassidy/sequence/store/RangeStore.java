package dev.cassidy.sequence.store;

import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.HolderName;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * The protocol's single steps, each one linearizable statement on one partition. Global steps (ledger, grant) are
 * ordered among all datacenters; the others within the datacenter.
 *
 * <p>Nothing blocks. A stage of a conditional step fails only if the step certainly was not executed; a stage of a read
 * fails when there was no answer.
 */
public interface RangeStore {

    /** Returns the name under which this store claims; see {@link HolderName}. */
    String holder();

    /** Reads the stripe's reserve; empty if the datacenter has not joined the sequence. */
    CompletionStage<Optional<Reserve>> reserve(Stripe stripe);

    /**
     * Reads a stripe's reserve without an order among claims: it may miss the last ones, and even an existing reserve.
     * A proposal that is based on an old state is refused. It costs the replicas a fraction of {@link #reserve}, which
     * competes with claims. It makes the replicas that it asks agree, a majority of the datacenter's.
     */
    CompletionStage<Optional<Reserve>> glance(Stripe stripe);

    /**
     * Takes {@code wanted} from the front of {@link Reserve#claimable()} if the reserve is exactly as it was {@code
     * seen}. Also counts it towards {@link Reserve#usage()}, and forgets claims whose every id has been issued. The
     * outcome has the new reserve if it is known, which saves the next claim a read.
     *
     * @param spent each is removed by its token; if one is gone, the whole step is refused, and the outcome says which
     */
    CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent);

    /** As {@link #claim}, from the front of one of {@link Reserve#tails()}. */
    CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent);

    /**
     * Ends claims and makes {@code after} the tails, if the reserve is exactly as it was {@code seen} and each claim in
     * {@code ended} still has its token. Because of that condition, a tail comes back only once, however often this is
     * sent.
     *
     * @param ended claims of which a part is given back
     * @param spent claims whose every id has been issued; forgotten in passing, as by {@link #claim}
     */
    CompletionStage<ClaimOutcome> giveBack(
            Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent);

    /** Reads the claim that begins at {@code lo}: the evidence of which process has it. */
    CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo);

    /**
     * Reads what a majority of the datacenter's replicas have of a claim that was made a while ago.
     *
     * @param most how many rows to read at most
     * @param repair whether to make the replicas that are asked agree on what is read; otherwise it is read in the
     *     order of the compare-and-sets, and one that is under way is completed first
     */
    CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair);

    /** Removes a claim from which nothing more will be issued; the acknowledgement of a reseed. */
    CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim);

    /**
     * Makes {@code grant} the upcoming range, once: only as the next number after the reserve's, and only if the
     * reserve is exactly as it was {@code seen}.
     *
     * @param grant of an empty span if its ordinals are given up: then its number alone is absorbed
     * @param numbering as for {@link Reserve#with(Grant, Numbering)}
     */
    CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant, Numbering numbering);

    /** Makes the reserve {@link Reserve#without(Span)} what was absorbed wrongly, if it is exactly as it was {@code seen}. */
    CompletionStage<ClaimOutcome> withdraw(Stripe stripe, Reserve seen, Span absorbed);

    /**
     * Moves the reserve to {@code incarnation}; the ranges that it had are dropped.
     *
     * @param grantNumber the highest grant that this datacenter got in that incarnation, 0 for none; from a lower one
     *     the reserve would absorb, and issue, grants again
     */
    CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber);

    /**
     * Creates the reserve of a stripe that has none, without any ranges.
     *
     * @param grantNumber as for {@link #adopt}
     * @param lost what the stripe was granted in each incarnation, if it had a reserve that was lost with its claims.
     *     It is recorded as held by an unknown process, so that no raise takes it for given up. It is kept apart from
     *     the claims, because each process removes its own claims as they are spent
     */
    CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation, int grantNumber, List<Claim> lost);

    /** Removes what {@link #establish} recorded as lost. For a caller who knows that no process holds any of it. */
    CompletionStage<ClaimOutcome> forgetLost(Stripe stripe, Claim lost);

    /** Reads the number of the last grant to this datacenter in {@code incarnation}; 0 if there is none. */
    CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation);

    /**
     * Reads the global account; empty if there is no such sequence. Fails with {@link SequenceException.Dropped} if it
     * was dropped.
     */
    CompletionStage<Optional<Ledger>> ledger(String sequence);

    /** Reads a grant to this datacenter. */
    CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number);

    /**
     * Reads what a majority of all replicas have of a grant to this datacenter that was made a while ago; global.
     *
     * @param repair as for {@link #standing(Stripe, Claim, int, boolean)}
     */
    CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair);

    /** Gives {@code wanted} to this datacenter's stripe if the ledger is still as {@code seen} and has no such grant. */
    CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token);
}
