package dev.cassidy.counter.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.counter.store.CounterTable.NotExecuted;
import dev.cassidy.counter.store.CounterTable.Rejected;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WriteGroupsTest {

    private record Row(String name, String place, int size) {}

    private record Request(List<Row> rows, CompletableFuture<Void> answer) {
        List<String> names() {
            return rows.stream().map(Row::name).toList();
        }
    }

    private final List<Request> sent = new ArrayList<>();
    private final List<Runnable> timed = new ArrayList<>();
    private final WriteGroups<Row> groups = new WriteGroups<>(
            new WriteGroups.Sender<>() {
                @Override
                public Optional<Object> placeOf(Row row) {
                    return row.place().isEmpty() ? Optional.empty() : Optional.of(row.place());
                }

                @Override
                public int sizeOf(Row row) {
                    return row.size();
                }

                @Override
                public CompletionStage<Void> send(List<Row> rows) {
                    Request request = new Request(rows, new CompletableFuture<>());
                    sent.add(request);
                    return request.answer();
                }
            },
            (task, delay) -> timed.add(task));

    private CompletableFuture<Void> write(String name) {
        return groups.write(new Row(name, "here", 1)).toCompletableFuture();
    }

    /** Writes as many rows as may be under way before others wait. */
    private void fill() {
        IntStream.range(0, WriteGroups.FEW_ROWS).forEach(i -> write("earlier" + i));
    }

    private Request last() {
        return sent.get(sent.size() - 1);
    }

    @Test
    void shouldSendEachRowAtOnceWhileFewRowsAreUnderWay() {
        fill();

        assertThat(sent).hasSize(WriteGroups.FEW_ROWS).allSatisfy(request -> assertThat(request.rows())
                .hasSize(1));
    }

    @Test
    void shouldSendTheRowsThatWaitedTogetherWhenARequestIsAnswered() {
        fill();
        CompletableFuture<Void> one = write("one");
        CompletableFuture<Void> two = write("two");
        assertThat(sent).hasSize(WriteGroups.FEW_ROWS);

        sent.get(3).answer().complete(null);

        assertThat(last().names()).containsExactly("one", "two");
        assertThat(one).isNotDone();
        last().answer().complete(null);
        assertThat(one).isCompleted();
        assertThat(two).isCompleted();
    }

    @Test
    void shouldLetRowsWaitWhileTwoRequestsWithManyRowsHaveNoAnswer() {
        fill();
        IntStream.range(0, 2 * WriteGroups.MAX_ROWS).forEach(i -> write("many" + i));
        // Now the two large requests alone have no answer.
        sent.subList(0, WriteGroups.FEW_ROWS)
                .forEach(request -> request.answer().complete(null));
        int before = sent.size();

        write("one");
        write("two");

        assertThat(sent).hasSize(before);
        sent.get(before - 1).answer().complete(null);
        assertThat(last().names()).containsExactly("one", "two");
    }

    @Test
    void shouldLetARowWaitWhileRowsShareARequest() {
        fill();
        write("one");
        write("two");
        // The first answer lets both go together; three requests with four rows have no answer then.
        for (int i = 0; i < WriteGroups.FEW_ROWS - 2; i++) {
            sent.get(i).answer().complete(null);
        }
        int before = sent.size();

        write("three");

        assertThat(sent).hasSize(before);
    }

    @Test
    void shouldCountTheRowsOfALargeRequestAsUnderWay() {
        fill();
        IntStream.range(0, 2 * WriteGroups.MAX_ROWS).forEach(i -> write("many" + i));
        sent.forEach(request -> request.answer().complete(null));
        int before = sent.size();

        // All were answered, so each goes alone again.
        fill();

        assertThat(sent.subList(before, sent.size()))
                .hasSize(WriteGroups.FEW_ROWS)
                .allSatisfy(request -> assertThat(request.rows()).hasSize(1));
    }

    @Test
    void shouldNotLetAFullGroupWait() {
        fill();

        IntStream.range(0, WriteGroups.MAX_ROWS + 1).forEach(i -> write("row" + i));

        assertThat(sent).hasSize(WriteGroups.FEW_ROWS + 1);
        assertThat(last().rows()).hasSize(WriteGroups.MAX_ROWS);
    }

    @Test
    void shouldNotSendMoreBytesThanABatchMayHave() {
        fill();
        for (String name : List.of("one", "two", "large")) {
            groups.write(new Row(name, "here", WriteGroups.MAX_BYTES / 2));
        }
        groups.write(new Row("too large", "here", 2 * WriteGroups.MAX_BYTES));

        for (int i = 0; i <= WriteGroups.FEW_ROWS; i++) {
            sent.get(i).answer().complete(null);
        }

        assertThat(sent.subList(WriteGroups.FEW_ROWS, sent.size()))
                .extracting(Request::names)
                .containsExactly(List.of("one", "two"), List.of("large"), List.of("too large"));
    }

    @Test
    void shouldSendRowsOfDifferentPlacesInDifferentRequests() {
        fill();

        groups.write(new Row("elsewhere", "there", 1));

        assertThat(last().names()).containsExactly("elsewhere");
    }

    @Test
    void shouldSendARowWithoutAPlaceAlone() {
        fill();

        groups.write(new Row("anywhere", "", 1));

        assertThat(last().names()).containsExactly("anywhere");
    }

    @Test
    void shouldNotLetRowsWaitForAnswersThatDoNotCome() {
        fill();
        write("one");
        write("two");
        assertThat(timed).hasSize(1);

        timed.remove(0).run();

        assertThat(last().names()).containsExactly("one", "two");
        write("three");
        assertThat(timed).as("the next one has its own time").hasSize(1);
    }

    @Test
    void shouldLetNoLongRowWaitForAnotherTime() {
        fill();
        for (String name : List.of("one", "two", "three")) {
            groups.write(new Row(name, "here", WriteGroups.MAX_BYTES));
        }

        timed.remove(0).run();

        assertThat(sent.subList(WriteGroups.FEW_ROWS, sent.size()))
                .extracting(Request::names)
                .containsExactly(List.of("one"), List.of("two"), List.of("three"));
        assertThat(timed).isEmpty();
    }

    @Test
    void shouldFailEveryRowOfARequestThatFails() {
        fill();
        CompletableFuture<Void> one = write("one");
        CompletableFuture<Void> two = write("two");
        sent.get(0).answer().complete(null);
        NotExecuted failure = new NotExecuted("no node", new IllegalStateException());

        last().answer().completeExceptionally(failure);

        assertThat(one).isCompletedExceptionally();
        assertThat(two).failsWithin(Duration.ZERO).withThrowableThat().withCause(failure);
        assertThat(sent).as("nothing is sent again").hasSize(WriteGroups.FEW_ROWS + 1);
    }

    @Test
    void shouldFindOutWhichRowIsRejected() {
        fill();
        CompletableFuture<Void> good = write("good");
        CompletableFuture<Void> bad = write("bad");
        sent.get(0).answer().complete(null);
        Rejected rejected = new Rejected("denied", new IllegalStateException());

        last().answer().completeExceptionally(rejected);

        Predicate<Request> alone = request -> request.rows().size() == 1;
        List<Request> again = sent.subList(WriteGroups.FEW_ROWS + 1, sent.size());
        assertThat(again).hasSize(2).allMatch(alone);
        again.get(0).answer().complete(null);
        again.get(1).answer().completeExceptionally(rejected);
        assertThat(good).isCompleted();
        assertThat(bad).isCompletedExceptionally();
    }

    @Test
    void shouldForgetAPlaceThatNothingIsSentTo() {
        fill();
        write("one");
        assertThat(groups.places()).isEqualTo(1);

        for (int i = 0; i < sent.size(); i++) {
            sent.get(i).answer().complete(null);
        }

        assertThat(groups.places()).isZero();
        write("two");
        assertThat(last().names()).containsExactly("two");
    }
}
