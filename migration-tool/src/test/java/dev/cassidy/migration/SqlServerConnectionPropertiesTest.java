package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.microsoft.sqlserver.jdbc.SQLServerDriver;
import dev.cassidy.jdbc.session.ConnectionSettings;
import java.sql.DriverPropertyInfo;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Cassidy's driver knows every connection property of Microsoft's. */
class SqlServerConnectionPropertiesTest {

    @Test
    void shouldKnowEveryPropertyOfMicrosoftsDriver() throws Exception {
        List<String> names = Stream.of(new SQLServerDriver().getPropertyInfo("jdbc:sqlserver://h", new Properties()))
                .map((DriverPropertyInfo info) -> info.name)
                .toList();

        assertThat(names).hasSizeGreaterThan(70);
        assertThat(names).filteredOn(name -> isUnknown(name)).isEmpty();
        assertThat(Arrays.asList("noSuchProperty"))
                .filteredOn(name -> isUnknown(name))
                .hasSize(1);
    }

    private static boolean isUnknown(String name) {
        Properties properties = new Properties();
        properties.setProperty(name, "x");
        Throwable thrown = catchThrowable(() -> ConnectionSettings.read("jdbc:cassidy://h", properties));
        return thrown != null && String.valueOf(thrown.getMessage()).contains("unknown option");
    }
}
