package dev.cassidy.reliability.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.SequenceOutlook;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What each step of the registry compares, writes, and leaves unchanged. The simulated catalog and the real catalog
 * both run it. So what the simulation proves of the registry also holds for a registry on the real catalog.
 */
public abstract class SequenceCatalogContract {

    private static final String HERE = "dc1";
    private static final String ELSEWHERE = "dc2";

    private SequenceCatalog catalog;
    private RangeStore store;
    private static final Numbering NUMBERING = new Numbering(7, -2);

    private SequenceSpec spec;
    private String name;
    private Stripe stripe;

    /** Returns a catalog of datacenter dc1. */
    protected abstract SequenceCatalog catalog();

    /** Returns a store on the same tables, used by process "contract". */
    protected abstract RangeStore store();

    protected abstract <T> T await(CompletionStage<T> stage);

    @BeforeEach
    void nameSequence() {
        catalog = catalog();
        store = store();
        name = "catalog_" + UUID.randomUUID().toString().replace('-', '_');
        spec = new SequenceSpec(name, IdentityType.INT, 7, -2, -1_000, 7).withStripes(2);
        stripe = new Stripe(name, 1);
    }

    private void applied(CompletionStage<ClaimOutcome> step) {
        assertThat(await(step)).isInstanceOf(ClaimOutcome.Claimed.class);
    }

    private void refused(CompletionStage<ClaimOutcome> step) {
        assertThat(await(step)).isInstanceOf(ClaimOutcome.Lost.class);
    }

    private SequenceEntry entry(int incarnation, boolean ready, boolean dropped, long next, long origin, long floor) {
        return new SequenceEntry(spec, incarnation, ready, dropped, 0, next, origin, floor);
    }

    @Test
    void shouldReplaceAnEntryAndRecordWhatIsTaken() {
        SequenceEntry seen = created();
        assertThat(await(catalog.history(name))).isEqualTo(new GrantHistory(List.of(), List.of()));
        SequenceEntry after = entry(1 << 20, true, false, 0, 0, 0);
        GrantHistory.Taken taken = new GrantHistory.Taken(-900, -51);

        refused(catalog.replace(entry(3, true, false, 31, 20, 10), after, taken));
        assertThat(await(catalog.history(name)).taken()).isEmpty();
        applied(catalog.replace(seen, after, taken));
        refused(catalog.replace(seen, after, taken));

        assertThat(await(catalog.find(name))).contains(after);
        assertThat(await(catalog.history(name)).taken()).containsExactly(taken);
        assertThat(await(catalog.participations(name))).isEmpty();
        applied(catalog.replace(after, entry((1 << 20) + 1, false, true, 0, 0, 0)));
        assertThat(await(catalog.history(name)).taken()).containsExactly(taken);
    }

    @Test
    void shouldReadEveryGrant() {
        created();
        applied(store.establish(stripe, 3, 0, List.of()));
        Ledger ledger = await(store.ledger(name)).orElseThrow();
        applied(store.grant(stripe, ledger, new Grant(3, 1, new Span(30, 40)), UUID.randomUUID()));
        ledger = await(store.ledger(name)).orElseThrow();
        applied(store.grant(stripe, ledger, new Grant(3, 2, new Span(40, 45)), UUID.randomUUID()));
        SequenceEntry raised = entry(4, true, false, 50, 50, 10);
        applied(catalog.replace(await(catalog.find(name)).orElseThrow(), raised));
        applied(catalog.acknowledge(name, 4, HERE));
        ledger = await(store.ledger(name)).orElseThrow();
        applied(store.grant(stripe, ledger, new Grant(4, 1, new Span(50, 60)), UUID.randomUUID()));

        assertThat(await(catalog.history(name)).grants())
                .containsExactlyInAnyOrder(
                        new GrantHistory.Granted(3, HERE, 1, 1, new Span(30, 40)),
                        new GrantHistory.Granted(3, HERE, 1, 2, new Span(40, 45)),
                        new GrantHistory.Granted(4, HERE, 1, 1, new Span(50, 60)));
    }

    private SequenceEntry created() {
        SequenceEntry entry = entry(3, true, false, 30, 20, 10);
        applied(catalog.insert(entry));
        return entry;
    }

