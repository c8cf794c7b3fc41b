package dev.cassidy.assist.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.collation.Collation;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.ResultColumn;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements over tables, with literal results. */
class StatementsTest {

    private static Engine engine;

    private final Shop shop = Shop.standard();

    @BeforeAll
    static void open() {
        engine = Shop.engine();
    }

    @AfterAll
    static void close() {
        engine.close();
    }

    static Stream<String> statements() {
        return """
                SELECT id, name FROM item WHERE name = 'TEA' ORDER BY id => 1,Tea | 2,tea~
                SELECT COUNT(*) FROM item => 4
                SELECT COUNT(price), COUNT(DISTINCT name), COUNT_BIG(*) FROM item => 3,3,4
                SELECT name, COUNT(*) FROM item GROUP BY name ORDER BY 2 DESC, MIN(id) => Tea,2 | Coffee,1 | Milk,1
                SELECT i.name, s.amount FROM item i JOIN sale s ON s.item_id = i.id ORDER BY s.id => Tea,2 | Tea,3 | Coffee,1
                SELECT i.id, s.id FROM item i LEFT JOIN sale s ON s.item_id = i.id ORDER BY i.id, s.id => 1,10 | 1,11 | 2,NULL | 3,12 | 4,NULL
                SELECT i.id, s.id FROM item i RIGHT JOIN sale s ON s.item_id = i.id ORDER BY s.id => 1,10 | 1,11 | 3,12 | NULL,13 | NULL,14
                SELECT i.id, s.id FROM item i FULL JOIN sale s ON s.item_id = i.id ORDER BY i.id, s.id => NULL,13 | NULL,14 | 1,10 | 1,11 | 2,NULL | 3,12 | 4,NULL
                SELECT i.id, s.id FROM item i FULL OUTER JOIN sale s ON s.item_id = i.id AND s.amount > 2 ORDER BY i.id, s.id => NULL,10 | NULL,12 | NULL,13 | NULL,14 | 1,11 | 2,NULL | 3,NULL | 4,NULL
                SELECT i.id, s.id FROM item i FULL JOIN sale s ON 1 = 0 WHERE i.id = 1 OR s.id IN (10, 14) ORDER BY i.id, s.id => NULL,10 | NULL,14 | 1,NULL
                SELECT COUNT(*) FROM item i FULL JOIN sale s ON 1 = 1 => 20
                SELECT a.name, b.name FROM item a FULL JOIN (SELECT name, id + 1 AS id FROM item) b ON a.name = b.name AND a.id = b.id ORDER BY a.id, b.id => NULL,tea~ | NULL,Coffee | NULL,Milk | Tea,NULL | tea~,Tea | Coffee,NULL | Milk,NULL
                SELECT buyer, COUNT(i.id), COUNT(*) FROM item i FULL JOIN sale s ON s.item_id = i.id GROUP BY buyer ORDER BY buyer => NULL,2,3 | Ann,2,2 | Bob,1,2
                SELECT x.id, y.amount, j.name FROM sale x FULL JOIN sale y ON y.item_id = x.id JOIN item j ON j.id = y.amount ORDER BY y.id => NULL,2,tea~ | NULL,3,Coffee | NULL,1,Tea | NULL,4,Milk
                SELECT * FROM (SELECT 1 AS a UNION ALL SELECT 1 UNION ALL SELECT NULL) x FULL JOIN (SELECT 1 AS b UNION ALL SELECT NULL UNION ALL SELECT 2) y ON x.a = y.b ORDER BY a, b => NULL,NULL | NULL,NULL | NULL,2 | 1,1 | 1,1
                SELECT COUNT(*) FROM (SELECT i.id AS a, s.id AS b FROM item i FULL JOIN sale s ON s.item_id = i.id) t WHERE a IS NULL OR b IS NULL => 4
                SELECT CASE WHEN i.made IS NULL THEN 'none' ELSE CONVERT(varchar(10), i.made, 23) END FROM item i FULL JOIN sale s ON s.item_id = i.id WHERE s.id > 11 ORDER BY s.id => none | none | none
                SELECT COUNT(*) FROM item CROSS JOIN sale => 20
                SELECT COUNT(*) FROM item, sale WHERE item.id = sale.item_id => 3
                SELECT i.name FROM dbo.item AS i WITH (NOLOCK) WHERE i.id = 3 => Coffee
                SELECT [item].[name] FROM [dbo].[item] WHERE [ID] = 3 => Coffee
                SELECT label = name, id AS [the id] FROM item WHERE id = 3 => Coffee,3
                SELECT TOP 2 id FROM item ORDER BY id DESC => 4 | 3
                SELECT TOP (1) WITH TIES name FROM item ORDER BY name DESC => Tea | tea~
                SELECT TOP 50 PERCENT id FROM item ORDER BY id => 1 | 2
                SELECT id FROM item ORDER BY id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY => 2 | 3
                SELECT id FROM item ORDER BY price, id => 4 | 1 | 2 | 3
                SELECT id FROM item ORDER BY price DESC, id => 3 | 2 | 1 | 4
                SELECT id FROM item WHERE price * qty > 20 => 1
                SELECT price / 3 FROM item WHERE id = 1 => 0.833333
                SELECT SUM(qty), AVG(qty), MIN(qty), MAX(qty) FROM item => 17,5,0,10
                SELECT AVG(price) FROM item => 4.250000
                SELECT AVG(DISTINCT item_id), SUM(DISTINCT item_id), AVG(item_id) FROM sale => 34,103,26
                SELECT SUM(qty) FROM item WHERE id = 99 => NULL
                SELECT MAX(name) FROM item => Tea
                SELECT id FROM item WHERE qty IS NULL => 3
                SELECT id FROM item WHERE name LIKE 't%' ORDER BY id => 1 | 2
                SELECT id FROM item WHERE name NOT LIKE '[A-M]%' ORDER BY id => 1 | 2
                SELECT id FROM item WHERE id IN (1, 3) ORDER BY id => 1 | 3
                SELECT id FROM item WHERE id NOT IN (SELECT item_id FROM sale) => \s
                SELECT id FROM item WHERE id NOT IN (SELECT item_id FROM sale WHERE item_id IS NOT NULL) ORDER BY id => 2 | 4
                SELECT id FROM item WHERE id IN (SELECT TOP 2 item_id FROM sale WHERE item_id > 0 ORDER BY item_id) => 1
                SELECT id FROM item WHERE id IN (SELECT TOP 2 item_id FROM sale ORDER BY amount DESC) => 1
                SELECT id FROM item WHERE id IN (SELECT TOP 3 item_id FROM sale ORDER BY buyer DESC, amount) ORDER BY id => 1 | 3
                SELECT id FROM item WHERE id = (SELECT TOP 1 item_id FROM sale ORDER BY amount) => \s
                SELECT id FROM item i WHERE id IN (SELECT TOP 1 item_id FROM sale s WHERE s.item_id = i.id ORDER BY amount) ORDER BY id => 1 | 3
                SELECT id FROM item i WHERE EXISTS (SELECT 1 FROM sale s WHERE s.item_id = i.id) ORDER BY id => 1 | 3
                SELECT id FROM item i WHERE NOT EXISTS (SELECT * FROM sale s WHERE s.item_id = i.id) ORDER BY id => 2 | 4
                SELECT id, (SELECT SUM(amount) FROM sale s WHERE s.item_id = i.id) FROM item i ORDER BY id => 1,5 | 2,NULL | 3,1 | 4,NULL
                SELECT buyer, SUM(amount) AS total FROM sale GROUP BY buyer HAVING SUM(amount) > 4 ORDER BY total => Ann,5 | Bob,5
                SELECT DISTINCT buyer FROM sale ORDER BY buyer => NULL | Ann | Bob
                SELECT id FROM item WHERE id < 2 UNION ALL SELECT id FROM sale WHERE id > 12 ORDER BY 1 => 1 | 13 | 14
                SELECT name FROM item UNION SELECT buyer FROM sale ORDER BY name => NULL | Ann | Bob | Coffee | Milk | Tea
                SELECT 1 UNION SELECT 2.5 => 1.0 | 2.5
                SELECT id FROM item i WHERE 7 IN (SELECT s.item_id FROM sale s WHERE s.amount = i.id UNION SELECT CAST(i.qty AS bigint)) => 4
                SELECT id FROM item EXCEPT SELECT item_id FROM sale ORDER BY id => 2 | 4
                SELECT id FROM item INTERSECT SELECT item_id FROM sale ORDER BY id => 1 | 3
                WITH a AS (SELECT id, name FROM item WHERE qty > 0), b(n) AS (SELECT name FROM a) SELECT n FROM B ORDER BY N => Milk | Tea
                WITH a AS (SELECT id FROM item) SELECT COUNT(*) FROM a x JOIN a y ON x.id = y.id => 4
                WITH sale AS (SELECT 1 AS id) SELECT (SELECT COUNT(*) FROM sale), (SELECT COUNT(*) FROM dbo.sale) => 1,5
                SELECT t.n FROM (SELECT name AS n FROM item WHERE id = 4) t => Milk
                SELECT n FROM (SELECT name FROM item WHERE id = 4) AS t(n) => Milk
                SELECT id, ROW_NUMBER() OVER (ORDER BY price DESC) FROM item ORDER BY id => 1,3 | 2,2 | 3,1 | 4,4
                SELECT id, RANK() OVER (PARTITION BY buyer ORDER BY amount) FROM sale ORDER BY id => 10,1 | 11,2 | 12,1 | 13,2 | 14,1
                SELECT id, SUM(amount) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM sale ORDER BY id => 10,2 | 11,5 | 12,6 | 13,10 | 14,10
                SELECT id, LAG(amount, 1, 0) OVER (ORDER BY id) FROM sale ORDER BY id => 10,0 | 11,2 | 12,3 | 13,1 | 14,4
                SELECT id, COUNT(*) OVER () FROM sale WHERE id < 12 ORDER BY id => 10,2 | 11,2
                SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS rn FROM item) t WHERE rn BETWEEN 2 AND 3 ORDER BY id => 2 | 3
                SELECT STRING_AGG(name, ', ') WITHIN GROUP (ORDER BY id) FROM item => Tea, tea~, Coffee, Milk
                SELECT CASE WHEN sold = 1 THEN 'yes' WHEN sold = 0 THEN 'no' ELSE '?' END FROM item ORDER BY id => yes | no | ? | yes
                SELECT id FROM item WHERE sold = 'true' ORDER BY id => 1 | 4
                SELECT YEAR(made), COUNT(*) FROM item GROUP BY YEAR(made) ORDER BY 1 => NULL,1 | 2023,1 | 2024,2
                SELECT YEAR(made) AS y, COUNT(*) FROM item WHERE made IS NOT NULL GROUP BY YEAR(made) ORDER BY y => 2023,1 | 2024,2
                SELECT id FROM item WHERE made >= '2024-01-31' ORDER BY id => 1 | 2
                SELECT id FROM item WHERE changed >= '2024-01-31' AND changed < '2024-02-02' ORDER BY id => 1 | 2
                SELECT id FROM item WHERE made = '20240201' => 2
                SELECT DATEDIFF(day, made, '2024-02-02') FROM item WHERE id = 1 => 2
                SELECT name + ' (' + CAST(id AS varchar(10)) + ')' FROM item WHERE id = 1 => Tea (1)
                SELECT ISNULL(price, 0) FROM item WHERE id = 4 => 0.00
                SELECT * FROM sale WHERE id = 10 => 10,1,2,Ann
                SELECT s.*, i.name FROM sale s JOIN item i ON i.id = s.item_id WHERE s.id = 12 => 12,3,1,Bob,Coffee
                SELECT a.id FROM item a JOIN (item b JOIN sale s ON s.item_id = b.id) ON a.id = b.id ORDER BY s.id => 1 | 1 | 3
                SELECT i.id FROM item i LEFT JOIN sale s ON s.item_id = i.id AND s.amount > 2 WHERE s.id IS NULL ORDER BY i.id => 2 | 3 | 4
                SELECT id FROM item WHERE name COLLATE Latin1_General_BIN2 = 'x' => REFUSED
                SELECT id FROM item ORDER BY LEN(name), id => 1 | 2 | 4 | 3
                SELECT id id2 FROM item ORDER BY id2 => 1 | 2 | 3 | 4
                SELECT MIN(buyer) FROM sale GROUP BY buyer ORDER BY COUNT(*) DESC, 1 => Ann | Bob | NULL
                SELECT price FROM item WHERE price = 2.5 => 2.50
                SELECT id FROM item WHERE price IN (2.5, 7.25) ORDER BY id => 1 | 3
                SELECT id FROM item WHERE id = '3' => 3
                SELECT id FROM item WHERE id = 2.6 => \s
                SELECT id FROM item WHERE id IN (2.6, 3.4) => \s
                SELECT id FROM item WHERE id < 2.5 ORDER BY id => 1 | 2
                SELECT id FROM item WHERE id > 2.5 ORDER BY id => 3 | 4
                SELECT id FROM item WHERE id IN (SELECT amount + 0.6 FROM sale) => \s
                SELECT id FROM item WHERE id IN (SELECT amount + 0.0 FROM sale WHERE amount > 3) => 4
                SELECT i.id FROM item i JOIN (SELECT amount + 0.4 AS a FROM sale) s ON i.id = s.a => \s
                SELECT id FROM item WHERE id IN (SELECT CAST(amount AS varchar(5)) FROM sale) ORDER BY id => 1 | 2 | 3 | 4
                SELECT TOP 1 1 FROM item WHERE 1 = 0 => \s
                """.replace("\\s", "").lines().filter(line -> !line.endsWith("REFUSED"));
    }

