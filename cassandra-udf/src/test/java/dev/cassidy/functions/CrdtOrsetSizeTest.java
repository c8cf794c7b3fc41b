package dev.cassidy.functions;

import static java.util.Comparator.comparing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CrdtOrsetSizeTest {

    private record Row(String elem, String tag, Boolean removed) {}

    @Test
    void shouldCountTheElementsWithATagThatIsNotRemoved() {
        Seeds.each(2000, random -> {
            List<Row> rows = rows(random);
            long expected = expected(rows);

            // Duplicates change nothing, nor does the order within a tag.
            rows.addAll(List.copyOf(rows.subList(0, rows.size() / 2)));
            Collections.shuffle(rows, random);
            rows.sort(comparing(Row::elem).thenComparing(Row::tag));
            assertThat(size(rows)).isEqualTo(expected);

            Collections.reverse(rows);
            assertThat(size(rows)).isEqualTo(expected);
        });
    }

    @Test
    void shouldCountNothingInAnEmptySet() {
        assertThat(size(List.of())).isZero();
        assertThat(size(List.of(new Row(null, "t", false), new Row("e", null, false))))
                .isZero();
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
        assertThatThrownBy(() ->
                        size(List.of(new Row("a", "1", false), new Row("b", "2", false), new Row("a", "3", false))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "crdt_orset_size: the rows of an element must be side by side, with the elements in the order"
                                + " of text: elem=a after elem=b; read one set of a table with PRIMARY KEY(set, elem, tag, ...),"
                                + " or GROUP BY set");
    }

    private static long expected(List<Row> rows) {
        Set<String> elements = new HashSet<>();
        rows.stream()
                .collect(Collectors.groupingBy(row -> List.of(row.elem(), row.tag())))
                .forEach((key, ofTag) -> {
                    if (ofTag.stream().noneMatch(row -> Boolean.TRUE.equals(row.removed()))) {
                        elements.add(key.get(0));
                    }
                });
        return elements.size();
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
