package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a configFile can do, and what it cannot. */
class ConfigFileTest {

    private static final String SECRET = "s3cr3t";
    private static final String SECTION = "datastax-java-driver.basic.request.page-size = 8\n";

    @TempDir
    private Path folder;

    private Path file(String name, String text) throws IOException {
        Files.createDirectories(folder.resolve(name).getParent());
        return Files.writeString(folder.resolve(name), text);
    }

    private static DriverExecutionProfile byProperties(Object file) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("configFile", file.toString());
        try (DriverConfigLoader loader =
                DriverOptions.loader(ConnectionSettings.parse("jdbc:cassidy://a/k", properties))) {
            return loader.getInitialConfig().getDefaultProfile();
        }
    }

    private static void assertRefused(ThrowingCallable opening, String... parts) {
        assertThatThrownBy(opening)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(parts)
                // Causes too: a log shows them.
                .satisfies(thrown -> {
                    for (Throwable each = thrown; each != null; each = each.getCause()) {
                        assertThat(each.toString()).doesNotContain(SECRET);
                    }
                });
    }

    /** Who may write a URL is often not who runs the application. */
    @Test
    void shouldNotLetAUrlNameAFile() throws Exception {
        Path file = file("driver.conf", SECTION);
        Properties properties = new Properties();
        properties.setProperty("configFile", file.toString());
        String url = "jdbc:cassidy://localhost:1/k?configFile=" + file;

        for (Properties given : new Properties[] {new Properties(), properties}) {
            assertThatThrownBy(() -> DriverManager.getConnection(url, given))
                    .hasFieldOrPropertyWithValue("SQLState", "08001")
                    .hasMessageContaining("must not be in a URL: configFile='" + file + "'. Give it as a property");
        }
        assertThat(byProperties(file).getInt(DefaultDriverOption.REQUEST_PAGE_SIZE))
                .isEqualTo(8);
    }

    @Test
    void shouldShowTheEnvironmentAndSystemPropertiesToAFile() throws Exception {
        Path a = file("a.conf", "datastax-java-driver.basic.session-name = ${PATH}\n");
        Path b = file("b.conf", "datastax-java-driver.basic.session-name = ${java.home}\n");

        assertThat(byProperties(a).getString(DefaultDriverOption.SESSION_NAME)).isEqualTo(System.getenv("PATH"));
        assertThat(byProperties(b).getString(DefaultDriverOption.SESSION_NAME))
                .isEqualTo(System.getProperty("java.home"));
    }

    @Test
    @Timeout(60)
    void shouldOpenNoConnectionForAnInclude() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "http://localhost:" + listening.getLocalPort() + "/" + SECRET;
            Path asked = file("asked.conf", SECTION + "include url(\"" + url + "\")");
            Path bare = file("bare.conf", SECTION + "include \"" + url + "\"");
            Path required = file("required.conf", SECTION + "include required(url(\"" + url + "\"))");

            assertRefused(() -> byProperties(asked), "asked.conf includes a URL");
            // The library tries any name as a URL first; here it is a name of a file.
            assertThat(byProperties(bare).getInt(DefaultDriverOption.REQUEST_PAGE_SIZE))
                    .isEqualTo(8);
            assertRefused(() -> byProperties(required), "required.conf includes a URL");
            listening.setSoTimeout(1);
            assertThatThrownBy(listening::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void shouldIncludeFiles() throws Exception {
        file("more/size.conf", "datastax-java-driver.basic.request.page-size = 9");
        file("more/level.json", "{\"datastax-java-driver\": {\"basic\": {\"request\": {\"consistency\": \"TWO\"}}}}");
        file("more/name.properties", "datastax-java-driver.basic.session-name=n");
        Path file = file("driver.conf", """
                include "more/size"
                include required("more/level.json")
                include file("%s")
                include "more/none"
                """.formatted(folder.resolve("more/name")));

        DriverExecutionProfile profile = byProperties(file);

        assertThat(profile.getInt(DefaultDriverOption.REQUEST_PAGE_SIZE)).isEqualTo(9);
        assertThat(profile.getString(DefaultDriverOption.REQUEST_CONSISTENCY)).isEqualTo("TWO");
        assertThat(profile.getString(DefaultDriverOption.SESSION_NAME)).isEqualTo("n");
        assertRefused(
                () -> byProperties(file("bad.conf", "include required(\"" + "more/none\")")),
                "bad.conf requires an include that does not exist");
        assertRefused(
                () -> byProperties(file("bad.conf", "include classpath(\"reference.conf\")")),
                "bad.conf includes from the class path");
    }

    @Test
    void shouldIncludeFromTheClassPathIfTheFileIsThere() throws Exception {
        file("conf/driver.conf", "include \"more\"\ninclude classpath(\"conf/level.conf\")");
        file("conf/more.conf", "datastax-java-driver.basic.request.page-size = 9");
        file("conf/level.conf", "datastax-java-driver.basic.request.consistency = TWO");
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);

            DriverExecutionProfile profile = byProperties("classpath:conf/driver.conf");

            assertThat(profile.getInt(DefaultDriverOption.REQUEST_PAGE_SIZE)).isEqualTo(9);
            assertThat(profile.getString(DefaultDriverOption.REQUEST_CONSISTENCY))
                    .isEqualTo("TWO");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void shouldEndIfFilesIncludeThemselves() throws Exception {
        assertRefused(
                () -> byProperties(file("twice.conf", "include \"twice\"\ninclude \"twice\"")),
                "more than 50 files are included");
    }

    @Test
    void shouldReadALimitedSize() throws Exception {
        String half = "#".repeat(600_000) + "\n";
        file("more.conf", half);

        assertThat(byProperties(file("driver.conf", half + SECTION)).getInt(DefaultDriverOption.REQUEST_PAGE_SIZE))
                .isEqualTo(8);
        assertRefused(() -> byProperties(file("driver.conf", half + half)), "more than 1048576 bytes");
        assertRefused(() -> byProperties(file("driver.conf", half + "include more")), "syntax");
        assertRefused(
                () -> byProperties(file("driver.conf", half + "include \"more\"")), "more.conf has", "1048576 bytes");
        assertRefused(() -> byProperties(file("driver.conf", "a=" + "[".repeat(500_000))), "driver.conf");
    }

    static boolean hasDevices() {
        return new File("/dev/zero").exists();
    }

    @Test
    @EnabledIf("hasDevices")
    void shouldReadNoDevice() {
        assertRefused(() -> byProperties("/dev/zero"), "/dev/zero is not a regular file");
        assertRefused(() -> byProperties(folder), "is not a regular file");
        assertRefused(
                () -> byProperties(
                        file("driver.conf", "include \"/dev/zero.conf\"\ninclude required(file(\"/dev/zero\"))")),
                "does not exist");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-----BEGIN PRIVATE KEY-----\n" + SECRET + "\n-----END PRIVATE KEY-----\n",
                "root:x:0:0:" + SECRET + ":/root:/bin/bash\n",
                SECRET,
                "a {\n" + SECRET + "\n",
                "a = \"" + SECRET,
                "a = ${" + SECRET + "}",
                "a = ${?" + SECRET,
                "a += {b: 1} [" + SECRET + "]",
                SECRET + "..a = 1",
                "a = 1\n a." + SECRET + " = ${a}\n b = ${b." + SECRET + "}",
                "include " + SECRET,
            })
    void shouldNotQuoteTheFile(String text) throws Exception {
        Path file = file("driver.conf", SECTION + text);

        assertRefused(() -> byProperties(file), "configFile='" + file + "' (", "at " + file + ": ");
    }

    @Test
    void shouldNotQuoteAValueThatTheDriverCannotTake() throws Exception {
        Properties properties = new Properties();
        properties.setProperty(
                "configFile",
                file("driver.conf", "datastax-java-driver.basic.request.timeout = " + SECRET)
                        .toString());

        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://localhost:1/k", properties))
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("java-driver cannot take the value of basic.request.timeout")
                .satisfies(thrown -> {
                    for (Throwable each = thrown; each != null; each = each.getCause()) {
                        assertThat(each.toString()).doesNotContain(SECRET);
                    }
                });
    }
}
