package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CqlUseTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            value = {
                "USE shop, shop",
                "use shop;, shop",
                "uSe\"Shop\", ~\"Shop\"~",
                "/**/use/**/shop, shop",
                "~--c\nuse shop~, shop",
                "~//c\ruse shop~, shop",
                "~ \t\nuse shop~, shop",
                "use 5, 5",
                "use, ~~"
            })
    void shouldFindWhatItNames(String cql, String named) {
        assertThat(CqlUse.recognise(cql)).contains(named);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "/* use shop",
                "used shop",
                "\"use\" shop",
                "UPDATE use SET v = 1 WHERE id = 1",
                "SELECT * FROM t -- use shop",
                "-- use shop\nSELECT * FROM t",
                "-- use shop"
            })
    void shouldFindNoneInOtherStatements(String cql) {
        assertThat(CqlUse.recognise(cql)).isEmpty();
    }
}
