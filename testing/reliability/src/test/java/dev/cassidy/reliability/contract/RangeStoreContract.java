package dev.cassidy.reliability.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import dev.cassidy.sequence.store.Usage;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each step compares, writes, and leaves unchanged. The simulated store and the real store both run it. So what
 * the simulation proves of the allocator also holds for an allocator on the real store.
 */
public abstract class RangeStoreContract {

    private static final long SPACE = 1_000;
    private static final Numbering NUMBERING = new Numbering(1, 1);

    private RangeStore store;
    private String name;
    private Stripe stripe;
    private Stripe other;

    /** Returns a store of the created sequences. */
    protected abstract RangeStore store();

    /** Returns a catalog on the same tables. */
    protected abstract SequenceCatalog catalog();

    protected abstract <T> T await(CompletionStage<T> stage);

    @BeforeEach
    void createSequence() {
        name = "contract_" + UUID.randomUUID().toString().replace('-', '_');
        create(new SequenceSpec(name, IdentityType.INT, 1, 1, 1, SPACE).withStripes(2));
        store = store();
        stripe = new Stripe(name, 0);
        other = new Stripe(name, 1);
    }

    /** Creates a ready sequence of incarnation 1, without grants and without a reserve. */
    private void create(SequenceSpec spec) {
        applied(catalog().insert(SequenceEntry.fresh(spec, 1, true)));
    }

    /** Moves the sequence to the next incarnation, which begins at {@code ordinal}. */
    private void raise(String of, long ordinal) {
        SequenceEntry seen = await(catalog().find(of)).orElseThrow();
        SequenceEntry raised =
                new SequenceEntry(seen.spec(), seen.incarnation() + 1, true, false, 0, ordinal, ordinal, seen.floor());
        applied(catalog().replace(seen, raised));
    }

    private Reserve reserve(Stripe of) {
        return await(store.reserve(of)).orElseThrow();
    }

    private Reserve reserve() {
        return reserve(stripe);
    }

    private Ledger ledger() {
        return await(store.ledger(name)).orElseThrow();
    }

    private Optional<Claim> claimAt(long lo) {
        return await(store.claimAt(stripe, 1, lo));
    }

    private static Claim claim(int incarnation, long lo, long hi) {
        return new Claim(incarnation, new Span(lo, hi), UUID.randomUUID());
    }

    private static Tails tails(long... bounds) {
        return new Tails(IntStream.range(0, bounds.length / 2)
                .mapToObj(i -> new Span(bounds[2 * i], bounds[2 * i + 1]))
                .toList());
    }

    private void applied(CompletionStage<ClaimOutcome> step) {
        assertThat(await(step)).isInstanceOf(ClaimOutcome.Claimed.class);
    }

    /** Expects that the step is refused. */
    private void refused(CompletionStage<ClaimOutcome> step) {
        assertThat(await(step)).isInstanceOf(ClaimOutcome.Lost.class);
    }

    private void establish(Stripe where) {
        applied(store.establish(where, 1, 0, List.of()));
    }

    private Grant granted(Stripe to, int number, long count) {
        Ledger ledger = ledger();
        Grant grant = new Grant(ledger.incarnation(), number, ledger.free().first(count));
        applied(store.grant(to, ledger, grant, UUID.randomUUID()));
        return grant;
    }

    /** Gives the stripe the upcoming range from 0 to 100. */
    private void fill() {
        establish(stripe);
        applied(store.absorb(stripe, reserve(), granted(stripe, 1, 100), NUMBERING));
    }

    private Claim claimed(long count) {
        Reserve seen = reserve();
        Claim claim =
                claim(1, seen.claimable().lo(), seen.claimable().first(count).hi());
        applied(store.claim(stripe, seen, claim, List.of()));
        return claim;
    }

    @Test
    void shouldReturnNothingForMissingRows() {
        assertThat(await(store.reserve(stripe))).isEmpty();
        assertThat(await(store.glance(stripe))).isEmpty();
        assertThat(await(store.ledger("contract_of_nothing"))).isEmpty();
        assertThat(await(store.grantAt(stripe, 1, 1))).isEmpty();
        assertThat(await(store.highestGrant(stripe, 1))).isZero();
        assertThat(claimAt(0)).isEmpty();
        assertThat(ledger().free()).isEqualTo(new Span(0, SPACE));
        assertThat(ledger().incarnation()).isEqualTo(1);
        assertThat(ledger().ready()).isTrue();
    }

