package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.migration.error.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** An application is recorded on H2 in SQL Server mode, or a log is read, and judged by its statements alone. */
class AssessTest {

    private static final String PRODUCT =
            "CREATE TABLE product (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(50), price INT)";

    @TempDir
    Path folder;

    private OldApplication application;
    private JsonNode report;

    @BeforeEach
    void createTables(TestInfo test) throws SQLException {
        application =
                new OldApplication(folder, test.getTestMethod().orElseThrow().getName()).prepare(PRODUCT);
    }

    @AfterEach
    void end() {
        application.close();
    }

    private ToolRun run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("assess"));
        all.addAll(Arrays.asList(arguments));
        return ToolRun.of(Map.of("SOURCE_PASSWORD", ""), null, all);
    }

    private ToolRun assess(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--output", "json"));
        ToolRun run = run(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isIn(0, ExitCode.UNSERVED.code());
        report = run.json();
        return run;
    }

    private ToolRun assess(OldApplication.Work work) throws Exception {
        return assess("--record", application.record(work).toString());
    }

    private JsonNode statement(String sql) {
        return StreamSupport.stream(report.get("statements").spliterator(), false)
                .filter(statement -> statement.get("sql").asText().equals(sql))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + sql + " in " + report));
    }

    // ---- records

    /** By Spring. */
    private record ProductDao(JdbcTemplate template) {
        int add(String name, int price) {
            return template.update("INSERT INTO [dbo].[product] (name, price) VALUES (?, ?)", name, price);
        }

        List<String> named(String part) {
            return template.queryForList("SELECT name FROM product WHERE name LIKE '%" + part + "%'", String.class);
        }
    }

    @Test
    void shouldAssessWhatADaoDoes() throws Exception {
        ProductDao dao = new ProductDao(new JdbcTemplate(new DriverManagerDataSource(application.recordedUrl())));
        dao.add("Kettle", 3);
        dao.add("Toaster", 4);
        assertThat(dao.named("ettl")).containsExactly("Kettle");

        application.record();
        ToolRun run = assess("--record", folder.toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.UNSERVED.code());
        assertThat(run.out()).doesNotContain("ettl", "Toaster");
        assertThat(report.get("database").asText()).startsWith("H2 2.");
        JsonNode insert = statement("INSERT INTO [dbo].[product] (name, price) VALUES (?, ?)");
        assertThat(insert.get("verdict").asText()).isEqualTo("REWRITTEN");
        assertThat(insert.get("cql").get(0).asText()).isEqualTo("INSERT INTO product (name, price) VALUES (?, ?)");
        assertThat(insert.get("executions").asInt()).isEqualTo(2);
        assertThat(insert.get("calledBy").get(0).asText())
                .startsWith("dev.cassidy.migration.AssessTest$ProductDao.add:");
        assertThat(statement("SELECT name FROM product WHERE name LIKE ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(1);
        assertThat(report.get("inputs").get(0).get("executions").asInt()).isEqualTo(3);
    }

    @Test
    void shouldDistinguishServedRewrittenAndRefusedStatements() throws Exception {
        ToolRun run = assess(connection -> {
            Statement statement = connection.createStatement();
            statement.executeQuery("SELECT name FROM product WHERE id = 1");
            statement.executeQuery("SELECT name FROM product WHERE id = 2");
            statement.execute("INSERT INTO [dbo].[product] (name) VALUES (N'secret')");
            statement.executeQuery("SELECT p.name, q.name FROM product p JOIN product q ON q.id = p.id");
            statement.execute("CREATE VIEW cheap AS SELECT name FROM product");
        });

        assertThat(run.exitCode()).isEqualTo(ExitCode.UNSERVED.code());
        assertThat(report.get("command").asText()).isEqualTo("assess");
        assertThat(report.get("exitCode").asInt()).isEqualTo(ExitCode.UNSERVED.code());
        assertThat(report.get("version").asInt()).isEqualTo(4);
        assertThat(report.get("served").asInt()).isZero();
        assertThat(report.get("unknown").asInt()).isEqualTo(2);
        assertThat(report.get("rewritten").asInt()).isEqualTo(1);
        assertThat(report.get("assisted").asInt()).isZero();
        assertThat(report.get("refused").asInt()).isEqualTo(1);
        assertThat(report.get("verified").asBoolean()).isFalse();
        JsonNode byId = statement("SELECT name FROM product WHERE id = ?");
        assertThat(byId.get("reasons").get(0).asText())
                .isEqualTo(
                        "unknown without a target: whether WHERE gives the partition key, or a column with an index");
        assertThat(byId.get("executions").asInt()).isEqualTo(2);
        JsonNode join = statement("SELECT n1.name, n2.name FROM product n1 JOIN product n2 ON n2.id = n1.id");
        assertThat(join.get("verdict").asText()).isEqualTo("UNKNOWN");
        assertThat(join.get("reason").asText()).isEqualTo("unknown without a target: the keys and columns of product");
        assertThat(join.get("calledBy").get(0).asText()).startsWith("dev.cassidy.migration.AssessTest.");
        assertThat(run("--record", application.record().toString()).out())
                .contains(
                        "0 served as they are, 1 rewritten, 0 evaluated in the client, 2 unknown without a target, 1"
                                + " refused",
                        "--target jdbc:cassidy://",
                        ": 5 executions")
                .doesNotContain("secret");
    }

    @Test
    void shouldLeaveToTheTablesWhatIsEvaluated() throws Exception {
        List<String> evaluated = List.of(
                "SELECT name FROM product WHERE id IN (SELECT id FROM product)",
                "SELECT ISNULL(name, 'x') FROM product",
                "SELECT name FROM product WHERE LOWER(name) = 'x'",
                "SELECT name FROM product WHERE price = id",
                "SELECT ROW_NUMBER() OVER (ORDER BY id) FROM product");
        assess(connection -> {
            for (String sql : evaluated) {
                connection.createStatement().executeQuery(sql);
            }
        });

        for (String each : evaluated) {
            JsonNode judged = statement(each.replace("'x'", "?"));
            assertThat(judged.get("verdict").asText()).as(each).isEqualTo("UNKNOWN");
            assertThat(judged.get("reason").asText()).contains("the keys and columns of product");
        }
        assertThat(report.get("open").get("tables").get(0).get("table").asText())
                .isEqualTo("product");
    }

    /** What the markers keep of literals decides some verdicts. */
    @Test
    void shouldJudgeLiteralsByTheirType() throws Exception {
        assess(connection -> {
            Statement statement = connection.createStatement();
            statement.executeQuery("SELECT id FROM product WHERE name = 'Kettle'");
            statement.executeQuery("SELECT price FROM product WHERE name = '2024-01-31'");
            statement.executeQuery("SELECT TOP 5 name FROM product WHERE 1 = 0");
            statement.executeQuery("SELECT name FROM product ORDER BY id OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY");
            statement.executeQuery("SELECT price FROM product ORDER BY id OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY");
        });

        assertThat(statement("SELECT id FROM product WHERE name = ?")
                        .get("differences")
                        .toString())
                .contains("Column name of product is text", "ignores case and trailing blanks");
        assertThat(statement("SELECT price FROM product WHERE name = ?").get("differences"))
                .isEmpty();
        assertThat(statement("SELECT TOP ? name FROM product WHERE ? = ?")
                        .get("verdict")
                        .asText())
                .isNotEqualTo("REFUSED");
        assertThat(statement("SELECT name FROM product ORDER BY id OFFSET ? ROWS FETCH NEXT ? ROWS ONLY")
                        .get("verdict")
                        .asText())
                .isNotEqualTo("REFUSED");
        assertThat(statement("SELECT price FROM product ORDER BY id OFFSET ? ROWS FETCH NEXT ? ROWS ONLY")
                        .get("verdict")
                        .asText())
                .isNotEqualTo("REFUSED");
    }

    @Test
    void shouldJudgeForANumberOfNodes() throws Exception {
        Path record = application.record(connection -> {
            connection.createStatement().executeQuery("SELECT name FROM product");
            connection.createStatement().executeQuery("SELECT name FROM product WHERE price < 5");
        });
        Path page = folder.resolve("assessed.html");
        assess("--record", record.toString(), "--nodes", "13", "--report", page.toString());

        assertThat(Files.readString(page))
                .contains("<h1>Cassidy's assessment</h1>", "price &lt; ?")
                .doesNotContain("price < ?", "<script", "http://", "https://");
        assertThat(statement("SELECT name FROM product").get("reason").asText())
                .contains("refused by default in a datacenter of more than 12 nodes", "fanOut=allow:product");
        ToolRun none = run("--record", record.toString(), "--nodes", "0");
        assertThat(none.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(none.err()).contains("must be from 1 to 100000: --nodes 0");
    }

    @Test
    void shouldFindTheDefaultsThatInsertsRelyOn() throws Exception {
        application.prepare(
                "CREATE TABLE stock (id INT PRIMARY KEY, qty INT DEFAULT 5, note NVARCHAR(9) DEFAULT 'a b')");
        Path record = application.record(connection -> {
            connection.createStatement().executeUpdate("INSERT INTO stock (id) VALUES (1)");
            connection.createStatement().executeUpdate("INSERT INTO stock (id, qty, note) VALUES (2, 3, 'x')");
        });
        assess("--record", record.toString(), "--source-url", application.url(), "--source-user", "");

        assertThat(statement("INSERT INTO stock (id) VALUES (?)")
                        .get("differences")
                        .toString())
                .contains("It leaves out qty, which got its default 5", "It leaves out note");
        assertThat(statement("INSERT INTO stock (id, qty, note) VALUES (?, ?, ?)")
                        .get("differences"))
                .isEmpty();
        assertThat(report.get("plan").get("commands").findValuesAsText("text"))
                .hasSize(2)
                .anyMatch(text -> text.equals("cassidy tables declare --table '<keyspace>.stock' --defaults qty=5"))
                .anyMatch(text -> text.equals(
                        "cassidy tables declare --table '<keyspace>.stock' --defaults 'note='\\''a b'\\'''"));
    }

    @Test
    void shouldJudgeDefinitionsAsTheDriverDoesByDefault() throws Exception {
        assess(connection -> {
            connection.createStatement().execute("CREATE INDEX ix ON product (name, price)");
            connection.createStatement().execute("CREATE UNIQUE INDEX ux ON product (price)");
            connection
                    .createStatement()
                    .execute("CREATE TABLE [Order Line] (n1 INT PRIMARY KEY, Colour VARCHAR(9) DEFAULT 'hunter2')");
        });

        JsonNode index = statement("CREATE INDEX ix ON product (name, price)");
        assertThat(index.get("verdict").asText()).isEqualTo("REWRITTEN");
        assertThat(index.get("cql").toString())
                .contains("CREATE CUSTOM INDEX ix ON product (name) USING ?")
                .contains("-- left out: the columns price of index ix");
        JsonNode unique = statement("CREATE UNIQUE INDEX ux ON product (price)");
        assertThat(unique.get("verdict").asText()).isEqualTo("REWRITTEN");
        assertThat(unique.get("cql").toString()).doesNotContain("USING");
        assertThat(statement("CREATE TABLE [Order Line] (n1 INT PRIMARY KEY, Colour VARCHAR(?) DEFAULT ?)")
                        .get("executions")
                        .asInt())
                .isEqualTo(1);
        assertThat(report.toString()).doesNotContain("hunter");
    }

    @Test
    void shouldReportStatementsThatCassandraExecutesDifferently() throws Exception {
        assess(connection -> {
            Statement statement = connection.createStatement();
            statement.executeUpdate("UPDATE product SET price = 1 WHERE id = 99");
            statement.executeUpdate("INSERT INTO product (name) VALUES ('a'), ('b')");
            connection.setAutoCommit(false);
            statement.execute("DELETE FROM product WHERE id > 0");
            statement.getUpdateCount();
            statement.executeQuery("SELECT COUNT(*) FROM product");
            connection.commit();
            statement.executeQuery("SELECT name FROM product");
        });

        assertThat(statement("UPDATE product SET price = ? WHERE id = ?")
                        .get("differences")
                        .get(0)
                        .asText())
                .startsWith("It changed no row.");
        assertThat(statement("DELETE FROM product WHERE id > ?")
                        .get("differences")
                        .get(0)
                        .asText())
                .startsWith("It changed several rows.");
        assertThat(statement("SELECT COUNT(*) FROM product")
                        .get("differences")
                        .get(0)
                        .asText())
                .startsWith("It ran after a write of the same transaction.");
        assertThat(statement("SELECT name FROM product").get("differences")).isEmpty();
    }

    @Test
    void shouldCountTheEntriesOfBatches() throws Exception {
        assess(connection -> {
            PreparedStatement update = connection.prepareStatement("UPDATE product SET price = ? WHERE id = ?");
            for (int i = 0; i < 3; i++) {
                update.setInt(1, i);
                update.setInt(2, i);
                update.addBatch();
            }
            assertThat(update.executeBatch()).containsExactly(0, 0, 0);
        });

        assertThat(statement("UPDATE product SET price = ? WHERE id = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void shouldReportRefusedJdbcCalls() throws Exception {
        assess(connection -> {
            connection.setAutoCommit(false);
            // Served, and so is what is in memory.
            connection.setSavepoint();
            connection
                    .createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)
                    .executeQuery("SELECT name FROM product")
                    .last();
            Statement updatable = connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE);
            updatable.setMaxFieldSize(5);
            connection.createStatement().setMaxFieldSize(0);
        });

        assertThat(report.get("calls").findValuesAsText("method"))
                .containsExactly("Statement.setMaxFieldSize", "an updatable ResultSet");
        assertThat(report.get("calls").get(0).get("times").asInt()).isEqualTo(1);
        assertThat(report.get("calls").get(0).get("calledBy").get(0).asText())
                .startsWith("dev.cassidy.migration.AssessTest.");
    }

    @Test
    void shouldEndWithCode0IfEverythingIsServed() throws Exception {
        ToolRun run = assess(connection ->
                connection.createStatement().executeUpdate("INSERT INTO product (name, price) VALUES ('a', 2)"));
        assertThat(report.get("served").asInt()).isEqualTo(1);
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void shouldNotCallNothingServed() throws Exception {
        ToolRun run = assess(connection -> {});
        assertThat(report.get("statements")).isEmpty();
        assertThat(run.exitCode()).isEqualTo(ExitCode.UNSERVED.code());
    }

    /** Nothing that ran is lost in silence: what is counted in is counted out. */
    @Test
    void shouldCountOutWhatItCountsIn() throws Exception {
        application.record(connection -> {
            for (String sql : List.of(
                    "SELECT name FROM product WHERE name = 'hunter5",
                    "SELECT 1 /* hunter6",
                    "SELEKT hunter9 FROM product",
                    "EXEC login admin, hunter7, @hunter8",
                    "SELECT name FROM product WHERE name = \"hunter5\"",
                    "SELECT name AS [hunter 2], price AS Hunter3 FROM product hunter4 WHERE hunter4.id = 1",
                    "SELECT name FROM product WHERE id = 1",
                    "SELECT name FROM product WHERE id = '1'")) {
                try {
                    connection.createStatement().execute(sql);
                } catch (SQLException e) {
                    // H2 refuses some. They are in the report too.
                }
            }
        });
        Path again = application.record(
                connection -> connection.createStatement().executeQuery("SELECT name FROM product WHERE id = 2"));
        // A process that was killed leaves a part of a line, and no end.
        Files.writeString(
                again,
                "{\"recorder\":1,\"began\":0}\n{\"database\":1,\"product\":\"H2\"}\n",
                StandardOpenOption.APPEND);
        Files.writeString(
                again,
                "{\"statement\":1,\"database\":1,\"kind\":\"SELECT\",\"sql\":\"SELECT 'x'\"}\n{\"statement\":1,\"count\":4}\n"
                        + "{\"statement\":1,\"count\":7}\n{\"statement\":1,\"cou",
                StandardOpenOption.APPEND);
        ToolRun run = assess("--record", again.toString());

        assertThat(run.out()).doesNotContainIgnoringCase("hunter");
        long out = 0;
        for (JsonNode statement : report.get("statements")) {
            out += statement.get("executions").asLong();
        }
        assertThat(report.get("inputs").get(0).get("executions").asLong()).isEqualTo(8 + 1 + 7);
        assertThat(out).isEqualTo(8 + 1 + 7);
        assertThat(report.get("inputs").get(0).get("unread").asInt()).isEqualTo(1);
        assertThat(report.get("inputs").get(0).get("notes").toString()).contains("a process did not end");
        assertThat(report.get("notJudged").asInt()).isEqualTo(1);
        JsonNode unread = statement("SELECT ...");
        assertThat(unread.get("executions").asInt()).isEqualTo(2);
        assertThat(unread.get("reason").asText()).contains("not judged: it could not be read: a ");
        // Both kinds of literals are one to a reader.
        assertThat(statement("SELECT name FROM product WHERE id = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void shouldReplaceNothingButAnAssessment() throws Exception {
        String record = application
                .record(connection -> connection.createStatement().executeQuery("SELECT name FROM product"))
                .toString();
        for (String extension : List.of(".json", ".html")) {
            Path file = folder.resolve("report" + extension);
            Files.writeString(file, "{\"keep\": \"this\"}");
            ToolRun run = run("--record", record, "--report", file.toString());
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
            assertThat(run.err()).contains("would replace a file that is no assessment", file.toString());
            assertThat(file).hasContent("{\"keep\": \"this\"}");
            Files.delete(file);
            Path elsewhere = Files.writeString(folder.resolve("elsewhere"), "kept");
            Files.createSymbolicLink(file, elsewhere);
            assertThat(run("--record", record, "--report", file.toString()).exitCode())
                    .isEqualTo(ExitCode.USAGE.code());
            assertThat(elsewhere).hasContent("kept");
            Files.delete(file);
            for (int time = 0; time < 2; time++) {
                assess("--record", record, "--report", file.toString());
            }
            assertThat(file).isNotEmptyFile();
        }
        assertThat(new ObjectMapper().readTree(Files.readString(folder.resolve("report.json"))))
                .isEqualTo(report);
        assertThat(folder.toFile().list()).noneMatch(name -> name.endsWith(".new"));
    }

    @Test
    void shouldRefuseWhatIsNoInput() throws Exception {
        Path no = Files.writeString(folder.resolve("no.jsonl"), "{\"level\":\"INFO\"}\n");
        Path later = Files.writeString(folder.resolve("later.jsonl"), "{\"recorder\":2}\n");
        Map<String, String[]> refused = Map.of(
                "name what an application did",
                new String[] {},
                "must be the file of a recorder",
                new String[] {"--record", no.toString()},
                "written by a later recorder",
                new String[] {"--record", later.toString()},
                "cannot read --record",
                new String[] {"--record", folder.resolve("missing.jsonl").toString()},
                "must have lines as p6spy's SingleLineFormat",
                new String[] {"--p6spy", no.toString()},
                "must end with .csv or .tsv",
                new String[] {"--query-store", "source:a b"},
                "needs --source-url",
                new String[] {"--query-store", "source"},
                "must not hold a password",
                new String[] {"--record", no.toString(), "--target", "jdbc:cassidy://h/k?user=a&password=b"},
                "must be a URL such as jdbc:cassidy://",
                new String[] {"--record", no.toString(), "--target", "jdbc:sqlserver://h"});
        refused.forEach((message, arguments) -> {
            ToolRun run = run(arguments);
            assertThat(run.exitCode()).as(message).isEqualTo(ExitCode.USAGE.code());
            assertThat(run.err()).contains(message);
            assertThat(run.out()).isEmpty();
        });
    }

    // ---- logs

    @Test
    void shouldReadALogOfP6spy() throws IOException {
        Path log = Files.writeString(folder.resolve("spy.log"), """
                1700000000000|3|statement|connection 0|url jdbc:h2:mem:shop|SELECT name FROM product WHERE id = ?|SELECT name FROM product WHERE id = 4711
                1700000000001|3|statement|connection 0|SELECT name FROM product WHERE id = ?|SELECT name FROM product WHERE id = 4712
                1700000000001|3|statement|connection 1|url jdbc:h2:mem:shop|INSERT INTO product (name) VALUES (?)|INSERT INTO product (name) VALUES ('se|cret')
                1700000000001|3|batch|connection 1|url jdbc:h2:mem:shop|UPDATE product SET name = ?, note = 'se|cret' WHERE id = ?|UPDATE product SET name = NULL, note = 'se|cret' WHERE id = 3
                1700000000001|3|statement|connection12|SELECT name FROM product WHERE note = 'secret'
                1700000000002|0|commit|connection 1|url jdbc:h2:mem:shop||
                1700000000002|0|resultset|connection 1|url jdbc:h2:mem:shop|SELECT name FROM product|name = secret

                at secret.Stack.trace
                """);
        ToolRun run = assess("--p6spy", log.toString());

        assertThat(run.out()).doesNotContain("secret", "4711");
        assertThat(statement("SELECT name FROM product WHERE id = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(2);
        assertThat(statement("INSERT INTO product (name) VALUES (?)")
                        .get("verdict")
                        .asText())
                .isEqualTo("SERVED");
        assertThat(statement("UPDATE product SET name = ?, note = ? WHERE id = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(1);
        assertThat(statement("SELECT name FROM product WHERE note = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(1);
        JsonNode input = report.get("inputs").get(0);
        assertThat(input.get("executions").asInt()).isEqualTo(5);
        assertThat(input.get("skipped").asInt()).isEqualTo(2);
        assertThat(input.get("unread").asInt()).isEqualTo(1);
    }

    @Test
    void shouldReadAnExportOfQueryStore() throws IOException {
        Path csv = Files.writeString(folder.resolve("store.csv"), """
                \ufeffquery_id,query_sql_text,count_executions
                1,"(@P0 nvarchar(4000),@P1 decimal(9,2))SELECT name FROM product WHERE name = @P0 AND price = @p1",42
                2,"INSERT INTO product (name)
                VALUES (N'se""cret, 1')",3.0
                3,"(SELECT name FROM product)",
                4,"SELECT name FROM product",many
                """);
        assess("--query-store", csv.toString());

        assertThat(report.toString()).doesNotContain("cret");
        assertThat(statement("SELECT name FROM product WHERE name = ? AND price = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(42);
        assertThat(statement("INSERT INTO product (name) VALUES (?)")
                        .get("executions")
                        .asInt())
                .isEqualTo(3);
        assertThat(report.get("inputs").get(0).get("executions").asInt()).isEqualTo(46);
        assertThat(report.get("inputs").get(0).get("unread").asInt()).isEqualTo(1);

        Path tsv = Files.writeString(
                folder.resolve("store.TSV"), "QUERY_SQL_TEXT\tCOUNT_EXECUTIONS\nSELECT name FROM product\t5\n");
        assess("--query-store", tsv.toString());
        assertThat(statement("SELECT name FROM product").get("executions").asInt())
                .isEqualTo(5);

        Path other = Files.writeString(folder.resolve("other.csv"), "a,b\n1,2\n");
        ToolRun run = run("--query-store", other.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("must have a column query_sql_text, and has [a, b]");
    }

    @Test
    void shouldReadQueryStoreFromTheSource() throws SQLException {
        application.prepare(
                "CREATE SCHEMA sys",
                "CREATE TABLE sys.query_store_query_text (query_text_id BIGINT, query_sql_text NVARCHAR(1000))",
                "CREATE TABLE sys.query_store_query (query_id BIGINT, query_text_id BIGINT, is_internal_query BIT)",
                "CREATE TABLE sys.query_store_plan (plan_id BIGINT, query_id BIGINT)",
                "CREATE TABLE sys.query_store_runtime_stats (plan_id BIGINT, count_executions BIGINT)",
                "INSERT INTO sys.query_store_query_text VALUES"
                        + " (1, '(@P0 int)SELECT name, hunter2 FROM product WHERE id = @P0'), (2, 'SELECT internal')",
                "INSERT INTO sys.query_store_query VALUES (10, 1, 0), (11, 1, 0), (12, 2, 1)",
                "INSERT INTO sys.query_store_plan VALUES (100, 10), (101, 11), (102, 12)",
                "INSERT INTO sys.query_store_runtime_stats VALUES (100, 4), (100, 5), (101, 6), (102, 7)",
                "CREATE TABLE kept (query_sql_text NVARCHAR(1000), count_executions BIGINT)",
                "INSERT INTO kept VALUES ('SELECT name FROM product', 8), (NULL, 1)");
        String[] source = {"--source-url", application.url(), "--source-user", "", "--query-store"};

        assess(with(source, "source"));
        assertThat(report.get("statements")).hasSize(1);
        assertThat(statement("SELECT name, n1 FROM product WHERE id = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(15);

        assess(with(source, "source:dbo.kept"));
        assertThat(statement("SELECT name FROM product").get("executions").asInt())
                .isEqualTo(8);
        assertThat(report.get("inputs").get(0).get("unread").asInt()).isEqualTo(1);

        ToolRun run = run(with(source, "source:dbo.missing"));
        assertThat(run.exitCode()).isEqualTo(ExitCode.SOURCE.code());
        assertThat(run.err()).contains("cannot read dbo.missing of ");
    }

    private static String[] with(String[] arguments, String last) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = last;
        return all;
    }
}
