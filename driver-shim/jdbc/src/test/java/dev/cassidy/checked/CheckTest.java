package dev.cassidy.checked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.check.Access;
import dev.cassidy.check.Checks;
import dev.cassidy.check.Target;
import dev.cassidy.tsql.Schema;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import java.util.stream.StreamSupport;
import org.h2.jdbc.JdbcConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Runs on H2 in SQL Server mode, and judges by the text alone. */
class CheckTest {

    @TempDir
    Path folder;

    private String old;

    @BeforeAll
    static void switchOn() {
        System.setProperty("cassidy.check", "true");
        System.setProperty("cassidy.check.databases", "jdbc:h2:,jdbc:strict:");
    }

    @AfterAll
    static void switchOff() {
        System.clearProperty("cassidy.check");
        System.clearProperty("cassidy.check.databases");
    }

    @BeforeEach
    void createTables(TestInfo test) throws SQLException {
        old = "jdbc:h2:mem:" + test.getTestMethod().orElseThrow().getName()
                + ";MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE;DB_CLOSE_DELAY=-1"
                + ";INIT=CREATE SCHEMA IF NOT EXISTS dbo\\;SET SCHEMA dbo";
        try (Connection plain = DriverManager.getConnection(old)) {
            plain.createStatement()
                    .execute("CREATE TABLE product (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(50), price INT)");
        }
    }

    private Properties properties() {
        Properties properties = new Properties();
        properties.setProperty(
                "cassidy.check.report", folder.resolve("report.json").toString());
        return properties;
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:cassidy:check:" + old, properties());
    }

    private JsonNode report() throws Exception {
        return new ObjectMapper().readTree(Files.readString(folder.resolve("report.json")));
    }

