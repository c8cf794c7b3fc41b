package dev.cassidy.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import java.time.ZoneId;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DateTimeTextTest {

    private static final Map<String, DataType> TYPES =
            Map.of("timestamp", DataTypes.TIMESTAMP, "date", DataTypes.DATE, "time", DataTypes.TIME);

    private static Object read(String text, String type, DateOrder order) throws Exception {
        return new ToCql(ZoneId.of("Asia/Kolkata"), order, ignored -> {}).convert(text, TYPES.get(type));
    }

    @ParameterizedTest
    @CsvSource({
        "timestamp, 20240131, 2024-01-30T18:30:00Z",
        "timestamp, 20240131 9:05, 2024-01-31T03:35:00Z",
        "timestamp, 20240131 09:05:00.5, 2024-01-31T03:35:00.500Z",
        "timestamp, 20240131T09:05:00Z, 2024-01-31T09:05:00Z",
        "timestamp, 2024-01-31, 2024-01-30T18:30:00Z",
        "timestamp, 2024-1-5, 2024-01-04T18:30:00Z",
        "timestamp, 2024/1/5, 2024-01-04T18:30:00Z",
        "timestamp, 2024.1.5, 2024-01-04T18:30:00Z",
        "timestamp, 2024-01-31 9:05:00, 2024-01-31T03:35:00Z",
        "timestamp, 2024-1-5 1:2:3, 2024-01-04T19:32:03Z",
        "timestamp, '  2024-1-5 1:2:3 ', 2024-01-04T19:32:03Z",
        "timestamp, 2024-1-5 12:05 AM, 2024-01-04T18:35:00Z",
        "timestamp, 2024-1-5 12:05PM, 2024-01-05T06:35:00Z",
        "timestamp, 2024-1-5 1:05:06.007 pm, 2024-01-05T07:35:06.007Z",
        "timestamp, 2024-01-31T09:05, 2024-01-31T03:35:00Z",
        "timestamp, 2024-01-31t09:05:00.123z, 2024-01-31T09:05:00.123Z",
        "timestamp, 2024-01-31 09:05+0200, 2024-01-31T07:05:00Z",
        "timestamp, 2024-01-31 09:05:00.123+02:00, 2024-01-31T07:05:00.123Z",
        "timestamp, 2024-01-31T09:05:00 -0130, 2024-01-31T10:35:00Z",
        "timestamp, 2024-01-31 09:05:00+02, 2024-01-31T07:05:00Z",
        "timestamp, 2024-01-31 09:05:00 UTC, 2024-01-31T09:05:00Z",
        "timestamp, 1890-01-01T00:00:00+05:53:28, 1889-12-31T18:06:32Z",
        "timestamp, 2024-01-31+0000, 2024-01-31T00:00:00Z",
        "timestamp, 2024-1-5-0500, 2024-01-05T05:00:00Z",
        "timestamp, +12024-01-31T00:00:00Z, +12024-01-31T00:00:00Z",
        "timestamp, -0044-03-15T00:00:00Z, -0044-03-15T00:00:00Z",
        "date, 20240131, 2024-01-31",
        "date, 2024-1-5, 2024-01-05",
        "date, 2024-02-29, 2024-02-29",
        "date, 2024-1-5 0:00, 2024-01-05",
        "time, 9:05, 09:05",
        "time, 09:05:06.123456789, 09:05:06.123456789",
        "time, 9:05 pm, 21:05",
    })
    void shouldReadOneValue(String type, String text, String expected) throws Exception {
        assertThat(read(text, type, DateOrder.NONE)).hasToString(expected);
        assertThat(read(text, type, DateOrder.DMY)).hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "MDY, 1/2/2024, 2024-01-02",
        "DMY, 1/2/2024, 2024-02-01",
        "DMY, 31.12.2024, 2024-12-31",
        "MDY, 1-2-49, 2049-01-02",
        "DMY, 1-2-50, 1950-02-01",
        "YMD, 24/1/2, 2024-01-02",
        "YMD, 2024/1/2, 2024-01-02",
    })
    void shouldReadADateInTheOrderThatIsGiven(DateOrder order, String text, String expected) throws Exception {
        assertThat(read(text, "date", order)).hasToString(expected);
    }

    @Test
    void shouldNameTheOptionWhereTheOrderIsNotKnown() {
        assertThatThrownBy(() -> read("1/2/2024", "date", DateOrder.NONE))
                .hasMessageContaining("depends on the language of the session")
                .hasMessageContaining("dateFormat=mdy");
    }

    @ParameterizedTest
    @CsvSource({
        "timestamp, 2024-02-30, 242",
        "timestamp, 20240230, 242",
        "timestamp, 2023-02-29 10:00:00, 242",
        "timestamp, 2024-13-01, 242",
        "timestamp, 2024-00-10, 242",
        "timestamp, 2024-01-31 24:00:00, 242",
        "timestamp, 2024-01-31 23:60, 242",
        "timestamp, 2024-01-31 23:59:60, 242",
        "date, 2024-02-30, 242",
        "time, 24:00:00, 242",
        "time, 12:60, 242",
        "timestamp, '', 241",
        "timestamp, ' ', 241",
        "date, '', 241",
        "time, '', 241",
        "timestamp, 2024, 241",
        "timestamp, 240131, 241",
        "timestamp, 1706659200000, 241",
        "timestamp, -1, 241",
        "timestamp, now, 241",
        "timestamp, Jan 31 2024, 241",
        "timestamp, 1/2/2024, 241",
        "timestamp, 2024-1/5, 241",
        "timestamp, 2024-01-31 14, 241",
        "timestamp, 2024-01-31 13:00 pm, 241",
        "timestamp, 2024-01-31 0:00 am, 241",
        "timestamp, 2024-01-31 12:00 CET, 241",
        "timestamp, 2024-01-31 12:00+19:00, 241",
        "timestamp, 2024-01-31 12:00:00:123, 241",
        "timestamp, 2024-01-31 12:00:00.1234567890, 241",
        "timestamp, 2024-01-31 12:00:00 x, 241",
        "timestamp, 09:05:00, 0",
        "date, 09:05:00, 0",
        "time, 2024-01-31 09:05:00, 0",
        "time, 34500000000000, 241",
        "date, 2147483648, 241",
    })
    void shouldRefuseWhatHasNoOneMeaning(String type, String text, int number) {
        assertThatThrownBy(() -> read(text, type, DateOrder.NONE))
                .isInstanceOfSatisfying(ConversionException.class, e -> {
                    assertThat(e).hasMessageContaining("is not " + type).hasMessageContaining("'" + text + "'");
                    assertThat(e.in("x").getSQLState()).isEqualTo("22007");
                    assertThat(e.in("x").getErrorCode()).isEqualTo(number);
                });
    }

    @ParameterizedTest
    @CsvSource({"MDY, 13/1/2024, 242", "DMY, 30.2.2024, 242", "MDY, 1/2/024, 241", "YMD, 1/2/2024, 241"})
    void shouldRefuseWhatTheOrderDoesNotAllow(DateOrder order, String text, int number) {
        assertThatThrownBy(() -> read(text, "timestamp", order))
                .isInstanceOfSatisfying(
                        ConversionException.class,
                        e -> assertThat(e.in("x").getErrorCode()).isEqualTo(number));
    }
}