    @Test
    void shouldWriteNothingToAMissingReserve() {
        Reserve seen = Reserve.empty(1, 0);
        Reserve filled = new Reserve(1, new Span(0, 10), null, 1, tails(20, 30), Usage.NONE, Numbering.NONE);
        Claim claim = claim(1, 0, 5);

        refused(store.claim(stripe, filled, claim, List.of()));
        refused(store.claimTail(stripe, filled, claim(1, 20, 25), List.of()));
        refused(store.giveBack(stripe, seen, List.of(claim), tails(0, 5), List.of()));
        refused(store.absorb(stripe, seen, new Grant(1, 1, new Span(0, 10)), NUMBERING));
        refused(store.adopt(stripe, seen, 2, 0));
        refused(store.forget(stripe, claim));

        assertThat(await(store.reserve(stripe))).isEmpty();
        assertThat(claimAt(0)).isEmpty();
    }

    @Test
    void shouldEstablishAReserveOnce() {
        Claim lost = claim(1, 0, 50);
        applied(store.establish(stripe, 1, 3, List.of(lost)));
        refused(store.establish(stripe, 2, 0, List.of()));

        assertThat(reserve()).isEqualTo(Reserve.empty(1, 3));
        assertThat(await(store.glance(stripe)))
                .as("a glance where nothing is under way")
                .hasValue(reserve());
        assertThat(claimAt(0)).as("apart from the claims").isEmpty();
        assertThat(await(store.reserve(other))).isEmpty();
    }

    @Test
    void shouldGrantOnlyIfTheLedgerIsAsSeen() {
        Ledger before = ledger();
        Grant first = granted(stripe, 1, 100);
        refused(store.grant(stripe, before, new Grant(1, 2, new Span(0, 100)), UUID.randomUUID()));

        assertThat(ledger().free()).isEqualTo(new Span(100, SPACE));
        assertThat(await(store.grantAt(stripe, 1, 1))).contains(first);
        assertThat(await(store.grantAt(stripe, 1, 2))).isEmpty();
        assertThat(await(store.highestGrant(stripe, 1))).isEqualTo(1);
    }

    @Test
    void shouldGrantANumberOnce() {
        Grant first = granted(stripe, 1, 100);
        refused(store.grant(stripe, ledger(), new Grant(1, 1, new Span(100, 200)), UUID.randomUUID()));

        assertThat(ledger().free().lo()).isEqualTo(100);
        assertThat(await(store.grantAt(stripe, 1, 1))).contains(first);
    }

    @Test
    void shouldGrantNothingOfAnOlderIncarnation() {
        Ledger before = ledger();
        raise(name, 0);
        refused(store.grant(stripe, before, new Grant(1, 1, new Span(0, 100)), UUID.randomUUID()));

        assertThat(ledger().incarnation()).isEqualTo(2);
        assertThat(ledger().free().lo()).isZero();
        assertThat(await(store.highestGrant(stripe, 1))).isZero();
    }

    /** As when nodes have forgotten a creation, and the sequence was created with another start. */
    @ParameterizedTest
    @CsvSource({"2, 1", "1, 2"})
    void shouldGrantNothingOfAnotherCreation(long start, long increment) {
        Ledger before = ledger();
        SequenceEntry seen = before.entry();
        SequenceSpec another = new SequenceSpec(name, IdentityType.INT, start, increment, 1, SPACE).withStripes(2);
        applied(catalog().replace(seen, SequenceEntry.fresh(another, 1, true)));
        Grant first = new Grant(1, 1, new Span(0, 100));

        refused(store.grant(stripe, before, first, UUID.randomUUID()));

        assertThat(ledger().entry().spec()).isEqualTo(another);
        applied(store.grant(stripe, ledger(), first, UUID.randomUUID()));
        assertThat(await(store.standing(stripe, first, true)).numbering()).isEqualTo(new Numbering(start, increment));
        assertThat(await(store.standing(stripe, first, false)).numbering()).isEqualTo(new Numbering(start, increment));
    }

    @Test
    void shouldKeepWhatTheOrdinalsOfAReserveMean() {
        establish(stripe);
        assertThat(reserve().numbering()).isEqualTo(Numbering.NONE);
        Grant first = granted(stripe, 1, 100);
        applied(store.absorb(stripe, reserve(), first, NUMBERING));
        claimed(10);
        assertThat(reserve().numbering()).isEqualTo(NUMBERING);

        Reserve now = reserve();
        for (Numbering other : List.of(new Numbering(2, 1), new Numbering(1, 2))) {
            Reserve seen = new Reserve(
                    now.incarnation(),
                    now.current(),
                    now.upcoming(),
                    now.grantNumber(),
                    now.tails(),
                    now.usage(),
                    other);
            refused(store.claim(stripe, seen, claim(1, 10, 20), List.of()));
        }

        applied(store.adopt(stripe, reserve(), 2, 0));
        assertThat(reserve().numbering()).isEqualTo(Numbering.NONE);
    }

