package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckExpressionTest {

    private static final List<ColumnDefinition> TABLE = List.of(
            column("a", "int", ""),
            column("b", "decimal(9,2)", ""),
            column("Full Name", "nvarchar(20)", ""),
            column("code", "char(3)", "Latin1_General_CS_AS"),
            column("flag", "bit", ""),
            column("word", "varchar(5)", ""),
            column("wide", "nchar(3)", ""),
            column("bin", "varchar(5)", "Latin1_General_BIN2"),
            column("ai", "nvarchar(5)", "Latin1_General_CI_AI"),
            column("vi", "nvarchar(5)", "Vietnamese_CI_AI"),
            column("at", "datetime", ""));

    private static ColumnDefinition column(String name, String type, String collation) {
        return new ColumnDefinition(name, name, SqlType.parse(type).orElseThrow(), false, collation);
    }

    private static CheckExpression check(String condition) {
        return CheckExpression.parse("CHECK (" + condition + ")", TABLE).orElseThrow();
    }

    /** @param row a, b, the name, the code and the flag; nothing for NULL */
    private static Map<String, Object> row(String row) {
        String[] values = row.split("/", -1);
        Map<String, Object> all = new HashMap<>();
        if (!values[0].isEmpty()) {
            all.put("a", Integer.valueOf(values[0]));
        }
        if (!values[1].isEmpty()) {
            all.put("b", new BigDecimal(values[1]));
        }
        if (!values[2].isEmpty()) {
            all.put("Full Name", values[2]);
        }
        if (!values[3].isEmpty()) {
            all.put("code", values[3]);
        }
        if (!values[4].isEmpty()) {
            all.put("flag", values[4].equals("1"));
        }
        return all;
    }

    /** As SQL Server decides, which takes a row of which it does not know. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a > 0                                    | 1////       | false",
                "a > 0                                    | 0////       | true",
                "a > 0                                    | ////        | false",
                "NOT (a > 0)                              | 1////       | true",
                "NOT a > 0                                | ////        | false",
                "a > 0 AND b > 0                          | 0////       | true",
                "a > 0 AND b > 0                          | 1////       | false",
                "a > 0 OR b > 0                           | 0////       | false",
                "a > 0 OR b > 0                           | 0/-1///     | true",
                "a > 0 OR b > 0 AND a = -5                | -5/1///     | false",
                "(a > 0 OR b > 0) AND a = -5              | -5/-1///    | true",
                "([a]>=(1)) AND ([a]<=(10))               | 11////      | true",
                "([a]>=(1)) AND ([a]<=(10))               | 10////      | false",
                "a BETWEEN 1 AND 3                        | 3////       | false",
                "a NOT BETWEEN 1 AND 3                    | 3////       | true",
                "a IN (1, 2)                              | 3////       | true",
                "a NOT IN (1, NULL)                       | 3////       | false",
                "a NOT IN (1, NULL)                       | 1////       | true",
                "a IN (1, NULL)                           | 3////       | false",
                "a IS NOT NULL                            | ////        | true",
                "a IS NULL OR b IS NOT NULL               | 1////       | true",
                "b = 1                                    | /1.00///    | false",
                "b <> 1.5                                 | /1.50///    | true",
                "b !< 2                                   | /1.99///    | true",
                "flag = 1                                 | ////0       | true",
                "flag = 1                                 | ////1       | false",
                "[Full Name] = 'ann'                      | //ANN  //   | false",
                "[full name] IN (N'ann', 'bob''s')        | //Bob's//   | false",
                "[Full Name] <> ''                        | // //       | true",
                "LEN([Full Name]) > 2                     | //ab  //    | true",
                "[Full Name] LIKE 'a%z'                   | //Abcz//    | false",
                "[Full Name] LIKE 'a_'                    | //abc//     | true",
                "[Full Name] LIKE '[a-c]x'                | //dx//      | true",
                "[Full Name] LIKE '[^a]%'                 | //abc//     | true",
                "[Full Name] NOT LIKE '%.%'               | //a.b//     | true",
                "code = 'abc'                             | ///ABC/     | true",
                "code = 'abc'                             | ///abc/     | false"
            })
    void shouldDecideAsSqlServer(String condition, String row, boolean broken) {
        assertThat(check(condition).isBrokenBy(row(row))).isEqualTo(broken);
    }

    @Test
    void shouldNameItsColumns() {
        assertThat(check("a > 0 OR [full name] = 'x'").columns()).containsExactlyInAnyOrder("a", "Full Name");
    }

    /** Half of a condition must not pass for all of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a > 0 AND at > '2000'",
                "a + 1 > 0",
                "dbo.f(a) > 0",
                "UPPER([Full Name]) = 'X'",
                "a > getdate()",
                "a > (SELECT 1)",
                "[Full Name] > 'a'",
                "[Full Name] = 1",
                "a LIKE '1%'",
                "[Full Name] LIKE 'a!%' ESCAPE '!'",
                "missing > 0",
                "a > 0)",
                "a > 0 b",
                "a ! 0",
                "a > 1.2.3",
                "a > 0xff",
                "a > 1 e0",
                "a > 1e400",
                "a > $",
                "a > $1e0",
                "a > +",
                "word LIKE '[a'",
                "word LIKE '[]a]'",
                "word LIKE '[ -~]'",
                "vi = N'e'",
                "N'e' <> vi",
                "vi IN (N'e')",
                "vi LIKE N'e%'",
                "code = bin",
                "a NOT = 0",
                ""
            })
    void shouldNotReadWhatItCannotDecide(String condition) {
        assertThat(CheckExpression.parse("CHECK (" + condition + ")", TABLE)).isEmpty();
    }

    private static boolean isBroken(String condition, String column, Object value) {
        return check(condition).isBrokenBy(Map.of(column, value));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "[z-a]      | b      | true",
                "[z-a]      | z      | true",
                "[^]        | a      | true",
                "[]         | a      | true",
                "[^z-a]     | b      | false",
                "[a-]       | -      | false",
                "[-a]       | -      | false",
                "[a^]       | ^      | false",
                "[%_]       | _      | false",
                "[%_]       | a      | true",
                "[[]        | [      | false",
                "]          | ]      | false",
                "a.c        | abc    | true",
                "a\\b     | a\\b | false",
                "[a-c]      | B      | false",
                "[0-9]      | é      | true",
                "%          | ab     | false",
                "%%b        | ab     | false",
                "a%         | ba     | true",
                "%a_b%      | xaab   | false",
                "a%b%c      | abcbx  | true",
                "_          | ab     | true",
                "_          | \uD83D\uDE00 | true"
            })
    void shouldMatchAsLike(String pattern, String value, boolean broken) {
        assertThat(isBroken("[Full Name] LIKE N'" + pattern + "'", "Full Name", value))
                .isEqualTo(broken);
    }

    /** The order of a dictionary is not that of codes, and only BINARY has the latter. */
    @ParameterizedTest
    @CsvSource({
        "'[Full Name]', [A-Z], é, false",
        "'[Full Name]', [^A-Z], é, false",
        "'[Full Name]', [A-Z], b, false",
        "code, [a-c], B, false",
        "code, [a-c], d, true",
        "code, [a-c], D, true",
        "code, [a-c], a, false",
        "code, [abc], B, true",
        "bin, [a-c], B, true",
        "bin, [a-c], b, false",
        "bin, [^a-c], b, true",
        "bin, [ -~], b, false"
    })
    void shouldTakeWhatARangeMayHave(String column, String pattern, String value, boolean broken) {
        assertThat(isBroken(column + " LIKE '" + pattern + "'", column.replaceAll("[\\[\\]]", ""), value))
                .as(pattern)
                .isEqualTo(broken);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "code LIKE '[A-Z][0-9]'      | code | A1       | false",
                "code LIKE '[A-Z][0-9]'      | code | \"A1 \" | false",
                "code LIKE '[A-Z][0-9]'      | code | \"1A \" | true",
                "word LIKE 'A1'              | word | \"A1 \" | false",
                "word LIKE 'A1'              | word | \" A1\" | true",
                "word NOT LIKE 'A1'          | word | \"A1 \" | true",
                "word LIKE 'A1 '             | word | A1       | true",
                "word LIKE 'A1 '             | word | \"A1 \" | false",
                "word LIKE N'A1'             | word | \"A1 \" | true",
                "wide LIKE 'A1'              | wide | \"A1 \" | true",
                "wide LIKE 'A1_'             | wide | \"A1 \" | false",
                "word LIKE '%1'              | word | \"A1 \" | false"
            })
    void shouldIgnoreTrailingBlanksOutsideUnicode(String condition, String column, String value, boolean broken) {
        assertThat(isBroken(condition, column, value)).isEqualTo(broken);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "b > .5     | 0.5   | true",
                "b > .5     | 0.51  | false",
                "b > -.5    | -0.5  | true",
                "b > +5     | 5     | true",
                "b > +5     | 6     | false",
                "b > $0     | 0     | true",
                "b > -$5.5  | -5    | false",
                "b = $.00005 | 0.0001 | false",
                "b > 5.     | 5     | true",
                "b > 1e0    | 1     | true",
                "b > 1E0    | 1.01  | false",
                "b >= 1.5e+1 | 15   | false",
                "b >= 1.5e+1 | 14.9 | true",
                "b < 1e-1   | 0.1   | true",
                "b = -0e0   | 0     | false",
                "b BETWEEN .5 AND 1e1 | 10.01 | true"
            })
    void shouldReadNumbersAsTsqlWritesThem(String condition, BigDecimal value, boolean broken) {
        assertThat(isBroken(condition, "b", value)).isEqualTo(broken);
    }

    @Test
    void shouldDecideWhatNeedsNoAccents() {
        assertThat(isBroken("LEN(ai) > 1", "ai", "é")).isTrue();
        assertThat(check("ai IS NOT NULL").isBrokenBy(Map.of())).isTrue();
    }

    /** By the tables of the collations, and not by those of the JDK. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[Full Name] = N'strasse'        | Straße    | false",
                "[Full Name] <> N'strasse'       | Straße    | true",
                "[Full Name] IN (N'm3', N'x')    | m³        | false",
                "[Full Name] = N'i'              | ı         | true",
                "[Full Name] = N'\u00e9'         | e\u0301    | false",
                "[Full Name] = N'e'              | é         | true",
                "ai = N'e'                       | É         | false",
                "ai IN (N'e')                    | f         | true",
                "bin = 'é'                       | É         | true",
                "ai LIKE N'e%'                   | Éa        | false",
                "[Full Name] LIKE N'e%'          | éa        | true",
                "[Full Name] LIKE N'i_'          | ıa        | true",
                "[Full Name] LIKE N'stra%'       | Straße    | false",
                "[Full Name] NOT LIKE N'stra%'   | Straße    | true",
                "[Full Name] LIKE N'x%'          | Straße    | true",
                // Of these SQL Server alone knows whether one is a part of the other.
                "[Full Name] LIKE N'strasse'     | Straße    | false",
                "[Full Name] NOT LIKE N'strasse' | Straße    | false",
                "[Full Name] LIKE N'straße'      | STRASSE   | false",
                "[Full Name] LIKE N'e%'          | e\u0301a   | false",
                "[Full Name] NOT LIKE N'e%'      | e\u0301a   | false",
                "[Full Name] LIKE N'ab'          | a\u00adb   | false",
                "[Full Name] LIKE N'%'           | e\u0301a   | false",
                "[Full Name] LIKE N'xb'          | a\u00adb   | false",
                "[Full Name] LIKE N'xbc'         | ab\u00adc  | true",
                "bin LIKE N'ab'                  | a\u00adb   | true"
            })
    void shouldCompareAsTheCollationDoes(String condition, String value, boolean broken) {
        String column = condition.replaceAll("^\\[?(Full Name|\\w+).*", "$1");
        assertThat(isBroken(condition, column, value)).isEqualTo(broken);
    }

    /** On either side. */
    @Test
    void shouldKnowTheCollationOfTheColumn() {
        assertThat(isBroken("'abc' <> code", "code", "ABC")).isFalse();
        assertThat(isBroken("'abc' = code", "code", "ABC")).isTrue();
    }

    @Test
    void shouldReadNotForReplication() {
        assertThat(CheckExpression.parse("CHECK NOT FOR REPLICATION (a > 0)", TABLE)
                        .orElseThrow()
                        .isBrokenBy(Map.of("a", 0)))
                .isTrue();
        assertThat(CheckExpression.parse("CHECK NOT FOR (a > 0)", TABLE)).isEmpty();
    }

    /** Brackets beyond a limit are not read; what is in a row takes no stack. */
    @Test
    void shouldNotOverflowTheStack() {
        for (String inner : List.of("a > 0", "a")) {
            assertThat(nested(inner, 199)).isPresent();
            assertThat(nested(inner, 4_000)).isEmpty();
            assertThat(nested(inner, 100_000)).isEmpty();
        }
        assertThat(CheckExpression.parse(
                        "CHECK (" + "LEN(".repeat(4_000) + "word" + ")".repeat(4_000) + " > 0)", TABLE))
                .isEmpty();
        assertThat(isBroken("NOT ".repeat(20_000) + "a > 0", "a", 0)).isTrue();
        assertThat(isBroken("NOT ".repeat(20_001) + "a > 0", "a", 0)).isFalse();
        assertThat(isBroken("a > 0" + " AND a > 0".repeat(50_000), "a", 0)).isTrue();
        assertThat(isBroken("a > 0" + " OR a > 0".repeat(50_000), "a", 0)).isTrue();
    }

    private static Optional<CheckExpression> nested(String inner, int depth) {
        String rest = inner.equals("a") ? " > 0" : "";
        return CheckExpression.parse("CHECK (" + "(".repeat(depth) + inner + ")".repeat(depth) + rest + ")", TABLE);
    }

    /** With a regular expression, this takes longer than a test may, or the stack of a long text. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldMatchWithoutBacktracking() {
        assertThat(isBroken("[Full Name] NOT LIKE '%a%a%a%a%a%b'", "Full Name", "a".repeat(150)))
                .isFalse();
        assertThat(isBroken("[Full Name] LIKE '" + "%a".repeat(40) + "%b'", "Full Name", "a".repeat(20_000)))
                .isTrue();
        assertThat(isBroken("[Full Name] LIKE '" + "%a".repeat(40) + "%b'", "Full Name", "a".repeat(20_000) + "b"))
                .isFalse();
    }
}
