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
 * TLC explores the model of transactions on exact tables, {@code src/test/tla/Transactions.tla}, completely for two
 * transactions and a statement. What has been explored is recorded, see {@link Model}. {@code -Dmodel.long=true} adds a third
 * transaction. Each planted bug omits one rule of the protocol, or one of its assumptions, and must break the promise that it
 * ensures.
 */
@Tag("long")
class TransactionsModelCheckTest {

    private static final Model MODEL = new Model("TransactionsMC");
    private static final boolean LONG = Boolean.getBoolean("model.long");
    private static final String HEAP = "-Xmx" + System.getProperty("model.heap", "1g");

    /** The second compiler pays off only in runs that take ten seconds and more: those that explore all states. */
    private static final List<String> BRIEF = LONG ? List.of(HEAP) : List.of(HEAP, "-XX:TieredStopAtLevel=1");

    /** A temporal property: TLC reports a behaviour that never reaches it, and no state that violates it. */
    private static final String SETTLES = "Settles";

    private enum Configuration {
        /** Transfers between the same two rows, and an UPDATE of one of them. */
        TRANSFERS(80_000),
        /** A row that both insert, and that a statement deletes. */
        INSERTS(14_000),
        /** A row that one deletes, the other updates, and a statement inserts again; another row that is checked. */
        DELETES(13_000),
        /** A row of a drawn id beside two rows that are locked; all others write it as soon as they see it. */
        FRESH(7_000),
        /**
         * A row that both insert, and one of a drawn id that a statement deletes: whether all locks go and everything that has
         * committed is written, if all owners are gone.
         */
        SETTLES(10_000);

        private final long leastStates;

        Configuration(long leastStates) {
            this.leastStates = leastStates;
        }