    @Test
    void shouldCountTheGrantsOfEachStripeAndIncarnation() {
        granted(stripe, 1, 10);
        granted(stripe, 2, 10);
        Grant others = granted(other, 1, 10);
        raise(name, 500);
        Grant newer = granted(stripe, 1, 10);

        assertThat(await(store.highestGrant(stripe, 1))).isEqualTo(2);
        assertThat(await(store.highestGrant(other, 1))).isEqualTo(1);
        assertThat(await(store.highestGrant(stripe, 2))).isEqualTo(1);
        assertThat(await(store.highestGrant(other, 2))).isZero();
        assertThat(await(store.grantAt(other, 1, 1))).contains(others);
        assertThat(await(store.grantAt(stripe, 2, 1))).contains(newer);
    }

    @Test
    void shouldAbsorbGrantsInTheirOrderAndEachOnce() {
        establish(stripe);
        Grant first = granted(stripe, 1, 100);
        Grant second = granted(stripe, 2, 100);

        refused(store.absorb(stripe, reserve(), second, NUMBERING));
        assertThat(reserve()).isEqualTo(Reserve.empty(1, 0));

        applied(store.absorb(stripe, reserve(), first, NUMBERING));
        assertThat(reserve().upcoming()).isEqualTo(first.span());
        assertThat(reserve().grantNumber()).isEqualTo(1);

        refused(store.absorb(stripe, reserve(), first, NUMBERING));
        // Only one upcoming range fits.
        refused(store.absorb(stripe, reserve(), second, NUMBERING));
        assertThat(reserve().upcoming()).isEqualTo(first.span());

        claimed(10);
        applied(store.absorb(stripe, reserve(), second, NUMBERING));
        refused(store.absorb(stripe, reserve(), first, NUMBERING));
        assertThat(reserve().current()).isEqualTo(new Span(10, 100));
        assertThat(reserve().upcoming()).isEqualTo(second.span());
    }

    @Test
    void shouldAbsorbNothingOfAnotherIncarnation() {
        establish(stripe);
        refused(store.absorb(stripe, reserve(), new Grant(2, 1, new Span(0, 10)), NUMBERING));

        assertThat(reserve()).isEqualTo(Reserve.empty(1, 0));
    }

    @Test
    void shouldClaimFromTheFrontAndReportTheRest() {
        fill();
        Reserve seen = reserve();
        Claim first = claim(1, 0, 16);
        ClaimOutcome outcome = await(store.claim(stripe, seen, first, List.of()));

        assertThat(outcome).isEqualTo(new ClaimOutcome.Claimed(reserve()));
        assertThat(claimAt(0)).contains(first);
        assertThat(reserve().current()).isEqualTo(new Span(16, 100));
        assertThat(reserve().upcoming()).isNull();
        assertThat(reserve().grantNumber()).isEqualTo(1);

        claimed(84);
        assertThat(reserve().current()).isEqualTo(new Span(100, 100));
        assertThat(reserve().highest()).isEqualTo(100);
    }

    @Test
    void shouldCountClaimedIds() {
        fill();
        claimed(16);
        claimed(20);

        // All in one hour, or in two if a new hour begins in between.
        assertThat(reserve().usage().claimed() + reserve().usage().dailyPeaks().get(0))
                .isEqualTo(36);
    }

    @Test
    void shouldRefuseAClaimWhoseReserveHasMovedAndReturnTheReserve() {
        fill();
        Reserve before = reserve();
        Claim winner = claimed(16);
        Claim spent = claimed(10);
        Reserve now = reserve();

        ClaimOutcome again = await(store.claim(stripe, before, claim(1, 0, 16), List.of(spent)));
        assertThat(again).isEqualTo(new ClaimOutcome.Lost(now));
        assertThat(reserve()).isEqualTo(now);
        // A refused claim must not forget the spent claims either.
        assertThat(claimAt(0)).contains(winner);
        assertThat(claimAt(16)).contains(spent);
    }

