package dev.cassidy.assist.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Expressions with the results that Microsoft's documents and SQL Server give, and their types. */
class ExpressionsTest {

    private static Engine engine;

    @BeforeAll
    static void open() {
        engine = Shop.engine();
    }

    @AfterAll
    static void close() {
        engine.close();
    }

    private static Stream<String> lines(String text) {
        return text.lines().filter(line -> !line.isBlank());
    }

    /** Checks {@code expression => value : type}, of which the type may be left out. */
    private static void check(String line) {
        int arrow = line.lastIndexOf(" => ");
        String expression = line.substring(0, arrow);
        String expected = line.substring(arrow + 4);
        int colon = expected.lastIndexOf(" : ");
        Evaluated result = Shop.empty().evaluate(engine, "SELECT " + expression);
        String value = Shop.shown(result.rows().get(0)[0]).replace(' ', '~');
        assertThat(value).as(expression).isEqualTo(colon < 0 ? expected : expected.substring(0, colon));
        if (colon >= 0) {
            assertThat(result.columns().get(0).type()).as(expression).hasToString(expected.substring(colon + 3));
        }
    }

    // Blanks of the results are ~.
    static Stream<String> arithmetic() {
        return lines("""
                7 / 2 => 3 : int
                -7 / 2 => -3 : int
                -7 % 3 => -1 : int
                7.0 / 2 => 3.500000 : decimal(7,6)
                2.0 / 3 => 0.666666 : decimal(7,6)
                10.0 / 3 => 3.333333 : decimal(8,6)
                1 + 1.5 => 2.5 : decimal(3,1)
                1.25 * 1.5 => 1.875 : decimal(6,3)
                CAST(10 AS decimal(10,2)) * CAST(3 AS decimal(10,2)) => 30.0000 : decimal(21,4)
                CAST(1 AS decimal(10,2)) / CAST(3 AS decimal(10,2)) => 0.3333333333333 : decimal(23,13)
                CAST(0.0000009000 AS decimal(30,20)) * CAST(1.0000000000 AS decimal(30,20)) => 0.00000090000000000 : decimal(38,17)
                CAST(0.0000009000 AS decimal(30,10)) * CAST(1.0000000000 AS decimal(30,10)) => 0.000001 : decimal(38,6)
                7.5 % 2 => 1.5 : decimal(2,1)
                1e0 / 4 => 0.25 : float
                3000000000 => 3000000000 : decimal(10,0)
                2147483647 => 2147483647 : int
                '5' + 3 => 8 : int
                'a' + 'b' => ab : varchar(2)
                'a' + N'b' => ab : nvarchar(2)
                'a' + NULL => NULL
                NULL + 1 => NULL : int
                -(-5) => 5 : int
                5 - -5 => 10 : int
                ~5 => -6 : int
                5 & 3 => 1 : int
                5 | 3 => 7 : int
                5 ^ 3 => 6 : int
                CAST(1 AS tinyint) + CAST(2 AS tinyint) => 3 : tinyint
                CAST(1 AS smallint) + CAST(2 AS bigint) => 3 : bigint
                CAST(1.5 AS money) + 1 => 2.5000 : money
                CAST(2.45 AS money) * 2 => 4.9000 : money
                3 * CAST(0.0001 AS money) => 0.0003 : money
                CAST(1 AS bit) + 1 => 2 : int
                0x1F => 1f : varbinary(1)
                CAST((0x416E6E) AS varchar(10)) => Ann : varchar(10)
                CAST((0x416E6E) AS varchar(2)) => An : varchar(2)
                CAST((0x80E4) AS varchar(10)) => €ä : varchar(10)
                CAST((0x4100AC20) AS nvarchar(5)) => A€ : nvarchar(5)
                CONVERT(varchar(10), 0x1FA0, 1) => 0x1FA0 : varchar(10)
                CONVERT(varchar(10), 0x1FA0, 2) => 1FA0 : varchar(10)
                CONVERT(varchar(10), 0x4142, 0) => AB : varchar(10)
                'it''s' => it's : varchar(4)
                N'grün' => grün : nvarchar(4)
                '' + '|' => | : varchar(2)
                'a\\b' => a\\b : varchar(3)
                2 + 3 * 4 => 14
                1 + 2 & 2 => 2
                1 + (2 & 2) => 3
                (1 & 2) + 2 => 2
                6 & 3 | 8 => 10
                2 ^ 3 + 4 => 5
                1 | 2 * 3 => 7
                10 - 3 - 2 => 5
                12 / 3 * 2 => 8
                -1 & 3 => 3
                ~1 & 3 => 2
                (2 + 3) * 4 => 20
                CAST('2024-01-31' AS datetime) + 1 => 2024-02-01T00:00 : datetime
                CAST('2024-01-31' AS datetime) - 31 => 2023-12-31T00:00 : datetime
                """);
    }

