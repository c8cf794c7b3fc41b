package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** The recorder is another driver, and may be on the same class path. */
class RecorderUrlTest {

    private static final String RECORDED = "jdbc:cassidy:record:jdbc:sqlserver://old;password=secret";

    @Test
    void shouldLeaveUrlsOfTheRecorderToIt() throws SQLException {
        assertThat(new CassidyDriver().acceptsURL(RECORDED)).isFalse();
        assertThat(new CassidyDriver().connect(RECORDED, new Properties())).isNull();
    }

    @Test
    void shouldNameTheRecorderForAnOldDatabase() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> new CassidyDriver()
                        .connect("jdbc:cassidy:check:jdbc:sqlserver://old;password=secret", new Properties()))
                .withMessageContaining("cassidy-recorder")
                .matches(e -> !e.getMessage().contains("secret"));
    }
}
