package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.collation.Collation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollatedComparisonTest {

    private static boolean holds(String collation, boolean unequal, String value, String... values) {
        return new CollatedComparison("s", Collation.of(collation), unequal, List.of(values)).holds(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "SQL_Latin1_General_CP1_CI_AS | Open | \"open \" | true",
                "SQL_Latin1_General_CP1_CI_AS | Crème | creme | false",
                "SQL_Latin1_General_CP1_CI_AS | straße | STRASSE | true",
                "Latin1_General_CI_AI | Crème | CREME | true",
                "Latin1_General_CS_AS | Open | open | false",
                "Latin1_General_CS_AS | Open | \"Open  \" | true",
                "Turkish_CI_AS | ID | id | false",
                "Turkish_CI_AS | ID | ıd | true",
            })
    void shouldCompareByTheCollation(String collation, String value, String with, boolean equal) {
        assertThat(holds(collation, false, value, with)).isEqualTo(equal);
        assertThat(holds(collation, true, value, with)).isEqualTo(!equal);
        assertThat(holds(collation, false, value, "other", with)).isEqualTo(equal);
    }

    @Test
    void shouldNeverHoldOfNull() {
        assertThat(holds(Collation.DEFAULT_NAME, false, null, "a")).isFalse();
        assertThat(holds(Collation.DEFAULT_NAME, true, null, "a")).isFalse();
        assertThat(holds(Collation.DEFAULT_NAME, false, "a")).isFalse();
        assertThat(holds(Collation.DEFAULT_NAME, true, "a")).isFalse();
    }
}
