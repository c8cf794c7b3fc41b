package dev.cassidy.reliability.exact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.program.Operation;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ShopHistoryTest {

    private static final Map<Integer, ShopHistory.Account> ACCOUNTS =
            Map.of(1, new ShopHistory.Account(9, 1, "a-3", ""));

    private static Operation did(String kind, String arguments, long begin, long end, String outcome) {
        return new Operation("p", kind, List.of(arguments.split(" ", -1)), begin, end, outcome);
    }

    private static Operation killed(String kind, String arguments, long begin) {
        return new Operation("p", kind, List.of(arguments.split(" ", -1)), begin, Long.MAX_VALUE, null);
    }

    private static List<String> violations(
            List<Operation> more, Map<String, String> codes, Map<Long, ShopHistory.Order> orders) {
        return new ShopHistory(Stream.concat(
                                Stream.of(
                                        did("take", "1", 1, 2, "count 1"),
                                        did("version", "1 0 a-3", 3, 4, "count 1"),
                                        did("version", "1 0 b-3", 3, 5, "count 0")),
                                more.stream())
                        .toList())
                .violations(10, ACCOUNTS, codes, orders);
    }

    @Test
    void shouldAcceptWhatTsqlSays() {
        assertThat(violations(
                        List.of(
                                did("claim", "c a", 1, 2, "count 1"),
                                did("claim", "c b", 3, 4, "duplicate"),
                                did("free", "c a", 5, 6, "count 1"),
                                did("claim", "c d", 5, 7, "count 1"),
                                did("order", "o", 1, 2, "key 7"),
                                killed("order", "p", 1),
                                did("bump", "7", 3, 4, "count 1"),
                                killed("bump", "7", 3),
                                did("bump", "8", 3, 4, "count 0"),
                                did("mark", "m", 3, 4, "count 2")),
                        Map.of("c", "d"),
                        Map.of(7L, new ShopHistory.Order("o", 2), 8L, new ShopHistory.Order("p", 0))))
                .isEmpty();
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(
                        "two were given one key",
                        List.of(did("claim", "c a", 1, 2, "count 1"), did("claim", "c b", 3, 4, "count 1"))),
                Arguments.of("no row is there, and a key is refused", List.of(did("claim", "c b", 3, 4, "duplicate"))),
                Arguments.of("an inserted row is lost", List.of(did("claim", "c a", 1, 2, "count 1"))),
                Arguments.of(
                        "a row that is there is not deleted",
                        List.of(did("claim", "c a", 1, 2, "count 1"), did("free", "c a", 3, 4, "count 0"))),
                Arguments.of("n is not what was counted", List.of(did("give", "1", 1, 2, "count 1"))),
                Arguments.of("the row is there", List.of(did("take", "1", 1, 2, "count 0"))),
                Arguments.of("two wrote one version", List.of(did("version", "1 0 z-1", 1, 2, "count 1"))),
                Arguments.of("a version is lost", List.of(did("version", "1 1 z-1", 5, 6, "count 1"))),
                Arguments.of(
                        "nobody was faster, and 0 is counted", List.of(did("version", "1 1 z-1", 5, 6, "count 0"))),
                Arguments.of(
                        "a version was seen that is not there", List.of(did("version", "1 5 z-1", 5, 6, "count 0"))),
                Arguments.of("two of three rows are there", List.of(did("mark", "m", 1, 2, "count 3"))),
                Arguments.of("rows that nobody inserted", List.of(did("bump", "9", 1, 2, "count 1"))),
                Arguments.of(
                        "a row is there before its insert",
                        List.of(did("bump", "7", 1, 2, "count 1"), did("order", "o", 3, 4, "key 7"))),
                Arguments.of(
                        "an inserted row is not there",
                        List.of(did("order", "o", 1, 2, "key 7"), did("read", "7", 3, 4, "count 0"))),
                Arguments.of("a row is lost", List.of(did("order", "o", 1, 2, "key 7"))),
                Arguments.of(
                        "an id was issued twice",
                        List.of(did("order", "o", 1, 2, "key 7"), did("order", "q", 1, 2, "key 7"))),
                Arguments.of(
                        "a row was deleted twice",
                        List.of(
                                did("order", "o", 1, 2, "key 7"),
                                did("drop", "7", 3, 4, "count 1"),
                                did("drop", "7", 3, 4, "count 1"))),
                Arguments.of(
                        "a deleted row is there",
                        List.of(
                                did("order", "o", 1, 2, "key 7"),
                                did("drop", "7", 3, 4, "count 1"),
                                did("bump", "7", 5, 6, "count 1"))));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void shouldFindWhatIsWrong(String violation, List<Operation> operations) {
        assertThat(violations(operations, Map.of(), Map.of())).anyMatch(found -> found.startsWith(violation));
    }

    @Test
    void shouldFindRowsThatStandWrongly() {
        assertThat(violations(
                        List.of(did("order", "o", 1, 2, "key 7"), did("drop", "7", 3, 4, "count 1")),
                        Map.of("c", "x"),
                        Map.of(7L, new ShopHistory.Order("o", 0), 9L, new ShopHistory.Order("y", 0))))
                .anyMatch(found -> found.startsWith("a deleted row is there in the end"))
                .anyMatch(found -> found.startsWith("a row that nobody inserted"))
                .anyMatch(found -> found.startsWith("nobody inserted it"));
    }
}
