package dev.cassidy.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatementScannerTest {

    /** Parts of words and names, with which the parsers do not compare words. */
    private static final Set<String> NO_WORDS = Set.of("fewer", "n", "x", "ywdhms", "ymwdths");

    private final KnownNames names = new KnownNames(List.of("product", "name", "price", "at", "My Table", "a]b"));

    private String shape(String sql) {
        Scanned scanned = StatementScanner.scan(sql, names);
        assertThat(scanned.unread()).as(sql).isNull();
        return scanned.sql();
    }

    private String literal(String literal) {
        String shape = shape("SELECT name FROM product WHERE name = " + literal);
        assertThat(shape).startsWith("SELECT name FROM product WHERE name = ");
        return shape.substring(38);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1 | '#int'",
                "2147483647 | '#int'",
                "2147483648 | '#bigint'",
                "9223372036854775808 | '#decimal'",
                "007 | '#int'",
                "1.5 | '#decimal'",
                ".5 | '#decimal'",
                "1. | '#decimal'",
                "1e5 | '#float'",
                "1E-3 | '#float'",
                "1e | '#float'",
                "-1.5e+10 | -'#float'",
                "0x | '#binary'",
                "0xDEADBEEF | '#binary'",
                "$12.50 | '#money'",
                "$-3 | '#money'",
                "€3 | '#money'",
                "'Kettle' | '#string'",
                "N'Kettle' | N'#string'",
                "n'Kettle' | N'#string'",
                "'O''Brien' | '#string'",
                "'''' | '#string'",
                "'' | '#string'",
                "X'0A0B' | '#binary'",
                "E'a\\'b' | '#string'",
                "$$Kettle$$ | '#string'",
                "$tag$it's$tag$ | '#string'",
                "'42' | '#digits'",
                "'-42' | '#digits'",
                "'4.2' | '#numeric'",
                "'2024-01-31' | '#date dddd-dd-dd'",
                "'20240131' | '#date dddddddd'",
                "'31/12/2024' | '#date dd/dd/dddd'",
                "'2024-01-31 10:20:30.123' | '#date dddd-dd-dd dd:dd:dd.ddd'",
                "'2024-01-31T10:20:30Z' | '#date dddd-dd-ddTdd:dd:ddZ'",
                "'2024-01-31T10:20:30+02:00' | '#date dddd-dd-ddTdd:dd:dd+dd:dd'",
                "'10:20' | '#date dd:dd'",
                "'10:20 PM' | '#date dd:dd xx'",
                "'6F9619FF-8B86-D011-B42D-00C04FC964FF' | '#uuid'",
                "'-' | '#string'",
                "{d '2024-01-31'} | {d '#date dddd-dd-dd'}",
                "{ts '2024-01-31 10:20:30'} | {ts '#date dddd-dd-dd dd:dd:dd'}",
                "? | ?",
                "@p | @n1",
                "@@IDENTITY | @@IDENTITY",
                ":p | :n1"
            })
    void shouldReplaceALiteralByItsType(String literal, String marker) {
        assertThat(literal(literal)).isEqualTo(marker);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "LIKE '%abc_' | LIKE '#like %*_'",
                "LIKE N'abc%' | LIKE N'#like *%'",
                "LIKE 'abc' | LIKE '#like *'",
                "LIKE '[a-c]%[^x]' | LIKE '#like []%[^]'",
                "LIKE '10!%%' ESCAPE '!' | LIKE '#like *%' ESCAPE '#like *'",
                "LIKE '%' + ? + '%' | LIKE '#like %' + ? + '#like %'",
                "LIKE CONCAT('%', ?, '%') | LIKE CONCAT('#like %', ?, '#like %')",
                "LIKE 'a%' AND name = '100%' | LIKE '#like *%' AND name = '#string'",
                "NOT LIKE '_%' | NOT LIKE '#like _%'"
            })
    void shouldKeepTheWildcardsOfAPatternAlone(String condition, String shape) {
        // ESCAPE's own string stands behind LIKE too.
        String expected = shape.replace("ESCAPE '#like *'", "ESCAPE '#string'");
        assertThat(shape("SELECT name FROM product WHERE name " + condition))
                .isEqualTo("SELECT name FROM product WHERE name " + expected);
    }

    @Test
    void shouldKeepOfNumbersWhatDecidesTheMeaning() {
        assertThat(shape("SELECT name FROM product WHERE 1 = 0")).endsWith("WHERE '#int' = '#otherint'");
        assertThat(shape("SELECT name FROM product WHERE 1 = 1")).endsWith("WHERE '#int' = '#int'");
        assertThat(shape("SELECT name FROM product WHERE price = 1 AND 7=7")).endsWith("AND '#int'='#int'");
        assertThat(shape("SELECT name FROM product ORDER BY name OFFSET 0 ROWS"))
                .endsWith("OFFSET '#zero' ROWS");
        assertThat(shape("SELECT name FROM product ORDER BY name OFFSET 10 ROWS"))
                .endsWith("OFFSET '#int' ROWS");
        assertThat(shape("SELECT name FROM product WHERE price = 0")).endsWith("price = '#int'");
    }

    @Test
    void shouldDropComments() {
        assertThat(
                        shape(
                                "-- secret\nSELECT /* secret /* nested 'secret */ \" */ name--secret\rsecret\nFROM product/**/"))
                .isEqualTo("SELECT name FROM product");
        assertThat(shape("SELECT 5 -/*x*/- 3, '--' , '/*'"))
                .isEqualTo("SELECT '#int' - - '#int', '#string' , '#string'");
    }

    @Test
    void shouldKeepKnownNamesAlone() {
        assertThat(shape("SELECT p.name, [My Table].\"price\", [a]]b] FROM product p, [My Table]"))
                .isEqualTo("SELECT n1.name, [My Table].\"price\", [a]]b] FROM product n1, [My Table]");
        assertThat(
                        shape(
                                "SELECT name AS [hunter 2], price AS Hunter3 FROM product WHERE name = \"hunter4\" OR name = HUNTER3"))
                .isEqualTo("SELECT name AS [n1], price AS n2 FROM product WHERE name = \"n3\" OR name = n2");
        assertThat(shape("EXEC login admin, hunter7, @hunter8 = 3")).isEqualTo("EXEC login n1, n2, @n3 = '#int'");
        assertThat(shape("SELECT name FROM `hunter2`")).isEqualTo("SELECT name FROM `n1`");
        assertThat(shape("SELECT name FROM #hunter2")).isEqualTo("SELECT name FROM #n1");
        assertThat(shape("SELECT 5hunter2 FROM product")).isEqualTo("SELECT '#int'n1 FROM product");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT 'secret | SELECT | a string has no end",
                "update product set name = 'a''secret | UPDATE | a string has no end",
                "SELECT \"secret | SELECT | a name in quotes or brackets has no end",
                "SELECT [secret]] | SELECT | a name in quotes or brackets has no end",
                "SELECT 1 /* secret | SELECT | a comment has no end",
                "SELECT /* /* */ secret | OTHER | a comment has no end",
                "/* secret | OTHER | a comment has no end",
                "SELECT $$secret | SELECT | a string has no end",
                "SELEKT 'secret | OTHER | a string has no end",
                "SELECT secret\\secret | SELECT | it has a character that is no part of SQL",
                "('secret | OTHER | a string has no end"
            })
    void shouldKeepTheKindAloneOfWhatCannotBeRead(String sql, String kind, String why) {
        Scanned scanned = StatementScanner.scan(sql, names);
        assertThat(scanned.sql()).isNull();
        assertThat(scanned.unread()).isEqualTo(why);
        if (!sql.startsWith("SELECT /*")) {
            assertThat(scanned.kind()).isEqualTo(kind);
        }
    }

    @Test
    void shouldBoundWhatItKeeps() {
        assertThat(shape("SELECT name FROM product WHERE price IN (" + "1, ".repeat(500) + "2)"))
                .isEqualTo(shape("SELECT name FROM product WHERE price IN (" + "3, ".repeat(19) + "4)"))
                .hasSizeLessThan(250);
        assertThat(shape("INSERT INTO product VALUES (" + "?, ".repeat(49) + "?)")
                        .chars()
                        .filter(c -> c == '?'))
                .hasSize(50);
        assertThat(shape("SELECT name FROM product WHERE price IN (1, 2, 'a')"))
                .endsWith("('#int', '#int', '#string')");
        assertThat(StatementScanner.scan("INSERT INTO product VALUES " + "(N'x'), ".repeat(5_000) + "(N'x')", names)
                        .unread())
                .isEqualTo("it is longer than 20000 characters without its values");
        assertThat(StatementScanner.scan("SELECT '" + "x".repeat(1_000_000) + "'", names)
                        .unread())
                .isEqualTo("it is longer than 1000000 characters");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE t (id INT) SELECT name FROM product WHERE name = \"hunter2\"",
                "CREATE TABLE t (c VARCHAR(9) CHECK (c <> \"hunter2\") DEFAULT \"hunter2\", PRIMARY KEY (c))",
                "CREATE UNIQUE INDEX i ON t (c) WHERE c = \"hunter2\"",
                "CREATE TABLE t AS SELECT hunter2 FROM product",
                "ALTER TABLE t ADD c VARCHAR(9) DEFAULT \"hunter2\"",
                "ALTER TABLE t CHECK CONSTRAINT i /* hunter2 */, c",
                "CREATE LOGIN t WITH PASSWORD = hunter2",
                "-- hunter2\nSELECT name /* hunter2 */ FROM product / hunter2"
            })
    void shouldShowNoValueOfADefinition(String sql) {
        assertThat(shape(sql)).doesNotContain("hunter2");
        assertThat(shape("SELECT name FROM product WHERE name = hunter2"))
                .isEqualTo("SELECT name FROM product WHERE name = n1");
    }

    @Test
    void shouldLearnTheNamesOfADefinition() {
        shape("CREATE TABLE shop.[Order Line] (No INT, \"of\" NVARCHAR(9), CONSTRAINT pk PRIMARY KEY (No))");
        shape("CREATE UNIQUE NONCLUSTERED INDEX IF NOT EXISTS by_of ON shop.[Order Line] (\"of\" DESC)");
        shape("ALTER TABLE shop.[Order Line] ADD Weight INT");

        String sql = "SELECT No, \"of\", weight FROM shop.[order line] WITH (INDEX (by_of))";
        assertThat(shape(sql + " -- pk")).isEqualTo(sql);
    }

    /** The tool would refuse what the driver serves, if a word that the driver's parsers know were replaced. */
    @Test
    void shouldKnowTheWordsOfTheParsers() throws IOException {
        Set<String> words = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            files.filter(file -> file.toString().matches(".*src/main/java/dev/cassidy/(tsql|insert)/[A-Za-z]+\\.java"))
                    .forEach(file -> addWords(file, words));
        }
        words.removeAll(NO_WORDS);

        assertThat(words).contains("select", "checkident", "noreseed");
        assertThat(words).allSatisfy(word -> assertThat(shape(word)).isEqualTo(word));
    }

    private static void addWords(Path file, Set<String> words) {
        try {
            Matcher literals = Pattern.compile("\"@{0,2}([a-z][a-z0-9_]*)\"").matcher(Files.readString(file));
            while (literals.find()) {
                words.add(literals.group(1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- no part of a value

    /** A random statement and the values in it. */
    private static final class Statements {
        private static final String[] PLACES = {
            "SELECT name FROM product WHERE name = %s AND price > %s",
            "INSERT INTO [product] (name, price) VALUES (%s, %s), (%s,%s)",
            "UPDATE product SET name=%s, price = price + %s WHERE at BETWEEN %s AND %s",
            "SELECT name FROM product WHERE name LIKE %s OR name NOT LIKE %s",
            "EXEC login %s, @p = %s",
            "SELECT %s AS [%s], %s %s FROM product",
            "SELECT name FROM product WHERE name IN (%s, %s,%s) -- %s\n",
            "/* %s /* %s */ */ DELETE FROM product WHERE name=%s",
            "DECLARE @x INT = %s; IF %s = %s SELECT %s",
            "CREATE TABLE t (name VARCHAR(9) DEFAULT %s CHECK (name <> %s))",
            "SELECT name FROM product WHERE name = \"%s\" AND name = `%s`",
            "MERGE product USING (VALUES (%s)) v (x) ON name = %s WHEN MATCHED THEN DELETE",
            "{call login(%s, %s)}",
            "SELECT name FROM product WHERE name=%s%s"
        };

        private static final String LETTERS =
                "QZJQZJ0123456789''''\"\"[[]]--/**/;%%__ \t\n\r.,:+-$@#\\`{}()\u00e9\u4e2d\ud83d\ude00\u00a3?!=<>&|^~";

        private final Random random;
        final List<String> values = new ArrayList<>();

        Statements(long seed) {
            this.random = new Random(seed);
        }

        String next() {
            values.clear();
            StringBuilder sql = new StringBuilder(PLACES[random.nextInt(PLACES.length)]);
            for (int place = sql.indexOf("%s"); place >= 0; place = sql.indexOf("%s", place)) {
                boolean inside = place > 0 && "[\"`".indexOf(sql.charAt(place - 1)) >= 0;
                String literal = inside ? name(sql.charAt(place - 1)) : literal(random.nextInt(12));
                sql.replace(place, place + 2, literal);
                place += literal.length();
            }
            if (random.nextInt(20) == 0) {
                sql.setLength(random.nextInt(sql.length()));
            }
            return sql.toString();
        }

        private String raw(int most) {
            StringBuilder value = new StringBuilder();
            for (int length = random.nextInt(most); length > 0; length--) {
                value.appendCodePoint(LETTERS.codePointAt(random.nextInt(LETTERS.length())));
            }
            return value.toString();
        }

        private String digits(int most) {
            StringBuilder digits = new StringBuilder().append((char) ('1' + random.nextInt(9)));
            for (int length = random.nextInt(most); length > 0; length--) {
                digits.append((char) ('0' + random.nextInt(10)));
            }
            return digits.toString();
        }

        private String name(char open) {
            String value = "Q" + raw(9).replace("%", "");
            values.add(value);
            String close = open == '[' ? "]" : String.valueOf(open);
            return value.replace(close, close + close);
        }

        private String quoted(String prefix, String value) {
            values.add(value);
            return prefix + "'" + value.replace("'", "''") + "'";
        }

        private String kept(String value) {
            values.add(value);
            return value;
        }

        private String literal(int kind) {
            return switch (kind) {
                case 0 -> quoted("N", raw(20));
                case 1 -> kept(digits(25));
                case 2 -> kept(digits(5) + "." + digits(9));
                case 3 -> kept(digits(3) + "E-" + digits(2));
                case 4 -> kept("0x" + digits(12) + "CAFE");
                case 5 -> "$" + kept(digits(6) + "." + digits(2));
                case 6 ->
                    quoted(
                            "",
                            "20" + (10 + random.nextInt(89)) + "-0" + digits(1).charAt(0) + "-1"
                                    + digits(1).charAt(0));
                case 7 ->
                    quoted(
                            "",
                            "1" + random.nextInt(9) + ":3" + random.nextInt(9) + ":5" + random.nextInt(9) + ".77"
                                    + digits(4));
                case 8 ->
                    "E'" + kept(raw(12).replace("\\", "").replace("'", "")) + "\\'" + kept("ZZ" + digits(4)) + "'";
                case 9 -> "$$" + kept(raw(12).replace("$", "")) + "$$";
                case 10 -> quoted("", "6F9619FF-8B86-D011-B42D-" + (100_000_000_000L + Math.abs(random.nextInt())));
                default -> quoted("", raw(20));
            };
        }
    }

    /** A part without such a letter or two digits is what SQL itself is made of, or the wildcards of a pattern. */
    private static final Pattern TELLING = Pattern.compile("[QZJ\u00e9\u4e2d\ud83d\ude00]|[0-9].?[0-9]");

    private static boolean isAPart(String value, String text) {
        for (int i = 0; i + 3 <= value.length(); i++) {
            String part = value.substring(i, i + 3);
            if (TELLING.matcher(part).find() && text.contains(part)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void shouldShowNoPartOfAValueInRandomStatements() {
        Statements statements = new Statements(3706);
        KnownNames known = new KnownNames(List.of("product", "name", "price", "at"));
        int read = 0;
        for (int i = 0; i < 100_000; i++) {
            String sql = statements.next();
            Scanned scanned = StatementScanner.scan(sql, known);
            String shown = scanned.kind() + " " + (scanned.sql() == null ? scanned.unread() : scanned.sql());
            read += scanned.sql() == null ? 0 : 1;
            for (String value : statements.values) {
                if (isAPart(value, shown)) {
                    assertThat(shown).as("%s of %s", value, sql).isEmpty();
                }
            }
        }
        // Otherwise nothing would be tested.
        assertThat(read).isGreaterThan(30_000);
    }
}
