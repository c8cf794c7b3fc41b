package dev.cassidy.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CrdtGapsTest {

    private static final long EPOCH_1 = 1L << 32;
    private static final long BOOKEND = 0xFFFFFFFFL;

    private static final class Read {
        private List<String> state = new ArrayList<>();

        Read row(String actor, Long version, Long upto) {
            state = CrdtGaps.add(state, actor, version, upto);
            return this;
        }

        Read versions(String actor, long... versions) {
            for (long version : versions) {
                row(actor, version, null);
            }
            return this;
        }

        List<String> gaps() {
            return CrdtGaps.result(new ArrayList<>(state));
        }
    }

    @Test
    void shouldFindNoGapsInNothing() {
        assertThat(new Read().gaps()).isEmpty();
        assertThat(new Read().row(null, 5L, null).row("P1", null, null).gaps()).isEmpty();
    }

    @Test
    void shouldListTheVersionsThatAreMissing() {
        assertThat(new Read().versions("P1", 1, 2, 3).versions("P2", 2, 4, 7).gaps())
                .containsExactly("P2:1..1", "P2:3..3", "P2:5..6");
    }

    @Test
    void shouldBeginAtOneInEachEpoch() {
        assertThat(new Read()
                        .versions("P1", 1, 3, EPOCH_1 + 2, EPOCH_1 + 3, 5 * EPOCH_1 + 1)
                        .gaps())
                .containsExactly("P1:2..2", "P1:4294967297..4294967297");
    }

    @Test
    void shouldNotMissWhatABaseContains() {
        assertThat(new Read()
                        .row("P1", 0L, 9L)
                        .versions("P1", 10, 12)
                        .row("P1", EPOCH_1, EPOCH_1 + 5)
                        .versions("P1", EPOCH_1 + 7)
                        .row("P1", EPOCH_1 | BOOKEND, EPOCH_1 + 5)
                        .row("P1", Long.MAX_VALUE, 9L)
                        .gaps())
                .containsExactly("P1:11..11", "P1:4294967302..4294967302");
    }

    @Test
    void shouldNotTakeWhatCameBackForTheFirstAfterAGap() {
        assertThat(new Read().row("P1", 0L, 9L).versions("P1", 5, 10).gaps()).isEmpty();
        assertThat(new Read()
                        .row("P1", 0L, EPOCH_1 | BOOKEND)
                        .row("P1", EPOCH_1, EPOCH_1 + 3)
                        .versions("P1", EPOCH_1 + 5, 2 * EPOCH_1 + 1)
                        .gaps())
                .isEmpty();
    }

    @Test
    void shouldListActorsOfAnyName() {
        assertThat(new Read().versions("5:a..\n", 2).versions("😀", 2).gaps())
                .containsExactly("5:a..\n:1..1", "😀:1..1");
    }

    @Test
    void shouldBeginAnewWithTheNextPartition() {
        assertThat(new Read().versions("P1", 1, 2, 3).versions("P1", 2).gaps()).containsExactly("P1:1..1");
    }

    @Test
    void shouldListAHundredGapsAndCountTheRest() {
        Read read = new Read();
        for (long version = 2; version <= 200; version += 2) {
            read.versions("P1", version);
        }
        assertThat(read.gaps()).hasSize(100).endsWith("P1:199..199");
        assertThat(read.versions("P1", 202, 204).gaps()).hasSize(101).endsWith("P1:199..199", "and 2 more");
    }

    @Test
    void shouldRefuseVersionsOutsideOfTheirRange() {
        assertThatThrownBy(() -> new Read().versions("P1", -4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("crdt_gaps: a version must be >= 0: version=-4 actor=P1;"
                        + " something else than a counter has written this row");
    }

    @Test
    void shouldAgreeWithTheSetOfVersions() {
        Seeds.each(1000, random -> {
            Read read = new Read();
            List<String> expected = new ArrayList<>();
            for (String actor : List.of("P1", "P2")) {
                for (long epoch = 0; epoch < 3; epoch++) {
                    long start = epoch << 32;
                    NavigableSet<Long> versions = new TreeSet<>();
                    for (int i = random.nextInt(10); i > 0; i--) {
                        versions.add(start + 1 + random.nextInt(20));
                    }
                    long contained = random.nextBoolean() ? start + random.nextInt(20) : start;
                    if (contained > start) {
                        read.row(actor, start, contained);
                    }
                    versions.forEach(version -> read.versions(actor, version));

                    long from = 0;
                    for (long version = start + 1; !versions.isEmpty() && version <= versions.last(); version++) {
                        boolean missing = version > contained && !versions.contains(version);
                        if (missing && from == 0) {
                            from = version;
                        } else if (!missing && from != 0) {
                            expected.add(actor + ":" + from + ".." + (version - 1));
                            from = 0;
                        }
                    }
                }
            }
            assertThat(read.gaps()).isEqualTo(expected);
        });
    }
}
