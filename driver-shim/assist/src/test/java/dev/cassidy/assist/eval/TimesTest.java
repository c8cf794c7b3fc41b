package dev.cassidy.assist.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Moments as statements see them, in a zone whose clocks show an hour twice in October and skip one in March. */
class TimesTest {

    private static final Instant FIRST = Instant.parse("2024-10-27T00:30:00Z");
    private static final Instant SECOND = Instant.parse("2024-10-27T01:30:00Z");
    private static final LocalDateTime BOTH = LocalDateTime.parse("2024-10-27T02:30");

    private ZoneId zone = ZoneId.of("Europe/Berlin");
    private Instant now = Instant.parse("2024-01-31T11:00:00Z");

    @AutoClose
    private final Engine engine = new Engine(() -> now, () -> zone, Limits.defaults());

    private final Shop seen = Shop.empty()
            .with(
                    "seen",
                    null,
                    "id int, at datetime2(3), old datetime, small smalldatetime, there datetimeoffset(3)",
                    Shop.row(1, FIRST, FIRST, FIRST, FIRST),
                    Shop.row(2, SECOND, SECOND, SECOND, SECOND));

    private String ids(String condition, Object... parameters) {
        return seen.rows(engine, "SELECT id FROM seen WHERE " + condition + " ORDER BY id", parameters);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "at = old; 1 | 2",
                "at = small; 1 | 2",
                "old = small; 1 | 2",
                "at = there; 1 | 2",
                "CAST(at AS DATETIME2(0)) = at; 1 | 2",
                "CAST(at AS DATETIME) = old; 1 | 2",
                "CAST(at AS SMALLDATETIME) = small; 1 | 2",
                "ISNULL(old, there) = there; 1 | 2",
                "COALESCE(NULL, at, there) = there; 1 | 2",
                "at IN (SELECT there FROM seen WHERE id = 2); 2",
                "at > (SELECT at FROM seen WHERE id = 1); 2",
                "at = '2024-10-27 02:30'; 1",
                "at = '2024-10-27T02:30:00+01:00'; 2",
                "there = '2024-10-27 02:30:00 +01:00'; 2",
                "there = '2024-10-27T00:30:00Z'; 1",
                "there = '2024-10-27 02:30'; 1",
                "there = CAST('2024-10-27 01:30' AS DATETIMEOFFSET); 2",
                "there > '2024-10-27'; 1 | 2",
                "DATEPART(hour, at) = 2 AND DATEPART(nanosecond, at) = 0 AND DATEDIFF(hour, small, at) = 0; 1 | 2",
                "FORMAT(at, 'HH:mm') = '02:30' AND CONVERT(VARCHAR(30), old, 121) = '2024-10-27 02:30:00.000'; 1 | 2",
                "CAST(at AS VARCHAR(40)) = '2024-10-27 02:30:00.000' AND CAST(at AS TIME) = '02:30'; 1 | 2",
                "DATEADD(hour, 1, at) = '2024-10-27 03:30' AND old + 1 = '2024-10-28 02:30'; 1 | 2",
            })
    void shouldTellMomentsThatClocksShowAlike(String condition, String expected) {
        assertThat(ids(condition)).isEqualTo(expected);
    }

    @Test
    void shouldGiveEachMomentBack() {
        assertThat(seen.rows(engine, "SELECT at, old, small, there FROM seen ORDER BY id"))
                .isEqualTo("2024-10-27T02:30,2024-10-27T02:30,2024-10-27T02:30,2024-10-27T00:30Z"
                        + " | 2024-10-27T01:30:00Z,2024-10-27T01:30:00Z,2024-10-27T01:30:00Z,2024-10-27T01:30Z");
        assertThat(seen.rows(engine, "SELECT COUNT(DISTINCT at) FROM seen")).isEqualTo("2");
        assertThat(seen.rows(engine, "SELECT MAX(at) FROM seen")).isEqualTo("2024-10-27T01:30:00Z");
        now = SECOND;
        assertThat(seen.rows(engine, "SELECT GETDATE(), SYSDATETIME(), GETUTCDATE() FROM seen WHERE id = 1"))
                .isEqualTo("2024-10-27T01:30:00Z,2024-10-27T01:30:00Z,2024-10-27T01:30");
    }

    @Test
    void shouldFindMomentsByParameters() {
        for (String column : "at old small there".split(" ")) {
            assertThat(ids(column + " = ?", SECOND)).as(column).isEqualTo("2");
            assertThat(ids(column + " = ?", SECOND.atOffset(ZoneOffset.ofHours(5))))
                    .as(column)
                    .isEqualTo("2");
            assertThat(ids(column + " = ?", FIRST.atOffset(ZoneOffset.ofHours(2))))
                    .as(column)
                    .isEqualTo("1");
            assertThat(ids(column + " = ?", BOTH)).as(column).isEqualTo("1");
        }
    }

    @Test
    void shouldKeepATimeThatClocksSkip() {
        assertThat(seen.rows(engine, "SELECT CAST('2024-03-31 02:30' AS DATETIME2) FROM seen WHERE id = 1"))
                .isEqualTo("2024-03-31T02:30");
        assertThatThrownBy(() -> ids("there > '2024-03-31 02:30'"))
                .isInstanceOf(NotEvaluatedException.class)
                .hasMessageContaining("clocks in Europe/Berlin skip it");
    }

    @Test
    void shouldReadOffsetsOfStringsOrSaySo() {
        assertThat(seen.rows(
                        engine,
                        "SELECT CAST('2024-01-02 10:11:12.5 -03:30' AS DATETIMEOFFSET(1)),"
                                + " TRY_CAST('2024-01-02 10:11+99:00' AS DATETIMEOFFSET) FROM seen WHERE id = 1"))
                .isEqualTo("2024-01-02T10:11:12.500-03:30,NULL");
        for (String type : "datetime2 date time".split(" ")) {
            assertThatThrownBy(() -> ids("CAST('2024-01-02 10:11+02:00' AS " + type + ") = '2024-01-02'"))
                    .isInstanceOf(NotEvaluatedException.class)
                    .hasMessageContaining("it has an offset");
        }
        assertThatThrownBy(() -> ids("CAST('2024-01-02 10:11+02:00' AS DATETIME) = '2024-01-02'"))
                .isInstanceOfSatisfying(
                        EvaluationException.class, e -> assertThat(e.number()).isEqualTo(241));
    }

    @Test
    void shouldAskForTheZoneEachTime() {
        String sql =
                "SELECT at, GETDATE(), CAST(there AS DATETIME2(0)) FROM seen WHERE id = 1 AND at = there AND there = ?";
        OffsetDateTime there = FIRST.atOffset(ZoneOffset.UTC);
        assertThat(seen.rows(engine, sql, there)).isEqualTo("2024-10-27T02:30,2024-01-31T12:00,2024-10-27T00:30");
        zone = ZoneId.of("Asia/Kolkata");
        assertThat(seen.rows(engine, sql, there)).isEqualTo("2024-10-27T06:00,2024-01-31T16:30,2024-10-27T00:30");
    }
}
