package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading in one pass gives the same result as reading all tokens, or leaves the text to the tokenizer. */
class PlainInsertTest {

    private static final List<String> PLAIN = List.of(
            "INSERT",
            " ",
            "INTO",
            " ",
            "[dbo]",
            ".",
            "[orders]",
            " ",
            "(",
            "customer",
            ",",
            " ",
            "[Order Id]",
            ",",
            "note",
            ")",
            " ",
            "VALUES",
            " ",
            "(",
            "?",
            ",",
            " ",
            "-",
            "7",
            ",",
            "N'no ''sugar'''",
            ")",
            ";");

    private static final List<String> OTHER = List.of(
            "",
            " ",
            "  ",
            "\n",
            "\t",
            "\u00a0",
            "\ufeff",
            "\u0000",
            "--",
            "-- c\n",
            "/*",
            "/* c */",
            "/* /* c */ */",
            "//",
            ".",
            "..",
            ",",
            ";",
            "(",
            ")",
            "()",
            "[",
            "]",
            "[]",
            "[[]",
            "[]]]",
            "{",
            "}",
            "-",
            "+",
            "=",
            "*",
            ":",
            "::",
            "#",
            "dbo",
            "DBO",
            "[dbo]",
            "[DBO]",
            "\"dbo\"",
            "db",
            "[my db]",
            "t",
            "[t]",
            "[T]",
            "[select]",
            "\"T\"",
            "\u00e9",
            "[\u00e9]",
            "[a\"b]",
            "with",
            "WITH (TABLOCK)",
            "count_big",
            "COUNT_BIG",
            "ident_current",
            "ident_seed",
            "ident_incr",
            "scope_identity",
            "SCOPE_IDENTITY()",
            "getdate",
            "GETDATE()",
            "newid()",
            "current_timestamp",
            "CURRENT_TIMESTAMP",
            "next",
            "value",
            "NEXT VALUE FOR s",
            "default",
            "DEFAULT",
            "DEFAULT VALUES",
            "json",
            "JSON",
            "select",
            "SELECT",
            "(SELECT",
            "top",
            "TOP (1)",
            "values",
            "VALUES",
            "insert",
            "INSERT",
            "into",
            "exec",
            "output",
            "OUTPUT INSERTED.id",
            "IF NOT EXISTS",
            "USING TTL 5",
            "using",
            "if",
            "null",
            "NULL",
            "true",
            "False",
            "nan",
            "infinity",
            "?",
            "?, ?",
            ":n",
            "@v",
            "@@identity",
            "0",
            "1",
            "'20240131'",
            "N'1'",
            "1.5",
            "-1.5e-3",
            "1e5",
            "0xff",
            "1h30m",
            "5AND",
            "P1Y",
            "123e4567-e89b-12d3-a456-426614174000",
            "N",
            "n'x'",
            "N'x'",
            "Nx",
            "'x'",
            "''",
            "'",
            "'a''b'",
            "\"x\"",
            "\"",
            "$$",
            "$$x$$",
            "$",
            "[1]",
            "['x']",
            "{'a': 1}",
            "{ts '2024-01-01'}",
            "{d '2024-01-01'}",
            "(int) 1",
            "f(1)",
            "SET NOCOUNT ON",
            "RETURNING",
            "2), (3");

    private static String text(SplittableRandom random) {
        List<String> pieces = new ArrayList<>(PLAIN);
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(pieces.size());
            String piece = OTHER.get(random.nextInt(OTHER.size()));
            switch (random.nextInt(4)) {
                case 0 -> pieces.remove(at);
                case 1 -> pieces.add(at, piece);
                default -> pieces.set(at, piece);
            }
        }
        return String.join("", pieces);
    }

    private static boolean isReadAlike(String text) {
        String bracketed = RegularNames.bracketed(text);
        boolean plain = PlainInsert.read(bracketed) != null;
        if (plain) {
            assertThat(TsqlScript.parse(text))
                    .as(text)
                    .usingRecursiveComparison()
                    .isEqualTo(TsqlScript.parseAny(bracketed));
        }
        return plain;
    }

    @Test
    void shouldGiveTheSameResultAsAllTokens() {
        SplittableRandom random = new SplittableRandom(20_260_102);
        int plain = 0;
        for (int i = 0; i < 10_000; i++) {
            plain += isReadAlike(text(random)) ? 1 : 0;
        }
        assertThat(plain).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "  INSERT INTO shop.orders (customer, note) VALUES (?, ?)",
                "insert into [dbo].[Order Details]([Id],name)values(1,N'x');",
                "INSERT INTO dbo.t (a, b, c) VALUES (-1, NULL, $$x$$) ; ;",
                "\n -- c\n INSERT INTO [with] (a) VALUES (TRUE)",
                "INSERT INTO [my db].t (a) VALUES (123e4567-e89b-12d3-a456-426614174000)",
            })
    void shouldTakeOnePass(String text) {
        assertThat(isReadAlike(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO COUNT_BIG (a) VALUES (1)",
                "INSERT INTO with (tablock) VALUES (1)",
                "INSERT INTO t (a) VALUES (CURRENT_TIMESTAMP)",
                "INSERT INTO t (a) VALUES (DEFAULT)",
                "INSERT INTO t (a) VALUES (1), (2)",
                "INSERT INTO t /* c */ (a) VALUES (1)",
                "INSERT INTO t (a, b) VALUES (1)",
                "INSERT INTO t (select) VALUES (1)",
                "SELECT a FROM t",
                "",
            })
    void shouldLeaveOtherTextsToTheTokenizer(String text) {
        assertThat(PlainInsert.read(text)).isNull();
    }
}
