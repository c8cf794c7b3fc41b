package dev.cassidy.functions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CrdtFlagTest {

    private record Row(String tag, Boolean removed) {}

    @Test
    void shouldBeSetWhileATagIsNotRemoved() {
        assertThat(flag(List.of())).isFalse();
        assertThat(flag(List.of(new Row(null, false)))).isFalse();
        assertThat(flag(List.of(new Row("1", null)))).isTrue();
        assertThat(flag(List.of(new Row("1", true)))).isFalse();
        assertThat(flag(List.of(new Row("1", false), new Row("1", true)))).isFalse();
        assertThat(flag(List.of(new Row("1", true), new Row("1", false)))).isFalse();
        // Set again by somebody who did not see that it was cleared.
        assertThat(flag(List.of(new Row("1", true), new Row("2", false)))).isTrue();
    }

    @Test
    void shouldBeCommutativeAssociativeAndIdempotent() {
        Seeds.each(2000, random -> {
            List<Row> a = rows(random);
            List<Row> b = rows(random);
            List<Row> c = rows(random);
            boolean expected = expected(joined(a, b, c));

            assertThat(flag(joined(joined(a, b), c))).isEqualTo(expected);
            assertThat(flag(joined(a, joined(b, c)))).isEqualTo(expected);
            assertThat(flag(joined(c, b, a))).isEqualTo(expected);
            assertThat(flag(joined(a, b, c, b, a))).isEqualTo(expected);
            List<Row> shuffled = joined(a, b, c, c);
            Collections.shuffle(shuffled, random);
            assertThat(flag(shuffled)).isEqualTo(expected);
        });
    }

    private static boolean expected(List<Row> rows) {
        Set<String> live = new HashSet<>();
        rows.forEach(row -> live.add(row.tag()));
        rows.stream().filter(row -> Boolean.TRUE.equals(row.removed())).forEach(row -> live.remove(row.tag()));
        return !live.isEmpty();
    }

    private static boolean flag(List<Row> rows) {
        Map<String, Boolean> state = new HashMap<>();
        for (Row row : rows) {
            state = CrdtFlag.add(state, row.tag(), row.removed());
        }
        return CrdtFlag.value(state);
    }

    @SafeVarargs
    private static List<Row> joined(List<Row>... parts) {
        List<Row> rows = new ArrayList<>();
        for (List<Row> part : parts) {
            rows.addAll(part);
        }
        return rows;
    }

    private static List<Row> rows(Random random) {
        List<Row> rows = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            rows.add(new Row("t" + random.nextInt(4), random.nextInt(3) == 0 ? null : random.nextInt(3) > 0));
        }
        return rows;
    }
}
