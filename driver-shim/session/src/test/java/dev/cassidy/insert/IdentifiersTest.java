package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentifiersTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {"orders,orders", "\"Orders\",Orders", "\"order\",order", "\"a\"\"b\",a\"b", "\"1a\",1a", "\"\",``"
            })
    void shouldWriteAndReadAnInternalName(String cql, String internal) {
        assertThat(Identifiers.toInternal(cql)).isEqualTo(internal);
        assertThat(Identifiers.toCql(internal)).isEqualTo(cql);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {"Orders,orders", "Order,\"order\"", "Order Details,\"Order Details\"", "2nd,\"2nd\""})
    void shouldLowerCaseABracketedNameThatCqlNeedNotQuote(String content, String cql) {
        assertThat(Identifiers.bracketedToCql(content)).isEqualTo(cql);
    }
}
