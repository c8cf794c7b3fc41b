package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Moments, days and times of statements that are evaluated in the client, where the JVM's clocks are those of Berlin. */
class AssistedTimesIT {

    /** Clocks show 02:30 at both. */
    private static final Instant FIRST = Instant.parse("2024-10-27T00:30:00Z");

    private static final Instant SECOND = Instant.parse("2024-10-27T01:30:00Z");

    private static TestCluster cluster;

    private final TimeZone before = TimeZone.getDefault();

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("assisted_times_it");
        TestCluster.install("cassidy");
        cluster.cql("CREATE TABLE $.raw (p int, ts timestamp, v int, PRIMARY KEY (p, ts))");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE heard (p INT, ts DATETIME2(3), v INT, PRIMARY KEY (p, ts))");
            statement.execute(
                    "CREATE TABLE seen (id INT PRIMARY KEY, at DATETIME2(3), there DATETIMEOFFSET(3), born DATE,"
                            + " clock TIME(3))");
        }
    }

    @BeforeEach
    void fill() throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        cluster.cql("TRUNCATE $.raw");
        for (String table : List.of("heard", "seen")) {
            run("TRUNCATE TABLE " + table);
        }
        for (String table : List.of("raw", "heard")) {
            run("INSERT INTO " + table + " (p, ts, v) VALUES (1, ?, 1)", FIRST);
            run("INSERT INTO " + table + " (p, ts, v) VALUES (1, ?, 2)", SECOND);
            run("INSERT INTO " + table + " (p, ts, v) VALUES (1, ?, 3)", SECOND.plusSeconds(7200));
        }
        run(
                "INSERT INTO seen (id, at, there, born, clock) VALUES (1, ?, ?, '2024-01-02', '10:11:12.123')",
                LocalDateTime.parse("2024-01-02T10:11:12.123"),
                OffsetDateTime.parse("2024-01-02T10:11:12.123+02:00"));
        run("INSERT INTO seen (id, at, there) VALUES (2, ?, ?)", SECOND, SECOND.atOffset(ZoneOffset.UTC));
    }

    @AfterEach
    void restore() {
        TimeZone.setDefault(before);
    }

    private interface Setter {
        void set(PreparedStatement statement) throws SQLException;
    }

    private int run(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private String select(String sql, Setter setter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setter.set(statement);
            try (ResultSet result = statement.executeQuery()) {
                List<String> rows = new ArrayList<>();
                int columns = result.getMetaData().getColumnCount();
                while (result.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= columns; i++) {
                        row.add(result.getString(i));
                    }
                    rows.add(String.join("|", row));
                }
                return String.join(",", rows);
            }
        }
    }

    private String select(String sql, Object... parameters) throws SQLException {
        return select(sql, statement -> {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
        });
    }

    @Test
    void shouldLoseNoRowOfTheHourThatClocksShowTwice() throws SQLException {
        for (String table : List.of("raw", "heard")) {
            assertThat(select("SELECT v FROM " + table + " WHERE p = 1 ORDER BY v DESC"))
                    .isEqualTo("3,2,1");
            assertThat(select("SELECT COUNT(*) FROM " + table + " WHERE p IN (SELECT 1)"))
                    .isEqualTo("3");
            for (Object second : List.of(SECOND, Timestamp.from(SECOND), SECOND.atOffset(ZoneOffset.ofHours(7)))) {
                assertThat(select("SELECT v FROM " + table + " WHERE p = 1 AND ts = ?", second))
                        .as("the direct path")
                        .isEqualTo("2");
                assertThat(select("SELECT v FROM " + table + " WHERE p = 1 AND ts = ? OR v = 7", second))
                        .isEqualTo("2");
            }
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT MAX(ts) FROM " + table + " WHERE v < 3")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getObject(1, Instant.class)).isEqualTo(SECOND);
                assertThat(rows.getTimestamp(1)).isEqualTo(Timestamp.from(SECOND));
            }
        }
    }

    @Test
    void shouldWriteTheRowThatWasFound() throws SQLException {
        assertThat(run("UPDATE heard SET v = v + 10 WHERE v = 2")).isEqualTo(1);
        assertThat(run("UPDATE heard SET v = v * 2 WHERE ts = ? OR v = 3", FIRST))
                .isEqualTo(2);
        assertThat(select("SELECT ts, v FROM heard WHERE p = 1"))
                .isEqualTo("2024-10-27 02:30:00.000|2,2024-10-27 02:30:00.000|12,2024-10-27 04:30:00.000|6");
        assertThat(run("UPDATE heard SET v = 0 WHERE DATEPART(hour, ts) = 2")).isEqualTo(2);
        assertThat(run("DELETE FROM heard WHERE v = 0 AND ts > ?", FIRST.atOffset(ZoneOffset.UTC)))
                .isEqualTo(1);
        assertThat(select("SELECT v FROM heard WHERE p = 1 AND ts = ?", FIRST)).isEqualTo("0");

        assertThat(run("INSERT INTO heard (p, ts, v) SELECT 2, at, id FROM seen WHERE id = 2"))
                .isEqualTo(1);
        assertThat(select("SELECT v FROM heard WHERE p = 2 AND ts = ?", SECOND)).isEqualTo("2");
        assertThat(run("UPDATE seen SET there = at, at = there WHERE clock IS NULL"))
                .isEqualTo(1);
        assertThat(select("SELECT there FROM seen WHERE id = 2")).isEqualTo("2024-10-27 01:30:00.000 +00:00");
        assertThat(select("SELECT id FROM seen WHERE at = there ORDER BY id")).isEqualTo("2");
    }

    @Test
    void shouldFindMomentsAsTheDirectPathDoes() throws SQLException {
        OffsetDateTime there = OffsetDateTime.parse("2024-01-02T10:11:12.123+02:00");
        LocalDateTime local = LocalDateTime.parse("2024-01-02T09:11:12.123");
        for (Object each : List.of(
                there,
                there.toInstant(),
                there.atZoneSameInstant(ZoneId.of("Asia/Tokyo")),
                local,
                Timestamp.valueOf(local),
                new java.util.Date(there.toInstant().toEpochMilli()),
                GregorianCalendar.from(there.toZonedDateTime()),
                there.plusNanos(4_567),
                "2024-01-02T10:11:12.123+02:00",
                "2024-01-02 09:11:12.123")) {
            assertThat(select("SELECT id FROM seen WHERE there = ? ORDER BY born", each))
                    .as(each.getClass().getName())
                    .isEqualTo("1");
            Object later = each instanceof String
                    ? "2024-01-02T11:11:12.123+02:00"
                    : there.plusHours(1).toInstant();
            assertThat(select("SELECT id FROM seen WHERE at = ? ORDER BY born", later))
                    .isEqualTo("1");
        }
        assertThat(select("SELECT id FROM seen WHERE there = '2024-01-02T10:11:12.123+02:00' ORDER BY born"))
                .isEqualTo("1");
        assertThat(select("SELECT id FROM seen WHERE at = ? OR id = 7", there.plusHours(1)))
                .isEqualTo("1");
        assertThat(select("SELECT there FROM seen WHERE id < 2 ORDER BY born"))
                .isEqualTo("2024-01-02 08:11:12.123 +00:00");
    }

    @Test
    void shouldRefuseAParameterThatWasNeverSet() {
        for (String sql : List.of(
                "SELECT id FROM seen WHERE born = ? ORDER BY born",
                "SELECT s.id FROM seen s JOIN heard h ON h.p = s.id WHERE s.id = ?",
                "UPDATE seen SET born = '2024-01-03' WHERE born = ?",
                "DELETE FROM seen WHERE born = ?",
                "INSERT INTO seen (id) SELECT v FROM heard WHERE p = ? AND v > 1 ORDER BY v")) {
            assertThatThrownBy(() -> {
                        try (PreparedStatement statement = connection.prepareStatement(sql)) {
                            statement.execute();
                        }
                    })
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("07001"))
                    .hasMessageContaining("Parameter 1 was never set");
        }
    }

    @Test
    void shouldTakeTheFieldsOfDatesAndTimes() throws SQLException {
        Calendar tokyo = new GregorianCalendar(TimeZone.getTimeZone("Asia/Tokyo"), Locale.ROOT);
        tokyo.clear();
        tokyo.set(2024, Calendar.JANUARY, 2);
        Date date = new Date(tokyo.getTimeInMillis());
        assertThat(select("SELECT id FROM seen WHERE born = ? OR id = 7", s -> s.setDate(1, date, tokyo)))
                .isEqualTo("1");
        assertThat(select(
                        "SELECT id FROM seen WHERE born = ? OR id = 7", s -> s.setDate(1, Date.valueOf("2024-01-02"))))
                .isEqualTo("1");

        Time time = new Time(Time.valueOf("10:11:12").getTime() + 123);
        assertThat(select("SELECT id FROM seen WHERE clock = ? OR id = 7", s -> s.setTime(1, time)))
                .isEqualTo("1");
        tokyo.set(1970, Calendar.JANUARY, 1, 10, 11, 12);
        Time inTokyo = new Time(tokyo.getTimeInMillis() + 123);
        assertThat(select("SELECT id FROM seen WHERE clock = ? OR id = 7", s -> s.setTime(1, inTokyo, tokyo)))
                .isEqualTo("1");

        tokyo.set(2024, Calendar.JANUARY, 2, 10, 11, 12);
        Timestamp shown = new Timestamp(tokyo.getTimeInMillis() + 123);
        assertThat(select("SELECT id FROM seen WHERE at > ? ORDER BY id", s -> s.setTimestamp(1, shown, tokyo)))
                .isEqualTo("1,2");
    }

    @Test
    void shouldTakeTheZoneOfEachStatement() throws SQLException {
        String sql = "SELECT at FROM seen WHERE born IS NULL OR id = 7";
        String offset = "SELECT DATEDIFF(minute, GETUTCDATE(), GETDATE()) FROM seen WHERE id IN (SELECT 1)";
        assertThat(select(sql)).isEqualTo("2024-10-27 02:30:00.000");
        for (String zone : List.of("Asia/Kolkata", "UTC", "Asia/Tokyo")) {
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            LocalDateTime there = LocalDateTime.ofInstant(SECOND, ZoneId.of(zone));
            assertThat(select(sql)).isEqualTo(there.toString().replace('T', ' ') + ":00.000");
            assertThat(select("SELECT id FROM seen WHERE at = ? ORDER BY born", there))
                    .isEqualTo("2");
            assertThat(Integer.parseInt(select(offset)))
                    .isEqualTo(TimeZone.getDefault().getRawOffset() / 60_000);
        }
    }

    @Test
    void shouldShowATimeThatClocksSkip() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT CAST('2024-03-31 02:30' AS DATETIME2(3)) AS t FROM seen WHERE id IN (SELECT 1)")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("2024-03-31 02:30:00.000");
            assertThat(rows.getObject(1, LocalDateTime.class)).isEqualTo(LocalDateTime.parse("2024-03-31T02:30"));
            assertThat(rows.getObject(1, LocalTime.class)).isEqualTo(LocalTime.parse("02:30"));
            assertThat(rows.getDate(1)).isEqualTo(Date.valueOf("2024-03-31"));
            assertThatThrownBy(() -> rows.getTimestamp(1)).hasMessageContaining("clocks in Europe/Berlin skip it");
        }
    }
}