        Found check() throws IOException, InterruptedException {
            String file = "tx" + name().toLowerCase(Locale.ROOT);
            return LONG
                    ? MODEL.explore(new Run("long-" + file, file, Map.of("Txs", "{1, 2, 4}"), List.of()), List.of(HEAP))
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

    /** A rule that the protocol has although nothing breaks without it, as long as ballots differ in their time. */
    private enum Precaution {
        /** The read after the locks tells their times; that it compares the marks is not necessary. */
        LOCKS_NOT_VERIFIED,
        /** If that read compares them, a lock without an answer may be left to it. */
        UNKNOWN_LOCK_LEFT_TO_THE_READ,
        /** A lock that comes after the record is gone is released by whoever meets it. */
        ABORTED_RECORD_REMOVED_BEFORE_AN_UNKNOWN_LOCK
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldWithout(Precaution precaution) throws Exception {
        String text = text(precaution);

        Found found =
                MODEL.check(new Run(text, "txtransfers", Map.of("Defect", '"' + text + '"'), List.of()), List.of(HEAP));

        assertThat(found.exitCode()).as(found.account()).isEqualTo(Found.HOLDS);
        // More happens than with it.
        assertThat(found.states()).as(found.account()).isGreaterThan(Configuration.TRANSFERS.leastStates);
    }

    /** An event that must be possible: an invariant denies it, and TLC must find it violated. */
    private enum Event {
        ALL_COMMIT("txtransfers", "NotAllCommit"),
        /** The record is gone when its owner asks what became of its commit. */
        ANOTHER_ENDS_WHAT_IS_IN_DOUBT("txtransfers", "NobodyElseEndsIt"),
        A_LOCK_COMES_AFTER_THE_ABORT("txtransfers", "NoLockComesAfterTheAbort"),
        /** Some replicas have the mark that lets it go, and a quorum does not yet. */
        A_ROW_THAT_IS_FREE_IN_PART_IS_LOCKED("txtransfers", "NoRowFreeInPartIsLocked"),
        AN_INSERTED_ROW_IS_DELETED("txinserts", "NotAllCommit"),
        A_DELETED_ROW_IS_INSERTED("txdeletes", "NotAllCommit"),
        A_FRESH_ROW_COMES_AFTER_THE_COMMIT("txfresh", "NoFreshRowIsMissing"),
        A_FRESH_ROW_IS_UPDATED_AND_DELETED("txfresh", "NotAllCommit");

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
                new Run("event " + text(event), event.configuration, Map.of(), List.of(event.denial)), BRIEF);

        assertThat(found.violated()).as(found.account()).isEqualTo(event.denial);
    }

    private enum PlantedBug {
        VALUES_AND_MARKS_IN_ONE_WRITE("txtransfers", "Complete"),
        MARK_READ_WITHOUT_THE_VALUES("txtransfers", "ReadsRight"),
        FRESH_ROWS_WRITTEN_TOGETHER_WITH_THE_OTHERS("txfresh", "Complete"),
        PLACEHOLDER_FOR_A_ROW_OF_A_DRAWN_ID("txfresh", "ReadsRight"),
        LOCK_BEFORE_THE_RECORD_IS_KNOWN("txtransfers", "ReadsRight"),
        UNKNOWN_LOCK_TAKEN_AS_HELD("txtransfers", "NothingLost"),
        EXPECTED_VALUES_NOT_CHECKED_AT_THE_LOCK("txtransfers", "NothingLost"),
        INSERT_LOCKS_WITHOUT_A_CONDITION("txinserts", "ReadsRight"),
        STATEMENT_THAT_DOES_NOT_LOOK_AT_THE_MARK("txtransfers", "NothingLost"),
        WRITE_BEFORE_THE_COMMIT_IS_KNOWN("txtransfers", "ReadsRight"),
        COMMIT_WITHOUT_A_CONDITION("txtransfers", "ToldRight"),
        UNKNOWN_COMMIT_DECIDED_BY_A_READ("txtransfers", "ToldRight"),
        REMOVED_RECORD_TAKEN_AS_ABORTED("txtransfers", "ToldRight"),
        ABORTED_RECORD_REMOVED_BY_ANOTHER("txtransfers", "RecordRight"),
        ABORTED_WITHOUT_A_CONDITION("txtransfers", "RecordRight"),
        RECORD_REMOVED_BEFORE_ALL_ROWS_ARE_FREE("txtransfers", "Complete"),
        LOCK_WITHOUT_A_RECORD_ROLLED_FORWARD("txtransfers", "ReadsRight"),
        LOCK_OF_A_PENDING_TRANSACTION_RELEASED("txtransfers", "ReadsRight"),
        RELEASE_WITHOUT_A_CONDITION("txtransfers", "ReadsRight"),
        PLACEHOLDER_RELEASED_BY_AN_UPDATE("txinserts", "ReadsRight"),
        ROWS_WRITTEN_AT_THE_PRESENT_TIME("txtransfers", "ReadsRight"),
        BALLOTS_OF_ONE_TIME("txdeletes", "ReadsRight"),
        FREE_VALUE_BELOW_A_LOCK("txsettles", SETTLES);

        private final String configuration;
        private final String broken;

        /** @param broken what it must violate */
        PlantedBug(String configuration, String broken) {
            this.configuration = configuration;
            this.broken = broken;
        }

        boolean isTemporal() {
            return broken.equals(SETTLES);
        }

        Run run() {
            String text = text(this);
            return new Run(
                    text,
                    configuration,
                    Map.of("Defect", '"' + text + '"'),
                    isTemporal() ? List.of() : List.of(broken));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFind(PlantedBug bug) throws Exception {
        Found found = MODEL.check(bug.run(), BRIEF);

        assertThat(found.violated()).as(found.account()).isEqualTo(bug.isTemporal() ? "" : bug.broken);
        assertThat(found.exitCode())
                .as(found.account())
                .isEqualTo(bug.isTemporal() ? Found.TEMPORAL_PROPERTY_BROKEN : Found.INVARIANT_BROKEN);
    }

    /** So that every build runs TLC, and what it finds is what is recorded. */
    @Test
    void shouldFindWhatIsRecorded() throws Exception {
        Run run = PlantedBug.EXPECTED_VALUES_NOT_CHECKED_AT_THE_LOCK.run();

        Found found = MODEL.explore(run, BRIEF);

        assertThat(MODEL.check(run, BRIEF).withAccount("")).isEqualTo(found.withAccount(""));
    }

    /** Returns what the model calls it. */
    private static String text(Enum<?> each) {
        return each.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
