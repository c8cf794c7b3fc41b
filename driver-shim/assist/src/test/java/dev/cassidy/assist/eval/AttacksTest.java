package dev.cassidy.assist.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.EvaluationException;
import dev.cassidy.jdbc.assist.EvaluationTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Statements that reach for files, classes, H2's own functions and tables, memory or time. */
class AttacksTest {

    private static Engine engine;

    @TempDir
    private Path folder;

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
                SELECT FILE_READ('/etc/passwd')
                SELECT FILE_READ('/etc/passwd', NULL)
                SELECT FILE_WRITE('x', 'FILE')
                SELECT name + FILE_READ('/etc/passwd', NULL) FROM item
                SELECT CSVREAD('/etc/passwd')
                SELECT * FROM CSVREAD('/etc/passwd')
                SELECT * FROM CSVREAD('/etc/passwd') x
                SELECT CSVWRITE('FILE', 'SELECT 1')
                SELECT id FROM item WHERE CSVWRITE('FILE', 'SELECT 1') = 1
                SELECT LINK_SCHEMA('x', '', 'jdbc:h2:mem:x', 'sa', '', 'PUBLIC')
                SELECT * FROM LINK_SCHEMA('x', '', 'jdbc:h2:mem:x', 'sa', '', 'PUBLIC') x
                SELECT * FROM SYSTEM_RANGE(1, 1000000000) x
                SELECT * FROM GENERATE_SERIES(1, 1000000000) x
                SELECT * FROM UNNEST(x) y
                SELECT REPEAT('x', 2000000000)
                SELECT RPAD('x', 2000000000)
                SELECT LPAD('x', 2000000000)
                SELECT DATABASE_PATH()
                SELECT DATABASE()
                SELECT H2VERSION()
                SELECT SESSION_ID()
                SELECT MEMORY_USED()
                SELECT CANCEL_SESSION(1)
                SELECT ABORT_SESSION(1)
                SELECT LOCK_MODE()
                SELECT COMPRESS('x')
                SELECT EXPAND('x')
                SELECT ENCRYPT('AES', 'x', 'x')
                SELECT HASH('SHA256', 'x', 100000000)
                SELECT XMLTEXT('x')
                SELECT RAND(1)
                SELECT RANDOM_UUID()
                SELECT SECURE_RAND(100)
                SELECT USER()
                SELECT CURRENT_USER()
                SELECT SET_CONFIG('a', 'b')
                SELECT TRUNCATE_VALUE(name, 1, TRUE) FROM item
                SELECT DATA_TYPE_SQL('a', 'b', 'TABLE', 'c')
                SELECT ARRAY_AGG(id) FROM item
                SELECT REGEXP_REPLACE('aaaaaaaaaaaaaaaaaaaaaaaa!', '(a+)+$', 'x')
                SELECT REGEXP_LIKE('aaaaaaaaaaaaaaaaaaaaaaaaaaa!', '(a+)+$')
                SELECT id FROM item WHERE name REGEXP '(a+)+$'
                SELECT id FROM item WHERE name RLIKE '(a+)+$'
                SELECT id FROM item WHERE name ILIKE 'x'
                SELECT id FROM item WHERE name SIMILAR TO 'x'
                SELECT F_STEP()
                SELECT F_FITNUMBER('a', 1)
                SELECT EVIL()
                SELECT dbo.f(1)
                SELECT PUBLIC.F_LEN('a')
                SELECT "java.lang.Runtime.exec"('x')
                SELECT * FROM INFORMATION_SCHEMA.TABLES
                SELECT * FROM INFORMATION_SCHEMA.USERS
                SELECT * FROM INFORMATION_SCHEMA.SETTINGS
                SELECT * FROM information_schema.sessions
                SELECT * FROM pg_catalog.pg_user
                SELECT * FROM sys.objects
                SELECT * FROM T0
                SELECT * FROM item, T1
                SELECT C0 FROM item
                SELECT S0.C0 FROM item
                SELECT R FROM item
                SELECT _ROWID_ FROM item
                SELECT * FROM OPENROWSET('a', 'b', 'c') x
                SELECT * FROM OPENQUERY(server, 'SELECT 1') x
                SELECT * FROM server.base.dbo.secret
                SELECT i.id FROM item i CROSS APPLY dbo.f(i.id) x
                SELECT i.id FROM item i OUTER APPLY (SELECT TOP 1 * FROM sale s WHERE s.item_id = i.id) x
                SELECT i.id FROM item i FULL JOIN sale s ON s.item_id = i.id FULL JOIN item j ON j.id = i.id
                SELECT i.id FROM item i JOIN sale s ON s.item_id = i.id FULL JOIN item j ON j.id = i.id
                SELECT i.id FROM item i FULL JOIN (sale s JOIN item j ON j.id = s.id) ON j.id = i.id
                SELECT * INTO copy FROM item
                SELECT * FROM item FOR XML PATH('')
                SELECT * FROM item FOR JSON AUTO
                SELECT * FROM item FOR UPDATE
                SELECT * FROM item LIMIT 1
                SELECT * FROM item TABLESAMPLE (10 PERCENT)
                SELECT * FROM (SELECT buyer, amount FROM sale) s PIVOT (SUM(amount) FOR buyer IN ([Ann], [Bob])) p
                WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r
                WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r
                SELECT id FROM item GROUP BY ROLLUP(id)
                SELECT id FROM item GROUP BY GROUPING SETS ((id), ())
                SELECT NEXT VALUE FOR numbers
                SELECT @@VERSION
                SELECT @x
                SELECT @x = id FROM item
                SELECT :name
                SELECT id FROM item QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1
                SELECT CAST(1 AS JSON)
                SELECT CAST(1 AS GEOMETRY)
                SELECT CAST(1 AS JAVA_OBJECT)
                SELECT CAST('a' AS varchar(10) ARRAY)
                SELECT ARRAY[1, 2]
                SELECT (1, 2)
                SELECT ROW(1, 2)
                SELECT INTERVAL '1' DAY
                SELECT DATE '2024-01-01'
                SELECT EXTRACT(YEAR FROM made) FROM item
                SELECT id::varchar FROM item
                SELECT 1 WHERE 1 = ANY (SELECT 1)
                SELECT COUNT(*) FILTER (WHERE id > 1) FROM item
                SELECT MAX(id) KEEP (DENSE_RANK FIRST ORDER BY id) FROM item
                SELECT id FROM item WHERE id = 1 AND (name, id) = ('a', 1)
                SELECT id FROM item NATURAL JOIN sale
                SELECT id FROM item JOIN sale USING (id)
                SELECT STRING_AGG(DISTINCT name, ',') FROM item FOR XML PATH('')
                SELECT CHECKSUM(name) FROM item
                SELECT OBJECT_ID('item')
                SELECT xp_cmdshell('x')
                """.lines();
    }

    @ParameterizedTest
    @MethodSource("statements")
    void shouldRefuse(String line) throws Exception {
        String sql = line.replace("FILE'", folder.resolve("written").toString() + "'");

        assertThatThrownBy(() -> shop.rows(engine, sql))
                .satisfiesAnyOf(
                        // H2 has not seen it: what it refuses has a cause.
                        failure -> assertThat(failure)
                                .isInstanceOf(NotEvaluatedException.class)
                                .hasNoCause(),
                        failure -> assertThat(failure).isInstanceOf(EvaluationException.class),
                        failure -> assertThat(failure)
                                .isInstanceOf(IllegalArgumentException.class)
                                .hasMessageStartingWith("must be"));

        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void shouldTakeTextsForNothingButTexts() {
        for (String each :
                new String[] {"'; DROP TABLE T0; --", "$$", "?1", "/*", "\u0000", "{d '2024-01-01'}", "U&'\\0041'"}) {
            assertThat(shop.rows(
                            engine,
                            "SELECT N'" + each.replace("'", "''") + "' AS ["
                                    + each.replace("]", "]]").replace("?", "q") + "] FROM item WHERE id = 1"))
                    .isEqualTo(each);
            assertThat(shop.rows(engine, "SELECT ? FROM item WHERE id = 1", each))
                    .isEqualTo(each);
        }
    }

    /** JSqlParser reads {@code 'a\''b'} as {@code 'a\'} with an alias. */
    @Test
    void shouldRefuseStringsThatTheParserMayHaveEndedTooEarly() {
        for (String sql : new String[] {"SELECT 'a\\''b'", "SELECT id FROM item WHERE name = 'c\\'"}) {
            assertThatThrownBy(() -> shop.rows(engine, sql))
                    .isInstanceOf(NotEvaluatedException.class)
                    .hasMessageContaining("ends with a backslash");
        }
        assertThat(shop.rows(engine, "SELECT 'a\\b'")).isEqualTo("a\\b");
    }

    @Test
    void shouldRefuseNamesThatCloseTheirBrackets() {
        assertThatThrownBy(() -> shop.rows(engine, "SELECT [id\"; DROP ALL OBJECTS; --] FROM item"))
                .isInstanceOf(EvaluationException.class)
                .hasMessageStartingWith("Invalid column name");
    }

    @Test
    void shouldNameWhatIsRefusedAndWhatToDo() {
        assertThatThrownBy(() -> shop.rows(engine, "SELECT file_read('/etc/passwd')"))
                .hasMessage(
                        "The function file_read is not evaluated in the client: it is not known here. Call it in the"
                                + " application, on what the statement gives");
    }

    private static String crossJoin() {
        return IntStream.range(0, 14).mapToObj(i -> "sale s" + i).collect(Collectors.joining(", "));
    }

    @Test
    void shouldEndACrossJoinByTheRowsThatItMakes() {
        Limits limits = new Limits(Duration.ofMinutes(5), 100, 5_000, 1_000_000);
        try (Engine bounded = Shop.engine(limits)) {
            for (String sql : new String[] {
                "SELECT s1.id FROM " + crossJoin() + " ORDER BY s2.buyer",
                "SELECT COUNT(*) FROM " + crossJoin(),
                "SELECT COUNT(*) FROM " + crossJoin() + " WHERE s0.id > 0 AND s13.id > 0",
                "SELECT DISTINCT s1.id FROM " + crossJoin(),
                "SELECT (SELECT COUNT(*) FROM " + crossJoin() + ")",
                "SELECT 1 WHERE 1 IN (SELECT MAX(s0.id) FROM " + crossJoin() + ")",
                "SELECT SUM(s0.id) OVER () FROM " + crossJoin(),
            }) {
                assertThatThrownBy(() -> shop.rows(bounded, sql))
                        .as(sql)
                        .isInstanceOf(NotEvaluatedException.class)
                        .hasMessageContaining("it makes more than 5000 rows");
            }
        }
    }

    @Test
    void shouldEndAStatementThatTakesTooLong() {
        Limits limits = new Limits(Duration.ofMillis(200), 100, Long.MAX_VALUE, 1_000_000);
        try (Engine bounded = Shop.engine(limits)) {
            assertThatThrownBy(() ->
                            shop.rows(bounded, "SELECT COUNT(*) FROM " + crossJoin() + " WHERE s0.id + s13.id < 0"))
                    .isInstanceOf(EvaluationTimeoutException.class)
                    .hasMessageContaining("200 ms");
            // The connection that it had is not used again.
            assertThat(shop.rows(bounded, "SELECT COUNT(*) FROM item")).isEqualTo("4");
        }
    }

    @Test
    void shouldEndAStatementThatIsCancelled() throws Exception {
        CompletableFuture<Void> stop = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        Limits limits = new Limits(Duration.ofMinutes(5), 100, Long.MAX_VALUE, 1_000_000);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (Engine bounded = new Engine(
                () -> {
                    begun.countDown();
                    return Shop.NOW;
                },
                () -> ZoneOffset.UTC,
                limits)) {
            Future<Evaluated> result = other.submit(() -> shop.evaluate(
                    bounded,
                    Duration.ofSeconds(60),
                    stop,
                    "SELECT COUNT(*) FROM " + crossJoin() + " WHERE s0.id + s13.id < 0"));
            begun.await();
            stop.cancel(true);

            assertThatThrownBy(result::get).hasCauseInstanceOf(CancellationException.class);
            assertThat(shop.rows(bounded, "SELECT COUNT(*) FROM item")).isEqualTo("4");
            assertThatThrownBy(() -> shop.evaluate(bounded, Duration.ofSeconds(60), stop, "SELECT COUNT(*) FROM item"))
                    .isInstanceOf(CancellationException.class);
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void shouldBoundTheRowsOfTheResult() {
        Limits limits = new Limits(Duration.ofMinutes(5), 3, 1_000, 1_000_000);
        try (Engine bounded = Shop.engine(limits)) {
            assertThatThrownBy(() -> shop.rows(bounded, "SELECT id FROM item"))
                    .isInstanceOf(NotEvaluatedException.class)
                    .hasMessageContaining("its result has more than 3 rows");
            assertThat(shop.rows(bounded, "SELECT TOP 3 id FROM item ORDER BY id"))
                    .isEqualTo("1 | 2 | 3");
        }
    }

    @Test
    void shouldBoundTheCharactersThatFunctionsMake() {
        Limits limits = new Limits(Duration.ofMinutes(5), 100, 100_000, 1_000_000);
        String text = "CAST('x' AS varchar(max))";
        try (Engine bounded = Shop.engine(limits)) {
            for (String sql : new String[] {
                "SELECT REPLICATE(" + text + ", 2000000000) + REPLICATE(" + text + ", 2000000000)",
                "SELECT SUM(LEN(REPLICATE(name, 400))) FROM " + crossJoin().replace("sale s0", "item"),
                "SELECT REPLACE(REPLICATE('x', 8000), 'x', REPLICATE('y', 8000))",
                "SELECT LEN(CONCAT(" + String.join(", ", Collections.nCopies(200, "REPLICATE('x', 8000)")) + "))",
                "SELECT LEN(" + String.join(" + ", Collections.nCopies(150, "REPLICATE('x', 8000)")) + ")",
            }) {
                assertThatThrownBy(() -> shop.rows(bounded, sql))
                        .as(sql)
                        .isInstanceOf(NotEvaluatedException.class)
                        .hasMessageContaining("characters");
            }
        }
    }

    @Test
    void shouldRefuseExpressionsThatAreNestedTooDeeply() {
        String sum = String.join(" + ", Collections.nCopies(900, "1"));
        assertThatThrownBy(() -> shop.rows(engine, "SELECT " + sum))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("nested too deeply");
        assertThat(shop.rows(engine, "SELECT " + String.join(" + ", Collections.nCopies(100, "1"))))
                .isEqualTo("100");
    }

    @Test
    void shouldRefuseCommonTableExpressionsThatDoubleAgainAndAgain() {
        StringBuilder sql = new StringBuilder("WITH c0 AS (SELECT id FROM item)");
        for (int i = 1; i < 30; i++) {
            sql.append(", c")
                    .append(i)
                    .append(" AS (SELECT a.id FROM c")
                    .append(i - 1)
                    .append(" a, c")
                    .append(i - 1)
                    .append(" b)");
        }
        assertThatThrownBy(() -> shop.rows(engine, sql + " SELECT COUNT(*) FROM c29"))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("too long");
    }

    @Test
    void shouldGiveItsUserNoRights() throws Exception {
        try (Database database = Database.open(null);
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : Arrays.asList(
                    "CREATE TABLE x (a INT)",
                    "CREATE ALIAS x FOR 'java.lang.System.exit'",
                    "CREATE USER x PASSWORD 'x'",
                    "ALTER USER EVALUATOR ADMIN TRUE",
                    "CREATE SCHEMA x",
                    "CREATE TRIGGER x BEFORE INSERT ON y CALL 'z'",
                    "CREATE LINKED TABLE x('', 'jdbc:h2:mem:x', 'sa', '', 'y')",
                    "SELECT FILE_READ('/etc/passwd')",
                    "CALL CSVWRITE('" + folder.resolve("written") + "', 'SELECT 1')",
                    "SCRIPT TO '" + folder.resolve("written") + "'",
                    "RUNSCRIPT FROM '/etc/passwd'",
                    "BACKUP TO '" + folder.resolve("written") + "'",
                    "SET DB_CLOSE_DELAY 1",
                    "SHUTDOWN",
                    "DROP ALL OBJECTS",
                    "DROP ALIAS F_LEN")) {
                assertThatThrownBy(() -> statement.execute(sql)).as(sql).isInstanceOf(SQLException.class);
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }
}
