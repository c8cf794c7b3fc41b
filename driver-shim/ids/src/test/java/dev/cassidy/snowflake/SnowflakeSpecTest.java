package dev.cassidy.snowflake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnowflakeSpecTest {

    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "128,128,65536",
        "129,256,32768",
        "255,256,32768",
        "1000,1024,8192",
        "4097,8192,1024",
        "8192,8192,1024",
    })
    void shouldRoundTheNodesUpToAPowerOfTwo(int asked, int nodes, int idsPerMilli) {
        SnowflakeSpec spec = new SnowflakeSpec("orders", EPOCH, asked);

        assertThat(spec.nodes()).isEqualTo(nodes);
        assertThat(spec.idsPerMilli()).isEqualTo(idsPerMilli);
    }

    @Test
    void shouldBeFor8192NodesByDefault() {
        assertThat(SnowflakeSpec.of("orders", EPOCH).nodes()).isEqualTo(8_192);
    }

    @Test
    void shouldRefuseBadValuesByNameAndValue() {
        assertThatThrownBy(() -> new SnowflakeSpec("orders", EPOCH, 127))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be 128 to 8192: nodes=127 sequence=orders");
        assertThatThrownBy(() -> new SnowflakeSpec("orders", EPOCH, 8_193)).hasMessageContaining("nodes=8193");
        assertThatThrownBy(() -> SnowflakeSpec.of("a b", EPOCH)).hasMessageContaining("sequence name='a b'");
        assertThatThrownBy(() -> SnowflakeSpec.of("orders", EPOCH.plusNanos(1)))
                .hasMessage("must be whole milliseconds: epoch=2025-01-01T00:00:00.000000001Z sequence=orders");
        assertThatThrownBy(() -> SnowflakeSpec.of("orders", Instant.MAX)).hasMessageContaining("epoch=+1000000000");
        assertThatThrownBy(() -> SnowflakeSpec.of("orders", EPOCH).parts(-1)).hasMessageContaining("id=-1");
        assertThatThrownBy(() -> SnowflakeSpec.of("orders", EPOCH).firstIdAt(EPOCH.minusMillis(1)))
                .hasMessageContaining("time=2024-12-31T23:59:59.999Z");
    }

    @Test
    void shouldDecodeAnId() {
        SnowflakeSpec spec = SnowflakeSpec.of("orders", Instant.parse("2014-01-01T00:00:00Z"));
        // The worked example of the snowcast page: 2014-03-03 05:12:12, node 1234.
        long id = (5_289_132_000L << 23) | (1_234L << 10) | 7;

        assertThat(spec.parts(id)).isEqualTo(new SnowflakeParts(Instant.parse("2014-03-03T05:12:12Z"), 1_234, 7));
        assertThat(spec.firstIdAt(Instant.parse("2014-03-03T05:12:12Z"))).isEqualTo(5_289_132_000L << 23);
    }

    @Test
    void shouldLast34Years() {
        assertThat(SnowflakeSpec.of("orders", EPOCH).end()).isBetween("2059-10-01T00:00:00Z", "2059-12-01T00:00:00Z");
    }
}