    @ParameterizedTest
    @MethodSource
    void arithmetic(String line) {
        check(line);
    }

    static Stream<String> conversions() {
        return lines("""
                CAST(10.50 AS int) => 10 : int
                CAST(10.99 AS int) => 10
                CAST(-10.99 AS int) => -10
                CAST(10.6496 AS int) => 10
                CAST(-10.6496 AS int) => -10
                CAST(10.6496 AS numeric) => 11 : numeric(18,0)
                CAST(10.3496847 AS money) => 10.3497 : money
                CAST(CAST(10.5 AS money) AS int) => 11
                CAST(1.9e0 AS int) => 1
                CAST(2.55 AS decimal(10,1)) => 2.6 : decimal(10,1)
                CAST(1234567.0e0 AS varchar(30)) => 1.23457e+006
                CAST(0.1e0 AS varchar(30)) => 0.1
                CAST(0.00001e0 AS varchar(30)) => 1e-005
                CAST(123456e0 AS varchar(30)) => 123456
                CAST(1.50 AS varchar(10)) => 1.50 : varchar(10)
                CAST(5 AS varchar(10)) => 5
                CAST(12345 AS varchar(3)) => *
                CAST('abcdef' AS varchar(3)) => abc
                CAST('ab' AS char(4)) + '|' => ab~~|
                CAST(' 12 ' AS int) => 12
                CAST('' AS int) => 0
                CAST('1.50' AS decimal(5,2)) => 1.50
                CAST('1e2' AS float) => 100.0 : float
                CAST('true' AS bit) => true : bit
                CAST(5 AS bit) => true
                CAST(0 AS bit) => false
                CAST(CAST(1 AS bit) AS varchar(5)) => 1
                CAST('$1,234.5' AS money) => 1234.5000
                CAST('2024-02-29' AS date) => 2024-02-29 : date
                CAST('20240229' AS date) => 2024-02-29
                CAST('02/28/2024' AS date) => 2024-02-28
                CAST('2024-02-29 10:11:12.345' AS datetime) => 2024-02-29T10:11:12.347 : datetime
                CAST('2024-02-29T10:11:12' AS datetime) => 2024-02-29T10:11:12
                CAST('1998-01-01 23:59:59.999' AS datetime) => 1998-01-02T00:00
                CAST('1998-01-01 23:59:59.995' AS datetime) => 1998-01-01T23:59:59.997
                CAST('1998-01-01 23:59:59.994' AS datetime) => 1998-01-01T23:59:59.993
                CAST('1998-01-01 23:59:59.990' AS datetime) => 1998-01-01T23:59:59.990
                CAST('2024-02-29 10:11:12.1234567' AS datetime2) => 2024-02-29T10:11:12.123456700 : datetime2(7)
                CAST('2024-02-29 10:11:12.1234567' AS datetime2(3)) => 2024-02-29T10:11:12.123
                CAST('2024-02-29 10:11:30' AS smalldatetime) => 2024-02-29T10:12
                CAST('2024-02-29 10:11:29.998' AS smalldatetime) => 2024-02-29T10:11
                CAST('10:11:12' AS time) => 10:11:12 : time(7)
                CAST('3:04 PM' AS time) => 15:04
                CAST(CAST('2024-02-29 10:11:12' AS datetime) AS date) => 2024-02-29
                CAST(CAST('2024-02-29 10:11:12' AS datetime) AS time(0)) => 10:11:12
                CAST(0 AS datetime) => 1900-01-01T00:00
                CAST('0E984725-C51C-4BF4-9960-E1C80E27ABA0' AS uniqueidentifier) => 0e984725-c51c-4bf4-9960-e1c80e27aba0
                CAST(CAST('0e984725-c51c-4bf4-9960-e1c80e27aba0' AS uniqueidentifier) AS varchar(36)) => 0E984725-C51C-4BF4-9960-E1C80E27ABA0
                TRY_CAST('abc' AS int) => NULL : int
                TRY_CAST('12' AS int) => 12
                TRY_CAST('2024-02-30' AS date) => NULL
                TRY_CAST('99999999999' AS int) => NULL
                TRY_CONVERT(int, 'x') => NULL
                TRY_CONVERT(date, '29/02/2024', 103) => 2024-02-29
                TRY_CONVERT(varchar(3), 'abcd') => abc
                CONVERT(int, '5') => 5
                CONVERT(varchar(10), 5) => 5
                CONVERT(decimal(10,2), '3.456') => 3.46
                CONVERT(nvarchar(max), 'x') => x : nvarchar(max)
                """);
    }

