package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedLink.Condition;
import dev.cassidy.sequence.protocol.Mutations;
import dev.cassidy.sequence.store.SequenceEntry;
import java.lang.reflect.Method;
import java.util.function.Supplier;

/** Errors in how the protocol is written, judged or carried out. Each must be found. */
enum PlantedBug {
    // Misjudged outcomes.
    SERVED_BEFORE_PROOF(Defect.of(DefectiveStore.UnknownTakenForClaimed::new)),
    REFUSAL_NOT_LOOKED_AT(Defect.of(DefectiveStore.LostTakenForClaimed::new)),
    PROOF_BY_NEXT_ALONE(Defect.of(DefectiveStore.ProofByPosition::new)),
    PROOF_WITHOUT_TOKEN(Defect.of(DefectiveStore.AnyClaimTakenForOurs::new)),
    ONE_TOKEN_FOR_A_PROCESS(Defect.SHARED_TOKENS),
    MIXED_SERIAL_LEVELS(Defect.MIXED_SERIAL_LEVELS),
    HOLDERS_TOLD_APART_BY_THEIR_PROCESS(Defect.SHARED_NAMES),

    // Wrong steps.
    GRANT_ABSORBED_TWICE(Defect.of(DefectiveStore.GrantAbsorbedTwice::new)),
    RESERVE_CARRIED_OVER_A_RESEED(Defect.of(DefectiveStore.IncarnationIgnored::new)),
    RESERVE_MADE_AGAIN_AT_GRANT_0(Defect.of(DefectiveStore.GrantsForgotten::new)),
    GRANT_NUMBERS_SHARED_BY_STRIPES(Defect.of(DefectiveStore.GrantsSharedByStripes::new)),
    CLAIM_FORGOTTEN_BEFORE_IT_IS_SPENT(Defect.of(DefectiveStore.UnspentClaimForgotten::new)),

    // Statements that compare too little.
    CLAIM_WITHOUT_COMPARING_THE_RESERVE(Defect.without(Condition.CLAIM_RESERVE)),
    TAIL_CLAIMED_WITHOUT_COMPARING_THE_RESERVE(Defect.without(Condition.TAIL_RESERVE)),
    TAIL_RETURNED_WITHOUT_COMPARING_THE_RESERVE(Defect.without(Condition.RETURN_RESERVE)),
    TAIL_RETURNED_TWICE(Defect.without(Condition.RETURN_TOKEN)),
    ABSORBED_WITHOUT_COMPARING_THE_RESERVE(Defect.without(Condition.ABSORB_RESERVE)),
    ABSORBED_WITHOUT_THE_GRANT_NUMBER(
            () -> new Mutant().with(Mutations.AnyGrantWillDo.class, "store.Reserve", "canAbsorb")),
    ADOPTED_WITHOUT_THE_INCARNATION(Defect.without(Condition.ADOPT_INCARNATION)),
    GRANTED_WITHOUT_THE_POSITION(Defect.without(Condition.GRANT_NEXT)),
    GRANTED_TWICE_UNDER_ONE_NUMBER(Defect.without(Condition.GRANT_ONCE)),

    // The registry's wrong steps and misjudged outcomes.
    ACKNOWLEDGED_WITH_HOLDERS(Defect.ofCatalog(DefectiveCatalog.HoldersOverlooked::new)),
    ACKNOWLEDGED_BEFORE_ADOPTING(Defect.ofCatalog(DefectiveCatalog.ClaimsReadBeforeTheReservesMoved::new)),
    ACKNOWLEDGED_WITHOUT_ADOPTING(Defect.ofRegistry(DefectiveStore.NothingMoved::new)),
    LOST_CLAIMS_NOT_RECORDED(Defect.ofRegistry(DefectiveStore.LostClaimsForgotten::new)),
    OTHER_DATACENTERS_NOT_WAITED_FOR(Defect.ofCatalog(DefectiveCatalog.OthersOverlooked::new)),
    UNKNOWN_RAISE_TAKEN_FOR_DONE(Defect.ofCatalog(DefectiveCatalog.UnknownTakenForReplaced::new)),
    CREATED_TWICE(Defect.without(Condition.INSERT_ONCE)),
    RAISED_WITHOUT_COMPARING_NEXT(Defect.without(Condition.REPLACE_NEXT)),
    COMPLETE_WITHOUT_ACKNOWLEDGEMENTS(
            () -> new Mutant().with(Mutations.NobodyBehind.class, "protocol.RaiseProgress", "datacentersBehind")),
    CREATED_ANEW_WITHOUT_ACKNOWLEDGEMENTS(
            () -> new Mutant().with(Mutations.NobodyBehindADrop.class, "protocol.RaiseProgress", "datacentersBehind")),
    CREATED_ANEW_BELOW_WHAT_WAS_GRANTED(
            () -> new Mutant().with(Mutations.AnywhereWillDo.class, "protocol.SequenceRegistry", "requirePast")),
    GENERATIONS_NOT_TOLD_APART(
            () -> new Mutant().with(Mutations.OneGeneration.class, "store.Incarnations", "sameGeneration")),
    FLOOR_RAISED_OVER_GRANTED_IDS(
            () -> new Mutant().with(Mutations.AlwaysUntouched.class, "store.SequenceEntry", "untouched")),
    RECALL_JUDGED_BY_NEXT(() -> new Mutant()
            .calling(
                    "protocol.Raises",
                    "lambda$recallPast$",
                    method(SequenceEntry.class, "origin"),
                    method(SequenceEntry.class, "next"))),
    RECALLED_ONE_SHORT(() -> new Mutant().with(Mutations.OneIdLess.class, "protocol.Raises", "recallPast")),

