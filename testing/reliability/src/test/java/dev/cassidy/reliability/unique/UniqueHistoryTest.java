package dev.cassidy.reliability.unique;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.program.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UniqueHistoryTest {

    /** A history that grows by what is done and what is there. */
    private static final class Story {

        private final List<Operation> operations = new ArrayList<>();
        private final Map<String, UniqueHistory.Account> accounts = new TreeMap<>();
        private final List<UniqueHistory.Reservation> reservations = new ArrayList<>();
        private final List<String> held = new ArrayList<>();

        /** @param operation kind and arguments; after a semicolon the outcome, which is missing if the process was killed */
        Story did(long begin, long end, String operation) {
            String[] parts = operation.split("; ", -1);
            List<String> words = List.of(parts[0].split(" ", -1));
            operations.add(new Operation(
                    "p",
                    words.get(0),
                    words.subList(1, words.size()),
                    begin,
                    parts.length == 1 ? Long.MAX_VALUE : end,
                    parts.length == 1 ? null : parts[1]));
            return this;
        }

        /** With its reservations. */
        Story row(String id, String email, String code, int n) {
            return rowAlone(id, email, code, n)
                    .reserved("email", UniqueHistory.folded(email), id)
                    .reserved("code", code, id);
        }

        Story rowAlone(String id, String email, String code, int n) {
            accounts.put(id, new UniqueHistory.Account(email, code, n));
            return this;
        }

        Story reserved(String column, String value, String id) {
            reservations.add(new UniqueHistory.Reservation(column, value, id));
            return this;
        }

        Story held(String row) {
            held.add(row);
            return this;
        }

        List<String> violations() {
            return new UniqueHistory(operations, new UniqueHistory.End(accounts, reservations, held)).violations();
        }
    }

    private static Story story() {
        return new Story();
    }

    private static Story inserted() {
        return story().did(1, 2, "write s INSERT:1:-:Ann@x_:1; committed 1 7");
    }

    @Test
    void shouldAcceptWhatUniqueAllows() {
        Story story = inserted()
                .did(3, 4, "write s INSERT:2:-:ANN@x:2; duplicate:email - -")
                .did(3, 4, "look ann@x; seen 7 Ann@x_ 1")
                .did(3, 4, "look bob@x; none")
                .did(5, 6, "write s UPDATE:3:7:bob@x:-; committed 1 -")
                .did(7, 8, "write s INSERT:4:-:ann@x:2; committed 1 8")
                // They exchange their values.
                .did(9, 10, "write x UPDATE:5:7:ann@x:-,UPDATE:6:8:bob@x:-; committed 1,1 -,-")
                .did(11, 12, "write s TOUCH:7:-:BOB@x:-; committed 1 -")
                .did(13, 14, "write s DELETE:8:7:-:-; committed 1 -")
                .did(13, 20, "write s INSERT:9:-:ann@x:1; duplicate:code - -")
                .did(15, 16, "write s UPDATE:10:7:cid@x:-; committed 0 -")
                .did(17, 18, "write s ERASE:11:-:ann@x:-; committed 0 -")
                .did(17, 18, "write s UPDATE:12:8:null:null; failed:40001 - -")
                .row("8", "bob@x", "2", 7);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void shouldAcceptThatAnUnknownOutcomeIsEither() {
        for (boolean there : new boolean[] {false, true}) {
            Story story = inserted()
                    .did(3, 4, "write t INSERT:2:-:bob@x:2,DELETE:3:7:-:-; error:HYT00 1,1 8,-")
                    .did(5, 6, "write s INSERT:4:-:bob@x:9; duplicate:email - -");
            assertThat((there ? story.row("8", "bob@x", "2", 2) : story.row("7", "Ann@x_", "1", 1)).violations())
                    .isEmpty();
        }
        assertThat(story().did(1, 0, "write s INSERT:1:-:bob@x:2")
                        .did(3, 4, "write s INSERT:2:-:bob@x:3; duplicate:email - -")
                        .did(5, 6, "look bob@x; seen 4 bob@x 1")
                        .row("4", "bob@x", "2", 1)
                        .violations())
                .isEmpty();
    }

    @Test
    void shouldAcceptThatAWriteInDoubtTakesEffectAfterALaterOne() {
        assertThat(story().did(1, 2, "write s INSERT:1:-:bob@x:1; committed 1 7")
                        .did(3, 4, "write s UPDATE:2:7:bob@x:-; error:HYT00 - -")
                        .did(5, 6, "write s UPDATE:3:7:bob@x:-; committed 1 -")
                        .did(7, 8, "look bob@x; seen 7 bob@x 3")
                        .did(9, 10, "look bob@x; seen 7 bob@x 2")
                        .row("7", "bob@x", "1", 2)
                        .violations())
                .isEmpty();
    }

    @Test
    void shouldRefuseThatAWriteInDoubtIsSeenAndThenSeenAfterALaterOne() {
        assertThat(story().did(1, 2, "write s INSERT:1:-:bob@x:1; committed 1 7")
                        .did(3, 4, "write s UPDATE:2:7:bob@x:-; error:HYT00 - -")
                        .did(5, 6, "look bob@x; seen 7 bob@x 2")
                        .did(7, 8, "write s UPDATE:3:7:bob@x:-; committed 1 -")
                        .did(9, 10, "look bob@x; seen 7 bob@x 2")
                        .row("7", "bob@x", "1", 3)
                        .violations())
                .anyMatch(each -> each.startsWith("a later write is not seen"));
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(
                        "two rows have one email",
                        inserted()
                                .did(1, 2, "write s INSERT:2:-:ann@x:2; committed 1 8")
                                .row("7", "Ann@x_", "1", 1)
                                .rowAlone("8", "ann@x", "2", 2)
                                .reserved("code", "2", "8")),
                Arguments.of(
                        "a reservation has no row",
                        inserted().row("7", "Ann@x_", "1", 1).reserved("code", "2", "7")),
                Arguments.of(
                        "a row's code is not reserved",
                        inserted().rowAlone("7", "Ann@x_", "1", 1).reserved("email", "ann@x", "7")),
                Arguments.of(
                        "a row's code is not reserved",
                        inserted()
                                .rowAlone("7", "Ann@x_", "1", 1)
                                .reserved("email", "ann@x", "7")
                                .reserved("code", "1", "8")),
                Arguments.of(
                        "a row is held in the end",
                        inserted().row("7", "Ann@x_", "1", 1).held("account 7")),
                Arguments.of("a row is lost", inserted()),
                Arguments.of(
                        "a row is lost",
                        inserted()
                                .did(3, 4, "write s INSERT:2:-:bob@x:2; committed 1 8")
                                .did(5, 6, "write s DELETE:3:7:-:-; committed 1 -")),
                Arguments.of(
                        "a deleted row is there",
                        inserted()
                                .did(3, 4, "write s DELETE:2:7:-:-; committed 1 -")
                                .row("7", "Ann@x_", "1", 1)),
                Arguments.of(
                        "an acknowledged write is lost",
                        inserted()
                                .did(3, 4, "write s UPDATE:2:7:-:2; committed 1 -")
                                .row("7", "Ann@x_", "1", 1)),
                // One of the two rows of a transaction shows that it is committed.
                Arguments.of(
                        "an acknowledged write is lost",
                        inserted()
                                .did(3, 4, "write t UPDATE:2:7:-:2,INSERT:3:-:bob@x:3; error:HYT00 1,1 -,8")
                                .row("7", "Ann@x_", "1", 1)
                                .row("8", "bob@x", "3", 3)),
                Arguments.of(
                        "nobody wrote it, or it was refused",
                        story().did(1, 2, "write s INSERT:1:-:bob@x:2; duplicate:email - -")
                                .row("7", "bob@x", "2", 1)),
                Arguments.of("a value is not what was written", inserted().row("7", "Ann@x_", "2", 1)),
                Arguments.of(
                        "a value is not the last that was written",
                        inserted()
                                .did(3, 4, "write s UPDATE:2:7:bob@x:-; committed 1 -")
                                .did(5, 6, "write s UPDATE:3:7:-:2; committed 1 -")
                                .row("7", "Ann@x_", "2", 3)),
                Arguments.of(
                        "another row was touched",
                        inserted()
                                .did(3, 4, "write s TOUCH:2:-:bob@x:-; committed 1 -")
                                .row("7", "Ann@x_", "1", 2)),
                Arguments.of(
                        "a value was given to two rows",
                        inserted()
                                .did(3, 4, "write s INSERT:2:-:ANN@x:2; committed 1 8")
                                .did(5, 6, "write s DELETE:3:7:-:-; committed 1 -")
                                .row("8", "ANN@x", "2", 2)),
                Arguments.of(
                        "a value is refused that no row has",
                        inserted()
                                .did(3, 4, "write s DELETE:2:7:-:-; committed 1 -")
                                .did(5, 6, "write s INSERT:3:-:ann@x:3; duplicate:email - -")),
                Arguments.of(
                        "a value is refused that no row has",
                        inserted()
                                .did(3, 4, "write s INSERT:3:-:ann@x:3; duplicate:code - -")
                                .row("7", "Ann@x_", "1", 1)),
                Arguments.of(
                        "a row that is there is not counted",
                        inserted()
                                .did(3, 4, "write s UPDATE:2:7:-:2; committed 0 -")
                                .row("7", "Ann@x_", "1", 1)),
                Arguments.of(
                        "a row is not found by its value",
                        inserted()
                                .did(3, 4, "write s ERASE:2:-:ann@x:-; committed 0 -")
                                .row("7", "Ann@x_", "1", 1)),
                Arguments.of(
                        "a row is not found by its value",
                        inserted().did(3, 4, "look ann@x; none").row("7", "Ann@x_", "1", 1)),
                Arguments.of(
                        "another row was found",
                        inserted().did(3, 4, "look bob@x; seen 7 Ann@x_ 1").row("7", "Ann@x_", "1", 1)),
                Arguments.of(
                        "a later write is not seen",
                        inserted()
                                .did(3, 4, "write s UPDATE:2:7:-:2; committed 1 -")
                                .did(5, 6, "look ann@x; seen 7 Ann@x_ 1")
                                .row("7", "Ann@x_", "2", 2)),
                Arguments.of(
                        "a row was seen that was refused",
                        story().did(1, 2, "write s INSERT:1:-:bob@x:2; failed:40001 - -")
                                .did(1, 2, "look bob@x; seen 7 bob@x 1")),
                Arguments.of(
                        "an error that the faults do not explain",
                        story().did(1, 2, "write s INSERT:1:-:bob@x:2; error:HY001 - -")));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void shouldFindWhatUniqueForbids(String found, Story story) {
        assertThat(story.violations()).anyMatch(violation -> violation.startsWith(found));
    }
}