    @ParameterizedTest
    @MethodSource
    void conversions(String line) {
        check(line);
    }

    static Stream<String> styles() {
        return lines("""
                0 => Jan~~2~2006~~3:04PM
                100 => Jan~~2~2006~~3:04PM
                1 => 01/02/06
                101 => 01/02/2006
                3 => 02/01/06
                103 => 02/01/2006
                4 => 02.01.06
                104 => 02.01.2006
                5 => 02-01-06
                105 => 02-01-2006
                10 => 01-02-06
                110 => 01-02-2006
                11 => 06/01/02
                111 => 2006/01/02
                12 => 060102
                112 => 20060102
                8 => 15:04:05
                108 => 15:04:05
                20 => 2006-01-02~15:04:05
                120 => 2006-01-02~15:04:05
                21 => 2006-01-02~15:04:05.120
                121 => 2006-01-02~15:04:05.120
                126 => 2006-01-02T15:04:05.120
                23 => 2006-01-02
                """);
    }

    @ParameterizedTest
    @MethodSource
    void styles(String line) {
        int arrow = line.indexOf(" => ");
        check("CONVERT(varchar(30), CAST('2006-01-02 15:04:05.12' AS datetime), " + line.substring(0, arrow) + ")"
                + line.substring(arrow));
    }

    static Stream<String> datesOfStrings() {
        return lines("""
                CONVERT(date, '01/02/2006', 101) => 2006-01-02
                CONVERT(date, '02/01/2006', 103) => 2006-01-02
                CONVERT(date, '02.01.2006', 104) => 2006-01-02
                CONVERT(date, '02-01-2006', 105) => 2006-01-02
                CONVERT(date, '01-02-2006', 110) => 2006-01-02
                CONVERT(date, '20060102', 112) => 2006-01-02
                CONVERT(datetime, '2006-01-02 15:04:05', 120) => 2006-01-02T15:04:05
                CONVERT(datetime, '2006-01-02 15:04:05.123', 121) => 2006-01-02T15:04:05.123
                CONVERT(datetime, '2006-01-02T15:04:05.123', 126) => 2006-01-02T15:04:05.123
                CONVERT(datetime, '02/01/06', 3) => 2006-01-02T00:00
                CAST('Jan 2 2006' AS datetime) => 2006-01-02T00:00
                CAST('2 January 2006' AS datetime) => 2006-01-02T00:00
                CAST('01/02/50' AS date) => 1950-01-02
                CAST('01/02/49' AS date) => 2049-01-02
                CONVERT(varchar(10), CAST('2006-01-02' AS date)) => 2006-01-02
                CONVERT(varchar(30), CAST('2006-01-02 15:04:05' AS datetime2(3))) => 2006-01-02~15:04:05.000
                CONVERT(varchar(8), CAST('15:04:05' AS time(0))) => 15:04:05
                CONVERT(varchar(30), CAST('2006-01-02 15:04:05' AS datetime)) => Jan~~2~2006~~3:04PM
                CONVERT(varchar(10), CAST('2006-01-02 15:04:05' AS datetime), 120) => 2006-01-02
                CONVERT(varchar(20), CAST(1234.567 AS money), 1) => 1,234.57
                CONVERT(varchar(20), CAST(1234.567 AS money)) => 1234.57
                """);
    }

