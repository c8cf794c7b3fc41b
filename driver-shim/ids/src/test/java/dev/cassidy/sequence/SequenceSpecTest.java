package dev.cassidy.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceSpecTest {

    @ParameterizedTest
    @CsvSource({
        "INT, 1, 1, 2147483647",
        "INT, 348, 1, 2147483300",
        "SMALLINT, 32767, 1, 1",
        "SMALLINT, 32767, -1, 65536",
        "BIGINT, 1, 1, 9223372036854775807",
        "INT, 10, 10, 214748364",
        "INT, 0, -7, 306783379",
        "BIGINT, 0, 1, 9223372036854775807",
        "BIGINT, -1, -1, 9223372036854775807",
        "BIGINT, -9223372036854775808, 1, 9223372036854775807"
    })
    void shouldCountTheIdsBetweenStartAndBound(IdentityType type, long start, long increment, long count) {
        assertThat(SequenceSpec.of("s", type, start, increment).count()).isEqualTo(count);
    }

    @ParameterizedTest
    @CsvSource({"INT, 1, 1", "SMALLINT, 32767, -1", "BIGINT, -5, 3", "BIGINT, 9223372036854775807, -9223372036854775807"
    })
    void shouldEndWithinItsType(IdentityType type, long start, long increment) {
        SequenceSpec spec = SequenceSpec.of("s", type, start, increment);

        long last = spec.idAt(spec.count() - 1);

        assertThat(last).isBetween(spec.minimum(), spec.maximum());
        assertThat(spec.ordinalOf(last)).isEqualTo(BigInteger.valueOf(spec.count() - 1));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 348, 347",
        "1, 1, 0, -1",
        "1, 10, 12, 2",
        "1, 10, 11, 1",
        "-1, -5, -6, 1",
        "-1, -5, -7, 2",
        "-1, -5, 0, 0",
        "-1, -5, 4, -1",
        "5, 10, 1, 0"
    })
    void shouldGiveTheFirstOrdinalNotBeforeAnId(long start, long increment, long id, long ordinal) {
        SequenceSpec spec = SequenceSpec.of("s", IdentityType.INT, start, increment);

        assertThat(spec.ordinalOf(id)).isEqualTo(BigInteger.valueOf(ordinal));
    }

    @Test
    void shouldRefuseMoreIdsThanALongCanCount() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SequenceSpec("wide", IdentityType.BIGINT, -1, 1, -1, Long.MAX_VALUE))
                .withMessageContaining("2^63-1")
                .withMessageContaining("wide");
    }

    @Test
    void shouldRefuseAnIncrementOfZero() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SequenceSpec.of("still", IdentityType.INT, 1, 0))
                .withMessageContaining("increment=0");
    }

    @Test
    void shouldRefuseAStartOutsideTheType() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SequenceSpec.of("far", IdentityType.SMALLINT, 40_000, 1))
                .withMessageContaining("40000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "x;--", "é", "a/b"})
    void shouldRefuseANameThatIsNotPlain(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SequenceSpec.of(name))
                .withMessageContaining("'" + name + "'");
    }

    @Test
    void shouldInterleave() {
        SequenceSpec stream = SequenceSpec.of("orders").interleave(2, 3);
        assertThat(stream.name()).isEqualTo("orders[2/3]");
        assertThat(List.of(stream.idAt(0), stream.idAt(1), stream.idAt(2))).containsExactly(2L, 5L, 8L);
    }

    @Test
    void shouldRefuseStripesAndInterleavingTogether() {
        assertThatThrownBy(() -> SequenceSpec.of("orders").withStripes(2).interleave(1, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stripes=2");
        assertThatThrownBy(() -> SequenceSpec.of("orders").interleave(1, 3).withStripes(2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("interleaved");
    }

    @ParameterizedTest
    @CsvSource({"0, 3", "4, 3", "1, 0", "1, 1001"})
    void shouldRefuseANonexistentStream(int id, int of) {
        assertThatThrownBy(() -> SequenceSpec.of("orders").interleave(id, of))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("interleave(" + id + ", " + of + ")");
    }

    @Test
    void shouldRefuseToCycle() {
        assertThat(SequenceSpec.of("orders").withCycle(false)).isEqualTo(SequenceSpec.of("orders"));
        assertThatThrownBy(() -> SequenceSpec.of("orders").withCycle(true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("CYCLE of sequence orders")
                .hasMessageContaining("second time");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 65})
    void shouldRefuseStripesOutOfRange(int stripes) {
        assertThatThrownBy(() -> SequenceSpec.of("orders").withStripes(stripes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stripes=" + stripes);
    }

    @ParameterizedTest
    @CsvSource({"0, 10", "11, 10", "-5, -1"})
    void shouldRefuseSizesOutOfRange(long smallest, long largest) {
        assertThatThrownBy(() -> SequenceSpec.of("orders").withBlock(smallest, largest))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("smallest=" + smallest + " largest=" + largest);
        assertThatThrownBy(() -> SequenceSpec.of("orders").withReserve(smallest, largest))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseABlockThatCouldOverflowItsCounter() {
        assertThatThrownBy(() -> SequenceSpec.of("orders").withBlock(1, (1L << 30) + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("block.largest=1073741825");
    }

    @Test
    void shouldRefuseTimeOrderForACountingSequence() {
        assertThat(SequenceSpec.timeOrdered("events").order()).isEqualTo(Order.TIME);
        assertThatThrownBy(() -> SequenceSpec.of("orders").withOrder(Order.TIME))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("type=INT")
                .hasMessageContaining("sequence=orders")
                .hasMessageContaining("SequenceSpec.timeOrdered(name)");
        assertThatThrownBy(() -> SequenceSpec.timeOrdered("events").withStripes(2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stripes=2");
        assertThatThrownBy(() -> SequenceSpec.timeOrdered("events").interleave(1, 3))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
