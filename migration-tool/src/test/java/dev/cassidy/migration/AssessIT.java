package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.migration.error.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cluster that an application will move to also judges its statements. It runs none of them. */
class AssessIT {

    private static TargetNode node;

    @TempDir
    Path folder;

    @BeforeAll
    static void install() {
        node = new TargetNode("assess_own");
        node.init();
        node.createKeyspace("shop");
        for (String table : List.of(
                "product (id int PRIMARY KEY, name text, price int)",
                "note (what text, id int PRIMARY KEY)",
                "basket (id int PRIMARY KEY, name text)",
                "member (login text PRIMARY KEY, age int)",
                "sum (p int, c int, n int, name text, flag boolean, PRIMARY KEY (p, c))")) {
            node.session().execute("CREATE TABLE shop." + table);
        }
        ToolRun register = node.run("ids register", "--table", "shop.product", "--column", "id", "--start", "100");
        assertThat(register.exitCode()).as(register.err()).isZero();
        ToolRun declare = node.run("tables adopt", "--table", "shop.note", "--columns", "what, id", "--yes");
        assertThat(declare.exitCode()).as(declare.err()).isZero();
    }

    @AfterAll
    static void drop() {
        node.close();
    }

    private ToolRun assess(Path record, OldApplication application, String... rest) {
        List<String> arguments = new ArrayList<>(List.of(
                "assess",
                "--record",
                record.toString(),
                "--target",
                node.jdbc("shop") + "&requestTimeout=1m&connectTimeout=1m&constraints=warn&assist=off",
                "--source-url",
                application.url(),
                "--source-user",
                ""));
        arguments.addAll(Arrays.asList(rest));
        ToolRun run = ToolRun.of(Map.of("SOURCE_PASSWORD", ""), null, arguments);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.UNSERVED.code());
        return run;
    }

    @Test
    void shouldLetTheTargetJudge() throws Exception {
        try (Connection target = DriverManager.getConnection(node.jdbc("shop"));
                Statement statement = target.createStatement()) {
            statement.execute("CREATE TABLE part (id INT PRIMARY KEY, qty INT DEFAULT 5, size INT)");
        }
        try (OldApplication application = new OldApplication(folder, "assess_it")
                .prepare(
                        "CREATE TABLE product (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(9), price INT)",
                        "CREATE TABLE basket (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(9), price INT)",
                        "CREATE TABLE forgotten (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(9), price INT)",
                        "CREATE TABLE note (what NVARCHAR(9), id INT PRIMARY KEY)",
                        "CREATE TABLE member (login NVARCHAR(9) PRIMARY KEY, age INT)",
                        "CREATE TABLE part (id INT PRIMARY KEY, qty INT DEFAULT 5, size INT DEFAULT 3)")) {
            Path record = application.record(connection -> {
                Statement statement = connection.createStatement();
                statement.executeUpdate("INSERT INTO product (name) VALUES ('a')", Statement.RETURN_GENERATED_KEYS);
                statement.executeUpdate("INSERT INTO basket (name) VALUES ('b')", Statement.RETURN_GENERATED_KEYS);
                statement.executeQuery("SELECT name FROM product WHERE price > 3");
                statement.executeQuery("SELECT name FROM forgotten");
                statement.executeUpdate("UPDATE product SET price = 1 WHERE id = 1");
                // What only the target's schema tells.
                statement.executeQuery("SELECT name FROM product WHERE id = 1 OR id = 2");
                statement.executeQuery("SELECT name FROM product WHERE price = 1 OR price = 2");
                statement.executeUpdate("INSERT INTO note VALUES ('c', 3)");
                statement.executeQuery("SELECT name FROM product WHERE 1 = 0");
                statement.executeQuery("SELECT age FROM member WHERE login = 'ada'");
                statement.executeQuery("SELECT age FROM member");
                statement.executeQuery("SELECT age FROM member WHERE age = 3");
                statement.execute("CREATE UNIQUE INDEX ux ON product (price)");
                statement.execute("CREATE INDEX ix ON basket (price, id)");
                statement.executeUpdate("INSERT INTO part (id) VALUES (1)");
            });
            assertThat(assess(record, application).out())
                    .contains(
                            "15 distinct statements: 5 served as they are, 4 rewritten, 0 evaluated in the client, 6 refused",
                            "by a fan-out 1, by no plan 3",
                            "REFUSED  SELECT name FROM product WHERE price = ? OR price = ?",
                            // The target's own table lacks the column.
                            "Column name 'price' does not exist in the target table shop.basket",
                            "REFUSED  INSERT INTO basket (name) VALUES (?)",
                            "has no registered identity column",
                            "REFUSED  SELECT name FROM product WHERE price > ?",
                            "shop.product is read by price, which neither gives its partition key (id)",
                            "REFUSED  SELECT name FROM forgotten")
                    .contains(
                            "Column login of shop.member is text",
                            "costs: Reading shop.member as a whole without its partition key asks about 1 node",
                            "CREATE INDEX member_age ON shop.member (age) USING 'sai';\n"
                                    + "  serves: SELECT age FROM member WHERE age = ?",
                            "cassidy ids register --table shop.basket --column id --contact-points ",
                            // The target has a default of qty.
                            "differs: It leaves out size, which got its default 3",
                            "cassidy tables declare --table shop.part --defaults size=3\n  serves: INSERT INTO part (id)")
                    .doesNotContain("Judged by their text alone", "leaves out qty");
            assertThat(assess(record, application, "--nodes", "20").out())
                    .contains(
                            "judged for a datacenter of 20 nodes",
                            "REFUSED  SELECT age FROM member\n",
                            "asks about 20 nodes",
                            "CREATE TABLE shop.member_by_age (login text, age int, PRIMARY KEY (age, login));");
            Path json = folder.resolve("assessed.json");
            assess(record, application, "--report", json.toString());
            // It is kept without an index of Cassandra's.
            assertThat(Files.readString(json)).contains("-- CREATE UNIQUE INDEX ux ON product (price)");
        }
        try (Connection connection = DriverManager.getConnection(node.jdbc("shop"));
                ResultSet rows = connection.createStatement().executeQuery("SELECT id FROM product")) {
            assertThat(rows.next()).as("a row of the target").isFalse();
        }
    }

    @Test
    void shouldTellHowTheTargetsDriverEvaluates() throws Exception {
        try (Connection target = DriverManager.getConnection(node.jdbc("shop"));
                Statement statement = target.createStatement()) {
            statement.execute("CREATE TABLE author (id INT PRIMARY KEY, name NVARCHAR(20), born INT)");
            statement.execute("CREATE TABLE book (id INT PRIMARY KEY, author INT, title NVARCHAR(20))");
        }
        Path csv = Files.writeString(folder.resolve("store.csv"), """
                query_sql_text
                "SELECT b.title, a.name FROM book b JOIN author a ON a.id = b.author WHERE b.id = ?"
                "SELECT title FROM book WHERE title LIKE 'a%' ORDER BY title"
                "SELECT name FROM author WHERE name = 'Ann' ORDER BY born DESC"
                "UPDATE book SET title = UPPER(title) WHERE author = 3"
                "SELECT SOUNDEX(name) FROM author a JOIN book b ON b.author = a.id WHERE b.id = 1"
                "SELECT b.born FROM book b JOIN author a ON a.id = b.author WHERE b.id = ?"
                SELECT name FROM author WHERE id = 1
                """);

        ToolRun run = assess(csv, "requestTimeout=1m", "--output", "json");

        JsonNode join = found(run, "title, ");
        assertThat(join.get("verdict").asText()).isEqualTo("ASSISTED");
        assertThat(join.get("cql").toString())
                .contains("evaluated in the client", "shop.book by its key (id)", "shop.author by its key (id)");
        assertThat(join.get("accesses"))
                .extracting(each -> each.get("kind").asText())
                .containsExactly("key", "key");
        assertThat(join.get("differences")).isEmpty();
        JsonNode pattern = found(run, "SELECT title");
        assertThat(pattern.get("verdict").asText()).isEqualTo("ASSISTED");
        assertThat(pattern.get("differences").toString())
                .contains("It reads all rows of book, and is refused once these are more than 1,000")
                .doesNotContain("An index");
        assertThat(found(run, "ORDER BY born").get("verdict").asText()).isEqualTo("ASSISTED");
        assertThat(found(run, "UPDATE book").get("verdict").asText()).isEqualTo("ASSISTED");
        assertThat(found(run, "SOUNDEX").get("verdict").asText()).isEqualTo("REFUSED");
        assertThat(found(run, "SOUNDEX").get("reason").asText())
                .contains("a join", "The driver does not evaluate the statement in the client", "soundex");
        assertThat(found(run, ".born FROM").get("verdict").asText()).isEqualTo("REFUSED");
        assertThat(run.json().get("plan").get("indexes").toString())
                .contains("CREATE INDEX author_name ON shop.author (name);")
                .contains("CREATE INDEX book_author ON shop.book (author) USING 'sai';");
        // Where many nodes would be asked, it is refused, as it would be when it runs.
        ToolRun large = assess(csv, "requestTimeout=1m", "--nodes", "30");
        assertThat(large.out())
                .contains("REFUSED  SELECT title FROM book", "asks about 30 nodes")
                .contains("1 served as they are, 0 rewritten, 1 evaluated in the client");
    }

    private static JsonNode found(ToolRun run, String part) {
        List<JsonNode> found = new ArrayList<>();
        run.json().get("statements").forEach(found::add);
        found.removeIf(each -> !each.get("sql").asText().contains(part));
        assertThat(found).as(part).hasSize(1);
        return found.get(0);
    }

    @Test
    void shouldJudgeArithmeticAsItRuns() throws Exception {
        try (OldApplication application = new OldApplication(folder, "assess_arithmetic_it")
                .prepare("CREATE TABLE sum (p INT, c INT, n INT, name NVARCHAR(9), flag INT)")) {
            Path record = application.record(connection -> {
                Statement statement = connection.createStatement();
                statement.executeQuery("SELECT SUM(n) FROM sum WHERE p = 1");
                statement.executeQuery("SELECT n * 2 FROM sum WHERE p = 1");
                statement.executeQuery("SELECT flag * 2 FROM sum WHERE p = 1");
                statement.executeQuery("SELECT MAX(n + 1) FROM sum WHERE p = 1");
                statement.executeUpdate("UPDATE sum SET n = 7 / 2 WHERE p = 1 AND c = 1");
            });
            Path json = folder.resolve("assessed.json");
            assertThat(assess(record, application, "--report", json.toString()).out())
                    .contains(
                            "5 distinct statements: 0 served as they are, 3 rewritten, 0 evaluated in the client, 2 refused",
                            "a calculation with flag of type boolean is not supported",
                            "arithmetic within MAX(...) is not supported");
            assertThat(Files.readString(json))
                    .contains("SELECT SUM(CAST(n AS decimal)), COUNT(n) FROM sum WHERE p = ?", "UPDATE sum SET n = ?");
        }
    }

    @Test
    void shouldJudgeKeysThatDrawFromASequence() throws Exception {
        String ticket =
                "CREATE TABLE ticket (id INT DEFAULT (NEXT VALUE FOR ticket_seq) PRIMARY KEY, name NVARCHAR(9))";
        try (Connection target = DriverManager.getConnection(node.jdbc("shop"));
                Statement statement = target.createStatement()) {
            statement.execute("CREATE SEQUENCE ticket_seq AS INT START WITH 100");
            statement.execute(ticket);
            statement.execute("CREATE TABLE voucher (id INT PRIMARY KEY, name text)");
        }
        try (OldApplication application = new OldApplication(folder, "assess_keys_it")
                .prepare(
                        "CREATE SEQUENCE ticket_seq AS INT START WITH 100",
                        ticket,
                        "CREATE TABLE voucher (id INT PRIMARY KEY, name NVARCHAR(9))",
                        "CREATE TABLE product (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(9), price INT)")) {
            Path record = application.record(connection -> {
                Statement statement = connection.createStatement();
                for (String insert : List.of(
                        "INSERT INTO ticket (name) VALUES ('a')",
                        "INSERT INTO ticket (id, name) VALUES (NEXT VALUE FOR ticket_seq, 'b')",
                        "INSERT INTO voucher (id, name) VALUES (NEXT VALUE FOR ticket_seq, 'c')")) {
                    statement.executeUpdate(insert, Statement.RETURN_GENERATED_KEYS);
                }
                statement.executeUpdate("INSERT INTO ticket (id, name) VALUES (5, 'd')");
                statement.executeUpdate("INSERT INTO product (id, name) VALUES (5, 'e')");
            });
            assertThat(assess(record, application).out())
                    .contains(
                            "5 distinct statements: 3 served as they are, 2 rewritten, 0 evaluated in the client, 0 refused",
                            "differs: It gives id of shop.ticket itself, which takes the ids of sequence shop.ticket_seq here. An"
                                    + " id before the sequence's first one is inserted, others are refused, unless SELECT NEXT"
                                    + " VALUE FOR has drawn them in the same process\n",
                            "differs: It gives id of shop.product itself, which takes the ids of sequence shop.product here. An"
                                    + " id before the sequence's first one is inserted, others are refused\n")
                    .doesNotContain("It leaves out id");
        }
    }

    @Test
    void shouldHoldTheTargetToWhatItsOptionsAsk() throws Exception {
        Path csv = Files.writeString(
                folder.resolve("store.csv"), "query_sql_text\nUPDATE product SET price = 'O''Brien' WHERE id = 1\n");

        // No assessment has the value; with the option the target's messages have no example either.
        assertThat(assess(csv, "redactValues=false").out())
                .contains("for column price is not int (a number such as -12.5): '?'");
        ToolRun redacted = assess(csv, "redactValues=true");
        assertThat(redacted.exitCode()).as(redacted.err()).isEqualTo(ExitCode.UNSERVED.code());
        assertThat(redacted.out()).contains("for column price is not int (a number such as ***): ***");
        assertThat(redacted.out() + redacted.err()).doesNotContain("Brien");

        Path properties = Files.writeString(folder.resolve("target.properties"), "requireTls=true\n");
        ToolRun plain = assess(csv, "", "--target-properties", properties.toString());
        assertThat(plain.exitCode()).isEqualTo(ExitCode.CASSANDRA.code());
        assertThat(plain.err()).contains("requireTls='true' refuses a connection without TLS");
        assertThat(plain.out()).isEmpty();
    }

    private static ToolRun assess(Path csv, String option, String... rest) {
        List<String> arguments = new ArrayList<>(
                List.of("assess", "--query-store", csv.toString(), "--target", node.jdbc("shop") + "&" + option));
        arguments.addAll(List.of(rest));
        return ToolRun.of(Map.of(), null, arguments);
    }

    private static final List<String> TAILS = List.of("", " ORDER BY id", " ORDER BY name DESC", " GROUP BY id");

    private static final List<String> LISTS = List.of(
            "*",
            "name",
            "name AS line, price",
            "COUNT(*)",
            "MAX(price), MIN(name)",
            "SUM(price)",
            "SUM(name)",
            "DISTINCT name",
            "TOP 1 name",
            "flag * 2",
            "UPPER(name)",
            "name + name",
            "colour");

    private static final List<String> SETS = List.of(
            "price = 1",
            "price = 1, name = 'abc'",
            "name = NULL",
            "price = price + 1",
            "weight = 1.5 + weight, name = 'abc'",
            "name = name + 'a'",
            "flag = 1",
            "made = '2024-01-31'",
            "weight = 1.5",
            "id = 5",
            "name = UPPER('a')",
            "colour = 1");

    private static List<String> statements(String table, List<String> conditions) {
        List<String> all = new ArrayList<>();
        for (String condition : conditions) {
            String where = " WHERE " + condition;
            LISTS.forEach(list -> all.add("SELECT " + list + " FROM " + table + where));
            TAILS.forEach(tail -> all.add("SELECT price FROM " + table + where + tail));
            SETS.forEach(set -> all.add("UPDATE " + table + " SET " + set + where));
            all.add("DELETE FROM " + table + where);
        }
        all.add("SELECT name FROM " + table);
        all.add("SELECT SUM(name) FROM " + table);
        all.add("SELECT DISTINCT name FROM " + table);
        return all;
    }

    /** Returns the verdicts by statement, which differ where statements differ in the types of values alone. */
    private Map<String, Set<String>> verdicts(List<String> statements, List<String> rest) throws Exception {
        Path csv = Files.writeString(
                folder.resolve("store.csv"),
                statements.stream()
                        .map(each -> '"' + each + '"')
                        .collect(Collectors.joining("\n", "query_sql_text\n", "\n")));
        List<String> arguments =
                new ArrayList<>(List.of("assess", "--query-store", csv.toString(), "--output", "json"));
        arguments.addAll(rest);
        ToolRun run = ToolRun.of(Map.of("SOURCE_PASSWORD", ""), null, arguments);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.UNSERVED.code());
        Map<String, Set<String>> verdicts = new TreeMap<>();
        run.json().get("statements").forEach(seen -> verdicts.computeIfAbsent(
                        seen.get("sql").asText(), absent -> new TreeSet<>())
                .add(seen.get("verdict").asText().replace("REWRITTEN", "SERVED")));
        return verdicts;
    }

    /** Whatever columns of an old key lead to a partition. */
    @ParameterizedTest
    @ValueSource(strings = {"id, line", "(id, line)", "line, id"})
    void shouldPromiseByOldKeysNoMoreThanATarget(String key) throws Exception {
        String keyspace = "promised_" + key.replaceAll("[^a-z]", "_");
        node.createKeyspace(keyspace);
        String others = "name NVARCHAR(9), price INT, flag BIT, weight DECIMAL(5,2), made DATE";
        try (OldApplication application = new OldApplication(folder, keyspace)
                .prepare(
                        "CREATE TABLE article (id INT PRIMARY KEY, " + others + ")",
                        "CREATE TABLE item (id INT, line INT, " + others + ", PRIMARY KEY (id, line))",
                        "CREATE TABLE member (name NVARCHAR(9) PRIMARY KEY, id INT, price INT, flag BIT,"
                                + " weight DECIMAL(5,2), made DATE)",
                        "CREATE INDEX article_ix ON article (price, name)")) {
            List<String> source = List.of("--source-url", application.url(), "--source-user", "");
            List<String> schema = ToolRun.join(
                    "migrate schema",
                    node.arguments(),
                    "--apply",
                    "--keyspace",
                    keyspace,
                    "--key",
                    "dbo.article=id",
                    "--key",
                    "dbo.item=" + key,
                    "--key",
                    "dbo.member=name");
            schema.addAll(source);
            ToolRun made = ToolRun.of(Map.of("SOURCE_PASSWORD", ""), null, schema);
            assertThat(made.exitCode()).as(made.out() + made.err()).isZero();

            List<String> usual = statements(
                    "item",
                    List.of(
                            "id = 1 AND line = 2",
                            "id IN (1, 2) AND line = 2",
                            "id = 1 AND line IN (1, 2)",
                            "id = 1 AND line = 2 AND price = 3",
                            "id = 1",
                            "line = 1",
                            "id = 1 AND line > 2",
                            "line = 1 AND price = 2",
                            "id > 1",
                            "price = 1",
                            "name = 'a'"));
            boolean first = key.equals("id, line");
            if (first) {
                usual.addAll(statements(
                        "article",
                        List.of(
                                "id = 1",
                                "id IN (1, ?)",
                                "id = 1 OR id = 2",
                                "id > 3",
                                "id BETWEEN 1 AND 3",
                                "id = 1 AND name = 'a'",
                                "id = 1 AND price > 3",
                                "id = 1 AND price BETWEEN 1 AND 2",
                                "id IN (1, 2) AND price = 3",
                                "id = 1 AND price <> 3 AND name IS NOT NULL",
                                "id = 1 AND name IS NULL",
                                "id = 1 AND price IN (1, ?)",
                                "id = 1 AND id = 2",
                                "name = 'a'",
                                "price = 1 AND name = 'a'",
                                "price > 3",
                                "price LIKE ?",
                                "flag = 1",
                                "id = 1 AND flag = 1",
                                "id = 1 AND made = '2024-01-31'",
                                "id = 1 AND weight > 1.5",
                                "id = 1 AND weight IN (1.5)",
                                "1 = 0",
                                "id = 1 AND 1 = 0",
                                "id = 1 AND name LIKE 'a%'",
                                "id = 1 AND colour = 1",
                                "colour = 1")));
                usual.addAll(statements(
                        "member", List.of("name = 'a'", "name LIKE ?", "name IN ('a', 'b')", "id = 1", "name > 'a'")));
            }
            // Statements that differ from those in the types of values alone.
            List<String> unusual = statements("article", List.of("id = 'a'", "id = 1.5", "id = 1 AND name = 5"));
            List<String> target = List.of("--target", node.jdbc(keyspace) + "&requestTimeout=1m&connectTimeout=1m");
            int decided = 0;
            SoftAssertions softly = new SoftAssertions();
            for (List<String> statements : first ? List.of(usual, unusual) : List.of(usual)) {
                Map<String, Set<String>> byKeys = verdicts(statements, source);
                Map<String, Set<String>> byTarget = verdicts(statements, target);
                for (Map.Entry<String, Set<String>> each : byKeys.entrySet()) {
                    // Of a statement that finds nothing whatever the table contains, the target runs nothing.
                    boolean runs =
                            !each.getKey().contains("? = ?") || each.getValue().contains("SERVED");
                    if (runs && !each.getValue().contains("UNKNOWN")) {
                        decided++;
                        Set<String> found = byTarget.getOrDefault(each.getKey(), Set.of());
                        if (each.getValue().equals(Set.of("ASSISTED"))) {
                            // Of the types only the target knows whether Cassandra takes it as it is.
                            softly.assertThat(found).as(each.getKey()).isSubsetOf("ASSISTED", "SERVED");
                        } else {
                            softly.assertThat(found).as(each.getKey()).isEqualTo(each.getValue());
                        }
                    }
                }
            }
            softly.assertAll();
            assertThat(decided).as("statements that are decided").isGreaterThan(first ? 300 : 100);
        }
    }

    @Test
    void shouldNameWhatIsWrongWithTheTarget() throws Exception {
        Path csv = Files.writeString(folder.resolve("store.csv"), "query_sql_text\nSELECT name FROM product\n");
        ToolRun run = ToolRun.of("assess", "--query-store", csv.toString(), "--target", node.jdbc("shop") + "&nodes=3");
        assertThat(run.exitCode()).isEqualTo(ExitCode.CASSANDRA.code());
        assertThat(run.err())
                .contains("--target: Cannot connect with jdbc:cassidy://")
                .contains("nodes");
        assertThat(run.out()).isEmpty();
    }

    /** The application would not connect; what it does can be judged all the same. */
    @Test
    void shouldJudgeATargetWhoseInstallationIsNotThere() throws Exception {
        Path csv = Files.writeString(
                folder.resolve("store.csv"),
                "query_sql_text\nSELECT name FROM product WHERE id = 1\nUPDATE product SET price = 1 WHERE id = 1\n"
                        + "INSERT INTO product (name) VALUES ('a')\n");
        String elsewhere =
                node.jdbc("shop").replace("globalKeyspace=" + node.globalKeyspace(), "globalKeyspace=nowhere");

        ToolRun run = ToolRun.of("assess", "--query-store", csv.toString(), "--target", elsewhere);

        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.UNSERVED.code());
        assertThat(run.out())
                .contains(
                        "3 distinct statements: 1 served as they are, 0 rewritten, 0 evaluated in the client, 2 refused",
                        "REFUSED  INSERT INTO product (name) VALUES (?)",
                        "REFUSED  UPDATE product SET price = ? WHERE id = ?",
                        "globalKeyspace=nowhere names no installation of Cassidy: this cluster has "
                                + node.globalKeyspace(),
                        "Run: cassidy init --replication ");
    }
}