    @Test
    void shouldRefuseAClaimOfAnotherIncarnationOrEnd() {
        fill();
        claimed(10);
        Reserve seen = reserve();
        Reserve otherEnd = new Reserve(1, new Span(10, 90), null, 1, Tails.NONE, seen.usage(), seen.numbering());

        Reserve newer = new Reserve(2, seen.current(), null, 1, Tails.NONE, seen.usage(), seen.numbering());

        refused(store.claim(stripe, newer, claim(2, 10, 20), List.of()));
        refused(store.claim(stripe, otherEnd, claim(1, 10, 20), List.of()));

        assertThat(reserve()).isEqualTo(seen);
        assertThat(claimAt(10)).isEmpty();
    }

    @Test
    void shouldForgetSpentClaimsWithTheNextClaim() {
        fill();
        Claim first = claimed(10);
        Claim second = claimed(10);
        applied(store.claim(stripe, reserve(), claim(1, 20, 30), List.of(first)));

        assertThat(claimAt(0)).isEmpty();
        assertThat(claimAt(10)).contains(second);
        assertThat(claimAt(20)).isPresent();
    }

    @Test
    void shouldRemoveSpentClaimsByTheirTokens() {
        fill();
        Claim first = claimed(10);
        Claim second = claimed(10);
        Claim namesake = new Claim(1, first.span(), UUID.randomUUID());
        Reserve seen = reserve();
        Claim wanted = claim(1, 20, 30);

        assertThat(await(store.claim(stripe, seen, wanted, List.of(namesake, second))))
                .isEqualTo(new ClaimOutcome.Lost(seen, List.of(namesake)));
        assertThat(reserve()).isEqualTo(seen);
        assertThat(claimAt(0)).contains(first);
        assertThat(claimAt(10)).contains(second);

        applied(store.claim(stripe, seen, wanted, List.of(second)));
        assertThat(claimAt(0)).contains(first);
        assertThat(claimAt(10)).isEmpty();
    }

    @Test
    void shouldReportWhichClaimsToRemoveAreGone() {
        fill();
        Claim given = claimed(20);
        Claim held = claimed(10);
        Claim gone = claim(1, 90, 95);
        applied(store.giveBack(stripe, reserve(), List.of(given), tails(10, 20), List.of()));
        Reserve seen = reserve();

        assertThat(gone(store.claimTail(stripe, seen, claim(1, 10, 20), List.of(held, gone))))
                .containsExactly(gone);
        assertThat(gone(store.giveBack(stripe, seen, List.of(given), tails(0, 5), List.of(held))))
                .containsExactly(given);
        assertThat(gone(store.giveBack(stripe, seen, List.of(held), tails(10, 20, 25, 30), List.of(gone))))
                .containsExactly(gone);
        // Refused for a different reason.
        Reserve moved = new Reserve(1, seen.current(), null, 1, Tails.NONE, Usage.NONE, seen.numbering());
        assertThat(gone(store.giveBack(stripe, moved, List.of(held), tails(25, 30), List.of())))
                .isEmpty();
        assertThat(reserve()).isEqualTo(seen);
        assertThat(claimAt(20)).contains(held);
    }

    private List<Claim> gone(CompletionStage<ClaimOutcome> step) {
        return ((ClaimOutcome.Lost) await(step)).gone();
    }

    /** A proxy or a driver's retry policy may send a statement twice, and return the second answer. */
    @Test
    void shouldNotTakeItsOwnSuccessForARefusal() {
        fill();
        Reserve before = reserve();
        Claim first = claim(1, 0, 10);
        applied(store.claim(stripe, before, first, List.of()));
        assertThat(await(store.claim(stripe, before, first, List.of()))).isInstanceOf(ClaimOutcome.Unknown.class);

        Claim second = claimed(10);
        applied(store.giveBack(stripe, reserve(), List.of(second), tails(15, 20), List.of(first)));
        Reserve tails = reserve();
        Claim tail = claim(1, 15, 20);
        applied(store.claimTail(stripe, tails, tail, List.of()));
        assertThat(await(store.claimTail(stripe, tails, tail, List.of()))).isInstanceOf(ClaimOutcome.Unknown.class);
        assertThat(reserve().tails()).isEqualTo(Tails.NONE);
        assertThat(claimAt(15)).contains(tail);
    }