    @ParameterizedTest
    @MethodSource("statements")
    void shouldGiveTheRowsOfTSql(String line) {
        int arrow = line.lastIndexOf(" =>");
        String expected = line.substring(arrow + 3).strip().replace('~', ' ');
        assertThat(shop.rows(engine, line.substring(0, arrow))).isEqualTo(expected);
    }

    @Test
    void shouldTakeParametersWithTheTypesOfTheirValues() {
        assertThat(shop.rows(engine, "SELECT id FROM item WHERE id = ? AND name = ?", 1, "tea"))
                .isEqualTo("1");
        assertThat(shop.rows(engine, "SELECT TOP (?) id FROM item ORDER BY id", 2))
                .isEqualTo("1 | 2");
        assertThat(shop.rows(engine, "SELECT ?, ? + 1, ? FROM item WHERE id = 1", "a", 5L, null))
                .isEqualTo("a,6,NULL");
        assertThat(shop.rows(engine, "SELECT id FROM item WHERE name = ?", "x' OR '1'='1"))
                .isEmpty();
        assertThat(shop.rows(engine, "SELECT id FROM item ORDER BY id OFFSET ? ROWS FETCH NEXT ? ROWS ONLY", 1, 2))
                .isEqualTo("2 | 3");
    }

    @Test
    void shouldGiveLabelsAndTypes() {
        Evaluated result = shop.evaluate(
                engine, "SELECT Name, total = SUM(qty), COUNT(*), MAX(price) AS [the price] FROM item GROUP BY name");

        assertThat(result.columns()).extracting(ResultColumn::label).containsExactly("Name", "total", "", "the price");
        assertThat(result.columns())
                .extracting(column -> column.type().toString())
                .containsExactly("nvarchar(20)", "int", "int", "decimal(10,2)");
    }

