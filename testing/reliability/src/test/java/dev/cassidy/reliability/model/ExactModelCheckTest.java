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
 * TLC explores the model of rows of exact tables, {@code src/test/tla/Exact.tla}, completely for small constants. What has
 * been explored is recorded, see {@link Model}. {@code -Dmodel.long=true} uses larger constants, which take an hour. Each
 * planted bug omits one rule of the protocol, or one of its assumptions, and must break the promise that it ensures.
 */
@Tag("long")
class ExactModelCheckTest {

    private static final Model MODEL = new Model("ExactMC");
    private static final boolean LONG = Boolean.getBoolean("model.long");
    private static final String HEAP = "-Xmx" + System.getProperty("model.heap", "1g");

    /** The second compiler pays off only in runs that take ten seconds and more: those that explore all states. */
    private static final List<String> BRIEF = LONG ? List.of(HEAP) : List.of(HEAP, "-XX:TieredStopAtLevel=1");

    private static final String THREE = "{o1, o2, o3}";

    private enum Configuration {
        /** An INSERT, and any two of SELECT, UPDATE and DELETE; ballots of clocks that differ. */
        ONE(9_000, Map.of("Ops", THREE)),
        /** The same with INSERTs whose key the user writes. */
        KEY(18_000, Map.of("Ops", THREE, "Kinds", "{\"update\", \"delete\", \"key\"}")),
        /** Another datacenter that acknowledges the INSERT. */
        TWO(40_000, Map.of("Ops", THREE));

        private final long leastStates;
        private final Map<String, String> larger;

        Configuration(long leastStates, Map<String, String> larger) {
            this.leastStates = leastStates;
            this.larger = larger;
        }

        Found check() throws IOException, InterruptedException {
            String file = "exact" + name().toLowerCase(Locale.ROOT);
            return LONG
                    ? MODEL.explore(new Run("long-" + file, file, larger, List.of()), List.of(HEAP))
                    : MODEL.check(new Run(file, file, Map.of(), List.of()), List.of(HEAP));
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

    /** An event that must be possible: an invariant denies it, and TLC must find it violated. */
    private enum Event {
        AN_INSERT_WITHOUT_ANSWER_IS_UPDATED("exactone", "NoUpdateOfAnInsertWithoutAnswer"),
        A_PROPOSAL_IS_FINISHED_BY_ANOTHER("exactone", "NoProposalIsFinishedByAnother"),
        AN_INSERT_IN_DOUBT_CAUSES_2627("exactkey", "No2627ForAnInsertInDoubt"),
        /** The one thing that a client may see and that T-SQL does not have. */
        A_ROW_IN_DOUBT_THAT_WAS_READ_IS_REPLACED("exactkey", "NoReadRowInDoubtIsReplaced");

        private final String configuration;
        private final String denial;

        Event(String configuration, String denial) {
            this.configuration = configuration;
            this.denial = denial;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBePossible(Event event) throws Exception {
        Found found = MODEL.check(
                new Run(
                        "event-" + event.denial.toLowerCase(Locale.ROOT),
                        event.configuration,
                        Map.of(),
                        List.of(event.denial)),
                BRIEF);

        assertThat(found.violated()).as(found.account()).isEqualTo(event.denial);
    }

    private enum PlantedBug {
        FRESH_ROWS_AT_THE_TIME_OF_A_CLOCK("exactone", "NothingUndone"),
        CONDITION_WITHOUT_A_READ("exactone", "NoGhost"),
        CONDITION_THOUGH_THE_READ_FOUND_NO_ROW("exactone", "NoGhost"),
        READ_WITHOUT_REPAIR("exactone", "NoGhost"),
        READ_OF_THE_HIDDEN_COLUMN_ALONE("exactone", "NoGhost"),
        SELECT_OF_SOME_COLUMNS("exactone", "NoGhost"),
        HIDDEN_COLUMN_NOT_LOOKED_AT("exactone", "AnswersRight"),
        HIDDEN_COLUMN_NOT_LOOKED_AT_ELSEWHERE("exacttwo", "NoGhost"),
        CONDITION_THAT_NULL_PASSES("exactone", "NoGhost"),
        REPEATED_WITH_OTHER_VALUES("exactone", "RowsRight"),
        ID_DRAWN_AGAIN("exactone", "RowsRight"),
        DOUBT_DECIDED_BY_A_SERIAL_READ("exactone", "AnswersRight"),
        CONDITION_REPEATED("exactone", "AnswersRight"),
        INSERT_ACKNOWLEDGED_BY_ONE_REPLICA("exactone", "NothingUndone"),
        ANSWERED_WHEN_ONE_REPLICA_HAS_THE_COMMIT("exactone", "NothingUndone"),
        OLDER_TOMBSTONE_IN_THE_PARTITION("exactone", "NothingUndone"),
        OLDER_GHOST_IN_THE_PARTITION("exactone", "RowsRight"),
        DUPLICATE_KEY_WITHOUT_A_READ_AFTER_IT("exactkey", "AnswersRight"),
        KEY_INSERTED_WITHOUT_THE_COLUMNS_LEFT_OUT("exactkey", "RowsRight"),
        KEY_INSERTED_BEFORE_ITS_DRAWER_WAS_ANSWERED("exactkey", "AnswersRight"),
        CONDITIONS_IN_BOTH_DATACENTERS("exacttwo", "AnswersRight"),
        COUNT_OF_0_WITHOUT_LOOKING_ELSEWHERE("exacttwo", "AnswersRight"),
        KEY_INSERTED_WITHOUT_LOOKING_ELSEWHERE("exacttwo", "AnswersRight");

        private final String configuration;
        private final String broken;

        /** @param broken the invariant that it must violate */
        PlantedBug(String configuration, String broken) {
            this.configuration = configuration;
            this.broken = broken;
        }

        Run run() {
            String text = name().toLowerCase(Locale.ROOT).replace('_', ' ');
            return new Run(text, configuration, Map.of("Defect", '"' + text + '"'), List.of(broken));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFind(PlantedBug bug) throws Exception {
        Found found = MODEL.check(bug.run(), BRIEF);

        assertThat(found.exitCode()).as(found.account()).isEqualTo(Found.INVARIANT_BROKEN);
        assertThat(found.violated()).as(found.account()).isEqualTo(bug.broken);
    }

    /** So that every build runs TLC, and what it finds is what is recorded. */
    @Test
    void shouldFindWhatIsRecorded() throws Exception {
        Run run = PlantedBug.CONDITION_WITHOUT_A_READ.run();

        Found found = MODEL.explore(run, BRIEF);

        assertThat(MODEL.check(run, BRIEF).withAccount("")).isEqualTo(found.withAccount(""));
    }
}
