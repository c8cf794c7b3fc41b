package dev.cassidy.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CrdtExactTest {

    private static final long EPOCH_1 = 1L << 32;
    private static final long BOOKEND = 0xFFFFFFFFL;
    private static final BigInteger HUGE = BigInteger.ONE.shiftLeft(100);

    /** The aggregate, row by row. */
    private static final class Read {
        private Tuple state = new Tuple();

        Read row(String type, String actor, Long version, Long upto, Number increment) {
            state = CrdtExact.add(state, type, actor, version, upto, increment);
            return this;
        }

        Read row(long version, Long upto, Number increment) {
            return row("IBM", "P1", version, upto, increment);
        }

        BigInteger sum() {
            return CrdtExact.result(state);
        }
    }

    @Test
    void shouldAddRowsThatWereNeverFolded() {
        assertThat(new Read().sum()).isZero();
        assertThat(new Read()
                        .row(1, null, 5)
                        .row(2, null, -7L)
                        .row(EPOCH_1 + 1, null, HUGE)
                        .sum())
                .isEqualTo(HUGE.subtract(BigInteger.TWO));
    }

    @Test
    void shouldAddTotalsWithoutUpto() {
        assertThat(new Read()
                        .row("IBM", "P1", 0L, null, 5)
                        .row("IBM", "P2", 0L, null, 6)
                        .row("SAP", "P2", 0L, null, 7)
                        .sum())
                .isEqualTo("18");
    }

    @Test
    void shouldSkipRowsThatLackSomething() {
        assertThat(new Read()
                        .row(null, "P1", 1L, null, 5)
                        .row("IBM", null, 1L, null, 5)
                        .row("IBM", "P1", null, null, 5)
                        .row(3, null, null)
                        .sum())
                .isZero();
    }

    @Test
    void shouldAcceptABaseWithItsBookend() {
        assertThat(new Read()
                        .row(0, 3L, 10)
                        .row(4, null, 5)
                        .row(Long.MAX_VALUE, 3L, null)
                        .sum())
                .isEqualTo("15");
        assertThat(new Read()
                        .row(EPOCH_1, EPOCH_1 + 3, 10)
                        .row(EPOCH_1 + 4, null, 5)
                        .row(EPOCH_1 | BOOKEND, EPOCH_1 + 3, null)
                        .sum())
                .isEqualTo("15");
    }

    @Test
    void shouldAnswerNullIfBaseAndBookendDiffer() {
        assertThat(new Read().row(0, 3L, 10).row(Long.MAX_VALUE, 4L, null).sum())
                .isNull();
        assertThat(new Read().row(0, 3L, 10).row(Long.MAX_VALUE, null, null).sum())
                .isNull();
        assertThat(new Read()
                        .row(EPOCH_1, EPOCH_1 + 3, 10)
                        .row(EPOCH_1 | BOOKEND, EPOCH_1 + 4, null)
                        .sum())
                .isNull();
    }

    @Test
    void shouldAnswerNullIfOneOfThemIsMissing() {
        assertThat(new Read().row(0, 3L, 10).row(4, null, 1).sum()).isNull();
        assertThat(new Read().row(4, null, 1).row(Long.MAX_VALUE, 3L, null).sum())
                .isNull();
        assertThat(new Read().row(EPOCH_1, EPOCH_1 + 3, 10).sum()).isNull();
        assertThat(new Read().row(EPOCH_1 | BOOKEND, EPOCH_1 + 3, null).sum()).isNull();
        assertThat(new Read()
                        .row(EPOCH_1, EPOCH_1 + 3, 10)
                        .row(2 * EPOCH_1, 2 * EPOCH_1 + 3, 10)
                        .row(2 * EPOCH_1 | BOOKEND, 2 * EPOCH_1 + 3, null)
                        .sum())
                .isNull();
        assertThat(new Read()
                        .row("IBM", "P1", 0L, 3L, 10)
                        .row("IBM", "P2", 1L, null, 10)
                        .sum())
                .isNull();
        assertThat(new Read()
                        .row("IBM", "P1", 0L, 3L, 10)
                        .row("SAP", "P1", Long.MAX_VALUE, 3L, null)
                        .sum())
                .isNull();
        assertThat(new Read().row(0, 3L, null).row(Long.MAX_VALUE, 3L, null).sum())
                .as("a base without its sum")
                .isNull();
    }

    @Test
    void shouldAnswerNullForAllOnceItWasTorn() {
        assertThat(new Read()
                        .row("IBM", "P1", 0L, 3L, 10)
                        .row("IBM", "P2", 0L, 3L, 10)
                        .row("IBM", "P2", Long.MAX_VALUE, 3L, null)
                        .sum())
                .isNull();
    }

    @Test
    void shouldSkipWhatAReplicaBroughtBack() {
        assertThat(new Read()
                        .row(0, EPOCH_1 | BOOKEND, 10)
                        .row(2, null, 100)
                        .row(EPOCH_1, EPOCH_1 + 3, 100)
                        .row(EPOCH_1 + 4, null, 100)
                        .row(EPOCH_1 | BOOKEND, EPOCH_1 + 3, null)
                        .row(2 * EPOCH_1, 2 * EPOCH_1 + 2, 20)
                        .row(2 * EPOCH_1 + 1, null, 100)
                        .row(2 * EPOCH_1 + 3, null, 3)
                        .row(2 * EPOCH_1 | BOOKEND, 2 * EPOCH_1 + 2, null)
                        .row(3 * EPOCH_1 + 1, null, 4)
                        .row(Long.MAX_VALUE, EPOCH_1 | BOOKEND, null)
                        .sum())
                .isEqualTo("37");
    }

    @Test
    void shouldNotMaskOneActorsRowsByAnothersBase() {
        assertThat(new Read()
                        .row("IBM", "P1", 0L, 9L, 10)
                        .row("IBM", "P1", Long.MAX_VALUE, 9L, null)
                        .row("IBM", "P2", 1L, null, 5)
                        .row("SAP", "P2", 1L, null, 6)
                        .sum())
                .isEqualTo("21");
    }

    @Test
    void shouldRefuseRowsInAnotherOrder() {
        assertThatThrownBy(() -> new Read().row(2, null, 1).row(1, null, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "crdt_exact: the versions of an actor must ascend: version=1 after version=2 type=IBM actor=P1;"
                                + " read a table with PRIMARY KEY(type, actor, version), without ORDER BY");
    }

    @Test
    void shouldRefuseVersionsOutsideOfTheirRange() {
        assertThatThrownBy(() -> new Read().row(-4, null, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("crdt_exact: a version must be >= 0: version=-4 type=IBM actor=P1;"
                        + " something else than a counter has written this row");
        assertThatThrownBy(() -> new Read().row(Long.MAX_VALUE, null, 1))
                .hasMessageContaining(
                        "version 9223372036854775807 is a bookend and must have no increment: increment=1");
    }

    @Test
    void shouldBeExactWhateverWasFoldedAndCameBack() {
        Seeds.each(2000, random -> {
            List<FoldedCounter> counters = counters(random);
            assertThat(read(counters, () -> {})).isEqualTo(total(counters));
        });
    }

    /** A read takes its rows one by one, as with pages of one row, and folds come between them. */
    @Test
    void shouldBeExactOrNullHoweverItIsTorn() {
        int[] outcomes = new int[2];
        Seeds.each(5000, random -> {
            List<FoldedCounter> counters = counters(random);
            BigInteger sum = read(counters, () -> {
                if (random.nextInt(10) == 0) {
                    counters.get(random.nextInt(counters.size())).fold(random);
                }
            });
            outcomes[sum == null ? 0 : 1]++;
            if (sum != null) {
                assertThat(sum).isEqualTo(total(counters));
            }
        });
        assertThat(outcomes[0]).as("torn reads").isGreaterThan(500);
        assertThat(outcomes[1]).as("whole reads").isGreaterThan(500);
    }

    private static List<FoldedCounter> counters(Random random) {
        List<FoldedCounter> counters = new ArrayList<>();
        for (String type : List.of("IBM", "SAP")) {
            for (String actor : List.of("P1", "P2")) {
                FoldedCounter counter = new FoldedCounter(type, actor);
                for (int i = random.nextInt(30); i > 0; i--) {
                    switch (random.nextInt(8)) {
                        case 0 -> counter.beginEpoch();
                        case 1, 2 -> counter.fold(random);
                        default -> counter.increment(random);
                    }
                }
                counters.add(counter);
            }
        }
        return counters;
    }

    private static BigInteger read(List<FoldedCounter> counters, Runnable betweenRows) {
        Read read = new Read();
        for (FoldedCounter counter : counters) {
            Map.Entry<Long, FoldedCounter.Row> row = counter.next(-1);
            while (row != null) {
                read.row(
                        counter.type,
                        counter.actor,
                        row.getKey(),
                        row.getValue().upto(),
                        row.getValue().increment());
                betweenRows.run();
                row = counter.next(row.getKey());
            }
        }
        return read.sum();
    }

    private static BigInteger total(List<FoldedCounter> counters) {
        return counters.stream().map(counter -> counter.total).reduce(BigInteger.ZERO, BigInteger::add);
    }
}