    @Test
    void shouldTakeBackATailOnce() {
        fill();
        Claim spent = claimed(10);
        Claim partly = claimed(10);
        Reserve seen = reserve();
        applied(store.giveBack(stripe, seen, List.of(partly), tails(15, 20), List.of(spent)));

        assertThat(reserve().tails()).isEqualTo(tails(15, 20));
        assertThat(reserve().current()).isEqualTo(seen.current());
        assertThat(reserve().usage()).isEqualTo(seen.usage());
        assertThat(claimAt(0)).isEmpty();
        assertThat(claimAt(10)).isEmpty();

        // The same return again is refused, whatever the tails are by now.
        refused(store.giveBack(stripe, seen, List.of(partly), tails(15, 20), List.of()));
        refused(store.giveBack(stripe, reserve(), List.of(partly), tails(15, 20), List.of()));
        applied(store.claimTail(stripe, reserve(), claim(1, 15, 20), List.of()));
        refused(store.giveBack(stripe, seen, List.of(partly), tails(15, 20), List.of()));
        assertThat(reserve().tails()).isEqualTo(Tails.NONE);
    }

    @Test
    void shouldTakeBackNothingOfAClaimThatIsNotOurs() {
        fill();
        Claim ours = claimed(10);
        Claim another = new Claim(1, ours.span(), UUID.randomUUID());
        refused(store.giveBack(stripe, reserve(), List.of(another), tails(5, 10), List.of()));
        // All or nothing: a valid claim does not help the other one.
        Claim second = claimed(10);
        refused(store.giveBack(stripe, reserve(), List.of(second, another), tails(5, 10, 15, 20), List.of(second)));

        assertThat(reserve().tails()).isEqualTo(Tails.NONE);
        assertThat(claimAt(0)).contains(ours);
        assertThat(claimAt(10)).contains(second);
    }

    @Test
    void shouldTakeBackNothingIfTheTailsOrTheIncarnationMoved() {
        fill();
        Claim first = claimed(10);
        Claim second = claimed(10);
        Reserve before = reserve();
        applied(store.giveBack(stripe, before, List.of(first), tails(5, 10), List.of()));
        refused(store.giveBack(stripe, before, List.of(second), tails(15, 20), List.of()));
        assertThat(reserve().tails()).isEqualTo(tails(5, 10));

        applied(store.claimTail(stripe, reserve(), claim(1, 5, 10), List.of()));
        Reserve old = reserve();
        applied(store.adopt(stripe, old, 2, 0));
        refused(store.giveBack(stripe, old, List.of(second), tails(15, 20), List.of()));
        assertThat(reserve()).isEqualTo(Reserve.empty(2, 0));
        assertThat(claimAt(10)).contains(second);
    }

    @Test
    void shouldClaimTheFrontOfATailOnce() {
        fill();
        Claim given = claimed(20);
        Claim spent = claimed(10);
        applied(store.giveBack(stripe, reserve(), List.of(given), tails(2, 5, 10, 20), List.of()));
        Reserve seen = reserve();
        Claim front = claim(1, 10, 14);
        applied(store.claimTail(stripe, seen, front, List.of(spent)));

        assertThat(reserve().tails()).isEqualTo(tails(2, 5, 14, 20));
        assertThat(claimAt(10)).contains(front);
        assertThat(claimAt(20)).isEmpty();
        assertThat(reserve().current()).isEqualTo(seen.current());

        refused(store.claimTail(stripe, seen, claim(1, 2, 5), List.of(front)));
        assertThat(reserve().tails()).isEqualTo(tails(2, 5, 14, 20));
        assertThat(claimAt(2)).isEmpty();
        assertThat(claimAt(10)).contains(front);
    }

    @Test
    void shouldDistinguishNoTailsFromTails() {
        fill();
        Claim given = claimed(20);
        Reserve none = reserve();
        applied(store.giveBack(stripe, none, List.of(given), tails(10, 20), List.of()));
        Claim taken = claim(1, 10, 20);
        applied(store.claimTail(stripe, reserve(), taken, List.of()));
        assertThat(reserve().tails()).isEqualTo(Tails.NONE);

        applied(store.giveBack(stripe, reserve(), List.of(taken), tails(15, 20), List.of()));
        assertThat(reserve().tails()).isEqualTo(tails(15, 20));
    }

