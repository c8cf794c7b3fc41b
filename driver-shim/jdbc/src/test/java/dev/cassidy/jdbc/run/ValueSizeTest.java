package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValueSizeTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "abc", "\u00e9\u00df", "\u20ac1", "a\ud83d\ude00b"})
    void shouldBeThatOfATextInUtf8(String text) {
        assertThat(ValueSize.of(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void shouldBeThatOfBytesAndNumbers() {
        assertThat(ValueSize.of(null)).isZero();
        assertThat(ValueSize.of(ByteBuffer.allocate(9).position(2))).isEqualTo(7);
        assertThat(ValueSize.of(BigInteger.valueOf(255))).isEqualTo(2);
        assertThat(ValueSize.of(new BigDecimal("1.27"))).isEqualTo(5);
        assertThat(ValueSize.of(Instant.EPOCH)).isEqualTo(16);
    }
}
