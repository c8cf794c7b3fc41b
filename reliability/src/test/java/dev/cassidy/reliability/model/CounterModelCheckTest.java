package dev.cassidy.reliability.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * TLC explores the model of counters, {@code src/test/tla/Counter.tla}, completely for small constants. {@code
 * -Dmodel.long=true} uses larger ones, which take an hour. Each planted bug omits one line of the protocol, and must break
 * the promise that this line ensures.
 */
@Tag("long")
class CounterModelCheckTest {

    private static final String MODULE = "CounterMC";
    private static final boolean LONG = Boolean.getBoolean("model.long");
    private static final String HEAP = System.getProperty("model.heap", "1g");

    /** The second compiler pays off only in runs that take ten seconds and more: those that explore all states. */
    private static final List<String> BRIEF = LONG ? List.of() : List.of("-XX:TieredStopAtLevel=1");

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

        String file() {
            return "counter" + name().toLowerCase(Locale.ROOT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldWhateverHappens(Configuration configuration) throws Exception {
        Tlc.Result result = Tlc.check(
                MODULE,
                configuration.file(),
                configuration.file(),
                LONG ? configuration.larger : Map.of(),
                List.of(),
                HEAP,
                List.of());

        assertThat(result.exitCode()).as(result.output()).isEqualTo(Tlc.HOLDS);
        // A model in which nothing happens proves nothing. The limits are a little below today's numbers of states.
        assertThat(result.distinctStates()).as(result.output()).isGreaterThan(configuration.leastStates);
    }

    /** An event that must be possible: an invariant denies it, and TLC must find it violated. */
    @ParameterizedTest
    @EnumSource
    void shouldBePossible(Event event) throws Exception {
        Tlc.Result result = Tlc.check(
                MODULE,
                "event-" + event.denial.toLowerCase(Locale.ROOT),
                "countersettles",
                Map.of(),
                List.of(event.denial),
                HEAP,
                BRIEF);

        assertThat(result.output()).contains("Invariant " + event.denial + " is violated");
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
        FOLDED_IN_TWO_STEPS("counterfolds"),
        GAPS_IGNORED("counterfolds"),
        THE_LAST_TO_ARRIVE_WINS("counterfolds"),
        CONFIRMED_WITHOUT_LOOKING("countersettles"),
        ROWS_READ_BEFORE_THE_LOOK("countersettles"),
        HELD_EPOCH_SETTLED("countersettles"),
        LOOKED_AT_ANYWHERE("countersettles"),
        DECIDED_WITHOUT_COMPARING("counterdecides");

        private final String configuration;

        PlantedBug(String configuration) {
            this.configuration = configuration;
        }

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFind(PlantedBug bug) throws Exception {
        Tlc.Result result = Tlc.check(
                MODULE,
                bug.text(),
                bug.configuration,
                Map.of("Defect", "\"" + bug.text() + "\""),
                List.of(),
                HEAP,
                BRIEF);

        assertThat(result.exitCode()).as(result.output()).isEqualTo(Tlc.INVARIANT_BROKEN);
    }
}
