package dev.cassidy.migration.rows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows break a rule exactly if a write of the same value would be refused or changed. */
class RowRuleTest {

    private static RowRule rule(String type, boolean required) {
        return new RowRule(new ColumnDefinition("c", "C", SqlType.parse(type).orElseThrow(), required, ""));
    }

    @ParameterizedTest
    @CsvSource({
        "varchar(3), abc",
        "varchar(3), ''",
        "nvarchar(max), abcdef",
        "char(2), ab",
        "text, abc",
    })
    void shouldTakeTextsThatAreStoredAsTheyAre(String type, String value) {
        assertThat(rule(type, true).breach(value)).isEmpty();
    }

    @Test
    void shouldTellTheLengthAndNotTheValue() {
        assertThat(rule("varchar(3)", false).breach("abcd")).contains("has 4 characters");
        // A write would cut the blanks off, or add some.
        assertThat(rule("varchar(3)", false).breach("abc  ")).contains("has 5 characters");
        assertThat(rule("char(2)", false).breach("a")).contains("has 1 character");
        assertThat(rule("varbinary(1)", false).breach(ByteBuffer.allocate(2))).contains("has 2 bytes");
        assertThat(rule("binary(2)", false).breach(ByteBuffer.allocate(1))).contains("has 1 byte");
        assertThat(rule("tinyint", false).breach((short) 256)).contains("is out of the range");
    }

    @ParameterizedTest
    @CsvSource({
        "'decimal(5,2)', 7.1,",
        "'decimal(5,2)', 7.100,",
        "'decimal(5,2)', 1E+2,",
        "'decimal(5,2)', 7.129, has 1 digit before the point and 3 after it",
        "'decimal(5,2)', 1000, has 4 digits before the point and 0 after it",
        "'decimal(5,2)', 1E+1000000000, has 1000000001 digits before the point and 0 after it",
        "'decimal(5,2)', 0.001, has 0 digits before the point and 3 after it",
        "smallmoney, 214748.3648, has 6 digits before the point and 4 after it",
    })
    void shouldCompareDecimalsByTheirValues(String type, BigDecimal value, String breach) {
        assertThat(rule(type, false).breach(value).orElse(null)).isEqualTo(breach);
    }

    @Test
    void shouldAskForAValueOnlyOfNotNull() {
        assertThat(rule("int", true).breach(null)).contains("has no value");
        assertThat(rule("varchar(3)", false).breach(null)).isEmpty();
        assertThat(rule("int", false).asksForAnything()).isFalse();
        assertThat(rule("int", true).asksForAnything()).isTrue();
    }
}