    private void granted(int number, int incarnation) {
        Ledger ledger = await(store.ledger(name)).orElseThrow();
        applied(store.grant(
                stripe, ledger, new Grant(incarnation, number, ledger.free().first(10)), UUID.randomUUID()));
    }

    @Test
    void shouldReturnNothingForMissingRows() {
        assertThat(await(catalog.find(name))).isEmpty();
        assertThat(await(catalog.findCopy(name))).isEmpty();
        assertThat(await(catalog.participations(name))).isEmpty();
        assertThat(await(catalog.claims(stripe, 0, 100))).isEmpty();
        assertThat(await(catalog.outlook(name))).isEmpty();
        refused(catalog.replace(entry(1, true, false, 0, 0, 0), entry(2, true, false, 0, 0, 0)));
        refused(catalog.replaceCopy(entry(1, true, false, 0, 0, 0), entry(2, true, false, 0, 0, 0)));
    }

    @Test
    void shouldNameItsDatacenter() {
        assertThat(catalog.datacenter()).isEqualTo(HERE);
    }

    @Test
    void shouldCreateASequenceOnce() {
        SequenceEntry entry = created();

        refused(catalog.insert(entry(1, false, false, 0, 0, 0)));

        assertThat(await(catalog.find(name))).contains(entry);
    }

    @Test
    void shouldCreateNothingInThePlaceOfADroppedSequence() {
        applied(catalog.insert(entry(2, false, true, 30, 30, 10)));

        refused(catalog.insert(entry(1, true, false, 0, 0, 0)));
    }

    @Test
    void shouldReplaceASequenceWithItsSpecification() {
        SequenceEntry seen = created();
        SequenceSpec other = new SequenceSpec(name, IdentityType.BIGINT, -99, -1, -5_000, 50);
        SequenceEntry after = new SequenceEntry(other, 4, true, false, 0, 0, 0, 0);

        applied(catalog.replace(seen, after));

        assertThat(await(catalog.find(name))).contains(after);
        assertThat(await(store.ledger(name)).orElseThrow().free().hi()).isEqualTo(other.count());
    }

    @Test
    void shouldReplaceOnlyTheEntryThatWasSeen() {
        SequenceEntry entry = created();
        SequenceEntry after = entry(4, true, false, 40, 40, 10);

        refused(catalog.replace(entry(2, true, false, 30, 20, 10), after));
        refused(catalog.replace(entry(3, false, false, 30, 20, 10), after));
        refused(catalog.replace(entry(3, true, true, 30, 20, 10), after));
        refused(catalog.replace(entry(3, true, false, 29, 20, 10), after));
        refused(catalog.replace(entry(3, true, false, 30, 19, 10), after));
        refused(catalog.replace(entry(3, true, false, 30, 20, 9), after));

        assertThat(await(catalog.find(name))).contains(entry);
    }

    @Test
    void shouldNotReplaceAnEntryThatWasGrantedMeanwhile() {
        SequenceEntry seen = created();
        granted(1, 3);

        refused(catalog.replace(seen, entry(4, true, false, 30, 30, 10)));

        assertThat(await(catalog.find(name))).contains(entry(3, true, false, 40, 20, 10));
    }

    @Test
    void shouldGrantNothingOfAnUnreadyOrDroppedSequence() {
        SequenceEntry ready = created();
        Ledger ledger = await(store.ledger(name)).orElseThrow();
        Grant grant = new Grant(3, 1, ledger.free().first(10));
        SequenceEntry waiting = entry(3, false, false, 30, 20, 10);
        applied(catalog.replace(ready, waiting));

        refused(store.grant(stripe, ledger, grant, UUID.randomUUID()));

        applied(catalog.replace(waiting, entry(3, false, true, 30, 20, 10)));
        refused(store.grant(stripe, ledger, grant, UUID.randomUUID()));
        Throwable refusal = await(store.ledger(name).handle((none, thrown) -> cause(thrown)));
        assertThat(refusal).isInstanceOf(SequenceException.Dropped.class);
    }

    private static Throwable cause(Throwable thrown) {
        return thrown instanceof CompletionException ? thrown.getCause() : thrown;
    }

