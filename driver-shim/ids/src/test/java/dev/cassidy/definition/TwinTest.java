package dev.cassidy.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.collation.Collation;
import org.junit.jupiter.api.Test;

class TwinTest {

    private static final Twin STANDARD = new Twin(Collation.DEFAULT_NAME, Collation.NEWEST_VERSION);

    @Test
    void shouldHaveOneValueForEqualStrings() {
        assertThat(STANDARD.fold("Admin  ")).isEqualTo(STANDARD.fold("admin")).isNotEqualTo(STANDARD.fold("admın"));
        assertThat(new Twin("Latin1_General_100_CS_AS", Collation.NEWEST_VERSION).fold("Admin"))
                .isNotEqualTo(STANDARD.fold("Admin"));
    }

    @Test
    void shouldHaveAValueThatIsNeverEmpty() {
        assertThat(STANDARD.fold("")).isEqualTo("\0").isEqualTo(STANDARD.fold("  "));
        assertThat(STANDARD.fold("\0")).isEqualTo("\0");
    }

    @Test
    void shouldLeaveItsOwnValuesAsTheyAre() {
        for (String each : new String[] {"", "Admin ", "Straße", "Ⅷ", "é", "ＡＢ"}) {
            String once = STANDARD.fold(each);
            assertThat(STANDARD.fold(once)).isEqualTo(once);
        }
    }

    @Test
    void shouldBeNamedByItsColumn() {
        assertThat(Twin.original(Twin.nameOf("name"))).isEqualTo("name");
        assertThat(Twin.original("name")).isEqualTo("name");
        assertThat(Twin.isOne("name")).isFalse();
        assertThat(Twin.shown("SELECT \"" + Twin.nameOf("Name") + "\"")).isEqualTo("SELECT \"Name\"");
    }

    @Test
    void shouldRefuseAVersionThatThisReleaseDoesNotHave() {
        Twin later = new Twin(Collation.DEFAULT_NAME, Collation.NEWEST_VERSION + 1);
        assertThatThrownBy(() -> later.fold("x")).isInstanceOf(IllegalArgumentException.class);
    }
}