    SEEDED_ONE_SHORT(() -> new Mutant().with(Mutations.OneIdLess.class, "protocol.Raises", "seed")),
    RESTARTED_ONE_SHORT(() -> new Mutant().with(Mutations.OneIdLess.class, "protocol.Raises", "restart")),
    RECLAIMED_ACROSS_A_RAISE(Defect.ofRegistry(DefectiveStore.ReclaimedAcrossARaise::new)),
    RELEASED_FOR_ANOTHER_DATACENTER(() -> new Mutant().with(Mutations.ForItself.class, "protocol.Raises", "write")),

    // The allocator itself.
    CLAIM_IN_DOUBT_NOT_REMEMBERED(() -> new Mutant()
            .with(Mutations.NotRemembered.class, "protocol.Leftovers", "add")
            .with(Mutations.NotRemembered.class, "protocol.Leftovers", "abandoned")),
    RETURN_IN_DOUBT_TAKEN_FOR_DONE(Defect.of(DefectiveStore.UnknownReturnTakenForDone::new)),
    ROW_LEFT_BEHIND(() -> new Mutant().with(Mutations.NothingRemoved.class, "protocol.Leftovers", "removeBefore")),
    BLOCK_PUBLISHED_TWICE(() -> new Mutant().with(Mutations.PublishedAgain.class, "protocol.NextBlock", "publish")),
    TAIL_SERVED_AFTER_ITS_RETURN(() -> new Mutant().with(Mutations.ServedOn.class, "protocol.CurrentBlock", "end")),
    CHUNK_ISSUED_AFTER_THE_REVOCATION(
            () -> new Mutant().with(Mutations.NeverRevoked.class, "protocol.Chunk", "revoke")),
    CLAIM_SPENT_WHILE_THREADS_HAVE_IDS_OF_IT(
            () -> new Mutant().with(Mutations.NothingTaken.class, "protocol.Block", "hasChunks")),
    CLAIM_BEYOND_ITS_RANGE(() -> new Mutant().with(Mutations.Unclipped.class, "store.Span", "first")),
    TAIL_BEFORE_WHAT_WAS_ISSUED(() -> new Mutant().with(Mutations.TailsOutOfOrder.class, "store.Tails", "choose")),
    TAIL_NOT_RETURNED(() -> new Mutant().with(Mutations.NothingReturned.class, "protocol.Returns", "giveBack")),
    IDLE_BLOCK_KEPT(() -> new Mutant().with(Mutations.IdleKept.class, "protocol.Blocks", "giveBackIdle")),
    CLAIM_NOT_TRIED_AGAIN(() -> new Mutant()
            .with(Mutations.NeverTriedAgain.class, "protocol.RangeClaimer$Attempt", "expired")
            .with(Mutations.NoTimeLeft.class, "protocol.Blocks", "mayTryAgain")),
    RESERVE_SET_BACK_UNNOTICED(
            () -> new Mutant().with(Mutations.ClaimsNotRemembered.class, "protocol.NextBlock", "accept")),
    GLOBAL_ROW_SET_BACK_UNNOTICED(() -> new Mutant()
            .with(Mutations.GrantsNotRemembered.class, "store.Reserve", "highest")
            .with(Mutations.GrantNotLookedFor.class, "protocol.Refiller", "requireKnown"));

    /** Each planted bug must be found within this number of schedules. */
    static final int SCHEDULES = 60_000;

    private final Supplier<Mutant.Simulation> simulation;

    PlantedBug(Defect defect) {
        this.simulation =
                () -> seed -> new AllocatorSimulation(seed, defect).run().violations();
    }

    PlantedBug(MutantMaker mutant) {
        this.simulation = () -> mutant.get().simulation();
    }

    /** Its type distinguishes the two constructors. */
    @FunctionalInterface
    private interface MutantMaker extends Supplier<Mutant> {}

    private static Method method(Class<?> type, String name, Class<?>... parameters) {
        try {
            return type.getMethod(name, parameters);
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException("must be a public method: " + type + "." + name, e);
        }
    }

    Mutant.Simulation simulation() {
        return simulation.get();
    }
}
