package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfig;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.KeyStore;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

class DriverOptionsTest {

    @TempDir
    private Path folder;

    private DriverConfig config(String options) throws SQLException {
        try (DriverConfigLoader loader = DriverOptions.loader(
                ConnectionSettings.parse("jdbc:cassidy://a/k?" + inUrl(options), properties(options)))) {
            return loader.getInitialConfig();
        }
    }

    private static String inUrl(String options) {
        return options.replaceFirst("configFile=[^&]*&?", "");
    }

    /** A URL may not name a file. */
    private static Properties properties(String options) {
        Properties properties = new Properties();
        Matcher file = Pattern.compile("configFile=([^&]*)").matcher(options);
        if (file.find()) {
            properties.setProperty("configFile", file.group(1));
        }
        return properties;
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("driver.conf"), text);
    }

    @Test
    void shouldKeepOurDefaultsForSettingsThatTheFileLeavesOut() throws Exception {
        Path file = file("datastax-java-driver { basic.request.page-size = 8, basic.contact-points = [\"h:1\"] }");
        DriverExecutionProfile with =
                config("configFile=" + file + "&connectTimeout=3s").getDefaultProfile();

        DriverExecutionProfile without = config("connectTimeout=3s").getDefaultProfile();
        assertThat(with.getInt(DefaultDriverOption.REQUEST_PAGE_SIZE)).isEqualTo(8);
        assertThat(without.getInt(DefaultDriverOption.REQUEST_PAGE_SIZE)).isEqualTo(5000);
        for (DriverExecutionProfile profile : new DriverExecutionProfile[] {with, without}) {
            assertThat(profile.getBoolean(DefaultDriverOption.NETTY_DAEMON)).isTrue();
            assertThat(profile.getInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD))
                    .isEqualTo(100);
            assertThat(profile.getString(DefaultDriverOption.NETTY_IO_SHUTDOWN_UNIT))
                    .isEqualTo("MILLISECONDS");
            assertThat(profile.getString(DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY))
                    .isEqualTo("SERIAL");
            assertThat(profile.getInt(DefaultDriverOption.SESSION_LEAK_THRESHOLD))
                    .isZero();
            assertThat(profile.getInt(DefaultDriverOption.CONNECTION_MAX_REQUESTS))
                    .isEqualTo(16_384);
            assertThat(profile.getString(DefaultDriverOption.REQUEST_CONSISTENCY))
                    .isEqualTo("LOCAL_QUORUM");
            assertThat(profile.getDuration(DefaultDriverOption.REQUEST_TIMEOUT)).isEqualTo(Duration.ofSeconds(5));
            assertThat(profile.getDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT))
                    .isEqualTo(Duration.ofSeconds(3));
            assertThat(profile.getString(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS))
                    .isEqualTo("DcInferringLoadBalancingPolicy");
            assertThat(profile.getStringList(DefaultDriverOption.CONTACT_POINTS))
                    .isEmpty();
            assertThat(profile.isDefined(DefaultDriverOption.SSL_ENGINE_FACTORY_CLASS))
                    .isFalse();
        }
    }

    @Test
    void shouldPreferOptionsToTheFileAndTheFileToTheDefaults() throws Exception {
        Path file = file("""
                page = 77
                datastax-java-driver {
                  basic.request { timeout = 9 seconds, consistency = TWO, serial-consistency = LOCAL_SERIAL, page-size = ${page} }
                  basic.load-balancing-policy.local-datacenter = dcF
                  advanced.netty.daemon = false
                  advanced.control-connection.timeout = ${datastax-java-driver.advanced.connection.connect-timeout}
                  advanced.ssl-engine-factory { class = DefaultSslEngineFactory, hostname-validation = false }
                }
                """);
        String options = "configFile=" + file;

        DriverExecutionProfile byFile = config(options).getDefaultProfile();
        assertThat(byFile.getDuration(DefaultDriverOption.REQUEST_TIMEOUT)).isEqualTo(Duration.ofSeconds(9));
        assertThat(byFile.getInt(DefaultDriverOption.REQUEST_PAGE_SIZE)).isEqualTo(77);
        assertThat(byFile.getString(DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY))
                .isEqualTo("LOCAL_SERIAL");
        assertThat(byFile.getString(DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER))
                .isEqualTo("dcF");
        assertThat(byFile.getBoolean(DefaultDriverOption.NETTY_DAEMON)).isFalse();
        assertThat(byFile.getBoolean(DefaultDriverOption.SSL_HOSTNAME_VALIDATION))
                .isFalse();

        DriverExecutionProfile given = config(options + "&requestTimeout=500ms&consistency=QUORUM&localDatacenter=dcU")
                .getDefaultProfile();
        assertThat(given.getDuration(DefaultDriverOption.REQUEST_TIMEOUT)).isEqualTo(Duration.ofMillis(500));
        assertThat(given.getString(DefaultDriverOption.REQUEST_CONSISTENCY)).isEqualTo("QUORUM");
        assertThat(given.getString(DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY))
                .isEqualTo("LOCAL_SERIAL");
        assertThat(given.getString(DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER))
                .isEqualTo("dcU");
        assertThat(config(options + "&ssl=false")
                        .getDefaultProfile()
                        .isDefined(DefaultDriverOption.SSL_ENGINE_FACTORY_CLASS))
                .isFalse();
        // A certificate that names no host is the file's to accept, unless SQL Server's strict is asked for.
        assertThat(config(options + "&ssl=true")
                        .getDefaultProfile()
                        .getBoolean(DefaultDriverOption.SSL_HOSTNAME_VALIDATION))
                .isFalse();
        assertThat(config(options + "&encrypt=strict")
                        .getDefaultProfile()
                        .getBoolean(DefaultDriverOption.SSL_HOSTNAME_VALIDATION))
                .isTrue();
    }

    @Test
    void shouldReadAFileFromTheClassPath() throws Exception {
        // The file belongs to another use of the driver, so it must be read only if it is named.
        assertThat(config("configFile=classpath:dev/cassidy/jdbc/driver-options-test.conf")
                        .getDefaultProfile()
                        .getInt(DefaultDriverOption.REQUEST_PAGE_SIZE))
                .isEqualTo(123);
    }

    private void assertRefused(String options, String... parts) {
        assertThatThrownBy(() -> DriverManager.getConnection(
                        "jdbc:cassidy://localhost:1/k?" + inUrl(options), properties(options)))
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .satisfies(thrown -> assertThat(thrown.getMessage()).contains(parts));
    }

    @Test
    void shouldRefuseAnUnusableFile() throws Exception {
        assertRefused("configFile=" + folder + "/none.conf", "configFile='" + folder + "/none.conf'", "none.conf");
        assertRefused("configFile=" + folder, "must be a readable configuration file");
        assertRefused("configFile=classpath:none.conf", "configFile='classpath:none.conf'");
        assertRefused("configFile=" + file("datastax-java-driver {"), "must be a readable configuration file");
        assertRefused("configFile=" + file("datastax-java-driver.a = ${none}"), "driver.conf: 1");
        assertRefused("configFile=" + file("basic.request.timeout = 1s"), "must have a section datastax-java-driver");
        assertRefused(
                "configFile=" + file("datastax-java-driver.basic.cloud.secure-connect-bundle = b"),
                "must not have basic.cloud.secure-connect-bundle");
        Path keyspace = file("datastax-java-driver.basic.session-keyspace = k");
        assertThatThrownBy(() -> DriverManager.getConnection(
                        "jdbc:cassidy://localhost:1/", properties("configFile=" + keyspace)))
                .hasMessageContaining("basic.session-keyspace");
    }

    @Test
    void shouldRefuseAnUnusableStore() throws Exception {
        Path text = file("no store");

        assertRefused(
                "ssl=true&sslTruststore=" + folder + "/none", "sslTruststore='" + folder + "/none'", "NoSuchFile");
        assertRefused("ssl=true&sslKeystore=" + folder + "/none", "sslKeystore='" + folder + "/none'");
        assertRefused(
                "ssl=true&sslKeystore=" + text + "&sslKeystorePassword=x",
                "must be a file of type JKS or PKCS12 that can be read: sslKeystore='" + text + "'");
    }

    @Test
    @Timeout(60)
    @EnabledIf("dev.cassidy.jdbc.session.ConfigFileTest#hasDevices")
    void shouldReadAStoreFromARegularFileOfALimitedSize() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Path large = folder.resolve("large");
        try (FileChannel channel = FileChannel.open(large, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), Tls.MAX_BYTES);
        }
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("/dev/zero"));

        for (String option : new String[] {"sslTruststore", "sslKeystore"}) {
            for (Object file : new Object[] {"/dev/zero", pipe, link, folder}) {
                assertRefused(
                        "ssl=true&" + option + "=" + file, "must be a regular file: " + option + "='" + file + "'");
            }
            assertRefused(
                    "ssl=true&" + option + "=" + large,
                    "must have at most 16777216 bytes: " + option + "='" + large + "'");
        }
    }

    /** As to a configFile. */
    @Test
    void shouldFollowALinkToAStore() throws Exception {
        KeyStore empty = KeyStore.getInstance("JKS");
        empty.load(null, null);
        try (OutputStream out = Files.newOutputStream(folder.resolve("store"))) {
            empty.store(out, "s3cret".toCharArray());
        }
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("store"));

        assertRefused(
                "ssl=true&sslTruststore=" + link + "&sslTruststorePassword=s3cret", "must hold a trusted certificate");
    }
}
