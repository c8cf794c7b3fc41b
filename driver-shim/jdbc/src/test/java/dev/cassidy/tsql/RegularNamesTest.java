package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegularNamesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "SELECT Straße, é FROM t            | SELECT [Straße], [é] FROM t",
                "SELECT k.Größe1_x AS Maß FROM k    | SELECT k.[Größe1_x] AS [Maß] FROM k",
                "INSERT t(имя,顾客)VALUES(N'имя',?) | INSERT t([имя],[顾客])VALUES(N'имя',?)",
                "SELECT 1 WHERE ä=1 AND b='ü'--ö    | SELECT 1 WHERE [ä]=1 AND b='ü'--ö",
                "SELECT 𠀀a, a𠀀 FROM t             | SELECT [𠀀a], [a𠀀] FROM t"
            })
    void shouldPutBracketsAroundNames(String sql, String expected) {
        assertThat(RegularNames.bracketed(sql)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t WHERE b = 'straße'",
                "SELECT [Straße], \"Straße\" FROM t /* größe */",
                "DECLARE @größe INT",
                "SELECT a FROM t WHERE b = :größe",
                "SELECT 5ä",
                "SELECT 'ä",
                "SELECT a → b",
                "SELECT 😀"
            })
    void shouldLeaveEverythingElse(String sql) {
        assertThat(RegularNames.bracketed(sql)).isEqualTo(sql);
    }
}