    @ParameterizedTest
    @MethodSource
    void datesOfStrings(String line) {
        check(line);
    }

    static Stream<String> strings() {
        return lines("""
                LEN('abc  ') => 3 : int
                LEN('  abc') => 5
                LEN('') => 0
                LEN(12345) => 5
                DATALENGTH('abc ') => 4
                DATALENGTH(N'abc') => 6
                DATALENGTH(5) => 4
                DATALENGTH(CAST('2024-01-01' AS datetime)) => 8
                SUBSTRING('abcdef', 2, 3) => bcd
                SUBSTRING('abcdef', 0, 3) => ab
                SUBSTRING('abcdef', -1, 3) => a
                SUBSTRING('abcdef', 5, 100) => ef
                SUBSTRING('abcdef', 10, 1) + '|' => |
                SUBSTRING('abc', 2, 9223372036854775807) => bc
                SUBSTRING('abc', 9223372036854775807, 1) + '|' => |
                SUBSTRING('abc', -9223372036854775807, 9223372036854775807) + '|' => |
                STUFF('abc', 2, 9223372036854775807, 'x') => ax
                LEFT('abcdefg', 2) => ab
                RIGHT('abcdefg', 2) => fg
                RIGHT('abc', 10) => abc
                CHARINDEX('bicycle', 'Reflectors are vital safety components of your bicycle.') => 48
                CHARINDEX('vital', 'Reflectors are vital', 5) => 16
                CHARINDEX('VITAL', 'Reflectors are vital') => 16
                CHARINDEX('x', 'abc') => 0
                CHARINDEX('', 'abc') => 0
                CHARINDEX(' ', 'ab cd') => 3
                CHARINDEX('is', 'This is a string') => 3
                CHARINDEX('is', 'This is a string', 4) => 6
                REPLACE('abcdefghicde', 'cde', 'xxx') => abxxxfghixxx
                REPLACE('aBcABC', 'b', 'x') => axcAxC
                REPLACE('a b c', ' ', '') => abc
                REPLACE('aaa', 'a', 'aa') => aaaaaa
                STUFF('abcdef', 2, 3, 'ijklmn') => aijklmnef
                STUFF('abc', 0, 1, 'x') => NULL
                STUFF('abc', 4, 1, 'x') => NULL
                STUFF('abc', 1, 1, NULL) => bc
                REPLICATE('ab', 3) => ababab
                REPLICATE('ab', -1) => NULL
                REPLICATE('0', 4) + '5' => 00005
                LEN(REPLICATE('ab', 1000000)) => 8000
                'a' + SPACE(2) + 'b' => a~~b
                UPPER('Straße') => STRAßE
                LOWER('ÄB') => äb
                LTRIM('  a ') + '|' => a~|
                RTRIM(' a  ') + '|' => ~a|
                TRIM(' a ') + '|' => a|
                REVERSE('abc') => cba
                CONCAT('a', NULL, 1, 'b') => a1b
                CONCAT('Happy ', 'Birthday ', 11, '/', '25') => Happy~Birthday~11/25
                CONCAT_WS(' - ', 'a', NULL, 'b') => a~-~b
                ASCII('A') => 65
                CHAR(65) => A
                UNICODE(N'Å') => 197
                NCHAR(197) => Å
                STR(123.45, 6, 1) => ~123.5
                STR(123.45, 2, 2) => **
                STR(FLOOR(123.45), 8, 3) => ~123.000
                STR(123.45) => ~~~~~~~123
                ISNULL(NULL, 'x') => x
                ISNULL(CAST(NULL AS varchar(2)), 'abc') => ab : varchar(2)
                ISNULL(CAST(NULL AS int), 1.9) => 1 : int
                COALESCE(NULL, NULL, 3) => 3
                COALESCE(CAST(NULL AS int), 1.5) => 1.5 : decimal(11,1)
                NULLIF(4, 4) => NULL : int
                NULLIF('a', 'A ') => NULL
                NULLIF(5, 7) => 5
                CHOOSE(3, 'Manager', 'Director', 'Developer', 'Tester') => Developer
                CHOOSE(9, 'a', 'b') => NULL
                IIF(45 > 30, 'TRUE', 'FALSE') => TRUE
                IIF(1 = 2, 1, NULL) => NULL
                CASE WHEN 1 = 1 THEN 1 ELSE 2.5 END => 1.0 : decimal(2,1)
                CASE 'b' WHEN 'A' THEN 1 WHEN 'B' THEN 2 END => 2
                CASE WHEN 'a' = 'A ' THEN 'same' END => same
                ISNUMERIC('12.5') => 1
                ISNUMERIC('abc') => 0
                ISNUMERIC(NULL) => 0
                ISNUMERIC(5) => 1
                ISDATE('2024-02-29') => 1
                ISDATE('2023-02-29') => 0
                ISDATE('abc') => 0
                FORMAT(1234.5, 'N2') => 1,234.50
                FORMAT(1234, 'N0') => 1,234
                FORMAT(1234.5, '#,##0.00') => 1,234.50
                FORMAT(5, '000') => 005
                FORMAT(5, 'D3') => 005
                FORMAT(0.125, '0.00') => 0.13
                FORMAT(-1234.567, 'F1') => -1234.6
                FORMAT(CAST('2006-01-02 15:04:05' AS datetime), 'yyyy-MM-dd HH:mm:ss') => 2006-01-02~15:04:05
                FORMAT(CAST('2006-01-02 15:04:05' AS datetime), 'dd/MM/yyyy hh:mm tt') => 02/01/2006~03:04~PM
                FORMAT(CAST('2006-01-02' AS date), 'dddd, MMMM d') => Monday,~January~2
                FORMAT(CAST('2006-01-02' AS date), 'd', 'en-US') => 1/2/2006
                """);
    }