    @Test
    void shouldRefuseColumnsThatWereNotRead() {
        FedTable item = shop.table("item");
        Shop part = Shop.empty()
                .with(new FedTable(
                        item.model(), List.of("name", "id"), List.<@Nullable Object[]>of(Shop.row("Tea", 1))));

        assertThat(part.rows(engine, "SELECT id, name FROM item")).isEqualTo("1,Tea");
        assertThat(part.rows(engine, "SELECT COUNT(*) FROM item")).isEqualTo("1");
        for (String sql :
                List.of("SELECT price FROM item", "SELECT * FROM item", "SELECT id FROM item WHERE qty = 1")) {
            assertThatThrownBy(() -> part.rows(engine, sql))
                    .isInstanceOf(NotEvaluatedException.class)
                    .hasMessageContaining("its values were not read");
        }
    }

    @Test
    void shouldCompareStringsByCodeWhereTheColumnsDo() {
        for (Collation each : new Collation[] {null, Collation.of("Latin1_General_BIN2")}) {
            Shop words = Shop.empty()
                    .with(
                            "word",
                            each,
                            "id int, text nvarchar(10)",
                            Shop.row(1, "a"),
                            Shop.row(2, "A"),
                            Shop.row(3, "a "));

            assertThat(words.rows(engine, "SELECT id FROM word WHERE text = 'a'"))
                    .isEqualTo("1");
            assertThat(words.rows(engine, "SELECT COUNT(DISTINCT text) FROM word"))
                    .isEqualTo("3");
            assertThat(words.rows(engine, "SELECT id FROM word WHERE text LIKE 'A%'"))
                    .isEqualTo("2");
            assertThat(words.rows(engine, "SELECT REPLACE(text, 'a', 'x') FROM word ORDER BY id"))
                    .isEqualTo("x | A | x ");
        }
    }

