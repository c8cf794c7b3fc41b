package dev.cassidy.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
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
                "a NOT = 0",
                ""
            })
    void shouldNotReadWhatItCannotDecide(String condition) {
        assertThat(CheckExpression.parse("CHECK (" + condition + ")", TABLE)).isEmpty();
    }
}
