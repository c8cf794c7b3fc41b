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
 * TLC explores the model of counters, {@code src/test/tla/Counter.tla}, completely for small constants. What has
 * been explored is recorded, see {@link Model}. {@code -Dmodel.long=true} uses larger constants, which take an hour. Each
 * planted bug omits one line of the protocol, and must break the promise that this line ensures.
 */
@Tag("long")
class CounterModelCheckTest {

    private static final Model MODEL = new Model("CounterMC");
    private static final boolean LONG = Boolean.getBoolean("model.long");
    private static final String HEAP = "-Xmx" + System.getProperty("model.heap", "1g");

    /** The second compiler pays off only in runs that take ten seconds and more: those that explore all states. */
    private static final List<String> BRIEF = LONG ? List.of(HEAP) : List.of(HEAP, "-XX:TieredStopAtLevel=1");

    private enum Configuration {
        /** Increments of one epoch, two folds, and a read of the sum. */
        FOLDS(26_000, Map.of("Folds", "3", "Reads", "2")),
        /** A slot that is taken away, and a process that settles what its holder left. */
        SETTLES(24_000, Map.of("Folds", "1")),
        /** Two processes that settle the same, after different reads. */
        DECIDES(62_000, Map.of("Epochs", "{1, 2}", "Writing", "{1, 2}")),
        /** A fold of an epoch before, during and after its settlement. */
        BOTH(15_000, Map.of("Numbers", "{1, 2}", "Reads", "1"));

        private final long leastStates;
        private final Map<String, String> larger;

        Configuration(long leastStates, Map<String, String> larger) {
            this.leastStates = leastStates;
            this.larger = larger;
        }

        Found check() throws IOException, InterruptedException {
            String file = "counter" + name().toLowerCase(Locale.ROOT);
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
    @ParameterizedTest
    @EnumSource
    void shouldBePossible(Event event) throws Exception {
        Found found = MODEL.check(
                new Run(
                        "event-" + event.denial.toLowerCase(Locale.ROOT),
                        "countersettles",
                        Map.of(),
                        List.of(event.denial)),
                BRIEF);

        assertThat(found.violated()).as(found.account()).isEqualTo(event.denial);
    }

    private enum Event {
        INCREMENTS_ARE_SETTLED("NothingIsSettled"),
        /** An increment that some replica has, and that does not count. */
        AN_INCREMENT_IS_LEFT_OUT("NothingIsLostToADecision");

        private final String denial;

        Event(String denial) {
            this.denial = denial;
        }
    }

    private enum PlantedBug {
        FOLDED_IN_TWO_STEPS("counterfolds", "CountedOnce"),
        GAPS_IGNORED("counterfolds", "ConfirmedCounts"),
        THE_LAST_TO_ARRIVE_WINS("counterfolds", "ConfirmedCounts"),
        CONFIRMED_WITHOUT_LOOKING("countersettles", "DecisionsKeep"),
        ROWS_READ_BEFORE_THE_LOOK("countersettles", "DecisionsKeep"),
        HELD_EPOCH_SETTLED("countersettles", "DecisionsKeep"),
        LOOKED_AT_ANYWHERE("countersettles", "DecisionsKeep"),
        DECIDED_WITHOUT_COMPARING("counterdecides", "DecisionsKeep");

        private final String configuration;
        private final String broken;

        /** @param broken the invariant that it must violate */
        PlantedBug(String configuration, String broken) {
            this.configuration = configuration;
            this.broken = broken;
        }

        Run run() {
            String text = name().toLowerCase(Locale.ROOT).replace('_', ' ');
            return new Run(text, configuration, Map.of("Defect", '"' + text + '"'), List.of());
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
        Run run = PlantedBug.GAPS_IGNORED.run();

        Found found = MODEL.explore(run, BRIEF);

        assertThat(MODEL.check(run, BRIEF).withAccount("")).isEqualTo(found.withAccount(""));
    }
}
