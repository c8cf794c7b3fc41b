package dev.cassidy.reliability.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.model.Model.Run;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * TLC explores the model of the protocol, {@code src/test/tla/Sequence.tla}, completely for small constants. What
 * has been explored is recorded, see {@link Model}. {@code -Dmodel.long=true} uses larger constants, which take hours and may
 * need {@code -Dmodel.heap=12g}. Each planted bug omits one line of the protocol, and must break the property that this line
 * ensures.
 */
@Tag("long")
class ModelCheckTest {

    private static final Model MODEL = new Model("MC");
    private static final boolean LONG = Boolean.getBoolean("model.long");

    /**
     * A temporal property: it is violated not by a single state, but by a behaviour that never reaches what the
     * property promises.
     */
    private static final String RAISES_COMPLETE = "RaisesComplete";

    private static final String HEAP = "-Xmx" + System.getProperty("model.heap", "1g");

    /** The second compiler pays off only in long runs. */
    private static final List<String> OPTIONS = LONG ? List.of(HEAP) : List.of(HEAP, "-XX:TieredStopAtLevel=1");

    private enum Configuration {
        /** Grants, absorption and claims of two claimers in one stripe and one in another. */
        CLAIMS(20_000, Map.of("Crashes", "1", "Prefetch", "TRUE", "Space", "4")),
        /** Tails of two claimers in one stripe. */
        TAILS(13_000, Map.of("BlockSizes", "{1, 2}", "Unknowns", "2", "Crashes", "1", "Prefetch", "TRUE")),
        /** A reseed of two datacenters. */
        RESEED(26_000, Map.of("Space", "3", "Unknowns", "2", "Crashes", "1", "Tails", "TRUE", "Reseeds", "2")),
        /** A reseed while tails are given back and taken. */
        RECALL(36_000, Map.of("Space", "3", "GrantSizes", "{1, 2}", "Unknowns", "2", "Crashes", "1")),
        /** A reserve that is joined, deleted and joined again. */
        JOIN(21_000, Map.of("Space", "4", "Unknowns", "3", "Crashes", "1", "BlockSizes", "{1, 2}", "Losses", "2")),
        /** A reserve that is deleted and joined again before, during or after a reseed of the sequence. */
        LOST(20_000, Map.of("Space", "3", "Unknowns", "2", "Crashes", "1", "Reseeds", "2", "Losses", "2")),
        /** Claims of a crashed process that an operator gives back before, during or after a reseed of the sequence. */
        RECLAIM(19_000, Map.of("Space", "3", "GrantSizes", "{1, 2}", "BlockSizes", "{1, 2}", "Unknowns", "2")),
        /** A sequence that is advanced past an id, twice. */
        ADVANCE(8_500, Map.of("Space", "3", "GrantSizes", "{1, 2}", "Unknowns", "2", "Crashes", "1", "Tails", "TRUE")),
        /** A sequence that is dropped and created again. */
        AGAIN(25_000, Map.of("Unknowns", "2", "Crashes", "1", "Tails", "TRUE")),
        /**
         * Whether a raise completes after all processes have answered. Uses no symmetry, because TLC cannot check
         * liveness with it: two claimers of two ids would take as long as all other configurations together.
         */
        SETTLES(5_000, Map.of("Space", "3", "Unknowns", "2")),
        /** The same with one claimer and two ids, so that grants follow each other. */
        ALONE(17_000, Map.of("Space", "3", "Unknowns", "2"));

        private final long leastStates;
        private final Map<String, String> larger;

        Configuration(long leastStates, Map<String, String> larger) {
            this.leastStates = leastStates;
            this.larger = larger;
        }

