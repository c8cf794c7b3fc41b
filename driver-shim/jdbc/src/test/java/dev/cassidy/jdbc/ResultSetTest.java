package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.jdbc.value.Column;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Arrays;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

/** Getters, on rows in memory. */
class ResultSetTest {

    private static final Instant NOON = Instant.parse("2024-07-01T12:00:00Z");

    private final ResultSet row = CassidyResultSet.of(
            List.of(
                    Column.of("n", DataTypes.BIGINT),
                    Column.of("price", DataTypes.DECIMAL),
                    Column.of("at", DataTypes.TIMESTAMP),
                    Column.of("raw", DataTypes.BLOB)),
            List.of(Arrays.asList(null, new BigDecimal("1.25"), NOON, ByteBuffer.wrap(new byte[] {1, 2}))));

    ResultSetTest() throws SQLException {
        assertThat(row.next()).isTrue();
    }

    @Test
    void shouldReadNullAsZeroAndForgetItAtTheNextValue() throws SQLException {
        assertThat(List.of(row.getLong("n"), (long) row.getInt("n"), (long) row.getShort("n"), (long) row.getByte("n")))
                .containsOnly(0L);
        assertThat(List.of(row.getDouble("n"), (double) row.getFloat("n"))).containsOnly(0.0);
        assertThat(row.getBoolean("n")).isFalse();
        assertThat(row.getBytes("n")).isNull();
        assertThat(row.wasNull()).isTrue();
        assertThat(row.getBigDecimal("price")).isEqualTo("1.25");
        assertThat(row.wasNull()).isFalse();
    }

    @Test
    @SuppressWarnings("deprecation") // Old code gives a scale.
    void shouldNotRoundToAScale() throws SQLException {
        assertThat(row.getBigDecimal("price", 3)).isEqualTo("1.250");
        assertThatThrownBy(() -> row.getBigDecimal("price", 1))
                .isInstanceOf(SQLDataException.class)
                .hasMessageContaining("does not fit scale 1: 1.25");
    }

    @Test
    void shouldNameTheColumnsThatThereAre() {
        for (int index : new int[] {0, 5}) {
            assertThatThrownBy(() -> row.getLong(index))
                    .isInstanceOf(SQLException.class)
                    .hasMessage("must be from 1 to 4: column index=" + index);
        }
        assertThatThrownBy(() -> row.getLong("m")).hasMessageContaining("its columns are n, price, at, raw");
    }

    @Test
    void shouldReadAMomentInTheZoneOfTheCalendar() throws SQLException {
        Calendar kiritimati = new GregorianCalendar(TimeZone.getTimeZone("Pacific/Kiritimati"));

        assertThat(row.getDate("at", kiritimati).getTime())
                .isEqualTo(Instant.parse("2024-07-01T10:00:00Z").toEpochMilli());
        assertThat(row.getTimestamp("at", kiritimati)).isEqualTo(Timestamp.from(NOON));
    }

    @Test
    void shouldReadBytesAgain() throws SQLException {
        assertThat(row.getBytes("raw")).containsExactly(1, 2);
        assertThat(row.getBytes("raw")).containsExactly(1, 2);
    }
}