    @ParameterizedTest
    @MethodSource
    void strings(String line) {
        check(line);
    }

    static Stream<String> numbers() {
        return lines("""
                ROUND(123.9994, 3) => 123.9990 : decimal(7,4)
                ROUND(123.9995, 3) => 124.0000
                ROUND(123.4545, 2) => 123.4500
                ROUND(123.45, -2) => 100.00
                ROUND(150.75, 0) => 151.00
                ROUND(150.75, 0, 1) => 150.00
                ROUND(748.58, -1) => 750.00
                ROUND(748.58, -2) => 700.00
                ROUND(1250, -2) => 1300 : int
                ROUND(2.5e0, 0) => 3.0 : float
                ROUND(-2.5, 0) => -3.0
                CEILING(123.45) => 124 : decimal(5,0)
                CEILING(-123.45) => -123
                FLOOR(123.45) => 123
                FLOOR(-123.45) => -124
                FLOOR(5) => 5 : int
                CEILING(1.5e0) => 2.0
                ABS(-1.0) => 1.0
                ABS(-5) => 5 : int
                SIGN(-125) => -1
                SIGN(0) => 0
                POWER(2, 10) => 1024 : int
                POWER(2, -1) => 0
                POWER(2.0, 0.5) => 1.4 : decimal(38,1)
                POWER(2e0, 0.5e0) => 1.4142135623730951 : float
                SQRT(16) => 4.0 : float
                SQUARE(3) => 9.0
                LOG10(1000) => 3.0
                EXP(0) => 1.0
                PI() => 3.141592653589793
                """);
    }

    @ParameterizedTest
    @MethodSource
    void numbers(String line) {
        check(line);
    }

