package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentStatementsTest {

    private final List<String> read = new ArrayList<>();

    private final RecentStatements<Integer> texts = new RecentStatements<>(text -> {
        read.add(text);
        if (text.equals("bad")) {
            throw new IllegalStateException("bad");
        }
        return text.length();
    });

    @Test
    void shouldReadATextOnce() {
        assertThat(texts.of("abc")).isEqualTo(3);
        assertThat(texts.of("abc")).isEqualTo(3);
        assertThat(read).containsExactly("abc");
    }

    @Test
    void shouldForgetATextThatIsNotUsedWhileTwoGenerationsFillUp() {
        texts.of("used");
        texts.of("unused");
        for (int i = 0; i < 3_000; i++) {
            texts.of("text " + i);
            texts.of("used");
        }
        texts.of("unused");

        assertThat(read.stream().filter("used"::equals)).hasSize(1);
        assertThat(read.stream().filter("unused"::equals)).hasSize(2);
    }

    @Test
    void shouldReadLongTextsAndFailuresEachTime() {
        String longText = "x".repeat(10_001);
        texts.of(longText);
        texts.of(longText);
        assertThatIllegalStateException().isThrownBy(() -> texts.of("bad"));
        assertThatIllegalStateException().isThrownBy(() -> texts.of("bad"));

        assertThat(read).containsExactly(longText, longText, "bad", "bad");
    }
}
