package dev.cassidy.reliability.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.model.Model.Run;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * TLC explores the model of UNIQUE on exact tables, {@code src/test/tla/Unique.tla}, completely for five writers. What has been explored
 * is recorded, see {@link Model}. Each planted bug omits one rule, and must break the promise that it ensures.
 */
@Tag("long")
class UniqueModelCheckTest {

    private static final Model MODEL = new Model("UniqueMC");
    private static final List<String> OPTIONS = List.of("-Xmx1g", "-XX:TieredStopAtLevel=1");

    private enum Configuration {
        /** An insert, an exchange of two rows, updates, one of them to the same value, and a delete. */
        MIXED(13_000),
        /** Values that do not count become some that do, and back. */
        NULLS(22_000),
        /** TRUNCATE beside the writers, as far as it is complete. */
        TRUNCATE(98_000),
        /** ALTER TABLE ADD beside inserts, if it waited for every process to know. */
        ADDS(3_500);

        private final long leastStates;

        Configuration(long leastStates) {
            this.leastStates = leastStates;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldWhateverHappens(Configuration configuration) throws Exception {
        String file = "unique" + configuration.name().toLowerCase(Locale.ROOT);

        Found found = MODEL.check(new Run(file, file, Map.of(), List.of()), OPTIONS);

        assertThat(found.exitCode()).as(found.account()).isEqualTo(Found.HOLDS);
        assertThat(found.states()).as(found.account()).isGreaterThan(configuration.leastStates);
    }

    /** A row whose values are as they were read has its reservations, so the commit need not look at those that it frees. */
    @Test
    void shouldHoldWithoutALookAtWhatIsFreed() throws Exception {
        String text = "reservations freed whosever they are";

        Found found = MODEL.check(new Run(text, "uniquemixed", Map.of("Defect", '"' + text + '"'), List.of()), OPTIONS);

        assertThat(found.exitCode()).as(found.account()).isEqualTo(Found.HOLDS);
    }

    /** What can happen, as an invariant that denies it and that TLC must find violated. */
    private enum Event {
        ALL_COMMIT("uniquemixed", "none", "NotAllDone"),
        A_VALUE_IS_REFUSED("uniquemixed", "none", "NobodyRefused"),
        /** A known gap: a row that is inserted while the table is emptied is gone, and its values stay reserved. */
        TRUNCATE_LEAVES_A_RESERVATION("uniquetruncate", "truncate", "NoValueIsLost"),
        /** A known gap: TRUNCATE ends after the reservations and before the rows, and their values can be inserted again. */
        TRUNCATE_ENDS_HALFWAY("uniquetruncate", "truncate", "OneRowAlways"),
        /** A known gap: a process that does not know of the UNIQUE yet inserts after the second look for rows. */
        A_PROCESS_LEARNS_LATE("uniqueadds", "add", "EachRowHasItsValues");

        private final String configuration;
        private final String administrator;
        private final String denial;

        Event(String configuration, String administrator, String denial) {
            this.configuration = configuration;
            this.administrator = administrator;
            this.denial = denial;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBePossible(Event event) throws Exception {
        Found found = MODEL.check(
                new Run(
                        "event " + text(event),
                        event.configuration,
                        Map.of("Admin", '"' + event.administrator + '"'),
                        List.of(event.denial)),
                OPTIONS);

        assertThat(found.violated()).as(found.account()).isEqualTo(event.denial);
    }

    private enum PlantedBug {
        VALUES_NOT_RELIED_ON("uniquemixed", "OneRowForEachValue"),
        UPDATES_RESERVE_NOTHING("uniquenulls", "OneRowForEachValue"),
        RESERVATIONS_WRITTEN_LATER("uniquemixed", "OneRowForEachValue"),
        RESERVED_VALUES_TAKEN("uniquemixed", "OneRowForEachValue"),
        ROWS_EMPTIED_FIRST("uniquetruncate", "EachRowHasItsValues"),
        ROWS_NOT_LOOKED_FOR_AGAIN("uniqueadds", "OneRowForEachValue");

        private final String configuration;
        private final String broken;

        /** @param broken what it must violate */
        PlantedBug(String configuration, String broken) {
            this.configuration = configuration;
            this.broken = broken;
        }

        Run run() {
            String text = text(this);
            return new Run(text, configuration, Map.of("Defect", '"' + text + '"'), List.of(broken));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFind(PlantedBug bug) throws Exception {
        Found found = MODEL.check(bug.run(), OPTIONS);

        assertThat(found.violated()).as(found.account()).isEqualTo(bug.broken);
        assertThat(found.exitCode()).as(found.account()).isEqualTo(Found.INVARIANT_BROKEN);
    }

    /** So that every build runs TLC, and what it finds is what is recorded. */
    @Test
    void shouldFindWhatIsRecorded() throws Exception {
        Run run = PlantedBug.RESERVED_VALUES_TAKEN.run();

        Found found = MODEL.explore(run, OPTIONS);

        assertThat(MODEL.check(run, OPTIONS).withAccount("")).isEqualTo(found.withAccount(""));
    }

    /** Returns what the model calls it. */
    private static String text(Enum<?> each) {
        return each.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
