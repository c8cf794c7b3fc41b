package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Passwords, and connections without TLS. Nothing listens at the addresses. */
class PlainPasswordsTest {

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(PlainPasswords.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        LOGGER.addAppender(log);
    }

    @AfterEach
    void stop() {
        LOGGER.detachAppender(log);
    }

    private List<String> warned() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static void fail(String hosts, String options, Properties properties) {
        assertThatThrownBy(() -> DriverManager.getConnection(
                        "jdbc:cassidy://" + hosts + "/?connectTimeout=1ms&" + options, properties))
                .hasMessageStartingWith("Cannot connect to " + hosts);
    }

    @Test
    void shouldWarnOnceOfAPasswordThatGoesToAnotherMachine() {
        fail("192.0.2.1:9", "user=u&password=s3cret", new Properties());
        fail("192.0.2.1:9", "user=other&password=s3cret", new Properties());

        assertThat(warned())
                .singleElement()
                .asString()
                .startsWith("A password goes to /192.0.2.1:9 without TLS")
                .contains("ssl=true", "requireTls=true")
                .doesNotContain("s3cret");
        fail("192.0.2.2:9,localhost:1", "user=u&password=p", new Properties());
        assertThat(warned()).hasSize(2);
    }

    @Test
    void shouldWarnOfAPasswordOfAConfigurationFile(@TempDir Path folder) throws Exception {
        Properties properties = new Properties();
        properties.setProperty(
                "configFile",
                Files.writeString(
                                folder.resolve("driver.conf"),
                                "datastax-java-driver.advanced.auth-provider { class = PlainTextAuthProvider, username = u,"
                                        + " password = p }")
                        .toString());

        fail("192.0.2.3:9", "", properties);

        assertThat(warned()).hasSize(1);
    }

    @Test
    void shouldNotWarnWithoutNeed() {
        fail("localhost:1", "user=u&password=p", new Properties());
        fail("127.0.0.2:1,[::1]:1", "user=u&password=p", new Properties());
        fail("192.0.2.4:9", "ssl=true&user=u&password=p", new Properties());
        fail("192.0.2.4:9", "", new Properties());

        assertThat(warned()).isEmpty();
    }

    @Test
    void shouldRefuseAConnectionWithoutTlsIfItIsRequired(@TempDir Path folder) throws Exception {
        Properties file = new Properties();
        Path driver = folder.resolve("driver.conf");
        file.setProperty("configFile", driver.toString());
        file.setProperty("requireTls", "true");

        Files.writeString(driver, "datastax-java-driver.basic.request.page-size = 8");
        for (String options : new String[] {"user=u&password=p", "ssl=false"}) {
            assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://192.0.2.5:9/?" + options, file))
                    .hasFieldOrPropertyWithValue("SQLState", "08001")
                    .hasMessageContaining("requireTls='true' refuses a connection without TLS: give ssl=true");
        }
        assertThat(warned()).isEmpty();
        Files.writeString(driver, "datastax-java-driver.advanced.ssl-engine-factory.class = DefaultSslEngineFactory");
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://192.0.2.5:9/?ssl=false", file))
                .hasMessageContaining("requireTls");
        fail("192.0.2.5:9", "", file);
        fail("192.0.2.5:9", "ssl=true&requireTls=true", new Properties());
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://192.0.2.5:9/?ssl=true&requireTls=1"))
                .hasMessageContaining("must be one of true, false: requireTls='1'");
    }
}
