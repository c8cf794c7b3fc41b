package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
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

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "Orders,orders",
                "Order,\"order\"",
                "Order Details,order_details",
                "2nd,\"2nd\"",
                "Straße,stra_x00df_e",
                "GRÖSSE,gr_x00f6_sse",
                "Größe,gr_x00f600df_e",
                "имя,\"_x0438043c044f_\"",
                "Заказ 2,\"_x04370430043a04300437__2\"",
                "a-b,a_x002d_b",
                "a.b$,a_x002e_b_x0024_",
                "\uD83D\uDE00,\"_xd83dde00_\""
            })
    void shouldNameATableByWhatCassandraTakes(String content, String cql) {
        assertThat(Identifiers.bracketedTableToCql(content)).isEqualTo(cql);
        assertThat(Identifiers.toInternal(cql)).matches("[a-z0-9_]+");
    }

    /** Both were the table gr__e. */
    @Test
    void shouldNotMakeOneTableOfTwoNames() {
        List<String> names = List.of(
                "Größe", "Gräße", "Groesse", "Gr ße", "Gr-ße", "ö", "oe", "öö", "ö ö", "öx", "xö", "имя", "мя", "ся",
                "é", "è");

        assertThat(names.stream().map(Identifiers::bracketedTableToCql)).doesNotHaveDuplicates();
    }
}