    static Stream<String> dates() {
        return lines("""
                GETDATE() => 2024-02-29T14:14:15.677 : datetime
                CURRENT_TIMESTAMP => 2024-02-29T14:14:15.677 : datetime
                GETUTCDATE() => 2024-02-29T13:14:15.677
                SYSDATETIME() => 2024-02-29T14:14:15.678 : datetime2(7)
                DATEADD(month, 1, '20240830') => 2024-09-30T00:00 : datetime
                DATEADD(month, 1, '2024-08-31') => 2024-09-30T00:00
                DATEADD(year, 1, CAST('2024-02-29' AS date)) => 2025-02-28 : date
                DATEADD(dd, -1, CAST('2024-03-01' AS date)) => 2024-02-29
                DATEADD(hh, 25, CAST('2024-03-01' AS datetime)) => 2024-03-02T01:00
                DATEADD(ww, 2, CAST('2024-03-01' AS date)) => 2024-03-15
                DATEADD(qq, 1, CAST('2024-01-31' AS date)) => 2024-04-30
                DATEADD(ms, 2, CAST('2024-03-01' AS datetime)) => 2024-03-01T00:00:00.003
                DATEADD(ms, 1, CAST('2024-03-01' AS datetime)) => 2024-03-01T00:00
                DATEADD(day, 1.9, CAST('2024-03-01' AS date)) => 2024-03-02
                DATEADD(day, DATEDIFF(day, 0, CAST('2024-03-01 12:34' AS datetime)), 0) => 2024-03-01T00:00
                DATEADD(month, DATEDIFF(month, 0, CAST('2024-03-21' AS datetime)), 0) => 2024-03-01T00:00
                DATEADD(minute, 90, CAST('23:00' AS time)) => 00:30
                DATEDIFF(year, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1 : int
                DATEDIFF(quarter, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1
                DATEDIFF(month, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1
                DATEDIFF(day, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1
                DATEDIFF(week, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1
                DATEDIFF(hour, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1
                DATEDIFF(minute, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1
                DATEDIFF(second, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1
                DATEDIFF(millisecond, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') => 1
                DATEDIFF(day, '2036-03-01', '2036-02-28') => -2
                DATEDIFF_BIG(nanosecond, '2024-01-01', '2024-01-02') => 86400000000000 : bigint
                DATEPART(year, '12:10:30.123') => 1900
                DATEPART(month, '2007-10-30') => 10
                DATEPART(quarter, '2007-10-30') => 4
                DATEPART(dayofyear, '2007-10-30') => 303
                DATEPART(week, '2007-10-30') => 44
                DATEPART(week, '2007-04-21') => 16
                DATEPART(weekday, '2007-10-30') => 3
                DATEPART(weekday, '2007-10-28') => 1
                DATEPART(hour, '2007-10-30 12:15:32') => 12
                DATEPART(minute, '2007-10-30 12:15:32') => 15
                DATEPART(millisecond, '00:00:01.1234567') => 123
                DATEPART(microsecond, '00:00:01.1234567') => 123456
                DATEPART(nanosecond, '00:00:01.1234567') => 123456700
                DATEPART(iso_week, '2007-10-30') => 44
                DATENAME(month, '2007-10-30') => October
                DATENAME(dw, '2007-10-30') => Tuesday
                DATENAME(year, '2007-10-30') => 2007
                YEAR('2010-04-30T01:01:01.1234567') => 2010
                YEAR(0) => 1900
                MONTH('2010-04-30') => 4
                DAY('2015-04-30 01:01:01.1234567') => 30
                EOMONTH('2024-02-05') => 2024-02-29 : date
                EOMONTH('2024-12-01', 1) => 2025-01-31
                EOMONTH('2024-12-01', -1) => 2024-11-30
                DATEFROMPARTS(2010, 12, 31) => 2010-12-31
                CASE WHEN CAST('2024-01-01' AS date) = CAST('2024-01-01 00:00' AS datetime) THEN 1 END => 1
                CASE WHEN CAST('2024-01-02' AS date) > '2024-01-01' THEN 1 END => 1
                """);
    }

    @ParameterizedTest
    @MethodSource
    void dates(String line) {
        check(line);
    }

