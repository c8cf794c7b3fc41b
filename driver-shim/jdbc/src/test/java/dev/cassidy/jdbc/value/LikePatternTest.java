package dev.cassidy.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LikePatternTest {

    private static final List<String> NAMES = List.of("a_b", "axb", "A_B", "[a]", "a", "50%", "c\\", "^");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a_b  | a_b,axb",
                "a\\_b | a_b",
                "A_b  | a_b,axb,A_B",
                "[a]  | [a]",
                "\\[a\\] | [a]",
                "%\\% | 50%",
                "c\\  | c\\",
                "c\\\\ | c\\",
                "\\^  | ^",
                "%b   | a_b,axb",
                "x    | ''"
            })
    void shouldMatchAsJdbc(String pattern, String matched) {
        assertThat(String.join(",", LikePattern.matching(NAMES, pattern, Function.identity())))
                .isEqualTo(matched);
    }
}
