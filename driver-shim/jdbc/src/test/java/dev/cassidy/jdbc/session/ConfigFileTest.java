package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.tracker.RequestTracker;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a configFile cannot do, named by a URL or by the application. */
class ConfigFileTest {

    private static final String SECRET = "s3cr3t";
    private static final String SECTION = "datastax-java-driver.basic.request.page-size = 8\n";
    private static final AtomicInteger INITIALISED = new AtomicInteger();

    /** Not of the driver's; only its name may be seen, and it must not be initialised. */
    static final class Unrelated {
        static {
            INITIALISED.incrementAndGet();
        }
    }

    @TempDir
    private Path folder;

    @AfterEach
    void clear() {
        System.clearProperty(ConfigRules.FOLDER);
        System.clearProperty(ConfigRules.CLASSES);
    }

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

    private static DriverExecutionProfile byUrl(Object file) throws SQLException {
        ConnectionSettings settings =
                ConnectionSettings.parse("jdbc:cassidy://a/k?configFile=" + file, new Properties());
        try (DriverConfigLoader loader = DriverOptions.loader(settings)) {
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

    // ---- named by a URL

    @Test
    void shouldNotLetAUrlNameAFile() throws Exception {
        Path file = file("driver.conf", SECTION);

        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://localhost:1/k?configFile=" + file))
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("must not be in a URL: configFile='" + file + "'")
                .hasMessageContaining("cassidy.configFolder");
        assertRefused(() -> byUrl("classpath:dev/cassidy/jdbc/driver-options-test.conf"), "must not be in a URL");
    }

    @Test
    void shouldLetAUrlNameAFileBelowTheFolderOfTheSystemProperty() throws Exception {
        Path outside = file("outside.conf", SECTION);
        Path inside = file("conf/inside.conf", SECTION);
        Path link = Files.createSymbolicLink(folder.resolve("conf/link.conf"), outside);
        Path inner = Files.createSymbolicLink(folder.resolve("conf/inner.conf"), inside);
        Path sibling = file("conf-other/driver.conf", SECTION);
        Path folderLink = Files.createSymbolicLink(folder.resolve("conf/other"), sibling.getParent());
        System.setProperty(ConfigRules.FOLDER, folder.resolve("conf").toString());

        assertThat(byUrl(inside).getInt(DefaultDriverOption.REQUEST_PAGE_SIZE)).isEqualTo(8);
        assertThat(byUrl(inner).getInt(DefaultDriverOption.REQUEST_PAGE_SIZE)).isEqualTo(8);
        assertRefused(() -> byUrl(folder.resolve("conf/none.conf")), "there is no");
        for (Object refused : new Object[] {
            outside,
            link,
            sibling,
            folderLink.resolve("driver.conf"),
            // A path that stays below the folder only if the link is not followed.
            folder.resolve("conf/other/../outside.conf"),
            folder.resolve("conf/../outside.conf"),
            folder.resolve("none.conf"),
            "classpath:a.conf"
        }) {
            assertRefused(() -> byUrl(refused), "must be below the folder", "configFile='" + refused + "'");
        }
        assertThat(byProperties(outside).getInt(DefaultDriverOption.REQUEST_PAGE_SIZE))
                .isEqualTo(8);
    }

    @Test
    void shouldLetAUrlNameAFileOfTheClassPathBelowItsFolder() throws Exception {
        System.setProperty(ConfigRules.FOLDER, "classpath:dev/cassidy/jdbc");

        assertThat(byUrl("classpath:dev/cassidy/jdbc/driver-options-test.conf")
                        .getInt(DefaultDriverOption.REQUEST_PAGE_SIZE))
                .isEqualTo(123);
        assertRefused(() -> byUrl("classpath:reference.conf"), "must be below the folder");
        assertRefused(() -> byUrl("classpath:dev/cassidy/jdbc/../../../reference.conf"), "must be below the folder");
        assertRefused(() -> byUrl(file("driver.conf", SECTION)), "must be below the folder");
    }

    @Test
    void shouldTrustAFileThatThePropertiesNameToo() throws Exception {
        Path file = file("driver.conf", SECTION);
        Properties properties = new Properties();
        properties.setProperty("configFile", file.toString());

        assertThat(ConnectionSettings.parse("jdbc:cassidy://a/k?configFile=" + file, properties)
                        .configFileOfUrl())
                .isFalse();
        assertThat(ConnectionSettings.parse("jdbc:cassidy://a/k?configFile=" + file, new Properties())
                        .configFileOfUrl())
                .isTrue();
    }

    @Test
    void shouldNotShowTheEnvironmentToAFileThatAUrlNames() throws Exception {
        String path = "datastax-java-driver.basic.session-name = ${PATH}\n";
        String property = "datastax-java-driver.basic.session-name = ${java.home}\n";
        Path a = file("a.conf", path);
        Path b = file("b.conf", property);
        Path own = file("own.conf", "v = 7\ndatastax-java-driver.basic.request.page-size = ${v}\n");
        System.setProperty(ConfigRules.FOLDER, folder.toString());

        assertRefused(() -> byUrl(a), "a reference has no value", "a.conf: 1");
        assertRefused(() -> byUrl(b), "a reference has no value", "b.conf: 1");
        assertThat(byUrl(own).getInt(DefaultDriverOption.REQUEST_PAGE_SIZE)).isEqualTo(7);
        assertThat(byProperties(a).getString(DefaultDriverOption.SESSION_NAME)).isEqualTo(System.getenv("PATH"));
        assertThat(byProperties(b).getString(DefaultDriverOption.SESSION_NAME))
                .isEqualTo(System.getProperty("java.home"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "advanced.request-tracker.classes = [RequestLogger, \"%s\"]",
                "advanced.request-tracker.class = \"%s\"",
                "basic.load-balancing-policy.class = \"%s\"",
                "profiles.slow.advanced.retry-policy.class = \"%s\"",
                "advanced.node-state-listener.classes.0 = \"%s\"",
            })
    void shouldNotLoadAnUnrelatedClassForAUrl(String option) throws Exception {
        String name = getClass().getName() + "\\u0024Unrelated";
        Path file = file("driver.conf", "datastax-java-driver { " + option.formatted(name) + " }");
        System.setProperty(ConfigRules.FOLDER, folder.toString());

        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:cassidy://localhost:1/k?configFile=" + file))
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("names a class that is not java-driver's, at ")
                .hasMessageContaining("cassidy.configClasses");
        assertThat(INITIALISED).hasValue(0);
    }

    @Test
    void shouldTakeTheDriversClassesAndThoseOfTheSystemProperty() throws Exception {
        Path file = file(
                "driver.conf", """
                datastax-java-driver {
                  basic.load-balancing-policy.class = DefaultLoadBalancingPolicy
                  advanced.retry-policy.class = com.datastax.oss.driver.internal.core.retry.DefaultRetryPolicy
                  advanced.request-tracker.classes = ["%s"]
                }
                """.formatted(RequestTracker.class.getName().replace("com.datastax", "org.example")));
        System.setProperty(ConfigRules.FOLDER, folder.toString());

        assertRefused(() -> byUrl(file), "advanced.request-tracker.classes");
        System.setProperty(ConfigRules.CLASSES, "a.B, org.example.oss.driver.api.core.tracker.RequestTracker");
        assertThat(byUrl(file).getString(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS))
                .isEqualTo("DefaultLoadBalancingPolicy");
    }

    // ---- named by anybody

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
