package dev.cassidy.collation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CollationTest {

    @ParameterizedTest
    @CsvSource({
        "SQL_Latin1_General_CP1_CI_AS,          true,  false, false",
        "sql_latin1_general_cp1_ci_as,          true,  false, false",
        "SQL_Latin1_General_CP850_CS_AS,        false, false, false",
        "SQL_Latin1_General_Pref_CP1_CI_AS,     true,  false, false",
        "Latin1_General_CI_AS,                  true,  false, false",
        "Latin1_General_CS_AI,                  false, true,  false",
        "Latin1_General_100_CI_AI_SC_UTF8,      true,  true,  false",
        "Latin1_General_100_CI_AS_KS_WS_SC,     true,  false, false",
        "Japanese_XJIS_140_CI_AS_KS_WS_VSS_UTF8, true, false, false",
        "Japanese_Bushu_Kakusu_140_CS_AS_VSS,   false, false, false",
        "Chinese_Simplified_Stroke_Order_100_CI_AS, true, false, false",
        "Turkish_CI_AS,                         true,  false, false",
        "Finnish_Swedish_CI_AS,                 true,  false, false",
        "Latin1_General_BIN,                    false, false, true",
        "Latin1_General_BIN2,                   false, false, true",
        "Latin1_General_100_BIN2_UTF8,          false, false, true",
        "SQL_Latin1_General_CP850_BIN2,         false, false, true",
        "Danish_Norwegian_BIN2,                 false, false, true",
        "Hungarian_BIN,                         false, false, true"
    })
    void shouldReadTheName(String name, boolean ignoresCase, boolean ignoresAccents, boolean binary) {
        Collation collation = Collation.of(name);

        assertThat(collation.name()).isEqualTo(name);
        assertThat(collation.version()).isEqualTo(1);
        assertThat(collation.ignoresCase()).isEqualTo(ignoresCase);
        assertThat(collation.ignoresAccents()).isEqualTo(ignoresAccents);
        assertThat(collation.isBinary()).isEqualTo(binary);
    }

    @Test
    void shouldBeSqlServersDefaultIfNothingIsSaid() {
        assertThat(Collation.standard()).isEqualTo(Collation.of("sql_latin1_general_cp1_ci_as", 1));
        assertThat(Collation.standard()).hasSameHashCodeAs(Collation.of("sql_latin1_general_cp1_ci_as"));
        assertThat(Collation.standard()).isNotEqualTo(Collation.of("Latin1_General_CI_AS"));
        assertThat(Collation.standard()).hasToString("SQL_Latin1_General_CP1_CI_AS, version 1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "utf8mb4_general_ci",
                "Latin1_General",
                "Latin1_General_CI",
                "Latin1_General_AS_CI",
                "Latin1_General_CI_AS_SC_KS",
                "Latin1_General_CI_AS ",
                "Latin1_General_BIN3",
                "Latin1_General_110_CI_AS",
                "Latin2_General_CI_AS",
                "Klingon_BIN2",
                "BIN2"
            })
    void shouldRefuseWhatIsNoName(String name) {
        assertThatThrownBy(() -> Collation.of(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("must be ")
                .hasMessageContaining("collation=" + name)
                .hasMessageContaining(". Write ");
    }

    @Test
    void shouldSayHowToWriteALanguageThatIsNotKnown() {
        assertThatThrownBy(() -> Collation.of("Hungarian_CI_AS"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be a collation of which is known what it takes for equal: collation=Hungarian_CI_AS."
                        + " Write Latin1_General_100_CI_AS, or Latin1_General_BIN2");
        assertThatThrownBy(() -> Collation.of("SQL_Hungarian_CP1250_CI_AS"))
                .hasMessageEndingWith(". Write Latin1_General_100_CI_AS, or Latin1_General_BIN2");
        assertThatThrownBy(() -> Collation.of("Finnish_Swedish_100_CS_AI_SC"))
                .hasMessage("must be a collation of which is known what it takes for equal:"
                        + " collation=Finnish_Swedish_100_CS_AI_SC."
                        + " Write the one with _AS, Latin1_General_100_CS_AI, or Latin1_General_BIN2");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, -1})
    void shouldRefuseAVersionThatItDoesNotKnow(int version) {
        assertThatThrownBy(() -> Collation.of("Latin1_General_CI_AS", version))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be 1, the version of collations that this release knows: version=" + version
                        + ". Use the release of Cassidy that declared the table, or a later one");
    }

    /** Of two marks at one place the upper one is no part of the letter: Windows adds the two, Unicode does not. */
    @Test
    void shouldTakeAMarkAboveAnotherOneForNoPartOfALetter() {
        Collation spanish = Collation.of("Modern_Spanish_100_CI_AS");

        assertThat(spanish.equal("n\u0301\u0303", "\u00F1\u0301")).isFalse();
        assertThat(spanish.equal("n\u0303\u0301", "\u00F1\u0301")).isTrue();
        assertThat(spanish.equal("n\u0323\u0303", "\u00F1\u0323")).isTrue();
    }

    @Test
    void shouldReturnATextThatIsItsForm() {
        String folded = "admin@example.com";

        assertThat(Collation.standard().fold(folded)).isSameAs(folded);
        assertThat(Collation.of("Latin1_General_BIN2").fold(folded)).isSameAs(folded);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Jane.Doe@Example.com", "Jane.Doe@Example.com   ", "JANE"})
    void shouldAllocateNothingButTheFormOfAnAsciiText(String text) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Collation collation = Collation.standard();
        byte[] form = collation.fold(text).getBytes(StandardCharsets.ISO_8859_1);
        int rounds = 10_000;
        long forms = 0;
        long folds = 0;
        long length = 0;
        // The first round loads classes, and makes what is used again.
        for (int round = 0; round < 2; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                length += new String(form, StandardCharsets.ISO_8859_1).length();
            }
            long between = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                length += collation.fold(text).length();
            }
            forms = between - before;
            folds = threads.getCurrentThreadAllocatedBytes() - between;
        }

        assertThat(length).isEqualTo(4L * rounds * form.length);
        // An array more for each fold would be 16 bytes at least.
        assertThat(folds).isLessThan(forms + 8L * rounds);
    }
}
