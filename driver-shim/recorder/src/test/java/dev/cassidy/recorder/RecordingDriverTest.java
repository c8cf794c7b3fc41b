package dev.cassidy.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.recorded.ProductDao;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Runs on H2 in SQL Server mode. */
class RecordingDriverTest {

    @TempDir
    Path folder;

    private String old;
    private final List<LogRecord> logged = new ArrayList<>();
    private final java.util.logging.Handler log = new java.util.logging.Handler() {
        @Override
        public void publish(LogRecord record) {
            logged.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void begin(TestInfo test) throws SQLException {
        System.setProperty("cassidy.record", folder.resolve("shop").toString());
        System.setProperty("cassidy.record.databases", "jdbc:h2:,jdbc:strict:");
        Logger.getLogger("dev.cassidy.recorder").addHandler(log);
        old = "jdbc:h2:mem:" + test.getTestMethod().orElseThrow().getName()
                + ";MODE=MSSQLServer;DATABASE_TO_UPPER=FALSE;DB_CLOSE_DELAY=-1"
                + ";INIT=CREATE SCHEMA IF NOT EXISTS dbo\\;SET SCHEMA dbo";
        try (Connection plain = DriverManager.getConnection(old)) {
            plain.createStatement()
                    .execute("CREATE TABLE product (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(50), price INT)");
        }
    }

    @AfterEach
    void end() {
        RecordingDriver.end();
        Logger.getLogger("dev.cassidy.recorder").removeHandler(log);
        System.clearProperty("cassidy.record");
        System.clearProperty("cassidy.record.databases");
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(RecordingDriver.PREFIX + old);
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lines of the record, after its end. */
    private List<JsonNode> lines() throws IOException {
        RecordingDriver.end();
        assertThat(files()).hasSize(1);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(files().get(0))) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }

    /** The facts of a statement, its end included: from key to value, several values joined. */
    private static Map<String, String> facts(List<JsonNode> lines, String sql) {
        JsonNode statement = lines.stream()
                .filter(line -> line.path("sql").asText().equals(sql))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + sql + " in " + lines));
        return lines.stream()
                .filter(line -> line.has("statement")
                        && line.get("statement").equals(statement.get("statement"))
                        && !line.has("sql"))
                .flatMap(line -> line.properties().stream())
                .filter(property -> !property.getKey().equals("statement"))
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        property -> property.getValue().asText(),
                        (a, b) -> a.matches("[0-9]+") && b.matches("[0-9]+") && a.length() + b.length() > 2
                                ? b
                                : a + " " + b));
    }

    private static List<String> calls(List<JsonNode> lines) {
        return lines.stream()
                .filter(line -> line.has("call"))
                .map(line -> line.get("call").asText()
                        + (line.has("with") ? " " + line.get("with").asText() : ""))
                .distinct()
                .toList();
    }

    @Test
    void shouldRecordWhatADaoDoes() throws Exception {
        DriverManagerDataSource source = new DriverManagerDataSource(RecordingDriver.PREFIX + old);
        ProductDao dao = new ProductDao(new JdbcTemplate(source));
        dao.add("Kettle");
        dao.addAll(List.of("Toaster", "Spoon", "Fork"));
        assertThat(dao.cheaperThan(10)).contains("Kettle", "Fork");
        assertThat(dao.cheaperThan(3)).isEmpty();

        List<JsonNode> lines = lines();
        assertThat(lines.get(0).get("recorder").asInt()).isEqualTo(1);
        assertThat(lines.get(1).get("product").asText()).startsWith("H2 2.");
        assertThat(facts(lines, "INSERT INTO product (name, price) VALUES (?, '#int')"))
                .contains(entry("count", "4"), entry("rows", "1"))
                .hasEntrySatisfying("at", at -> assertThat(at)
                        .contains("dev.cassidy.recorded.ProductDao.add:")
                        .contains("dev.cassidy.recorded.ProductDao.addAll:")
                        .doesNotContain("springframework"));
        assertThat(facts(lines, "SELECT name FROM product WHERE price < '#int'"))
                .containsEntry("count", "2")
                .hasEntrySatisfying("at", at -> assertThat(at).contains("ProductDao.cheaperThan:"));
        JsonNode last = lines.get(lines.size() - 1);
        assertThat(last.get("end").asBoolean()).isTrue();
        assertThat(last.get("executions").asInt()).isEqualTo(6);
        assertThat(last.get("notRecorded").asInt()).isZero();
        assertThat(last.get("leftOut").asInt()).isZero();
    }

    @Test
    void shouldReturnTheResultsOfTheOldDatabase() throws Exception {
        try (Connection connection = connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO product (name, price) VALUES (?, 3)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "Kettle");
            assertThat(insert.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.getStatement()).isSameAs(insert);
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isEqualTo(1);
            }
            assertThat(insert.getConnection()).isSameAs(connection);
            assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
            assertThat(connection.unwrap(JdbcConnection.class)).isNotNull();
            assertThat(connection).isEqualTo(connection).hasSameHashCodeAs(connection);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> connection.createStatement().execute("SELECT * FROM nowhere"))
                    .matches(e -> e.getErrorCode() == 42102 || e.getErrorCode() == 42104);
            ResultSet rows = connection.createStatement().executeQuery("SELECT name FROM product");
            rows.close();
            assertThatExceptionOfType(SQLException.class).isThrownBy(rows::getStatement);
        }

        assertThat(facts(lines(), "INSERT INTO product (name, price) VALUES (?, '#int')"))
                .contains(entry("keys", "true"), entry("rows", "1"));
    }

    @Test
    void shouldRecordNoValue() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : List.of(
                    "SELECT name AS [hunter 2], price AS Hunter3 FROM product hunter4 WHERE hunter4.id = 1",
                    "SELECT name FROM product WHERE name = \"hunter5\"",
                    "SELECT name FROM product WHERE name LIKE '%hunter6_' -- hunter7",
                    "EXEC login admin, hunter8, @hunter9",
                    "INSERT INTO product (hunter14) VALUES ('hunter1')",
                    "SELECT \"hunter15",
                    "UPDATE product SET name = 'hunter16")) {
                try {
                    statement.execute(sql);
                } catch (SQLException e) {
                    // H2 refuses some. They are in the record too.
                }
            }
            statement.execute("CREATE TABLE [Order Line] (n1 INT PRIMARY KEY, Colour VARCHAR(9) DEFAULT 'hunter2')");
            statement.executeQuery("SELECT Colour, n1 AS line FROM [Order Line] WHERE n1 = 2");
        }

        List<JsonNode> lines = lines();
        assertThat(Files.readString(files().get(0))).doesNotContainIgnoringCase("hunter");
        assertThat(lines)
                .extracting(
                        line -> line.path("kind").asText() + line.path("unread").asText())
                .contains("SELECTa name in quotes or brackets has no end", "UPDATEa string has no end");
        assertThat(facts(lines, "SELECT name FROM product WHERE name LIKE '#like %*_'"))
                .containsEntry("count", "1");
        assertThat(facts(lines, "SELECT Colour, n1 AS n2 FROM [Order Line] WHERE n1 = '#int'"))
                .containsEntry("count", "1");
    }

    @Test
    void shouldRecordTransactionsAndUpdateCounts() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE product SET price = 1 WHERE id = 99");
            statement.executeUpdate("INSERT INTO product (name) VALUES ('a'), ('b')");
            connection.setAutoCommit(false);
            for (int i = 0; i < 2; i++) {
                statement.execute("DELETE FROM product WHERE id > " + i);
                statement.getUpdateCount();
                statement.executeQuery("SELECT COUNT(*) FROM product");
                connection.commit();
            }
            statement.executeQuery("SELECT name FROM product");
            connection.rollback();
            statement.executeQuery("SELECT name FROM product");
        }

        List<JsonNode> lines = lines();
        assertThat(facts(lines, "UPDATE product SET price = '#int' WHERE id = '#int'"))
                .containsEntry("rows", "0");
        assertThat(facts(lines, "DELETE FROM product WHERE id > '#int'"))
                .hasEntrySatisfying("rows", rows -> assertThat(rows).contains("more", "0"));
        assertThat(facts(lines, "SELECT COUNT(*) FROM product")).containsEntry("afterWrite", "true");
        assertThat(facts(lines, "SELECT name FROM product")).doesNotContainKey("afterWrite");
        assertThat(lines.stream()
                        .filter(line -> line.has("transaction"))
                        .map(line ->
                                line.get("transaction") + " " + line.get("end").asText()))
                .containsExactly("[3,4] commit", "[5] rollback", "[5] open");
    }

    @Test
    void shouldRecordTheMethodsOfJdbc() throws Exception {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            ProductDao.setSavepoint(connection);
            connection
                    .createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)
                    .executeQuery("SELECT name FROM product")
                    .last();
            try (Statement statement = connection.createStatement()) {
                statement.setMaxFieldSize(5);
                statement.setMaxFieldSize(0);
            }
        }

        List<JsonNode> lines = lines();
        assertThat(calls(lines))
                .contains(
                        "java.sql.Connection.setAutoCommit false",
                        "java.sql.Connection.setSavepoint",
                        "java.sql.Connection.createStatement TYPE_SCROLL CONCUR_UPDATABLE",
                        "java.sql.Statement.setMaxFieldSize a limit",
                        "java.sql.Statement.setMaxFieldSize",
                        "java.sql.ResultSet.last");
        assertThat(lines.stream()
                        .filter(line ->
                                line.path("call").asText().equals("java.sql.Connection.setSavepoint") && line.has("at"))
                        .map(line -> line.get("at").asText()))
                .singleElement()
                .asString()
                .startsWith("dev.cassidy.recorded.ProductDao.setSavepoint:");
    }

    /** What a later version of JDBC has, and the driver's own interfaces. */
    public interface Later {
        String fromTheFuture(int i) throws SQLException;
    }

    @Test
    void shouldPassMethodsOnThatItDoesNotKnow() throws Exception {
        StrictDriver strict = new StrictDriver();
        DriverManager.registerDriver(strict);
        try (Connection connection = DriverManager.getConnection(RecordingDriver.PREFIX + "jdbc:strict:" + old)) {
            // JDBC 4.3 and 4.5 have these; the recorder is compiled with JDBC 4.2.
            connection.beginRequest();
            assertThat(connection.createStatement().enquoteLiteral("it's")).isEqualTo("'it''s'");
            assertThat(((Later) connection).fromTheFuture(3)).isEqualTo("later 3");
            assertThatThrownBy(() -> ((Later) connection).fromTheFuture(-1))
                    .isInstanceOf(SQLException.class)
                    .hasMessage("no future");
            Statement statement = connection.createStatement();
            assertThat(statement.getConnection()).isSameAs(connection);
            statement.close();
            // H2 returns the connection of a closed statement; SQL Server's driver does not.
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::getConnection)
                    .withMessage("closed");
        } finally {
            DriverManager.deregisterDriver(strict);
        }
        assertThat(calls(lines()))
                .contains(
                        "java.sql.Connection.beginRequest",
                        "java.sql.Statement.enquoteLiteral",
                        Later.class.getName() + ".fromTheFuture");
    }

    /** H2, with statements that do not return their connection after they are closed, and connections of an interface more. */
    private static final class StrictDriver implements Driver {
        private static final String PREFIX = "jdbc:strict:";

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith(PREFIX);
        }

        @Override
        public Connection connect(String url, Properties info) throws SQLException {
            if (!acceptsURL(url)) {
                return null;
            }
            Connection real = DriverManager.getConnection(url.substring(PREFIX.length()), info);
            return (Connection) strict(
                    real,
                    (method, result) -> result instanceof Statement made
                            ? strict(
                                    made,
                                    (called, given) -> {
                                        if (called.equals("getConnection") && made.isClosed()) {
                                            throw new SQLException("closed");
                                        }
                                        return given;
                                    },
                                    Statement.class)
                            : result,
                    Connection.class,
                    Later.class);
        }

        private interface Answer {
            Object of(String method, Object result) throws SQLException;
        }

        private static Object strict(Object real, Answer answer, Class<?>... types) {
            return Proxy.newProxyInstance(
                    RecordingDriverTest.class.getClassLoader(), types, (proxy, method, arguments) -> {
                        if (method.getDeclaringClass() == Later.class) {
                            if ((int) arguments[0] < 0) {
                                throw new SQLException("no future");
                            }
                            return "later " + arguments[0];
                        }
                        return answer.of(method.getName(), method.invoke(real, arguments));
                    });
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
    void shouldShieldTheApplicationFromItsOwnErrors() throws Exception {
        for (Throwable own : List.of(
                new NoClassDefFoundError("dev/cassidy/Gone"), new IllegalStateException(), new StackOverflowError())) {
            logged.clear();
            Recording recording = Recording.begin(folder.resolve("shop").toString());
            try (Connection real = DriverManager.getConnection(old)) {
                assertThat(Handler.around(Connection.class, real, recording, () -> {
                            throw sneaky(own);
                        }))
                        .isSameAs(real);
                Connection shielded = Handler.around(
                        Connection.class, real, recording, () -> new BrokenHandler(real, recording, own));
                assertThat(shielded).isNotSameAs(real);
                assertThat(shielded.createStatement().executeUpdate("INSERT INTO product (name) VALUES ('a')"))
                        .isEqualTo(1);
            } finally {
                recording.end();
            }
            assertThat(logged)
                    .filteredOn(record -> record.getLevel() == Level.WARNING)
                    .extracting(LogRecord::getThrown)
                    .containsExactly(own);
        }
    }

    /** Throws {@code own} as it is. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneaky(Throwable own) throws T {
        throw (T) own;
    }

    /** Fails at each call, in what only the recorder needs. */
    private static final class BrokenHandler extends Handler {
        private final Throwable own;

        BrokenHandler(Object real, Recording recording, Throwable own) {
            super(real, recording);
            this.own = own;
        }

        @Override
        String with(String method, Object[] arguments) {
            throw sneaky(own);
        }

        @Override
        Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
            return pass(method, arguments);
        }
    }

    @Test
    void shouldTellTheStatementsOfEachOldDatabase() throws Exception {
        String other = old.replace("jdbc:h2:mem:", "jdbc:h2:mem:other_");
        try (Connection plain = DriverManager.getConnection(other)) {
            plain.createStatement().execute("CREATE TABLE product (name VARCHAR(9), colour VARCHAR(9))");
        }
        try (Connection first = connect();
                Connection second = DriverManager.getConnection(RecordingDriver.PREFIX + other)) {
            first.createStatement().executeQuery("SELECT name FROM product");
            second.createStatement().executeQuery("SELECT name FROM product");
            second.createStatement().executeQuery("SELECT colour FROM product");
            // The other database's names are none of this one's.
            first.createStatement().executeQuery("SELECT name AS colour FROM product");
        }
        List<JsonNode> lines = lines();
        assertThat(lines.stream().filter(line -> line.has("product")))
                .extracting(line -> line.get("database").asInt())
                .containsExactly(1, 2);
        assertThat(lines.stream().filter(line -> line.has("sql")))
                .extracting(line -> line.get("database") + " " + line.get("sql").asText())
                .containsExactly(
                        "1 SELECT name FROM product",
                        "2 SELECT name FROM product",
                        "2 SELECT colour FROM product",
                        "1 SELECT name AS n1 FROM product");
    }

    @Test
    void shouldConnectUnrecordedWhereThereAreTooManyDatabases() throws Exception {
        String first = old;
        for (int i = 0; i < 100; i++) {
            old = first + ";LOCK_TIMEOUT=" + (1_000 + i);
            connect().close();
        }
        old = first + ";LOCK_TIMEOUT=5000";
        for (int i = 0; i < 2; i++) {
            try (Connection unrecorded = connect()) {
                assertThat(unrecorded).isInstanceOf(JdbcConnection.class);
            }
        }
        old = first + ";LOCK_TIMEOUT=1000";
        try (Connection recorded = connect()) {
            assertThat(recorded).isNotInstanceOf(JdbcConnection.class);
        }
        assertThat(logged)
                .filteredOn(record -> record.getLevel() == Level.WARNING)
                .extracting(LogRecord::getMessage)
                .singleElement()
                .asString()
                .contains("records 100 old URLs, which is the most");
        assertThat(lines().stream().filter(line -> line.has("product"))).hasSize(100);
    }

    // ---- the file

    @Test
    void shouldContinueWhereTheFileCannotBeWritten() throws Exception {
        System.setProperty("cassidy.record", folder.resolve("missing/shop").toString());
        for (int i = 0; i < 2; i++) {
            try (Connection connection = connect()) {
                assertThat(connection).isInstanceOf(JdbcConnection.class);
                assertThat(connection.createStatement().executeUpdate("INSERT INTO product (name) VALUES ('a')"))
                        .isEqualTo(1);
            }
        }
        assertThat(logged)
                .filteredOn(record -> record.getLevel() == Level.WARNING)
                .hasSize(1);
        assertThat(files()).isEmpty();
    }

    @Test
    void shouldContinueAfterTheFileIsGone() throws Exception {
        try (Connection connection = connect()) {
            // Closes the file behind the recorder's back.
            RecordingDriver.end();
            assertThat(connection.createStatement().executeUpdate("INSERT INTO product (name) VALUES ('a')"))
                    .isEqualTo(1);
            assertThat(connection
                            .prepareStatement("SELECT name FROM product")
                            .executeQuery()
                            .next())
                    .isTrue();
        }
        assertThat(files()).hasSize(1);
    }

    @Test
    void shouldWriteInTheBackgroundAndAppend() throws Exception {
        try (Connection connection = connect()) {
            connection.createStatement().executeQuery("SELECT name FROM product");
            RecordingDriver.flush();
            assertThat(Files.readString(files().get(0)))
                    .contains("SELECT name FROM product")
                    .doesNotContain("\"end\"");
        }
        RecordingDriver.end();
        connect().close();
        assertThat(lines().stream().filter(line -> line.has("recorder"))).hasSize(2);
    }

    @Test
    void shouldShareAFileWithNobody() throws Exception {
        connect().close();
        RecordingDriver.end();
        Path first = files().get(0);
        Files.writeString(first, "{\"keep\": \"this\"}");
        Path second = Path.of(first.toString().replace(".jsonl", "-2.jsonl"));
        Files.createSymbolicLink(second, Files.writeString(folder.resolve("elsewhere"), "kept"));
        Path third = Path.of(first.toString().replace(".jsonl", "-3.jsonl"));
        try (FileChannel other = FileChannel.open(third, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            // As another class loader of this process does.
            other.lock();
            connect().close();
            RecordingDriver.end();
        }
        assertThat(first).hasContent("{\"keep\": \"this\"}");
        assertThat(folder.resolve("elsewhere")).hasContent("kept");
        assertThat(third).isEmptyFile();
        assertThat(Path.of(first.toString().replace(".jsonl", "-4.jsonl")))
                .content()
                .contains("\"recorder\":1");
    }

    @Test
    void shouldBoundItsStatementsAndSaySo() throws Exception {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            names.add("c" + i);
        }
        try (Connection plain = DriverManager.getConnection(old)) {
            plain.createStatement().execute("CREATE TABLE wide (" + String.join(" INT, ", names) + " INT)");
        }
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 101; i++) {
                for (int j = 0; j < 100; j++) {
                    statement
                            .executeQuery("SELECT c" + i + ", c" + j + " FROM wide")
                            .close();
                }
            }
        }
        List<JsonNode> lines = lines();
        assertThat(lines.stream().filter(line -> line.has("sql"))).hasSize(10_000);
        assertThat(lines.stream().filter(line -> line.path("bound").asText().equals("statements")))
                .hasSize(1);
        JsonNode last = lines.get(lines.size() - 1);
        assertThat(last.get("executions").asInt()).isEqualTo(10_100);
        assertThat(last.get("notRecorded").asInt()).isEqualTo(100);
        long counted = lines.stream()
                .filter(line -> line.has("statement") && line.has("count"))
                .collect(Collectors.toMap(
                        line -> line.get("statement").asInt(),
                        line -> line.get("count").asLong(),
                        Math::max))
                .values()
                .stream()
                .mapToLong(Long::longValue)
                .sum();
        assertThat(counted).isEqualTo(10_000);
    }

    @Test
    void shouldCountWhatManyThreadsDo() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        List<Thread> threads = IntStream.range(0, 8)
                .mapToObj(number -> new Thread(() -> {
                    try (Connection connection = connect();
                            PreparedStatement select = connection.prepareStatement("SELECT name FROM product")) {
                        for (int i = 0; i < 500; i++) {
                            select.executeQuery().close();
                        }
                    } catch (SQLException e) {
                        failures.incrementAndGet();
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).hasValue(0);
        List<JsonNode> lines = lines();
        assertThat(lines.stream().filter(line -> line.has("sql"))).hasSize(1);
        assertThat(lines.get(lines.size() - 1).get("executions").asInt()).isEqualTo(4_000);
    }

    // ---- the URL

    private void assertRefused(String url, Predicate<String> message) {
        assertThatExceptionOfType(SQLNonTransientConnectionException.class)
                .isThrownBy(() -> DriverManager.getConnection(url))
                .matches(e -> e.getSQLState().equals("08001"))
                .matches(e -> message.test(e.getMessage()), "message");
        assertThat(files()).isEmpty();
    }

    @Test
    void shouldRefuseAUrlWithoutAnOldDatabase() {
        for (String url : List.of(RecordingDriver.PREFIX, RecordingDriver.PREFIX + "jdbc:cassidy://localhost/shop")) {
            assertRefused(url, message -> message.contains("the old database's own URL must follow"));
        }
    }

    @Test
    void shouldBeAskedForByTheProcess() {
        System.clearProperty("cassidy.record");
        assertRefused(RecordingDriver.PREFIX + old, message -> message.contains("-Dcassidy.record="));
    }

    @Test
    void shouldRefuseDatabasesThatTheProcessDoesNotName() {
        System.clearProperty("cassidy.record.databases");
        assertRefused(
                RecordingDriver.PREFIX + "jdbc:h2:mem:x;INIT=CREATE ALIAS A AS 'void a() {}';PASSWORD=secret",
                message -> message.contains("must begin with jdbc:sqlserver: or jdbc:jtds:, and begins with jdbc:h2:")
                        && message.contains("-Dcassidy.record.databases")
                        && !message.contains("secret"));
        assertRefused(
                RecordingDriver.PREFIX + "jdbc:jtds:sqlserver://old;password=secret",
                message -> message.contains("no JDBC driver on the class path takes the old URL")
                        && !message.contains("secret"));
        System.setProperty("cassidy.record.databases", "jdbc:");
        assertRefused(RecordingDriver.PREFIX + old, message -> message.contains("-Dcassidy.record.databases=jdbc:"));
    }
}