    @Test
    void shouldReturnTheDatacentersThatWereGrantedOrHaveAcknowledged() {
        created();
        granted(1, 3);
        granted(2, 3);

        applied(catalog.acknowledge(name, 3, HERE));
        refused(catalog.acknowledge(name, 3, HERE));
        applied(catalog.acknowledge(name, 3, ELSEWHERE));
        applied(catalog.acknowledge(name, 4, HERE));

        assertThat(await(catalog.participations(name)))
                .containsExactlyInAnyOrder(
                        new Participation(3, HERE, true, true),
                        new Participation(3, ELSEWHERE, false, true),
                        new Participation(4, HERE, false, true));
    }

    @Test
    void shouldNotTakeAnAcknowledgementForAGrant() {
        created();
        applied(catalog.acknowledge(name, 3, HERE));

        assertThat(await(store.highestGrant(new Stripe(name, 0), 3))).isZero();
        assertThat(await(store.grantAt(new Stripe(name, 0), 3, 1))).isEmpty();
        assertThat(await(catalog.find(name))).contains(entry(3, true, false, 30, 20, 10));
    }

    @Test
    void shouldCopyASequenceOnce() {
        applied(catalog.insertCopy(entry(3, true, false, 30, 20, 10)));

        refused(catalog.insertCopy(entry(4, true, false, 30, 20, 10)));

        assertThat(await(catalog.findCopy(name))).contains(entry(3, true, false, 10, 10, 10));
    }

    @Test
    void shouldReplaceOnlyTheCopyThatWasSeen() {
        applied(catalog.insertCopy(entry(3, true, false, 30, 20, 10)));
        SequenceEntry after = entry(4, false, true, 40, 40, 20);

        refused(catalog.replaceCopy(entry(2, true, false, 10, 10, 10), after));
        refused(catalog.replaceCopy(entry(3, false, false, 10, 10, 10), after));
        refused(catalog.replaceCopy(entry(3, true, true, 10, 10, 10), after));
        refused(catalog.replaceCopy(entry(3, true, false, 10, 10, 11), after));
        // A copy has no next and no origin to compare.
        applied(catalog.replaceCopy(entry(3, true, false, 5, 5, 10), after));

        assertThat(await(catalog.findCopy(name))).contains(entry(4, false, true, 20, 20, 20));
    }

    private SequenceGlimpse glimpse(int incarnation, long floor, int acknowledged) {
        return new SequenceGlimpse(name, incarnation, NUMBERING, floor, acknowledged);
    }

    /** What ordinals mean is part of what was seen. */
    @Test
    void shouldReplaceNothingOfAnotherCreation() {
        created();
        applied(catalog.insertCopy(entry(3, true, false, 30, 20, 10)));
        SequenceEntry after = entry(4, true, false, 40, 40, 10);
        for (SequenceSpec other : List.of(
                new SequenceSpec(name, IdentityType.INT, 5, -2, -1_000, 7).withStripes(2),
                new SequenceSpec(name, IdentityType.INT, 7, -1, -1_000, 7).withStripes(2))) {
            SequenceEntry seen = new SequenceEntry(other, 3, true, false, 0, 30, 20, 10);
            refused(catalog.replace(seen, after));
            refused(catalog.replaceCopy(seen, after));
        }
    }

    @Test
    void shouldShowTheNewestVersions() {
        created();
        applied(catalog.insertCopy(entry(2, true, false, 30, 20, 5)));

        SequenceGlimpse here = glimpse(2, 5, 0);
        assertThat(await(catalog.glimpses())).contains(glimpse(3, 10, 0));
        assertThat(await(catalog.copyGlimpses())).contains(here);
        assertThat(await(catalog.outlook(name))).contains(new SequenceOutlook(glimpse(3, 10, 0), Optional.of(here)));

        applied(catalog.replaceCopy(entry(2, true, false, 5, 5, 5), entry(4, true, false, 5, 5, 5)));
        assertThat(await(catalog.outlook(name)).orElseThrow().everywhere()).isEqualTo(glimpse(4, 5, 0));
    }

    @Test
    void shouldShowASequenceThatIsNotCopiedHere() {
        created();

        assertThat(await(catalog.outlook(name))).contains(new SequenceOutlook(glimpse(3, 10, 0), Optional.empty()));
    }

