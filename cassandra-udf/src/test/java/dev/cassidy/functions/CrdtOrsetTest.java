package dev.cassidy.functions;

import static java.util.Comparator.comparing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CrdtOrsetTest {

    private record Row(String elem, String tag, Boolean removed) {}

    @Test
    void shouldCountTheElementsWithATagThatIsNotRemoved() {
        Seeds.each(2000, random -> {
            List<Row> rows = rows(random);
            NavigableSet<String> expected = expected(rows);

            // Duplicates change nothing, nor does the order within a tag.
            rows.addAll(List.copyOf(rows.subList(0, rows.size() / 2)));
            Collections.shuffle(rows, random);
            rows.sort(comparing(Row::elem).thenComparing(Row::tag));
            assertThat(size(rows)).isEqualTo(expected.size());
            assertThat(elements(rows)).containsExactlyElementsOf(expected);

            Collections.reverse(rows);
            assertThat(size(rows)).isEqualTo(expected.size());
            assertThat(elements(rows)).containsExactlyElementsOf(List.copyOf(expected.descendingSet()));
        });
    }

    /** Replicas exchange rows in whatever order, and more than once. */
    @Test
    void shouldBeCommutativeAssociativeAndIdempotent() {
        Seeds.each(1000, random -> {
            List<Row> a = rows(random);
            List<Row> b = rows(random);
            List<Row> c = rows(random);
            List<String> ab = elements(merged(a, b));

            assertThat(elements(merged(b, a))).isEqualTo(ab);
            assertThat(elements(merged(merged(a, b), c))).isEqualTo(elements(merged(a, merged(b, c))));
            assertThat(elements(merged(a, a))).isEqualTo(elements(merged(a, List.of())));
        });
    }

    /** As the table does it: a row for each (element, tag), which stays removed. */
    private static List<Row> merged(List<Row> some, List<Row> others) {
        SortedMap<List<String>, Row> table =
                new TreeMap<>(comparing((List<String> key) -> key.get(0)).thenComparing(key -> key.get(1)));
        Stream.of(some, others)
                .flatMap(List::stream)
                .forEach(row -> table.merge(
                        List.of(row.elem(), row.tag()),
                        row,
                        (one, other) -> Boolean.TRUE.equals(one.removed()) ? one : other));
        return List.copyOf(table.values());
    }

    @Test
    void shouldCountNothingInAnEmptySet() {
        assertThat(size(List.of())).isZero();
        assertThat(size(List.of(new Row(null, "t", false), new Row("e", null, false))))
                .isZero();
        assertThat(elements(List.of())).isEmpty();
        assertThat(elements(List.of(new Row(null, "t", false), new Row("e", null, false))))
                .isEmpty();
    }

    @Test
    void shouldCountAnElementWhoseFirstTagIsRemovedAndSecondIsNot() {
        assertThat(size(List.of(new Row("e", "1", true), new Row("e", "2", null))))
                .isEqualTo(1);
        assertThat(size(List.of(new Row("e", "1", null), new Row("e", "2", true))))
                .isEqualTo(1);
        assertThat(size(List.of(new Row("e", "1", true), new Row("e", "2", true))))
                .isZero();
        // Added and removed by separate rows.
        assertThat(size(List.of(new Row("e", "1", false), new Row("e", "1", true))))
                .isZero();
    }

    @Test
    void shouldRefuseAnElementThatCameBack() {
        List<Row> rows = List.of(new Row("a", "1", false), new Row("b", "2", false), new Row("a", "3", false));
        assertThatThrownBy(() -> elements(rows))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("crdt_orset_elements: ")
                .hasMessageContaining("elem=a after elem=b");
        assertThatThrownBy(() -> size(rows))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "crdt_orset_size: the rows of an element must be side by side, with the elements in the order"
                                + " of text: elem=a after elem=b; read one set of a table with PRIMARY KEY(set, elem, tag, ...),"
                                + " or GROUP BY set");
    }

    private static NavigableSet<String> expected(List<Row> rows) {
        NavigableSet<String> elements = new TreeSet<>();
        rows.stream()
                .collect(Collectors.groupingBy(row -> List.of(row.elem(), row.tag())))
                .forEach((key, ofTag) -> {
                    if (ofTag.stream().noneMatch(row -> Boolean.TRUE.equals(row.removed()))) {
                        elements.add(key.get(0));
                    }
                });
        return elements;
    }

    private static List<String> elements(List<Row> rows) {
        List<String> state = new ArrayList<>();
        for (Row row : rows) {
            state = CrdtOrsetElements.add(state, row.elem(), row.tag(), row.removed());
        }
        return CrdtOrsetElements.result(state);
    }

    private static long size(List<Row> rows) {
        Tuple state = new Tuple();
        for (Row row : rows) {
            state = CrdtOrsetSize.add(state, row.elem(), row.tag(), row.removed());
        }
        return CrdtOrsetSize.result(state);
    }

    private static List<Row> rows(Random random) {
        List<Row> rows = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
            rows.add(new Row(
                    "e" + random.nextInt(5),
                    "t" + random.nextInt(3),
                    switch (random.nextInt(3)) {
                        case 0 -> true;
                        case 1 -> false;
                        default -> null;
                    }));
        }
        return rows;
    }
}