    static Stream<String> conditions() {
        return lines("""
                'abc' LIKE 'A%' => 1
                'abc' LIKE '[A-B]%' => 1
                'abc' LIKE '[^A-B]%' => 0
                'abc' LIKE '_b_' => 1
                '50%' LIKE '50!%' ESCAPE '!' => 1
                '505' LIKE '50!%' ESCAPE '!' => 0
                '5[0' LIKE '5![0' ESCAPE '!' => 1
                'a_b' LIKE 'a[_]b' => 1
                'axb' LIKE 'a[_]b' => 0
                'a!b' LIKE 'a!!b' ESCAPE '!' => 1
                'a' = 'A ' => 1
                'a' IN ('b', 'A  ') => 1
                'b' BETWEEN 'A' AND 'C' => 1
                1 = '1' => 1
                1.0 = 1 => 1
                NOT 1 = 2 => 1
                1 = NULL => 0
                NULL IS NULL => 1
                1 IN (2, NULL) => 0
                1 NOT IN (2, NULL) => 0
                1 IN (1, NULL) => 1
                'a' <> 'A' => 0
                'é' = 'e' => 0
                'ß' = 'ss' => 1
                2 BETWEEN 1 AND 3 AND 1 = 1 => 1
                1 = 2 OR (1 = 1 AND 2 = 2) => 1
                CAST(1 AS bit) = 1 => 1
                CAST(1 AS bit) = 'true' => 1
                CAST('00000000-0000-0000-0000-000000000001' AS uniqueidentifier) < CAST('00000000-0000-0000-0000-000000000002' AS uniqueidentifier) => 1
                CAST('ff000000-0000-0000-0000-000000000001' AS uniqueidentifier) < CAST('00000000-0000-0000-0000-000000000002' AS uniqueidentifier) => 1
                EXISTS (SELECT 1) => 1
                EXISTS (SELECT 1 WHERE 1 = 2) => 0
                1 IN (SELECT 1 UNION SELECT 2) => 1
                """);
    }

    @ParameterizedTest
    @MethodSource
    void conditions(String line) {
        int arrow = line.lastIndexOf(" => ");
        check("CASE WHEN " + line.substring(0, arrow) + " THEN 1 ELSE 0 END" + line.substring(arrow));
    }

    static Stream<String> failures() {
        return lines("""
                1 / 0 => 8134
                1.0 / 0 => 8134
                1 % 0 => 8134
                1e0 / 0 => 8134
                2147483647 + 1 => 8115
                CAST(300 AS tinyint) => 8115
                CAST(255 AS tinyint) + CAST(1 AS tinyint) => 8115
                CAST(40000 AS smallint) => 8115
                CAST(1234.5 AS decimal(4,2)) => 8115
                ROUND(748.58, -3) => 8115
                POWER(2, 31) => 8115
                CAST(12345 AS nvarchar(3)) => 8115
                CAST(1.2345 AS varchar(3)) => 8115
                CAST('abc' AS int) => 245
                CAST('1.5' AS int) => 245
                'abc' + 1 => 245
                CAST('99999999999' AS int) => 248
                CAST('300' AS tinyint) => 244
                CAST('abc' AS decimal(5,2)) => 8114
                CAST('abc' AS bigint) => 8114
                CAST('abc' AS float) => 8114
                CAST('abc' AS money) => 235
                CAST('abc' AS uniqueidentifier) => 8169
                CAST('abc' AS date) => 241
                CAST('2023-02-30' AS datetime) => 242
                CAST('1600-01-01' AS datetime) => 242
                CAST(CAST(1 AS int) AS date) => 206
                1 + CAST('2024-01-01' AS date) => 402
                SUBSTRING('abc', 1, -1) => 537
                RIGHT('abc', -1) => 536
                DATEFROMPARTS(2023, 2, 29) => 289
                DATEADD(year, 9000, '2024-01-01') => 517
                DATEDIFF(ms, '1900-01-01', '2024-01-01') => 535
                DATEPART(hour, CAST('2024-01-01' AS date)) => 9810
                DATEADD(fortnight, 1, '2024-01-01') => 155
                SQRT(-1) => 3623
                -'a' => 245
                LEN('a', 'b') => 174
                x => 207
                (SELECT 1 UNION ALL SELECT 2) => 512
                CAST('a' AS varchar(9000)) => 131
                """);
    }

    @ParameterizedTest
    @MethodSource
    void failures(String line) {
        int arrow = line.lastIndexOf(" => ");
        assertThatThrownBy(() -> Shop.empty().evaluate(engine, "SELECT " + line.substring(0, arrow)))
                .isInstanceOfSatisfying(EvaluationException.class, failure -> assertThat(failure.number())
                        .as(failure.getMessage())
                        .isEqualTo(Integer.parseInt(line.substring(arrow + 4))));
    }
}