    @Test
    void shouldCompareCharWithoutItsBlanksWhereStringsAreComparedByCode() {
        for (Collation each : new Collation[] {null, Collation.of("Latin1_General_BIN2")}) {
            Shop codes = Shop.empty()
                    .with(
                            "code",
                            each,
                            "id char(5), name varchar(9)",
                            Shop.row("ab   ", "cd"),
                            Shop.row("cd   ", "x"),
                            Shop.row("AB   ", null));

            for (String condition : List.of(
                    "id = 'ab'",
                    "'ab ' = id",
                    "id IN ('ab', 'x')",
                    "name IN (SELECT id FROM code)",
                    "EXISTS (SELECT 1 FROM code c WHERE c.id = code.name)",
                    "id BETWEEN 'ab' AND 'ab'",
                    "NULLIF(id, 'ab') IS NULL",
                    "CASE id WHEN 'ab' THEN 1 END = 1")) {
                assertThat(codes.rows(engine, "SELECT name FROM code WHERE " + condition))
                        .as(condition)
                        .isEqualTo("cd");
            }
            assertThat(codes.rows(engine, "SELECT id FROM code UNION ALL SELECT name FROM code WHERE name = 'x'"))
                    .contains("x");
            assertThatThrownBy(() -> codes.rows(engine, "SELECT id FROM code UNION SELECT name FROM code"))
                    .isInstanceOf(NotEvaluatedException.class)
                    .hasMessageContaining("blanks that char ends with");
            assertThat(codes.rows(engine, "SELECT id + name FROM code WHERE id <> 'AB' ORDER BY id"))
                    .isEqualTo("ab   cd | cd   x");
        }
    }

