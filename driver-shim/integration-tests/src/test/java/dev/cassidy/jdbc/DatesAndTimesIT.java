package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DataTruncation;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The java.sql values stand for the fields that they show, by every setter and getter. */
class DatesAndTimesIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    private final TimeZone before = TimeZone.getDefault();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("dates_it");
        cluster.cql("CREATE TABLE $.t (id int PRIMARY KEY, at timestamp, born date, clock time)");
    }

    @AfterEach
    void restore() {
        TimeZone.setDefault(before);
    }

    private interface Setter {
        void set(PreparedStatement statement) throws SQLException;
    }

    private ResultSet written(String column, Setter setter) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO t (id, " + column + ") VALUES (1, ?)")) {
            setter.set(insert);
            insert.executeUpdate();
        }
        Statement select = connection.createStatement();
        select.closeOnCompletion();
        ResultSet rows = select.executeQuery("SELECT " + column + " FROM t WHERE id = 1");
        assertThat(rows.next()).isTrue();
        return rows;
    }

    @ParameterizedTest
    @CsvSource({
        "Asia/Kolkata, 1900-01-01",
        "Europe/Berlin, 1753-01-01",
        "Africa/Monrovia, 1950-01-01",
        "America/Sao_Paulo, 2018-11-04",
        "Europe/Zurich, 1500-03-01",
        "UTC, 0001-01-01",
        "America/Havana, 2024-11-03",
    })
    void shouldKeepTheDayOfADate(String zone, String day) throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        Date date = Date.valueOf(day);
        LocalDate local = LocalDate.parse(day);
        Calendar tokyo = new GregorianCalendar(TimeZone.getTimeZone("Asia/Tokyo"), Locale.ROOT);

        for (String column : List.of("at", "born")) {
            for (Setter setter : List.<Setter>of(
                    s -> s.setDate(1, date),
                    s -> s.setObject(1, date),
                    s -> s.setObject(1, date, Types.DATE),
                    s -> s.setObject(1, date, Types.TIMESTAMP))) {
                try (ResultSet rows = written(column, setter)) {
                    assertThat(rows.getDate(1)).isEqualTo(date).hasToString(day);
                    assertThat(rows.getObject(1, Date.class)).isEqualTo(date);
                    assertThat(rows.getObject(1, LocalDate.class)).isEqualTo(local);
                    assertThat(rows.getString(1)).startsWith(day);
                    assertThat((Throwable) rows.getWarnings()).isNull();
                }
            }
            try (ResultSet rows = written(column, s -> s.setObject(1, local.atTime(12, 0)))) {
                Date inTokyo = rows.getDate(1, tokyo);
                if (column.equals("born")) {
                    try (ResultSet again = written(column, s -> s.setDate(1, inTokyo, tokyo))) {
                        assertThat(again.getObject(1, LocalDate.class)).isEqualTo(local);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"Asia/Kolkata, 1899-12-31T23:30:00.123", "Europe/Berlin, 1850-06-01T00:00:00.5", "UTC, 1400-02-28T12:00"
    })
    void shouldKeepTheFieldsOfATimestamp(String zone, LocalDateTime fields) throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        Timestamp timestamp = Timestamp.valueOf(fields);
        Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone(zone), Locale.ROOT);

        for (Setter setter : List.<Setter>of(
                s -> s.setTimestamp(1, timestamp),
                s -> s.setTimestamp(1, timestamp, calendar),
                s -> s.setObject(1, timestamp, Types.TIMESTAMP))) {
            try (ResultSet rows = written("at", setter)) {
                assertThat(rows.getTimestamp(1)).isEqualTo(timestamp);
                assertThat(rows.getTimestamp(1, calendar)).isEqualTo(timestamp);
                assertThat(rows.getObject(1)).isEqualTo(timestamp);
                assertThat(rows.getObject(1, LocalDateTime.class)).isEqualTo(fields);
                assertThat(rows.getString(1)).isEqualTo(timestamp.toString());
            }
        }
    }

    @Test
    void shouldWarnOfTheDigitsThatAJavaSqlTimeLacks() throws SQLException {
        LocalTime exact = LocalTime.of(12, 34, 56, 123_456_000);

        try (ResultSet rows = written("clock", s -> s.setObject(1, exact))) {
            assertThat(rows.getObject(1, LocalTime.class)).isEqualTo(exact);
            assertThat(rows.getString(1)).isEqualTo("12:34:56.123456");
            assertThat((Throwable) rows.getWarnings()).isNull();
            Time time = rows.getTime(1);
            assertThat(time).hasToString("12:34:56");
            assertThat(Math.floorMod(time.getTime(), 1000L)).isEqualTo(123);
            assertThat((Throwable) rows.getWarnings())
                    .isInstanceOf(DataTruncation.class)
                    .hasFieldOrPropertyWithValue("SQLState", "01004")
                    .hasMessageContaining("12:34:56.123456");
            rows.clearWarnings();
            assertThat((Throwable) rows.getWarnings()).isNull();
            assertThat(rows.getObject(1)).isEqualTo(time);
            assertThat((Throwable) rows.getWarnings()).isNotNull();
            assertThat(rows.next()).isFalse();
            assertThat((Throwable) rows.getWarnings()).isNull();
        }
    }

    @Test
    void shouldBeNowhereInAnEmptyResult() throws SQLException {
        for (int type : List.of(ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_INSENSITIVE)) {
            try (Statement statement = connection.createStatement(type, ResultSet.CONCUR_READ_ONLY);
                    ResultSet rows = statement.executeQuery("SELECT id FROM t WHERE id = 99")) {
                assertThat(List.of(rows.isBeforeFirst(), rows.isFirst(), rows.isLast(), rows.isAfterLast()))
                        .containsOnly(false);
                assertThat(rows.next()).isFalse();
                assertThat(List.of(rows.isBeforeFirst(), rows.isFirst(), rows.isLast(), rows.isAfterLast()))
                        .containsOnly(false);
                assertThat(rows.next()).isFalse();
            }
        }
    }

    @Test
    void shouldLoseNoRowByAskingForTheFirst() throws SQLException {
        written("born", s -> s.setObject(1, LocalDate.of(2024, 1, 31))).close();
        for (int type : List.of(ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_INSENSITIVE)) {
            try (Statement statement = connection.createStatement(type, ResultSet.CONCUR_READ_ONLY);
                    ResultSet rows = statement.executeQuery("SELECT id FROM t WHERE id = 1")) {
                assertThat(rows.isBeforeFirst() && rows.isBeforeFirst()).isTrue();
                assertThat(rows.next()).isTrue();
                assertThat(rows.isBeforeFirst()).isFalse();
                assertThat(rows.isFirst()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(1);
                assertThat(rows.next()).isFalse();
                assertThat(rows.isAfterLast()).isTrue();
            }
        }
    }
}
