package dev.cassidy.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In every zone that the JDK knows, a java.sql value comes back with the fields that it showed. */
@SuppressWarnings("JavaUtilDate") // JDBC uses java.util.Date.
class ShownFieldsTest {

    private static final List<String> DAYS = List.of(
            "0001-01-01",
            "1000-02-28",
            "1500-03-01",
            "1582-10-04",
            "1582-10-15",
            "1700-02-28",
            "1753-01-01",
            "1799-12-31",
            "1847-12-01",
            "1867-10-19",
            "1883-11-18",
            "1890-01-01",
            "1892-07-04",
            "1893-04-01",
            "1899-12-31",
            "1900-01-01",
            "1901-12-14",
            "1905-12-31",
            "1916-05-01",
            "1919-07-01",
            "1927-12-31",
            "1937-07-01",
            "1941-10-01",
            "1945-08-15",
            "1969-12-31",
            "1970-01-01",
            "1972-01-07",
            "1986-01-01",
            "2011-12-31",
            "2018-11-04",
            "2024-01-31",
            "2024-02-29",
            "2024-03-31",
            "2024-07-01",
            "2024-10-27",
            "2024-11-03",
            "2262-04-12",
            "9999-12-31");

    private static final List<String> TIMES = List.of("00:00:00", "00:05:00", "12:34:56.789", "23:59:59.999");

    private final TimeZone before = TimeZone.getDefault();

    @AfterEach
    void restore() {
        TimeZone.setDefault(before);
    }

    private static Object stored(Object value, DataType type, ZoneId zone) throws ConversionException {
        return new ToCql(zone, warning -> {}).convert(value, type);
    }

    private static <T> T read(Object value, DataType type, Class<T> target, ZoneId zone) throws ConversionException {
        return FromCql.convert(value, type, null, target, zone, (columns, rows) -> {
            throw new AssertionError();
        });
    }

