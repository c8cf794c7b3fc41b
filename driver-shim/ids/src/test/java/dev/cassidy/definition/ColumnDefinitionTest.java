package dev.cassidy.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.collation.Collation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ColumnDefinitionTest {

    private static ColumnDefinition column(String type, String collation) {
        return new ColumnDefinition("c", "c", SqlType.parse(type).orElseThrow(), false, collation);
    }

    @ParameterizedTest
    @CsvSource({
        "varchar(20), '', SQL_Latin1_General_CP1_CI_AS",
        "nvarchar(max), '', SQL_Latin1_General_CP1_CI_AS",
        "char(3), Latin1_General_CS_AS, Latin1_General_CS_AS",
        "nchar(3), Turkish_100_CI_AI, Turkish_100_CI_AI",
    })
    void shouldCompareStringsByTheirCollation(String type, String collation, String expected) {
        assertThat(column(type, collation).equality()).map(Collation::name).contains(expected);
    }

    /** By a binary collation, by one whose rules are not known, and of what is no string that T-SQL compares. */
    @ParameterizedTest
    @CsvSource({
        "nvarchar(20), Latin1_General_BIN2",
        "nvarchar(20), Latin1_General_100_BIN",
        "nvarchar(20), Hungarian_CI_AS",
        "nvarchar(20), Danish_Norwegian_CI_AI",
        "nvarchar(20), nonsense",
        "text, ''",
        "xml, ''",
        "int, ''",
        "uniqueidentifier, ''",
    })
    void shouldCompareAllElseByBytes(String type, String collation) {
        assertThat(column(type, collation).equality()).isEmpty();
    }

    @Test
    void shouldCompareByBytesWhereNoTypeIsKnown() {
        assertThat(ColumnDefinition.named("c").equality()).isEmpty();
    }
}