    @Test
    void shouldNoteInTheCopyOfAnIncarnationThatItIsAcknowledged() {
        await(catalog.noteAcknowledged(name, 3));
        assertThat(await(catalog.findCopy(name))).as("makes no copy").isEmpty();

        applied(catalog.insertCopy(entry(3, true, false, 30, 20, 10)));
        await(catalog.noteAcknowledged(name, 2));
        assertThat(await(catalog.copyGlimpses())).contains(glimpse(3, 10, 0));

        await(catalog.noteAcknowledged(name, 3));
        assertThat(await(catalog.copyGlimpses())).contains(glimpse(3, 10, 3));

        applied(catalog.replaceCopy(entry(3, true, false, 10, 10, 10), entry(4, true, false, 40, 40, 10)));
        assertThat(await(catalog.copyGlimpses())).contains(glimpse(4, 10, 3));
    }

    @Test
    void shouldReadTheClaimsOfAStripeByIncarnation() {
        Claim lost1 = new Claim(1, new Span(0, 10), UUID.randomUUID());
        Claim lost2 = new Claim(2, new Span(10, 30), UUID.randomUUID());
        applied(store.establish(stripe, 3, 0, List.of(lost1, lost2)));
        applied(store.absorb(stripe, Reserve.empty(3, 0), new Grant(3, 1, new Span(30, 60)), NUMBERING));
        Claim claim = new Claim(3, new Span(30, 35), UUID.randomUUID());
        applied(store.claim(stripe, await(store.reserve(stripe)).orElseThrow(), claim, List.of()));

        assertThat(await(catalog.claims(stripe, 1, 3)))
                .extracting(HeldClaim::claim, HeldClaim::holder)
                .containsExactlyInAnyOrder(tuple(lost1, "unknown"), tuple(lost2, "unknown"));
        assertThat(await(catalog.claims(stripe, 3, 4)))
                .extracting(HeldClaim::stripe, HeldClaim::claim, HeldClaim::holder)
                .containsExactly(tuple(stripe, claim, "contract"));
        assertThat(await(catalog.claims(stripe, 3, 4)).get(0).age()).isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(await(catalog.claims(new Stripe(name, 0), 0, 100))).isEmpty();
    }

    @Test
    void shouldNotReadForgottenClaims() {
        Claim lost = new Claim(1, new Span(0, 10), UUID.randomUUID());
        applied(store.establish(stripe, 3, 0, List.of(lost)));
        refused(store.forget(stripe, lost));
        refused(store.forgetLost(stripe, new Claim(1, lost.span(), UUID.randomUUID())));
        assertThat(await(catalog.claims(stripe, 0, 100)))
                .extracting(HeldClaim::claim, HeldClaim::lost)
                .containsExactly(tuple(lost, true));

        applied(store.forgetLost(stripe, lost));

        assertThat(await(catalog.claims(stripe, 0, 100))).isEmpty();
    }

    /** The process that held the first of them may be alive, and removes its own row as usual. */
    @Test
    void shouldKeepTheRowForLostClaimsWhenTheFirstOfThemIsSpent() {
        Claim first = new Claim(3, new Span(0, 5), UUID.randomUUID());
        Claim lost = new Claim(3, new Span(0, 10), UUID.randomUUID());
        applied(store.establish(stripe, 3, 1, List.of(lost)));
        applied(store.absorb(stripe, Reserve.empty(3, 1), new Grant(3, 2, new Span(30, 60)), NUMBERING));
        Claim next = new Claim(3, new Span(30, 35), UUID.randomUUID());
        Reserve reserve = await(store.reserve(stripe)).orElseThrow();
        assertThat(await(store.claim(stripe, reserve, next, List.of(first))))
                .isEqualTo(new ClaimOutcome.Lost(reserve, List.of(first)));
        applied(store.claim(stripe, reserve, next, List.of()));

        assertThat(await(catalog.claims(stripe, 3, 4)))
                .extracting(HeldClaim::claim, HeldClaim::lost)
                .containsExactlyInAnyOrder(tuple(lost, true), tuple(next, false));
    }

    @Test
    void shouldRememberRemovedRowsForTenDays() {
        assertThat(await(catalog.forgottenFor())).isEqualTo(Duration.ofDays(10));
    }
}