        Found check() throws IOException, InterruptedException {
            String file = name().toLowerCase(Locale.ROOT);
            return LONG
                    ? MODEL.explore(new Run("long-" + file, file, larger, List.of()), OPTIONS)
                    : MODEL.check(new Run(file, file, Map.of(), List.of()), OPTIONS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldWhateverHappens(Configuration configuration) throws Exception {
        Found found = configuration.check();

        assertThat(found.exitCode()).as(found.account()).isEqualTo(Found.HOLDS);
        // A model in which nothing happens proves nothing. The limits are a little below today's numbers of states.
        assertThat(found.states()).as(found.account()).isGreaterThan(configuration.leastStates);
    }

    /**
     * An event that must be possible: the specification has an invariant of that name that denies it, and TLC must find
     * it violated.
     */
    private enum Event {
        ID_PAST_AN_ADVANCE("advance", "NoIdPastAnAdvance", Map.of()),
        ID_OF_THE_NEXT_GENERATION("again", "NoIdOfTheNextGeneration", Map.of()),
        /** Without tails, only an operator gives anything back. */
        RECLAIM("reclaim", "NothingReclaimed", Map.of("Tails", "FALSE")),
        RAISE_COMPLETE_AFTER_A_LOSS_AND_A_CRASH("settles", "NoRaiseCompleteAfterALossAndACrash", Map.of());

        private final String configuration;
        private final String denial;
        private final Map<String, String> constants;

        Event(String configuration, String denial, Map<String, String> constants) {
            this.configuration = configuration;
            this.denial = denial;
            this.constants = constants;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBePossible(Event event) throws Exception {
        Found found = MODEL.check(
                new Run("event-" + event.configuration, event.configuration, event.constants, List.of(event.denial)),
                OPTIONS);

        assertThat(found.violated()).as(found.account()).isEqualTo(event.denial);
    }

    private enum PlantedBug {
        PROOF_BY_POSITION("claims", "NoIdTwice"),
        SERVED_BEFORE_PROOF("claims", "NoIdTwice"),
        TOKEN_PER_PROCESS("claims", "NoIdTwice"),
        ABSORB_WITHOUT_GRANT_NUMBER("claims", "NoIdTwice"),
        CLAIM_WITHOUT_CLIPPING("claims", "NoIdTwice"),
        GRANT_WITHOUT_CLIPPING("claims", "BelowNext"),
        STRIPES_SHARE_GRANT_NUMBERS("claims", "NoIdTwice"),
        RESERVE_RE_CREATED_AT_GRANT_0("join", "NoIdTwice"),
        TAIL_RETURNED_TWICE("tails", "NoIdTwice"),
        TAIL_SERVED_AFTER_ITS_RETURN("tails", "NoIdTwice"),
        TAKE_WITHOUT_COMPARING_FREE("tails", "NoIdTwice"),
        GIVE_BACK_WITHOUT_COMPARING_FREE("tails", "NoIdTwice"),
        TAIL_TAKEN_BELOW_WHAT_WAS_SERVED("tails", "ProcessOrder"),
        GIVE_BACK_WITHOUT_INCARNATION("recall", "NothingRecalledIsIssued"),
        ADOPT_KEEPS_THE_TAILS("recall", "NothingRecalledIsIssued"),
        ABSORB_WITHOUT_INCARNATION("reseed", "NothingRecalledIsIssued"),
        GRANT_WITHOUT_INCARNATION("reseed", "OlderGrantsBelowOrigin"),
        COMPLETE_WITHOUT_ACKNOWLEDGEMENTS("reseed", "NothingRecalledIsIssued"),
        ACKNOWLEDGED_BEFORE_ADOPTING("reseed", "NothingRecalledIsIssued"),
        ACKNOWLEDGED_WITH_HOLDERS("reseed", "NothingRecalledIsIssued"),
        LOST_CLAIMS_NOT_RECORDED("lost", "NothingRecalledIsIssued"),
        LOST_CLAIMS_UNDER_THE_KEY_OF_THE_FIRST("lost", "NothingRecalledIsIssued"),
        LEFTOVERS_OF_THE_CURRENT_INCARNATION_REMOVED("reseed", "NothingRecalledIsIssued"),
        RECLAIM_WITHOUT_INCARNATION("reclaim", "NothingRecalledIsIssued"),
        RECLAIM_OF_WHAT_WAS_USED("reclaim", "NoIdTwice"),
        RECALL_JUDGED_BY_NEXT("advance", "NothingRecalledIsIssued"),
        RECALL_UP_TO_THE_ID_ALONE("advance", "NothingRecalledIsIssued"),
        FLOOR_WITHOUT_ACKNOWLEDGEMENTS("advance", "NothingRecalledIsIssued"),
        CREATED_AGAIN_WITHOUT_ACKNOWLEDGEMENTS("again", "NothingRecalledIsIssued"),
        CLAIMED_ACROSS_GENERATIONS("again", "NoIdTwice"),
        CLAIM_IN_DOUBT_NOT_REMEMBERED("settles", RAISES_COMPLETE),
        REMOVAL_IN_DOUBT_NOT_REMEMBERED("settles", RAISES_COMPLETE),
        LEFTOVERS_REMOVED_BEFORE_THE_RESERVE_MOVED("settles", RAISES_COMPLETE);

        private final String configuration;
        private final String broken;

        PlantedBug(String configuration, String broken) {
            this.configuration = configuration;
            this.broken = broken;
        }

        /** Returns the name of the bug in the specification. */
        String defect() {
            return name().toLowerCase(Locale.ROOT)
                    .replace('_', ' ')
                    .replace("give back", "give-back")
                    .replace("re created", "re-created");
        }

        boolean isTemporal() {
            return broken.equals(RAISES_COMPLETE);
        }

        Run run() {
            // A bug of a temporal property is checked against that property only, because TLC would find the violation
            // of
            // an invariant earlier.
            return new Run(
                    "bug-" + defect(),
                    configuration,
                    Map.of("Defect", '"' + defect() + '"'),
                    isTemporal() ? List.of() : List.of(broken));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindThePlantedBug(PlantedBug bug) throws Exception {
        Found found = MODEL.check(bug.run(), OPTIONS);

        assertThat(found.violated()).as(found.account()).isEqualTo(bug.isTemporal() ? "" : bug.broken);
        assertThat(found.exitCode())
                .as(found.account())
                .isEqualTo(bug.isTemporal() ? Found.TEMPORAL_PROPERTY_BROKEN : Found.INVARIANT_BROKEN);
    }

    /** So that every build runs TLC, and what it finds is what is recorded. */
    @Test
    void shouldFindWhatIsRecorded() throws Exception {
        Run run = PlantedBug.GRANT_WITHOUT_CLIPPING.run();

        Found found = MODEL.explore(run, OPTIONS);

        assertThat(MODEL.check(run, OPTIONS).withAccount("")).isEqualTo(found.withAccount(""));
    }
}