    @Test
    void shouldCompareStringsByTheCollationEverywhere() {
        Shop words = Shop.empty()
                .with(
                        "word",
                        Collation.of("Latin1_General_100_CI_AI"),
                        "id int, text nvarchar(10)",
                        Shop.row(1, "Été"),
                        Shop.row(2, "ETE "),
                        Shop.row(3, "b"));

        assertThat(words.rows(engine, "SELECT id FROM word WHERE text = 'ete' ORDER BY id"))
                .isEqualTo("1 | 2");
        assertThat(words.rows(engine, "SELECT COUNT(DISTINCT text) FROM word")).isEqualTo("2");
        assertThat(words.rows(engine, "SELECT COUNT(*) FROM word GROUP BY text ORDER BY 1"))
                .isEqualTo("1 | 2");
        assertThat(words.rows(engine, "SELECT COUNT(*) FROM word a JOIN word b ON a.text = b.text"))
                .isEqualTo("5");
        assertThat(words.rows(engine, "SELECT id FROM word WHERE text IN ('x', 'ÉTÉ') ORDER BY id"))
                .isEqualTo("1 | 2");
        assertThat(words.rows(engine, "SELECT NULLIF(text, 'ete') FROM word WHERE id = 1"))
                .isEqualTo("NULL");
        assertThat(words.rows(engine, "SELECT id FROM word ORDER BY text, id")).isEqualTo("3 | 1 | 2");
        assertThat(words.rows(engine, "SELECT CASE text WHEN 'ete' THEN 1 ELSE 0 END FROM word ORDER BY id"))
                .isEqualTo("1 | 1 | 0");
        assertThat(words.rows(engine, "SELECT COUNT(*) OVER (PARTITION BY text) FROM word ORDER BY id"))
                .isEqualTo("2 | 2 | 1");
        assertThat(words.rows(engine, "SELECT text FROM word UNION SELECT 'ete'"))
                .contains("b")
                .hasSizeLessThan(12);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
            SELECT one.text, other.text FROM one JOIN other ON one.id = other.id                      ; A,A
            SELECT * FROM one JOIN other ON one.id = other.id                                         ; 1,A,1,A
            SELECT one.text AS x, y = other.text FROM one, other ORDER BY one.id                      ; A,A
            SELECT other.text FROM one JOIN other ON one.id = other.id WHERE one.text = 'a'           ; A
            SELECT one.text FROM one JOIN other ON one.id = other.id WHERE other.text = 'a'           ;
            SELECT one.text FROM one WHERE EXISTS (SELECT * FROM other WHERE other.id = one.id) AND text = 'a' ; A
            """)
    void shouldShowColumnsOfAnyCollation(String sql, @Nullable String rows) {
        Shop words = Shop.empty()
                .with("one", Collation.standard(), "id int, text nvarchar(10)", Shop.row(1, "A"))
                .with("other", null, "id int, text nvarchar(10)", Shop.row(1, "A"));

        assertThat(words.rows(engine, sql)).isEqualTo(rows == null ? "" : rows);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT DISTINCT one.text, other.text FROM one, other",
                "SELECT DISTINCT * FROM one, other",
                "SELECT one.text, other.text FROM one, other ORDER BY 1, 2",
                "SELECT one.text AS x, other.text AS y FROM one, other ORDER BY x, y",
                "SELECT one.text, other.text FROM one, other ORDER BY one.text, other.text",
                "SELECT one.text, other.text FROM one, other GROUP BY one.text, other.text",
                "SELECT one.text, MAX(other.text) FROM one, other GROUP BY one.text",
                "SELECT text FROM one UNION SELECT text FROM other",
                "SELECT * FROM one EXCEPT SELECT * FROM other",
                "SELECT 1 FROM one WHERE text IN (SELECT text FROM other)",
                "SELECT 1 FROM one JOIN (SELECT * FROM other) x ON x.text = one.text",
                "SELECT REPLACE(one.text, 'a', ''), CHARINDEX('a', other.text) FROM one, other",
                "SELECT ROW_NUMBER() OVER (ORDER BY one.text), other.text FROM one, other WHERE other.text > 'a'",
            })
    void shouldRefuseColumnsOfDifferentCollationsWhereTheyDecide(String sql) {
        Shop words = Shop.empty()
                .with("one", Collation.standard(), "id int, text nvarchar(10)")
                .with("other", null, "id int, text nvarchar(10)");

        assertThatThrownBy(() -> words.rows(engine, sql))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("their collations differ");
    }

    @Test
    void shouldRefuseColumnsOfDifferentCollations() {
        Shop words = Shop.empty()
                .with("one", Collation.standard(), "id int, text nvarchar(10)")
                .with("other", null, "id int, text nvarchar(10)");

        assertThatThrownBy(() -> words.rows(engine, "SELECT one.id FROM one JOIN other ON one.text = other.text"))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("their collations differ");
    }

    @Test
    void shouldFindRowsByAnIndexThatHasEqualKeys() {
        Shop users = Shop.empty()
                .with(
                        "person",
                        Collation.standard(),
                        "name nvarchar(10), age int",
                        Shop.row("Ann", 1),
                        Shop.row("ann ", 2))
                .with("visit", Collation.standard(), "id int, who nvarchar(10)", Shop.row(1, "ANN"));

        assertThat(users.rows(engine, "SELECT age FROM visit JOIN person ON person.name = visit.who ORDER BY age"))
                .isEqualTo("1 | 2");
    }

    @Test
    void shouldKeepAllDigitsAndRefuseThoseThatItsTypeLacks() {
        Shop prices =
                Shop.empty().with("price", null, "id int, value decimal(5,2)", Shop.row(1, "1.50"), Shop.row(2, "1.5"));
        assertThat(prices.rows(engine, "SELECT COUNT(DISTINCT value), MAX(value) FROM price"))
                .isEqualTo("1,1.50");

        Shop wrong = Shop.empty().with("price", null, "id int, value decimal(5,2)", Shop.row(1, "1.505"));
        assertThatThrownBy(() -> wrong.rows(engine, "SELECT value FROM price"))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("1.505");
    }

    @Test
    void shouldGiveValuesOfAllTypesBack() {
        byte[] bytes = {1, 2};
        UUID uuid = UUID.fromString("0e984725-c51c-4bf4-9960-e1c80e27aba0");
        Instant instant = Instant.parse("2024-02-29T13:14:15.678Z");
        LocalDateTime moment = LocalDateTime.parse("2024-02-29T13:14:15.678");
        OffsetDateTime offset = OffsetDateTime.parse("2024-02-29T13:14:15.678+02:00");
        String columns =
                "k int, a bit, b tinyint, c smallint, d int, e bigint, f decimal(20,3), g money, h real, i float,"
                        + " j char(3), k2 varchar(max), l nvarchar(10), m text, n varbinary(10), o date, p time, q datetime,"
                        + " r datetime2, s smalldatetime, t datetimeoffset, u datetimeoffset, v uniqueidentifier";
        Object[] given = {
            1,
            true,
            (short) 255,
            (short) -3,
            4,
            5L,
            new BigDecimal("6.5"),
            new BigDecimal("7.1"),
            8.5f,
            9.25,
            "abc",
            "de",
            "f\u00fc",
            "text",
            ByteBuffer.wrap(bytes),
            LocalDate.parse("2024-02-29"),
            LocalTime.parse("13:14:15.1234567"),
            instant,
            moment,
            LocalDateTime.parse("2024-02-29T13:14"),
            offset,
            instant,
            uuid
        };
        Object[] expected = given.clone();
        expected[6] = new BigDecimal("6.500");
        expected[7] = new BigDecimal("7.1000");
        expected[14] = bytes;
        expected[17] = moment.plusHours(1);
        expected[21] = instant.atOffset(ZoneOffset.UTC);
        Shop all = Shop.empty().with("every", null, columns, given, new Object[given.length]);

        assertThat(all.evaluate(engine, "SELECT * FROM every WHERE k = 1")
                        .rows()
                        .get(0))
                .isEqualTo(expected);
        assertThat(all.evaluate(engine, "SELECT * FROM every WHERE k IS NULL")
                        .rows()
                        .get(0))
                .containsOnlyNulls();
        // As parameters, and compared with the columns.
        for (String column : "a c d e f h i k2 l n o p q r t v".split(" ")) {
            String sql = "SELECT k FROM every WHERE " + column + " = ?";
            Object value = given[
                    List.of(columns.split(", *(?![0-9])")).stream()
                            .map(each -> each.substring(0, each.indexOf(' ')))
                            .toList()
                            .indexOf(column)];
            assertThat(all.rows(engine, sql, value)).as(column).isEqualTo("1");
        }
    }

    @Test
    void shouldSortUniqueidentifiersAsSqlServerDoes() {
        Shop codes = Shop.empty()
                .with(
                        "code",
                        null,
                        "id int, value uniqueidentifier",
                        Shop.row(1, "00000000-0000-0000-0000-010000000000"),
                        Shop.row(2, "00000000-0000-0000-0100-000000000000"),
                        Shop.row(3, "00000000-0000-0100-0000-000000000000"),
                        Shop.row(4, "00000000-0100-0000-0000-000000000000"),
                        Shop.row(5, "01000000-0000-0000-0000-000000000000"));

        assertThat(codes.rows(engine, "SELECT id FROM code ORDER BY value")).isEqualTo("5 | 4 | 3 | 2 | 1");
        assertThat(codes.rows(engine, "SELECT id, value FROM code ORDER BY value DESC"))
                .startsWith("1,")
                .endsWith("01000000-0000-0000-0000-000000000000");
        assertThat(codes.rows(engine, "SELECT ROW_NUMBER() OVER (ORDER BY value) FROM code ORDER BY id"))
                .isEqualTo("5 | 4 | 3 | 2 | 1");
    }

    static Stream<String> refusals() {
        return """
                SELECT price FROM item GROUP BY name => 8120
                SELECT name, COUNT(*) FROM item WHERE id < 0 => 8120
                SELECT *, MAX(price) FROM item => 8120
                SELECT name FROM item HAVING COUNT(*) > 1 => 8120
                SELECT id FROM item JOIN sale ON item.id = sale.item_id => 209
                SELECT x.id FROM item => 207
                SELECT id FROM nothing => 208
                SELECT id FROM item, item => 1011
                SELECT id FROM (SELECT id FROM item ORDER BY id) t => 1033
                SELECT (SELECT id FROM item) => 512
                SELECT (SELECT id, name FROM item) => 116
                SELECT DISTINCT name FROM item ORDER BY price => 145
                SELECT id FROM item ORDER BY 5 => 108
                SELECT id FROM item UNION SELECT id, name FROM item => 205
                SELECT TOP 1 WITH TIES id FROM item => 1062
                SELECT id FROM item WHERE made = 5 => 206
                SELECT SUM(name) FROM item => 8117
                SELECT SUM(sold) FROM item => 8117
                SELECT ROW_NUMBER() OVER () FROM item => 4112
                SELECT id FROM item WHERE name = 1 => 245
                SELECT SUM(2147483647) FROM item => 8115
                SELECT a FROM (SELECT 1) t => 8155
                """.lines();
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void shouldRefuseWhatSqlServerRefuses(String line) {
        int arrow = line.lastIndexOf(" => ");
        assertThatThrownBy(() -> shop.rows(engine, line.substring(0, arrow)))
                .isInstanceOfSatisfying(EvaluationException.class, failure -> assertThat(failure.number())
                        .as(failure.getMessage())
                        .isEqualTo(Integer.parseInt(line.substring(arrow + 4))));
    }
}