    /** What the application sees, by java.util alone. */
    private static String shown(java.util.Date value, ZoneId zone) {
        Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone(zone), Locale.ROOT);
        calendar.setTime(value);
        return String.format(
                Locale.ROOT,
                "%04d-%02d-%02d %02d:%02d:%02d.%03d",
                calendar.get(Calendar.YEAR),
                calendar.get(Calendar.MONTH) + 1,
                calendar.get(Calendar.DAY_OF_MONTH),
                calendar.get(Calendar.HOUR_OF_DAY),
                calendar.get(Calendar.MINUTE),
                calendar.get(Calendar.SECOND),
                calendar.get(Calendar.MILLISECOND));
    }

    private static boolean isSkipped(LocalDateTime local, ZoneId zone) {
        return zone.getRules().getValidOffsets(local).isEmpty();
    }

    private static List<ZoneId> zones() {
        List<ZoneId> zones = new ArrayList<>();
        for (String id : ZoneId.getAvailableZoneIds()) {
            zones.add(ZoneId.of(id));
        }
        zones.add(ZoneId.of("+05:30"));
        zones.add(ZoneId.of("GMT-03:00"));
        return zones;
    }

    @Test
    void shouldKeepTheFieldsOfADateInTheZoneOfTheJvm() throws Exception {
        for (ZoneId zone : zones()) {
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            ZoneId jvm = ZoneId.systemDefault();
            for (String day : DAYS) {
                Date date = Date.valueOf(day);
                LocalDate local = LocalDate.parse(day);
                assertThat(stored(date, DataTypes.DATE, jvm))
                        .as("%s in %s", day, zone)
                        .isEqualTo(local);
                Instant instant = (Instant) stored(date, DataTypes.TIMESTAMP, jvm);
                assertThat(instant)
                        .as("%s in %s", day, zone)
                        .isEqualTo(local.atStartOfDay(jvm).toInstant());
                for (Object column : List.of(instant, local)) {
                    DataType type = column == instant ? DataTypes.TIMESTAMP : DataTypes.DATE;
                    assertThat(read(column, type, Date.class, jvm))
                            .as("%s in %s", day, zone)
                            .isEqualTo(date)
                            .hasToString(day);
                }
                assertThat(read(instant, DataTypes.TIMESTAMP, LocalDate.class, jvm))
                        .isEqualTo(local);
            }
        }
    }

    @Test
    void shouldKeepTheFieldsOfATimestampInTheZoneOfTheJvm() throws Exception {
        int kept = 0;
        int refused = 0;
        for (ZoneId zone : zones()) {
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            ZoneId jvm = ZoneId.systemDefault();
            for (String day : DAYS) {
                for (String time : TIMES) {
                    Timestamp value = Timestamp.valueOf(day + " " + time);
                    // What java.util makes of a time that its clocks skip.
                    LocalDateTime local = LocalDateTime.parse(value.toString().replace(' ', 'T'));
                    if (isSkipped(local, jvm)) {
                        refused++;
                        assertThatThrownBy(() -> stored(value, DataTypes.TIMESTAMP, jvm))
                                .isInstanceOf(ConversionException.class)
                                .hasMessageContaining("skip it");
                        continue;
                    }
                    kept++;
                    Instant instant = (Instant) stored(value, DataTypes.TIMESTAMP, jvm);
                    assertThat(LocalDateTime.ofInstant(instant, jvm))
                            .as("%s in %s", value, zone)
                            .isEqualTo(local);
                    assertThat(read(instant, DataTypes.TIMESTAMP, Timestamp.class, jvm))
                            .as("%s in %s", value, zone)
                            .hasToString(value.toString());
                    assertThat(read(instant, DataTypes.TIMESTAMP, String.class, jvm))
                            .isEqualTo(value.toString());
                    assertThat(read(instant, DataTypes.TIMESTAMP, LocalDateTime.class, jvm))
                            .isEqualTo(local);
                    assertThat(stored(value, DataTypes.DATE, jvm)).isEqualTo(local.toLocalDate());
                    assertThat((String) stored(value, DataTypes.TEXT, jvm)).startsWith(value.toString());
                }
            }
        }
        assertThat(kept).isGreaterThan(1_000 * refused / 10);
    }

    /** DAO code makes dates of the current time. */
    @Test
    void shouldStoreADateAtMidnightWhateverItsTimeOfDay() throws Exception {
        for (ZoneId zone : zones()) {
            Instant noon =
                    LocalDateTime.parse("2024-01-31T12:34:56.789").atZone(zone).toInstant();
            Date date = new Date(noon.toEpochMilli());
            assertThat(stored(date, DataTypes.TIMESTAMP, zone))
                    .as("in %s", zone)
                    .isEqualTo(LocalDate.of(2024, 1, 31).atStartOfDay(zone).toInstant());
            assertThat(stored(date, DataTypes.DATE, zone)).isEqualTo(LocalDate.of(2024, 1, 31));
        }
    }

    @Test
    void shouldKeepTheFieldsOfATimeInTheZoneOfTheJvm() throws Exception {
        for (ZoneId zone : zones()) {
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            ZoneId jvm = ZoneId.systemDefault();
            for (String text : List.of("00:00:00", "01:02:03", "12:34:56", "23:59:59")) {
                Time time = Time.valueOf(text);
                assertThat(stored(time, DataTypes.TIME, jvm)).isEqualTo(LocalTime.parse(text));
                assertThat(read(LocalTime.parse(text), DataTypes.TIME, Time.class, jvm))
                        .hasToString(text);
            }
        }
    }

    @Test
    void shouldKeepTheFieldsInTheZoneOfACalendar() throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        for (ZoneId zone : zones()) {
            for (String day : DAYS) {
                LocalDate local = LocalDate.parse(day);
                Date date = read(local, DataTypes.DATE, Date.class, zone);
                assertThat(shown(date, zone)).as("%s in %s", day, zone).startsWith(day);
                assertThat(stored(date, DataTypes.DATE, zone)).isEqualTo(local);
                Instant midnight = (Instant) stored(date, DataTypes.TIMESTAMP, zone);
                assertThat(midnight).isEqualTo(local.atStartOfDay(zone).toInstant());
                assertThat(read(midnight, DataTypes.TIMESTAMP, Date.class, zone))
                        .isEqualTo(date);

                Instant noon =
                        local.atTime(12, 34, 56, 789_000_000).atZone(zone).toInstant();
                Timestamp timestamp = read(noon, DataTypes.TIMESTAMP, Timestamp.class, zone);
                assertThat(shown(timestamp, zone)).as("%s in %s", day, zone).isEqualTo(day + " 12:34:56.789");
                assertThat(stored(timestamp, DataTypes.TIMESTAMP, zone)).isEqualTo(noon);
            }
        }
    }

    @Test
    void shouldKeepTheMomentWhereClocksShowTheSameTwice() throws Exception {
        ZoneId zurich = ZoneId.of("Europe/Zurich");
        for (String offset : List.of("+02:00", "+01:00")) {
            Instant instant =
                    OffsetDateTime.parse("2024-10-27T02:30:00.123" + offset).toInstant();
            Timestamp timestamp = Timestamp.from(instant);

            assertThat(stored(timestamp, DataTypes.TIMESTAMP, zurich)).isEqualTo(instant);
            assertThat(read(instant, DataTypes.TIMESTAMP, Timestamp.class, zurich))
                    .isEqualTo(timestamp);
        }
    }

    @Test
    void shouldRefuseADayOfTheJulianCalendarAlone() {
        Date date = Date.valueOf("1500-02-29");

        assertThat(date).hasToString("1500-02-29");
        assertThatThrownBy(() -> stored(date, DataTypes.DATE, ZoneId.systemDefault()))
                .isInstanceOf(ConversionException.class)
                .hasMessageContaining("only the Julian calendar has this day")
                .hasMessageContaining("1500-2-29");
    }

    @Test
    void shouldRefuseADayThatTheChangeOfTheCalendarLeftOut() {
        LocalDate leftOut = LocalDate.of(1582, 10, 10);

        assertThatThrownBy(() -> read(leftOut, DataTypes.DATE, Date.class, ZoneId.systemDefault()))
                .isInstanceOf(ConversionException.class)
                .hasMessageContaining("skips it; read it as a java.time.LocalDate")
                .hasMessageContaining("1582-10-10");
    }

    @Test
    void shouldTakeAZoneOfTheApplicationsOwnAsItsOffset() {
        Calendar calendar = new GregorianCalendar(new SimpleTimeZone(5_430_000, "Here"), Locale.ROOT);

        assertThat(Temporals.zone(calendar)).isEqualTo(ZoneId.of("+01:30:30"));
    }
}