    /** A write contains the whole reserve. If a part of it were stale, ids would be issued again. */
    @Test
    void shouldRefuseEveryStepIfAnyPartOfTheReserveHasMoved() {
        fill();
        Claim given = claimed(20);
        Claim held = claimed(10);
        applied(store.giveBack(stripe, reserve(), List.of(given), tails(10, 20), List.of()));
        Reserve seen = reserve();
        Grant second = granted(stripe, 2, 100);
        claimed(10);
        Reserve now = reserve();

        assertThat(await(store.claimTail(stripe, seen, claim(1, 10, 20), List.of())))
                .isEqualTo(new ClaimOutcome.Lost(now));
        assertThat(await(store.giveBack(stripe, seen, List.of(held), tails(10, 20, 25, 30), List.of())))
                .isEqualTo(new ClaimOutcome.Lost(now));
        assertThat(await(store.absorb(stripe, seen, second, NUMBERING))).isEqualTo(new ClaimOutcome.Lost(now));
        applied(store.absorb(stripe, now, second, NUMBERING));
        assertThat(await(store.claim(stripe, now, claim(1, 40, 50), List.of())))
                .isEqualTo(new ClaimOutcome.Lost(reserve()));
        assertThat(reserve().current()).isEqualTo(new Span(40, 100));
        assertThat(reserve().upcoming()).isEqualTo(second.span());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReadAClaimAndThoseBelowIt(boolean repair) {
        fill();
        Claim lowest = claimed(10);
        Claim lower = claimed(5);
        Claim ours = claimed(20);
        claimed(10);

        Standing all = await(store.standing(stripe, ours, 10, repair));
        assertThat(all.reserve()).isEqualTo(reserve());
        assertThat(all.claims()).extracting(Standing.Written::claim).containsExactly(ours, lower, lowest);
        assertThat(all.claims()).extracting(Standing.Written::micros).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(all.complete()).isTrue();

        Standing some = await(store.standing(stripe, ours, 2, repair));
        assertThat(some.claims()).extracting(Standing.Written::claim).containsExactly(ours, lower);
        assertThat(some.complete()).isFalse();

        applied(store.forget(stripe, ours));
        assertThat(await(store.standing(stripe, ours, 1, repair)).claims())
                .extracting(Standing.Written::claim)
                .containsExactly(lower);
        applied(store.adopt(stripe, reserve(), 2, 0));
        assertThat(await(store.standing(stripe, lower, 10, repair)).reserve()).isEqualTo(Reserve.empty(2, 0));
    }

    @Test
    void shouldForgetAClaimByItsTokenOnly() {
        fill();
        Claim ours = claimed(10);
        refused(store.forget(stripe, new Claim(1, ours.span(), UUID.randomUUID())));
        assertThat(claimAt(0)).contains(ours);

        applied(store.forget(stripe, ours));
        assertThat(claimAt(0)).isEmpty();
        refused(store.forget(stripe, ours));
    }

    @Test
    void shouldDropAllButTheClaimsWhenItAdoptsAnIncarnation() {
        fill();
        Claim held = claimed(10);
        Claim given = claimed(10);
        applied(store.giveBack(stripe, reserve(), List.of(given), tails(15, 20), List.of()));
        applied(store.absorb(stripe, reserve(), granted(stripe, 2, 100), NUMBERING));
        Reserve seen = reserve();
        applied(store.adopt(stripe, seen, 2, 7));

        assertThat(reserve()).isEqualTo(Reserve.empty(2, 7));
        assertThat(claimAt(0)).contains(held);

        refused(store.adopt(stripe, seen, 3, 0));
        refused(store.claim(stripe, seen, claim(1, 20, 30), List.of()));
        refused(store.claimTail(stripe, seen, claim(1, 15, 20), List.of()));
        refused(store.absorb(stripe, seen, new Grant(1, 8, new Span(500, 600)), NUMBERING));
        assertThat(reserve()).isEqualTo(Reserve.empty(2, 7));
    }

    @Test
    void shouldKeepStripesApart() {
        fill();
        applied(store.establish(other, 1, 0, List.of()));
        Grant others = granted(other, 1, 100);
        applied(store.absorb(other, reserve(other), others, NUMBERING));
        Reserve untouched = reserve(other);

        Claim ours = claimed(10);
        applied(store.giveBack(stripe, reserve(), List.of(ours), tails(5, 10), List.of()));
        Claim theirs = claim(1, 100, 110);
        assertThat(reserve(other)).isEqualTo(untouched);
        applied(store.claim(other, untouched, theirs, List.of()));
        applied(store.adopt(stripe, reserve(), 2, 0));

        assertThat(reserve(other).current()).isEqualTo(new Span(110, 200));
        assertThat(reserve(other).tails()).isEqualTo(Tails.NONE);
        assertThat(await(store.claimAt(other, 1, 100))).contains(theirs);
        assertThat(claimAt(100)).isEmpty();
    }
}
