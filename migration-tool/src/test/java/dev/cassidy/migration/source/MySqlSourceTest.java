package dev.cassidy.migration.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MySqlSourceTest {

    /** One that tells A from a may still ignore accents, or kana. */
    @ParameterizedTest
    @CsvSource({
        "binary, true",
        "utf8mb4_bin, true",
        "utf8mb4_0900_bin, true",
        "utf8mb4_nopad_bin, true",
        "utf8mb4_uca1400_ai_cs, false",
        "utf8mb4_uca1400_as_cs, false",
        "utf8mb4_ja_0900_as_cs, false",
        "utf8mb4_general_ci, false"
    })
    void shouldTakeBinaryCollationsAloneForCharacters(String collation, boolean comparesCharacters) {
        assertThat(MySqlSource.comparesCharacters(collation)).isEqualTo(comparesCharacters);
    }
}
