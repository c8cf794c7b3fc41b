package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiptTest {

    private static final UUID TABLE = UUID.fromString("5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b");
    private static final String TEXT = "60393600.17:dc1/0:" + TABLE + ":shop.traded:IBM";

    @Test
    void shouldNameTableCounterActorEpochAndNumber() {
        Receipt receipt = Receipt.parse(TEXT);

        assertThat(receipt).isEqualTo(new Receipt("shop.traded", TABLE, "IBM", "dc1/0", 60393600, 17));
        assertThat(receipt).hasToString(TEXT);
        assertThat(receipt.version()).isEqualTo((60393600L << 32) + 17);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:b", "dc1/0:IBM", " ", "\n", "\uD83D\uDE00", "1.2:dc1/3:x"})
    void shouldReadWhatItWrote(String type) {
        for (String actor : new String[] {"dc1/0", "eu:west/1:a/7", "50%3A/2", "a/b/3"}) {
            Receipt receipt = new Receipt("\"Shop\".traded", TABLE, type, actor, Integer.MAX_VALUE - 1, 0xFFFF_FFFEL);
            assertThat(Receipt.parse(receipt.toString())).isEqualTo(receipt);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5:dc1/0:IBM",
                "99999999999999999999:dc1/0:IBM",
                "0.17:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "1.0:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "01.1:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "1.01:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "2147483647.1:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "9999999999.1:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "1.4294967295:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "1.9999999999:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "1.1:dc1/00:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "1.1:dc1:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                "1.1:dc1/0:5bc52f80-245b-11ee-b0d5a1e2cd56ef1b-:shop.traded:IBM",
                "1.1:dc1/0:shop.traded:IBM",
                "1.1:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:",
                "1.1:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b::IBM",
                "1.1:dc1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:\uD83D",
                "1.1:dc%3a1/0:5bc52f80-245b-11ee-b0d5-a1e2cd56ef1b:shop.traded:IBM",
                ""
            })
    void shouldRefuseEverythingElse(String text) {
        assertThatThrownBy(() -> Receipt.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .isNotInstanceOf(NumberFormatException.class)
                .hasMessageMatching("(?s).{10,}");
    }
}
