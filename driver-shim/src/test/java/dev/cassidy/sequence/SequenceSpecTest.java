package dev.cassidy.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
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
        "INT, 0, -7, 306783379"
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
                .isThrownBy(() -> SequenceSpec.of("wide", IdentityType.BIGINT, Long.MIN_VALUE, 1))
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
}
