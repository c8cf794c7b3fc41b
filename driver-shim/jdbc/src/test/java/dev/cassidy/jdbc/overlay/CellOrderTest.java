package dev.cassidy.jdbc.overlay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CellOrderTest {

    @Test
    void shouldTakeNumbersForEqualWhateverTheirScale() {
        assertThat(CellOrder.isEqual(new BigDecimal("1.0"), new BigDecimal("1.00")))
                .isTrue();
        assertThat(CellOrder.isEqual(null, null)).isTrue();
        assertThat(CellOrder.isEqual(null, 0)).isFalse();
        assertThat(CellOrder.isEqual("a", "a ")).isFalse();
    }

    /** UTF8Type compares bytes. */
    @Test
    void shouldOrderTextsAsTheirBytes() {
        Random random = new Random(1);
        int[] points = {'a', 'B', 0xe4, 0xffff, 0xe000, 0x1f600, 0x10ffff};
        for (int run = 0; run < 10_000; run++) {
            String one = text(random, points);
            String other = text(random, points);
            ByteBuffer a = Objects.requireNonNull(TypeCodecs.TEXT.encode(one, ProtocolVersion.DEFAULT));
            ByteBuffer b = Objects.requireNonNull(TypeCodecs.TEXT.encode(other, ProtocolVersion.DEFAULT));
            assertThat(Integer.signum(CellOrder.compare(one, other)))
                    .as("'%s' and '%s'", one, other)
                    .isEqualTo(Integer.signum(java.util.Arrays.compareUnsigned(a.array(), b.array())));
        }
    }

    private static String text(Random random, int[] points) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString();
    }

    @Test
    void shouldOrderOtherTypes() {
        assertThat(CellOrder.compare(2, 10)).isNegative();
        assertThat(CellOrder.compare(new BigDecimal("2"), new BigDecimal("10.5")))
                .isNegative();
        assertThat(CellOrder.compare(Instant.ofEpochMilli(2), Instant.ofEpochMilli(1)))
                .isPositive();
        assertThat(CellOrder.compare(ByteBuffer.wrap(new byte[] {(byte) 0xff}), ByteBuffer.wrap(new byte[] {1, 2})))
                .isPositive();
        assertThat(CellOrder.compare(ByteBuffer.wrap(new byte[] {1}), ByteBuffer.wrap(new byte[] {1, 0})))
                .isNegative();
        assertThat(CellOrder.compare(
                        UUID.fromString("f0000000-0000-1000-8000-000000000000"),
                        UUID.fromString("00000000-0000-4000-8000-000000000000")))
                .as("by the version first")
                .isNegative();
        assertThatThrownBy(() -> CellOrder.compare(List.of(1), List.of(2))).isInstanceOf(UnsupportedSqlException.class);
    }
}
