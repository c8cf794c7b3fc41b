package dev.cassidy.reliability.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.program.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BankHistoryTest {

    private static final BankHistory.Start START =
            new BankHistory.Start(List.of("a0", "a1", "b0", "c0"), List.of("b0"), 100, 1, 50);

    /** A history that grows by what is done and what is there. */
    private static final class Story {

        private final List<Operation> operations = new ArrayList<>();
        private final Map<String, BankHistory.Account> accounts = new HashMap<>(Map.of(
                "a0", new BankHistory.Account(100, ""),
                "a1", new BankHistory.Account(100, ""),
                "b0", new BankHistory.Account(100, ""),
                "c0", new BankHistory.Account(100, "")));
        private final List<BankHistory.Entry> journal = new ArrayList<>();
        private final Map<Integer, BankHistory.Order> orders = new HashMap<>();
        private final Map<Integer, List<String>> lines = new HashMap<>();
        private final List<String> held = new ArrayList<>();
        private int stock = 50;
        private Map<Integer, Integer> duty = Map.of(0, 1, 1, 0);
        private int turns;

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

        Story account(String name, int balance, String note) {
            accounts.put(name, new BankHistory.Account(balance, note));
            return this;
        }

        Story without(String account) {
            accounts.remove(account);
            return this;
        }

        Story entry(String id, String moves) {
            journal.add(new BankHistory.Entry(id, moves));
            return this;
        }

        Story order(int id, String tag, int size) {
            orders.put(id, new BankHistory.Order(tag, size));
            return this;
        }

        Story lines(int order, String... all) {
            lines.put(order, List.of(all));
            return this;
        }

        Story stock(int left) {
            stock = left;
            return this;
        }

        Story duty(int one, int other) {
            duty = Map.of(0, one, 1, other);
            return this;
        }

        Story turns(int count) {
            turns = count;
            return this;
        }

        Story held(String row) {
            held.add(row);
            return this;
        }

        List<String> violations() {
            return new BankHistory(
                            operations,
                            START,
                            new BankHistory.End(
                                    accounts, journal, orders, lines, Map.of(0, stock), duty, Map.of(0, turns), held))
                    .violations();
        }
    }

    /** A transfer of 5 that took effect. */
    private static Story moved() {
        return new Story()
                .did(10, 20, "transfer t1o a0:-5,a1:5 -; committed 1,1 -,- y")
                .entry("t1o", "a0:-5,a1:5")
                .account("a0", 95, "t1o")
                .account("a1", 105, "t1o");
    }

    /** An order of one line that took effect. */
    private static Story ordered() {
        return new Story()
                .did(10, 20, "order o1 0:3 -; committed 7 1 y")
                .order(7, "o1", 1)
                .lines(7, "0:3")
                .stock(47);
    }

    static Stream<Story> right() {
        return Stream.of(
                new Story(),
                moved().did(30, 40, "look a0; seen t1o found").did(1, 15, "look a0; seen - -"),
                // Whoever looks while it is committed sees it or not.
                moved().did(15, 16, "look a0; seen t1o found").did(17, 18, "look a1; seen - -"),
                new Story().did(10, 20, "transfer t1o a0:-5,a1:5 -; failed 40001"),
                new Story().did(10, 20, "transfer t1o a0:-500,a1:500 -; rolledback 0,1 -,- -"),
                new Story().did(10, 20, "transfer t1o a0:-500,a1:500 u; rolledback 0,1 100,100 -"),
                new Story().did(10, 20, "transfer t1o a0:-5,a1:5 r; rolledback 1,1 -,- y"),
                new Story().did(10, 20, "transfer t1o c0:-500,a1:500 d; rolledback 0,1 100,- -"),
                new Story().did(10, 20, "transfer t1o a0:-5,a1:5 -; error HYT00"),
                new Story().did(10, 20, "transfer t1o a0:-5,a1:5 -"),
                new Story()
                        .did(10, 20, "transfer t1f a0:-5,a1:5 -; error HYT00")
                        .entry("t1f", "a0:-5,a1:5")
                        .account("a0", 95, "t1f")
                        .account("a1", 105, "t1f"),
                new Story()
                        .did(1, 2, "deposit a0 7; count 1")
                        .did(1, 2, "deposit a0 -900; count 0")
                        .did(1, 2, "deposit a0 11; error HYT00")
                        .did(1, 2, "deposit a0 -3")
                        .did(1, 2, "deposit a0 5; failed 40001")
                        .account("a0", 104, ""),
                new Story()
                        .did(10, 20, "close c1o b0,a0; committed ")
                        .entry("c1o", "b0:-100,a0:100")
                        .without("b0")
                        .account("a0", 200, "c1o")
                        .did(30, 40, "look b0; none")
                        .did(30, 40, "deposit b0 5; count 0"),
                new Story().did(1, 2, "duty 0 leave; committed 1,1").did(1, 2, "duty 0 leave; failed 40001"),
                new Story()
                        .did(1, 4, "turn 0 -; committed 1")
                        .did(2, 3, "turn 0 -; committed 0")
                        .did(2, 3, "turn 0 r; rolledback 0")
                        .did(2, 3, "turn 0 -; failed 40001")
                        .turns(2),
                // It had committed, and its process did not hear of it.
                new Story()
                        .did(2, 3, "turn 0 -; committed 1")
                        .did(1, 9, "turn 0 -")
                        .turns(2),
                new Story().did(1, 9, "turn 0 -; error HYT00"),
                ordered(),
                ordered().did(30, 40, "cancel o1 7; failed 40001"),
                ordered().did(30, 40, "cancel o1 7; error HYT00"),
                new Story().did(10, 20, "order o1 0:3 -; committed 7 1 y").did(30, 40, "cancel o1 7; committed 1,1"),
                new Story().did(10, 20, "order o1 0:3 r; rolledback 7 1 y"),
                new Story()
                        .did(10, 20, "order o1 0:3 -")
                        .order(7, "o1", 1)
                        .lines(7, "0:3")
                        .stock(47));
    }

    @ParameterizedTest
    @MethodSource("right")
    void shouldAcceptWhatTransactionsPromise(Story story) {
        assertThat(story.violations()).isEmpty();
    }

    private static Arguments wrong(String violation, Story story) {
        return Arguments.of(violation, story);
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                wrong("a row is held in the end", new Story().held("acct_a 0")),
                wrong("an error that the faults do not explain", new Story().did(1, 2, "deposit a0 5; error 99999")),
                wrong(
                        "a key is refused that nobody has inserted",
                        new Story().did(1, 2, "transfer t1o a0:-5,a1:5 -; failed 23000")),
                // One of its rows is missing, or one of its values.
                wrong(
                        "an acknowledged commit is lost",
                        new Story().did(1, 2, "transfer t1o a0:-5,a1:5 -; committed 1,1 -,- y")),
                wrong("the balance is not that of the journal", moved().account("a1", 100, "")),
                wrong("the balance is not that of the journal", moved().account("a1", 110, "t1o")),
                wrong(
                        "the balance is not that of the journal",
                        new Story().did(10, 20, "transfer t1f a0:-5,a1:5 -").account("a0", 95, "")),
                wrong("the journal says something else", moved().did(10, 20, "transfer t1o a0:-6,a1:6 -; error HYT00")),
                wrong("a row of the journal is there twice", moved().entry("t1o", "a0:-5,a1:5")),
                wrong("a row of the journal that nobody inserted", new Story().entry("t9o", "a0:0")),
                wrong("a row of the journal that nobody inserted, or a savepoint took back", moved().entry("t1o!", "")),
                wrong(
                        "a transaction that was rolled back is there",
                        new Story()
                                .did(10, 20, "transfer t1o a0:0,a1:0 -; failed 40001")
                                .entry("t1o", "a0:0,a1:0")),
                wrong(
                        "a transaction that was rolled back is there",
                        new Story()
                                .did(10, 20, "transfer t1o a0:0,a1:0 r; rolledback 1,1 -,- y")
                                .entry("t1o", "a0:0,a1:0")),
                // Counts
                wrong(
                        "a row that is there is not counted",
                        new Story().did(1, 2, "transfer t1o a0:5,a1:-5 -; rolledback 0,1 -,- -")),
                wrong(
                        "the count is not what was read under the lock",
                        new Story().did(1, 2, "transfer t1o a0:-5,a1:5 u; rolledback 0,1 100,100 -")),
                wrong(
                        "the count is not what was read under the lock",
                        moved().did(10, 20, "transfer t1o a0:-5,a1:5 u; committed 1,1 4,100 y")),
                wrong(
                        "the count is not what was read under the lock",
                        new Story().did(1, 2, "transfer t1o a0:-500,a1:500 d; rolledback 0,1 100,- -")),
                wrong(
                        "it should have been rolled back",
                        moved().did(10, 20, "transfer t1o a0:-5,a1:5 -; committed 0,1 -,- y")),
                wrong("the count is wrong", moved().did(10, 20, "transfer t1o a0:-5,a1:5 -; committed 2,1 -,- y")),
                wrong(
                        "a row is counted that is not there",
                        new Story().did(1, 2, "transfer t1o a0:-5,a1:5 b; rolledback 1,1,missing:1 -,- -")),
                wrong("a row that is there is not counted", new Story().did(1, 2, "deposit a0 5; count 0")),
                wrong("the balance is not that of the journal", new Story().did(1, 2, "deposit a0 5; count 1")),
                wrong(
                        "the balance is not that of the journal",
                        new Story().did(1, 2, "deposit a0 5").account("a0", 104, "")),
                wrong("an account is missing", new Story().without("a0")),
                // What is seen
                wrong(
                        "it does not see what it has written",
                        moved().did(10, 20, "transfer t1o a0:-5,a1:5 -; committed 1,1 -,- n")),
                wrong(
                        "a row that was rolled back was seen",
                        new Story()
                                .did(10, 20, "transfer t1o a0:-5,a1:5 r; rolledback 1,1 -,- y")
                                .did(12, 13, "look a0; seen t1o missing")),
                wrong(
                        "a row was seen that is not committed",
                        new Story().did(10, 20, "transfer t1f a0:-5,a1:5 -").did(12, 13, "look a0; seen t1f -")),
                wrong(
                        "a note was seen that nobody wrote, or that a savepoint took back",
                        moved().did(30, 31, "look a0; seen t1o! -")),
                wrong("half of a transaction was seen", moved().did(30, 31, "look a0; seen t1o missing")),
                wrong("a later commit is not seen", moved().did(30, 31, "look a0; seen - -")),
                wrong("a later commit is not seen", moved().account("a0", 95, "")),
                wrong(
                        "a later commit is not seen",
                        moved().did(30, 40, "transfer t2o a0:-1,a1:1 -; committed 1,1 -,- y")
                                .entry("t2o", "a0:-1,a1:1")
                                .account("a0", 94, "t1o")
                                .account("a1", 106, "t2o")),
                wrong("a transaction was seen before it began", moved().did(5, 6, "look a0; seen t1o found")),
                wrong("an account is missing", new Story().did(5, 6, "look a0; none")),
                wrong("an acknowledged commit is not seen", moved().did(30, 31, "find t1o; missing")),
                wrong("nobody is on duty", new Story().duty(0, 0)),
                wrong("nobody is on duty", new Story().did(1, 2, "duty 0 audit; committed 0,0")),
                wrong(
                        "two held one gate",
                        new Story()
                                .did(1, 4, "turn 0 -; committed 0")
                                .did(2, 3, "turn 0 -; committed 0")
                                .turns(1)),
                wrong(
                        "the turns are not those of the transactions",
                        new Story()
                                .did(1, 4, "turn 0 -; committed 0")
                                .did(2, 3, "turn 0 -; failed 40001")
                                .turns(2)),
                wrong(
                        "an acknowledged commit is lost",
                        new Story().did(1, 4, "turn 0 -; committed 1").turns(1)),
                wrong(
                        "a later commit is not seen",
                        new Story()
                                .did(1, 2, "turn 0 -; committed 1")
                                .did(3, 4, "turn 0 -; committed 0")
                                .turns(2)),
                // Orders
                wrong("an order is not whole", ordered().lines(7)),
                wrong("an order is not whole", ordered().lines(7, "0:3", "0:4")),
                wrong(
                        "lines of no order are there",
                        new Story()
                                .did(10, 20, "order o1 0:3 -")
                                .lines(7, "0:3")
                                .stock(47)),
                wrong("the stock is not that of the lines", ordered().stock(50)),
                wrong("an acknowledged commit is lost", new Story().did(10, 20, "order o1 0:3 -; committed 7 1 y")),
                wrong("an acknowledged commit is lost", ordered().did(30, 40, "cancel o1 7; committed 1,1")),
                wrong(
                        "a row that is there is not counted",
                        new Story()
                                .did(10, 20, "order o1 0:3 -; committed 7 1 y")
                                .did(30, 40, "cancel o1 7; committed 0,1")),
                wrong("an order has another id", ordered().did(10, 20, "order o1 0:3 -; committed 8 1 y")),
                wrong("an id was issued twice", ordered().did(1, 2, "order o2 0:1 r; rolledback 7 1 y")),
                wrong(
                        "a transaction that was rolled back is there",
                        ordered().did(10, 20, "order o1 0:3 -; failed 40001")),
                wrong("nobody inserted it", new Story().order(7, "o9", 0)));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void shouldFindWhatIsWrong(String violation, Story story) {
        assertThat(story.violations()).anyMatch(found -> found.startsWith(violation));
    }

    @Test
    void shouldCountWhatIsInDoubt() {
        assertThat(BankHistory.figures(new Story()
                        .did(1, 2, "deposit a0 5; error HYT00")
                        .did(1, 2, "deposit a0 5")
                        .did(1, 2, "deposit a0 5; count 1")
                        .operations))
                .startsWith(
                        "3 operations, 2 in doubt: {deposit, count 1=1, deposit, error HYT00=1, deposit, killed=1}");
    }
}
