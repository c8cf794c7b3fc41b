package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.toggle.Assistance;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How much a statement may read that is evaluated in the client, and who says so. */
class AssistedBoundsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("assisted_bounds_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE colour (id INT PRIMARY KEY, name NVARCHAR(20), n INT) WITH (small)");
            statement.execute("CREATE TABLE item (id INT PRIMARY KEY, maker INT, n INT)");
            statement.execute("CREATE TABLE part (id INT PRIMARY KEY, maker INT, n INT)");
            for (String table : List.of("colour (id, n)", "item (id, n)", "part (id, n)")) {
                fill(statement, table, 1_100);
            }
        }
    }

    private static void fill(Statement statement, String table, int rows) throws SQLException {
        for (int from = 0; from < rows; from += 100) {
            StringBuilder insert = new StringBuilder("INSERT INTO " + table + " VALUES ");
            for (int i = from; i < from + 100; i++) {
                insert.append(i == from ? "" : ", ")
                        .append("(")
                        .append(i)
                        .append(", ")
                        .append(i % 7)
                        .append(")");
            }
            statement.execute(insert.toString());
        }
    }

    private static List<String> select(Connection connection, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                rows.add(result.getString(1));
            }
        }
        return rows;
    }

    private List<String> select(String sql) throws SQLException {
        return select(connection, sql);
    }

    @Test
    void shouldReadAllOfATableThatIsSmall() throws SQLException {
        assertThat(select("SELECT COUNT(*) FROM colour WHERE n > 5")).containsExactly("157");
        try (Connection few = cluster.open("assistRows=1099")) {
            assertThatThrownBy(() -> select(few, "SELECT COUNT(*) FROM colour WHERE n = 6"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("more than 1099 rows of assisted_bounds_it.colour")
                    .hasMessageContaining("CREATE INDEX colour_n ON assisted_bounds_it.colour (n)")
                    .hasMessageContaining("or raise assistRows");
        }
    }

    @Test
    void shouldSayWhatHelpsWhereATableIsNotSmall() throws SQLException {
        assertThatThrownBy(() -> select("SELECT id FROM item WHERE maker = 1 AND n > 2 ORDER BY n"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("assisted_bounds_it.item, which has more than 1000 rows")
                .hasMessageContaining("CREATE INDEX item_maker ON assisted_bounds_it.item (maker)")
                .hasMessageContaining("Run: cassidy tables small --table assisted_bounds_it.item --contact-points ");
        assertThatThrownBy(() -> select("SELECT id FROM item WHERE n > 2"))
                .hasMessageContaining("Find its rows by its key; or declare it small")
                .hasMessageContaining("more than 10000 rows, which is assistRows");
        assertThatThrownBy(() -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.executeUpdate("UPDATE item SET maker = 2 WHERE n = 1");
                    }
                })
                .hasMessageContaining("CREATE INDEX item_n ON assisted_bounds_it.item (n)");
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE INDEX item_maker ON assisted_bounds_it.item (maker)");
        }
        assertThat(select("SELECT id FROM item WHERE maker = 1 AND n > 2 ORDER BY n"))
                .isEmpty();
    }

    /** Nobody is told of it here, so the look before the refusal finds it. */
    @Test
    void shouldKnowWhatWasDeclaredAMomentAgo() throws SQLException {
        assertThat(select("SELECT n FROM part WHERE id = 8")).containsExactly("1");
        cluster.cql("UPDATE cassidy.contracts SET small = true, revision = 99 WHERE keyspace_name = '"
                + cluster.keyspace() + "' AND table_name = 'part' IF small = false");

        assertThat(select("SELECT COUNT(*) FROM part WHERE n > 5")).containsExactly("157");
    }

    @Test
    void shouldReadNoMoreBytesThanItMay() throws SQLException {
        String body = "x".repeat(1 << 20);
        try (Statement statement = connection.createStatement();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO doc (id, n, body) VALUES (?, 1, ?)")) {
            statement.setFetchSize(4);
            statement.execute("CREATE TABLE doc (id INT PRIMARY KEY, n INT, body NVARCHAR(MAX)) WITH (plain, small)");
            for (int i = 0; i < 16; i++) {
                insert.setInt(1, i);
                insert.setString(2, body);
                insert.executeUpdate();
            }
            assertThatThrownBy(() -> statement.executeQuery("SELECT MAX(LEN(body)) FROM doc WHERE n > 0"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("more than 16 MiB of values of assisted_bounds_it.doc")
                    .hasMessageContaining("name the columns that you need");
            statement.executeUpdate("DELETE FROM doc WHERE id = 3");
            try (ResultSet result = statement.executeQuery("SELECT MAX(LEN(body)) FROM doc WHERE n > 0")) {
                assertThat(result.next()).isTrue();
                assertThat(result.getInt(1)).isEqualTo(1 << 20);
            }
        }
    }

    private static double counted(int percent) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new StatementMetrics().bindTo(registry);
        return registry.get("cassidy.jdbc.near.bound")
                .tag("percent", Integer.toString(percent))
                .functionCounter()
                .count();
    }

    @Test
    void shouldWarnOfStatementsThatComeNearToABound() throws SQLException {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.cassidy.jdbc.session.NearBounds");
        logger.addAppender(log);
        double half = counted(50);
        double much = counted(80);
        try (Connection few = cluster.open("assistRows=2000", "fanOut=warn");
                Connection fewer = cluster.open("assistRows=1200", "fanOut=warn");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE half (id INT PRIMARY KEY, n INT)");
            fill(statement, "half (id, n)", 600);

            assertThat(select(few, "SELECT COUNT(*) FROM colour WHERE n = 6")).containsExactly("157");
            assertThat(select(few, "SELECT COUNT(*)\nFROM colour WHERE n = 5")).containsExactly("157");
            assertThat(select(fewer, "SELECT COUNT(*) FROM colour WHERE n = 6")).containsExactly("157");
            assertThat(select("SELECT COUNT(*) FROM half WHERE n > 5")).containsExactly("85");
            assertThat(select("SELECT COUNT(*) FROM half WHERE id IN (1, 2) AND n > 5"))
                    .containsExactly("0");
        } finally {
            logger.detachAppender(log);
        }

        assertThat(counted(50) - half).isEqualTo(3);
        assertThat(counted(80) - much).isEqualTo(1);
        assertThat(log.list).hasSize(3).allMatch(event -> event.getLevel() == Level.WARN);
        assertThat(log.list.get(0).getFormattedMessage())
                .contains("has used 1100 of 2000 rows, which is assistRows, 55 % of them")
                .contains("CREATE INDEX colour_n ON assisted_bounds_it.colour (n), or raise assistRows")
                .containsPattern(
                        "^Statement [0-9a-f]{12}, .*: SELECT COUNT\\(\\*\\) FROM colour WHERE n = \\?\\. Make");
        assertThat(log.list.get(1).getFormattedMessage()).contains("1100 of 1200 rows", "91 % of them");
        assertThat(log.list.get(2).getFormattedMessage())
                .contains("600 of 1000 rows of table assisted_bounds_it.half, which is not declared small, 60 %")
                .contains("Run: cassidy tables small --table assisted_bounds_it.half");
    }

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private String plan(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SHOWPLAN_TEXT ON");
            StringBuilder plan = new StringBuilder();
            try (ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            } finally {
                statement.execute("SET SHOWPLAN_TEXT OFF");
            }
            return plan.toString();
        }
    }

    private String hash(String sql) throws SQLException {
        Matcher matcher =
                Pattern.compile("Assisted: .*; statement ([0-9a-f]{12})\n").matcher(plan(sql));
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    private void awaitRefused(String sql, String... says) {
        await().atMost(LONGEST).untilAsserted(() -> assertThatThrownBy(() -> select(sql))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .message()
                .contains(says));
    }

    private void awaitServed(String sql) {
        await().atMost(LONGEST).ignoreExceptions().untilAsserted(() -> assertThat(select(sql))
                .containsExactly("1100"));
    }

    @Test
    void shouldObeyTheSwitchWithinAWatchInterval() throws SQLException {
        String one = "SELECT COUNT(*) FROM colour WHERE n < 7";
        String other = "SELECT COUNT(n) FROM colour WHERE n < 7";
        awaitServed(one);
        awaitServed(other);
        String hash = hash(one.replace("7", "8"));
        try (Sequences sequences = Sequences.open(TestCluster.session(), SequencesConfig.defaults())) {
            Assistance assistance = InternalAccess.assistance(sequences);
            try {
                assertThat(assistance.turnOff(new Assistance.Off(hash, "too slow")))
                        .isTrue();
                awaitRefused(
                        one,
                        "an operator has turned that off for statement " + hash + " (too slow). Run: cassidy assist on"
                                + " --statement " + hash + " --contact-points ");
                assertThat(select(other)).containsExactly("1100");
                assertThat(select("SELECT n FROM colour WHERE id = 8"))
                        .as("served directly")
                        .containsExactly("1");
                assertThat(plan(one)).contains("Refused: ", "an operator has turned that off for statement " + hash);

                assistance.turnOff(new Assistance.Off(Assistance.ALL, ""));
                awaitRefused(other, "an operator has turned that off for all statements. Run: cassidy assist on --");
                assertThatThrownBy(() -> {
                            try (Statement statement = connection.createStatement()) {
                                statement.executeUpdate("UPDATE colour SET n = 7 WHERE n = 6");
                            }
                        })
                        .hasMessageContaining("an operator has turned that off for all statements");
                assertThat(select("SELECT n FROM colour WHERE id = 8")).containsExactly("1");
                try (Connection later = cluster.open("assist=on", "fanOut=warn")) {
                    assertThatThrownBy(() -> select(later, other)).hasMessageContaining("an operator");
                }
                assertThat(assistance.list())
                        .containsExactly(new Assistance.Off(Assistance.ALL, ""), new Assistance.Off(hash, "too slow"));
            } finally {
                assistance.turnOn(Assistance.ALL);
                assistance.turnOn(hash);
            }
        }
        awaitServed(one);
        awaitServed(other);
    }
}