    private JsonNode statement(String sql) throws Exception {
        return StreamSupport.stream(report().get("statements").spliterator(), false)
                .filter(statement -> statement.get("sql").asText().equals(sql))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + sql));
    }

    @Test
    void shouldReturnTheResultsOfTheOldDatabase() throws Exception {
        try (Connection connection = connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO [dbo].[product] (name, price) VALUES (?, 3)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "Kettle");
            assertThat(insert.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.getStatement()).isSameAs(insert);
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isEqualTo(1);
            }
            assertThat(insert.getConnection()).isSameAs(connection);
            assertThat(connection.unwrap(JdbcConnection.class)).isNotNull();
            assertThat(connection).isEqualTo(connection).hasSameHashCodeAs(connection);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> connection.createStatement().execute("SELECT * FROM nowhere"))
                    .matches(e -> e.getErrorCode() == 42102 || e.getErrorCode() == 42104);
        }
    }

    @Test
    void shouldDistinguishServedRewrittenAndRefusedStatements() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT name FROM product WHERE id = 1");
            statement.executeQuery("SELECT name FROM product WHERE id = 2");
            statement.execute("INSERT INTO [dbo].[product] (name) VALUES (N'secret')");
            statement.executeQuery("SELECT p.name, q.name FROM product p JOIN product q ON q.id = p.id");
        }

        assertThat(report().get("version").asInt()).isEqualTo(2);
        assertThat(report().get("served").asInt()).isZero();
        assertThat(report().get("unknown").asInt()).isEqualTo(1);
        assertThat(report().get("rewritten").asInt()).isEqualTo(1);
        assertThat(report().get("refused").asInt()).isEqualTo(1);
        assertThat(statement("SELECT name FROM product WHERE id = ?")
                        .get("reasons")
                        .get(0)
                        .asText())
                .isEqualTo(
                        "unknown without a target: whether WHERE gives the partition key, or a column with an index");
        assertThat(report().get("verified").asBoolean()).isFalse();
        assertThat(statement("SELECT name FROM product WHERE id = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(2);
        assertThat(statement("INSERT INTO [dbo].[product] (name) VALUES (?)")
                        .get("cql")
                        .get(0)
                        .asText())
                .isEqualTo("INSERT INTO product (name) VALUES (?)");
        JsonNode join = statement("SELECT n1.name, n2.name FROM product n1 JOIN product n2 ON n2.id = n1.id");
        assertThat(join.get("verdict").asText()).isEqualTo("REFUSED");
        assertThat(join.get("reason").asText()).startsWith("a join is not supported: read one table a statement");
        assertThat(join.get("calledBy").get(0).asText())
                .startsWith("dev.cassidy.checked.CheckTest.shouldDistinguishServedRewrittenAndRefusedStatements:");
        String summary = Files.readString(folder.resolve("report.txt"));
        assertThat(summary)
                .contains(
                        "0 served as they are, 1 rewritten, 1 unknown without a target, 1 refused",
                        "a join is not supported",
                        "cassidy.check.target")
                .doesNotContain("secret");
        assertThat(Files.readString(folder.resolve("report.json"))).doesNotContain("secret");
        assertThat(Files.readString(folder.resolve("report.html")))
                .contains(
                        "<h1>Cassidy&#39;s check</h1>".replace("&#39;", "'"),
                        "n2.id = n1.id",
                        "unknown without a target")
                .doesNotContain("secret", "<script", "http://", "https://");
    }

    @Test
    void shouldRefuseWhatNoTableCouldMakeCqlOf() throws Exception {
        Map<String, String> refused = Map.of(
                "SELECT name FROM product WHERE id IN (SELECT id FROM product)", "a subquery",
                "SELECT ISNULL(name, 'x') FROM product", "the function ISNULL",
                "SELECT name FROM product WHERE LOWER(name) = 'x'", "the function LOWER",
                "SELECT name FROM product WHERE price = id", "a comparison of two columns",
                "SELECT ROW_NUMBER() OVER (ORDER BY id) FROM product", "OVER (a window)");
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : refused.keySet()) {
                statement.executeQuery(sql);
            }
        }

        for (Map.Entry<String, String> each : refused.entrySet()) {
            JsonNode judged = statement(each.getKey().replace("'x'", "?"));
            assertThat(judged.get("verdict").asText()).as(each.getKey()).isEqualTo("REFUSED");
            assertThat(judged.get("reason").asText()).contains(each.getValue() + " is not supported");
        }
    }

    @Test
    void shouldGiveAllReasonsOfAStatement() throws Exception {
        String sql = "SELECT UPPER(p.name) FROM product p JOIN product q ON q.id = p.id"
                + " WHERE p.price IN (SELECT price FROM product) OR p.id = 1";
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeQuery(sql);
        }

        JsonNode reasons = report().get("statements").get(0).get("reasons");
        assertThat(StreamSupport.stream(reasons.spliterator(), false).map(JsonNode::asText))
                .hasSize(4)
                .anyMatch(reason -> reason.startsWith("a join"))
                .anyMatch(reason -> reason.startsWith("a subquery"))
                .anyMatch(reason -> reason.startsWith("the function UPPER"))
                .anyMatch(reason -> reason.startsWith("OR"));
    }

    @Test
    void shouldSayThatTextsAreCompared() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT id FROM product WHERE name = 'Kettle'");
            statement.executeQuery("SELECT id FROM product WHERE name = '2024-01-31'");
        }

        assertThat(report().get("statements").get(0).get("differences").toString())
                .contains("Column name of product is text", "ignores case and trailing blanks");
    }

    @Test
    void shouldJudgeForANumberOfNodes() throws Exception {
        Properties properties = properties();
        properties.setProperty("cassidy.check.nodes", "13");
        try (Connection connection = DriverManager.getConnection("jdbc:cassidy:check:" + old, properties);
                Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT name FROM product");
            statement.executeQuery("SELECT name FROM product WHERE price < 5");
        }
        assertThat(Files.readString(folder.resolve("report.html")))
                .contains("price &lt; ?")
                .doesNotContain("price < ?");
        assertThat(statement("SELECT name FROM product").get("reason").asText())
                .contains("refused by default in a datacenter of more than 12 nodes", "fanOut=allow:product");

        properties.setProperty("cassidy.check.nodes", "0");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection("jdbc:cassidy:check:" + old, properties))
                .withMessageContaining("must be a whole number from 1 to 100000: cassidy.check.nodes=0");
    }

    @Test
    void shouldFindTheDefaultsThatInsertsRelyOn() throws Exception {
        try (Connection plain = DriverManager.getConnection(old)) {
            plain.createStatement()
                    .execute(
                            "CREATE TABLE stock (id INT PRIMARY KEY, qty INT DEFAULT 5, note NVARCHAR(9) DEFAULT 'a b')");
        }
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO stock (id) VALUES (1)");
            statement.executeUpdate("INSERT INTO stock (id, qty, note) VALUES (2, 3, 'x')");
        }

        assertThat(statement("INSERT INTO stock (id) VALUES (?)")
                        .get("differences")
                        .toString())
                .contains("It leaves out qty, which got its default 5", "It leaves out note");
        assertThat(statement("INSERT INTO stock (id, qty, note) VALUES (?, ?, ?)")
                        .get("differences"))
                .isEmpty();
        assertThat(report().get("plan").get("commands").findValuesAsText("text"))
                .containsExactlyInAnyOrder(
                        "cassidy tables declare --table '<keyspace>.stock' --defaults qty=5",
                        "cassidy tables declare --table '<keyspace>.stock' --defaults" + " 'note='\\''a b'\\'''");
    }

    @Test
    void shouldLeaveOutTheDefaultsThatTheTargetHas() throws Exception {
        try (Connection plain = DriverManager.getConnection(old)) {
            plain.createStatement().execute("CREATE TABLE stock (id INT PRIMARY KEY, qty INT DEFAULT 5)");
        }
        Target declared = new CountingTarget() {
            @Override
            public Findings judge(String sql, boolean generatedKeys, int nodes) {
                return new Findings(List.of(), List.of(), Map.of("stock", Set.of("qty")));
            }
        };
        try (Connection connection = connect(new Checks((url, options) -> declared))) {
            connection.createStatement().executeUpdate("INSERT INTO stock (id) VALUES (1)");
        }

        assertThat(statement("INSERT INTO stock (id) VALUES (?)").get("differences"))
                .isEmpty();
    }

    /** A target with one table, on which no statement but by its key is served. */
    @Test
    void shouldEndWithAPlan() throws Exception {
        String table = "CREATE TABLE shop.product_by_name (id int, name text, PRIMARY KEY (name, id))";
        String index = "CREATE INDEX product_name ON shop.product (name) USING 'sai'";
        Target planned = new CountingTarget() {
            @Override
            public Findings judge(String sql, boolean generatedKeys, int nodes) {
                if (sql.startsWith("INSERT")) {
                    return new Findings(
                            List.of(
                                    "no sequence is registered for it. Run: cassidy ids register"
                                            + " --table shop.product --column id --contact-points 10.0.0.1:9042 --local-dc dc1."),
                            List.of());
                }
                return new Findings(
                        List.of("shop.product is read by name"),
                        List.of(new Access(
                                "shop.product",
                                Access.Kind.REFUSED,
                                0,
                                "",
                                "shop.product is read by name",
                                Optional.of(table),
                                List.of(index),
                                List.of("name"))));
            }
        };
        // The target itself has 20 nodes.
        for (int nodes : List.of(3, 20)) {
            Properties properties = properties();
            properties.setProperty("cassidy.check.target", "jdbc:cassidy://target");
            if (nodes == 3) {
                properties.setProperty("cassidy.check.nodes", String.valueOf(nodes));
            }
            try (Connection connection =
                            new Checks((url, options) -> planned).connect("jdbc:cassidy:check:" + old, properties);
                    Statement statement = connection.createStatement()) {
                statement.executeQuery("SELECT id FROM product WHERE name = 'a'");
                statement.executeQuery("SELECT id FROM product WHERE name = 'b'");
                statement.executeUpdate("INSERT INTO product (name) VALUES ('a')");
            }
            JsonNode plan = report().get("plan");
            JsonNode step = plan.get(nodes == 3 ? "indexes" : "tables").get(0);
            assertThat(step.get("text").asText()).isEqualTo((nodes == 3 ? index : table) + ";");
            assertThat(step.get("serves").get(0).asText()).isEqualTo("SELECT id FROM product WHERE name = ?");
            assertThat(step.get("executions").asInt()).isEqualTo(2);
            assertThat(step.get("calledBy").toString()).contains("CheckTest.shouldEndWithAPlan");
            assertThat(plan.get(nodes == 3 ? "tables" : "indexes")).isEmpty();
            assertThat(plan.get("commands").get(0).get("text").asText())
                    .isEqualTo("cassidy ids register --table shop.product --column id --contact-points 10.0.0.1:9042"
                            + " --local-dc dc1");
            for (String file : List.of("report.txt", "report.html")) {
                assertThat(Files.readString(folder.resolve(file))).contains("Plan", "shop.product");
            }
        }
    }

    @Test
    void shouldJudgeDefinitionsAsTheDriverDoesByDefault() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE INDEX ix ON product (name, price)");
            statement.execute("CREATE UNIQUE INDEX ux ON product (price)");
        }

        JsonNode index = statement("CREATE INDEX ix ON product (name, price)");
        assertThat(index.get("verdict").asText()).isEqualTo("REWRITTEN");
        assertThat(index.get("cql").toString())
                .contains("CREATE CUSTOM INDEX ix ON product (name) USING ?")
                .contains("-- left out: the columns price of index ix");
        JsonNode unique = statement("CREATE UNIQUE INDEX ux ON product (price)");
        assertThat(unique.get("verdict").asText()).isEqualTo("REFUSED");
        assertThat(unique.get("reason").asText()).contains("constraints=warn");
    }

    @Test
    void shouldReportStatementsThatCassandraExecutesDifferently() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE product SET price = 1 WHERE id = 99");
            statement.executeUpdate("INSERT INTO product (name) VALUES ('a'), ('b')");
            connection.setAutoCommit(false);
            statement.execute("DELETE FROM product WHERE id > 0");
            statement.getUpdateCount();
            statement.executeQuery("SELECT COUNT(*) FROM product");
            connection.commit();
            statement.executeQuery("SELECT name FROM product");
        }

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
        try (Connection connection = connect();
                PreparedStatement update = connection.prepareStatement("UPDATE product SET price = ? WHERE id = ?")) {
            for (int i = 0; i < 3; i++) {
                update.setInt(1, i);
                update.setInt(2, i);
                update.addBatch();
            }
            assertThat(update.executeBatch()).containsExactly(0, 0, 0);
        }

        assertThat(statement("UPDATE product SET price = ? WHERE id = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void shouldReportRefusedJdbcCalls() throws Exception {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            connection.setSavepoint();
            try (Statement scrolling =
                    connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
                // Served, in memory.
                ResultSet rows = scrolling.executeQuery("SELECT name FROM product");
                rows.last();
            }
            connection
                    .createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE)
                    .close();
        }

        assertThat(report().get("calls").findValuesAsText("method"))
                .isEqualTo(List.of("Connection.setSavepoint", "an updatable ResultSet"));
    }

    @Test
    void shouldRefuseAUrlWithoutAnOldDatabase() {
        for (String url : List.of("jdbc:cassidy:check:", "jdbc:cassidy:check:jdbc:cassidy://localhost/shop")) {
            assertThatExceptionOfType(SQLNonTransientConnectionException.class)
                    .isThrownBy(() -> DriverManager.getConnection(url))
                    .withMessageContaining("the old database's own URL must follow")
                    .matches(e -> e.getSQLState().equals("08001"));
        }
    }

    @Test
    void shouldBeSwitchedOnByTheProcess() {
        System.clearProperty("cassidy.check");
        try {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(this::connect)
                    .withMessageContaining("must be switched on")
                    .withMessageContaining("-Dcassidy.check=true")
                    .matches(e -> e.getSQLState().equals("08001"));
        } finally {
            System.setProperty("cassidy.check", "true");
        }
        assertThat(folder.toFile().list()).isEmpty();
    }

    @Test
    void shouldRefuseDatabasesThatTheProcessDoesNotName() {
        String databases = System.getProperty("cassidy.check.databases");
        try {
            System.clearProperty("cassidy.check.databases");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> DriverManager.getConnection(
                            "jdbc:cassidy:check:jdbc:h2:mem:x;INIT=CREATE ALIAS A AS 'void a() {}';PASSWORD=secret",
                            properties()))
                    .withMessageContaining("must begin with jdbc:sqlserver: or jdbc:jtds:, and begins with jdbc:h2:")
                    .withMessageContaining("-Dcassidy.check.databases")
                    .matches(e -> !e.getMessage().contains("secret"));
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> DriverManager.getConnection(
                            "jdbc:cassidy:check:jdbc:jtds:sqlserver://old;password=secret", properties()))
                    .withMessageContaining("no JDBC driver on the class path takes the old URL")
                    .matches(e -> !e.getMessage().contains("secret"));
            System.setProperty("cassidy.check.databases", "jdbc:");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(this::connect)
                    .withMessageContaining("-Dcassidy.check.databases=jdbc:");
        } finally {
            System.setProperty("cassidy.check.databases", databases);
        }
    }

    @Test
    void shouldReplaceNothingButAReport() throws Exception {
        for (String extension : List.of(".json", ".txt", ".html")) {
            Path file = folder.resolve("report" + extension);
            Files.writeString(file, "{\"keep\": \"this\"}");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(this::connect)
                    .withMessageContaining("is no report of a check")
                    .withMessageContaining(file.toString());
            assertThat(file).hasContent("{\"keep\": \"this\"}");
            Files.delete(file);
        }
        Path elsewhere = Files.writeString(folder.resolve("elsewhere"), "kept");
        Files.createSymbolicLink(folder.resolve("report.json"), elsewhere);
        assertThatExceptionOfType(SQLException.class).isThrownBy(this::connect);
        Files.delete(folder.resolve("report.json"));

        for (int time = 0; time < 2; time++) {
            try (Connection connection = connect()) {
                connection
                        .createStatement()
                        .executeQuery("SELECT name FROM product WHERE id " + "<=".charAt(time) + " 1");
            }
        }
        assertThat(report().get("statements")).hasSize(2);

        // One that appears while the application runs stays too.
        try (Connection connection = connect()) {
            Files.writeString(folder.resolve("report.txt"), "mine");
            connection.createStatement().executeQuery("SELECT id FROM product WHERE id = 1");
        }
        assertThat(folder.resolve("report.txt")).hasContent("mine");
        assertThat(folder.toFile().list()).noneMatch(name -> name.endsWith(".new"));
    }

    @Test
    void shouldShowNoWordThatIsNoNameOfADatabase() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : List.of(
                    "SELECT name AS [hunter 2], price AS Hunter3 FROM product hunter4 WHERE hunter4.id = 1",
                    "SELECT name FROM product WHERE name = \"hunter5\"",
                    "SELECT name FROM product WHERE name = hunter6 OR price = hunter6",
                    "EXEC login admin, hunter7, @hunter8",
                    "SELEKT hunter9 FROM product",
                    "SELECT hunter10(name) FROM product",
                    "UPDATE product SET name = hunter11 WHERE id = 1",
                    "CREATE LOGIN reader WITH PASSWORD = hunter12",
                    "SELECT name FROM product WHERE id = :hunter13",
                    "INSERT INTO product (hunter14) VALUES (1)",
                    "SELECT \"hunter15")) {
                try {
                    statement.execute(sql);
                } catch (SQLException e) {
                    // H2 refuses some. They are in the report too.
                }
            }
        }

        for (String extension : List.of(".json", ".txt", ".html")) {
            assertThat(Files.readString(folder.resolve("report" + extension)))
                    .as(extension)
                    .doesNotContainIgnoringCase("hunter")
                    .contains("product");
        }
        assertThat(statement("SELECT name AS [n1], price AS n2 FROM product n3 WHERE n3.id = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void shouldShowTheNamesOfTablesThatTheApplicationCreates() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE [Order Line] (n1 INT PRIMARY KEY, Colour VARCHAR(9) DEFAULT 'hunter2')");
            statement.execute("CREATE SEQUENCE ticket START WITH 1");
            statement.executeQuery("SELECT Colour, n1 AS line FROM [Order Line] WHERE n1 = 2");
        }

        assertThat(statement("SELECT Colour, n1 AS n2 FROM [Order Line] WHERE n1 = ?")
                        .get("executions")
                        .asInt())
                .isEqualTo(1);
        assertThat(Files.readString(folder.resolve("report.json"))).doesNotContain("hunter");
    }

    @Test
    void shouldRefuseAnUnknownProperty() {
        Properties misspelt = new Properties();
        misspelt.setProperty("cassidy.check.reprot", "x");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection("jdbc:cassidy:check:" + old, misspelt))
                .withMessageContaining("cassidy.check.reprot");
    }

    private Connection connect(Checks checks) throws SQLException {
        Properties properties = properties();
        properties.setProperty("cassidy.check.target", "jdbc:cassidy://target");
        return checks.connect("jdbc:cassidy:check:" + old, properties);
    }

    /** A target that only counts. */
    private static class CountingTarget implements Target {
        final AtomicInteger asked = new AtomicInteger();

        @Override
        public Findings judge(String sql, boolean generatedKeys, int nodes) throws SQLException {
            asked.incrementAndGet();
            return new Findings(List.of(), List.of());
        }

        @Override
        public int nodes() {
            return 20;
        }

        @Override
        public boolean hasName(String name) {
            return false;
        }

        @Override
        public Schema schema() {
            return Schema.UNKNOWN;
        }

        @Override
        public void close() {}
    }

    @Test
    void shouldShieldTheApplicationFromItsOwnErrors() throws Exception {
        Target broken = new CountingTarget() {
            @Override
            public Findings judge(String sql, boolean generatedKeys, int nodes) {
                throw new NoClassDefFoundError("dev/cassidy/Gone");
            }
        };
        try (Connection connection = connect(new Checks((url, options) -> broken));
                Statement statement = connection.createStatement();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO product (name) VALUES (?)")) {
            assertThat(statement.executeUpdate("INSERT INTO product (name) VALUES ('a')"))
                    .isEqualTo(1);
            insert.setString(1, "b");
            assertThat(insert.executeUpdate()).isEqualTo(1);
            insert.addBatch();
            statement.addBatch("INSERT INTO product (name) VALUES ('c')");
            assertThat(insert.executeBatch()).containsExactly(1);
            assertThat(statement.executeBatch()).containsExactly(1);
            assertThat(insert.getConnection()).isSameAs(connection);
            try (ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM product")) {
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(4);
                assertThat(rows.getStatement()).isSameAs(statement);
            }
        }
        assertThat(report().get("statements")).isEmpty();
    }

    /** Of the connection's properties, these are about sessions with a cluster, and the old driver does not know them. */
    @Test
    void shouldPassWhatIsAskedOfEverySessionToTheTarget() throws Exception {
        Properties properties = properties();
        properties.setProperty("cassidy.check.target", "jdbc:cassidy://target");
        properties.setProperty("requireTls", "true");
        properties.setProperty("redactValues", "true");
        AtomicReference<Properties> passed = new AtomicReference<>();
        Checks checks = new Checks((url, options) -> {
            passed.set(options);
            return new CountingTarget();
        });

        checks.connect("jdbc:cassidy:check:" + old, properties).close();

        assertThat(passed.get()).containsOnly(entry("requireTls", "true"), entry("redactValues", "true"));
    }

    @Test
    void shouldConnectEvenIfTheTargetFails() throws Exception {
        Checks checks = new Checks((url, options) -> {
            throw new IllegalStateException("no target");
        });
        try (Connection connection = connect(checks)) {
            connection.createStatement().executeUpdate("INSERT INTO product (name) VALUES ('a')");
        }
        assertThat(report().get("served").asInt()).isEqualTo(1);
        assertThat(report().get("verified").asBoolean()).isFalse();
    }

    @Test
    void shouldThrowLikeTheOldDatabaseAfterAResultSetIsClosed() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            ResultSet rows = statement.executeQuery("SELECT name FROM product");
            assertThat(rows.getStatement()).isSameAs(statement);
            rows.close();
            assertThatExceptionOfType(SQLException.class).isThrownBy(rows::getStatement);
        }
    }

    @Test
    void shouldThrowLikeTheOldDatabaseAfterAStatementIsClosed() throws Exception {
        // H2 returns the connection of a closed statement; SQL Server's driver does not.
        StrictDriver strict = new StrictDriver();
        DriverManager.registerDriver(strict);
        try (Connection connection =
                        DriverManager.getConnection("jdbc:cassidy:check:jdbc:strict:" + old, properties());
                Statement statement = connection.createStatement()) {
            assertThat(statement.getConnection()).isSameAs(connection);
            statement.close();
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::getConnection)
                    .withMessage("closed");
        } finally {
            DriverManager.deregisterDriver(strict);
        }
    }

    /** H2, with statements that do not return their connection after they are closed. */
    private static final class StrictDriver implements Driver {
        private static final String PREFIX = "jdbc:strict:";

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith(PREFIX);
        }

        @Override
        public @Nullable Connection connect(String url, Properties info) throws SQLException {
            if (!acceptsURL(url)) {
                return null;
            }
            Connection real = DriverManager.getConnection(url.substring(PREFIX.length()), info);
            return strict(
                    Connection.class,
                    real,
                    (method, result) -> result instanceof Statement made
                            ? strict(Statement.class, made, (called, given) -> {
                                if (called.equals("getConnection") && made.isClosed()) {
                                    throw new SQLException("closed");
                                }
                                return given;
                            })
                            : result);
        }

        private interface Answer {
            Object of(String method, Object result) throws SQLException;
        }

        private static <T> T strict(Class<T> type, T real, Answer answer) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader() == null ? CheckTest.class.getClassLoader() : type.getClassLoader(),
                    new Class<?>[] {type},
                    (proxy, method, arguments) -> answer.of(method.getName(), method.invoke(real, arguments))));
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }

    @Test
    void shouldVerifyAtMostAsManyStatementsAsAReportHolds() throws Exception {
        CountingTarget target = new CountingTarget() {
            @Override
            public boolean hasName(String name) {
                return true;
            }
        };
        try (Connection connection = connect(new Checks((url, options) -> target))) {
            for (int i = 0; i < 20_050; i++) {
                connection
                        .prepareStatement("SELECT name AS n" + i + " FROM product")
                        .close();
            }
        }
        assertThat(target.asked).hasValue(20_000);
        assertThat(report().get("statements")).hasSize(10_000);
    }

    @Test
    void shouldCutOffWhatItKeepsOfLongStatements() throws Exception {
        String values = "(N'x')" + ", (N'x')".repeat(5_000);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO [product] (name) VALUES " + values);
        }
        JsonNode seen = report().get("statements").get(0);
        assertThat(seen.get("sql").asText()).hasSizeLessThan(2_100);
        assertThat(seen.get("cql").size()).isPositive();
        assertThat(seen.get("cql")).allSatisfy(cql -> assertThat(cql.asText()).hasSizeLessThan(2_100));
        assertThat(seen.get("cql").size()).isLessThanOrEqualTo(100);
    }

    @Test
    void shouldConnectWithoutACheckWhereThereAreTooMany() throws Exception {
        Checks checks = new Checks((url, options) -> new CountingTarget());
        String first = old;
        for (int i = 0; i < 100; i++) {
            old = first + ";LOCK_TIMEOUT=" + (1_000 + i);
            connect(checks).close();
        }
        old = first + ";LOCK_TIMEOUT=5000";
        try (Connection unchecked = connect(checks)) {
            assertThat(unchecked).isInstanceOf(JdbcConnection.class);
        }
        old = first + ";LOCK_TIMEOUT=1000";
        try (Connection checked = connect(checks)) {
            assertThat(checked).isNotInstanceOf(JdbcConnection.class);
        }
    }

    @Test
    void shouldKeepTheReportOfEachOldDatabase() throws Exception {
        String other = old.replace("jdbc:h2:mem:", "jdbc:h2:mem:other_");
        try (Connection first = connect();
                Connection second = DriverManager.getConnection("jdbc:cassidy:check:" + other, properties())) {
            first.createStatement().executeQuery("SELECT name FROM product");
            second.createStatement().executeQuery("SELECT 1 AS one");
        }
        assertThat(report().findValuesAsText("sql")).containsExactly("SELECT name FROM product");
        assertThat(new ObjectMapper()
                        .readTree(Files.readString(folder.resolve("report-2.json")))
                        .findValuesAsText("sql"))
                .containsExactly("SELECT ? AS n1");
        assertThat(folder.resolve("report-2.txt")).exists();
    }
}
