package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.TestCertificates;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that requires TLS, a client certificate and a login. */
class TlsIT {

    @TempDir
    private static Path folder;

    private static EmbeddedCassandra node;
    private static TestCertificates certificates;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder);
        certificates.make("node", "localhost", "dns:localhost,ip:127.0.0.1");
        certificates.make("client", "client", "dns:client");
        certificates.make("other", "elsewhere", "dns:elsewhere.example");
        node = EmbeddedCassandra.builder()
                .startsOnce()
                .requestTimeout(Duration.ofMinutes(1))
                .yaml("authenticator", "PasswordAuthenticator")
                .yaml(
                        "client_encryption_options",
                        "{enabled: true, optional: false, require_client_auth: true, keystore: '"
                                + certificates.store("node")
                                + "', keystore_password: '" + TestCertificates.PASSWORD + "', truststore: '"
                                + certificates.truststore("client")
                                + "', truststore_password: '" + TestCertificates.PASSWORD + "'}")
                .jvmOption("-Dcassandra.superuser_setup_delay_ms=0")
                .start();
        try (Connection connection = DriverManager.getConnection(url("", login(), tls()));
                Statement statement = connection.createStatement()) {
            CqlSession session = connection.unwrap(CqlSession.class);
            CassidySchema.install(
                    session, Replication.parse(node.localDatacenter() + ":1"), SequencesConfig.defaults());
            statement.execute(
                    "CREATE KEYSPACE tls WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        }
        try (Connection connection = connect(login(), tls());
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE product (id INT IDENTITY(1,1) PRIMARY KEY, name NVARCHAR(50)) WITH (plain)");
        }
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static String login() {
        return "user=cassandra&password=cassandra";
    }

    private static String trusting(String name) {
        return "ssl=true&sslTruststore=" + encoded(certificates.truststore(name)) + "&sslTruststorePassword="
                + encoded(TestCertificates.PASSWORD);
    }

    private static String tls() {
        return trusting("node") + "&sslKeystore=" + encoded(certificates.store("client")) + "&sslKeystorePassword="
                + encoded(TestCertificates.PASSWORD);
    }

    private static String encoded(Object value) {
        return URLEncoder.encode(value.toString(), StandardCharsets.UTF_8);
    }

    private static String url(String keyspace, String... options) {
        return "jdbc:cassidy://localhost:" + node.port() + "/" + keyspace + "?" + String.join("&", options)
                + "&connectTimeout=1m";
    }

    private static Connection connect(String... options) throws SQLException {
        List<String> ofUrl = new ArrayList<>(List.of(options));
        Properties properties = new Properties();
        for (String option : options) {
            if (option.startsWith("configFile=")) {
                // A URL may not name it.
                ofUrl.remove(option);
                properties.setProperty("configFile", option.substring("configFile=".length()));
            }
        }
        return DriverManager.getConnection(url("tls", ofUrl.toArray(String[]::new)), properties);
    }

    private static String file(String... lines) throws IOException {
        Path file = Files.createTempFile(folder, "driver", ".conf");
        Files.writeString(file, "datastax-java-driver {\n" + String.join("\n", lines) + "\n}\n");
        return "configFile=" + file;
    }

    private static int insert(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO product (name) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            statement.setString(1, name);
            assertThat(statement.executeUpdate()).isEqualTo(1);
            ResultSet keys = statement.getGeneratedKeys();
            assertThat(keys.next()).isTrue();
            return keys.getInt(1);
        }
    }

    private static String name(Connection connection, int id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM product WHERE id = " + id)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    @Test
    void shouldInsertWithAGeneratedKeyThroughTlsAndALogin() throws SQLException {
        try (Connection connection = connect(login(), tls())) {
            int id = insert(connection, "encrypted");

            assertThat(id).isPositive();
            assertThat(name(connection, id)).isEqualTo("encrypted");
            assertThat(connection.getMetaData().getURL())
                    .contains("ssl=true")
                    .contains("client.p12")
                    .doesNotContain("s3cret");
        }
    }

    @Test
    void shouldNotShareASessionWithAConnectionWithOtherStores() throws SQLException {
        try (Connection connection = connect(login(), tls())) {
            assertThat(connection.isValid(60)).isTrue();
            assertThatThrownBy(() -> connect(login(), tls().replace(encoded(TestCertificates.PASSWORD), "another")))
                    .hasMessageContaining("option sslTruststorePassword is not the password of sslTruststore=");
        }
    }

    @Test
    void shouldBeRefusedWithoutTls() {
        assertThatThrownBy(() -> connect(login()))
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("ssl=true");
    }

    @Test
    void shouldBeRefusedWithAWrongPassword() {
        assertThatThrownBy(() -> connect("user=cassandra&password=wr0ng", tls()))
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("SQLState", "28000")
                .hasMessageContaining("refused the login of user 'cassandra'")
                .hasMessageNotContaining("wr0ng");
        assertThatThrownBy(() -> connect(tls()))
                .hasFieldOrPropertyWithValue("SQLState", "28000")
                .hasMessageContaining("options user and password");
    }

    @Test
    void shouldNameTheKeystoreIfTheNodeAsksForTheClientsCertificate() {
        assertThatThrownBy(() -> connect(login(), trusting("node")))
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("asks for a client's certificate")
                .hasMessageContaining("option sslKeystore");
    }

    @Test
    void shouldNameTheTruststoreThatDoesNotTrustTheNode() {
        assertThatThrownBy(() -> connect(login(), trusting("other")))
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("is not trusted by sslTruststore='" + certificates.truststore("other"));
        assertThatThrownBy(() -> connect(login(), "ssl=true"))
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("the JVM's own truststore, as sslTruststore is not given");
    }

    @Test
    void shouldRefuseACertificateForAnotherHostUnlessAFileTurnsTheCheckOff() throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(certificates.load("other"), TestCertificates.PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        try (SSLServerSocket listener = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getByName("localhost"))) {
            Thread answering = new Thread(() -> answer(listener));
            answering.setDaemon(true);
            answering.start();
            String url = "jdbc:cassidy://localhost:" + listener.getLocalPort() + "/tls?" + trusting("other");

            assertThatThrownBy(() -> DriverManager.getConnection(url))
                    .hasFieldOrPropertyWithValue("SQLState", "08001")
                    .hasMessageContaining("the node's certificate is for another host")
                    .hasMessageContaining("advanced.ssl-engine-factory.hostname-validation = false");
            // The other end is not a node, so only the certificate is checked.
            Properties unchecked = new Properties();
            unchecked.setProperty(
                    "configFile",
                    file("advanced.ssl-engine-factory.hostname-validation = false")
                            .substring("configFile=".length()));
            assertThatThrownBy(() -> DriverManager.getConnection(url, unchecked))
                    .hasFieldOrPropertyWithValue("SQLState", "08001")
                    .hasMessageNotContaining("certificate");
            // SQL Server's strict checks the host, whatever the file says.
            assertThatThrownBy(() -> DriverManager.getConnection(url + "&encrypt=strict", unchecked))
                    .hasMessageContaining("the node's certificate is for another host");
        }
    }

    private static void answer(SSLServerSocket listener) {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept()) {
                // The first byte arrives after the handshake.
                socket.getInputStream().read();
            } catch (IOException e) {
                // Either the client refused, or the test has ended.
            }
        }
    }

    @Test
    void shouldReportANodeWithoutTls() {
        String url = "jdbc:cassidy://" + TestCluster.hosts() + "/?connectTimeout=1m&" + tls();

        assertThatThrownBy(() -> DriverManager.getConnection(url))
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("speaks no TLS")
                .hasMessageContaining("ssl=true");
    }

    // ---- a configuration file

    private static String tlsAndLogin() {
        return """
                basic.contact-points = ["192.0.2.1:9042"]
                advanced.auth-provider { class = PlainTextAuthProvider, username = cassandra, password = cassandra }
                advanced.ssl-engine-factory {
                  class = DefaultSslEngineFactory
                  truststore-path = "%1$s"
                  truststore-password = "%3$s"
                  keystore-path = "%2$s"
                  keystore-password = "%3$s"
                }
                """.formatted(certificates.truststore("node"), certificates.store("client"), TestCertificates.PASSWORD);
    }

    @Test
    void shouldReadTlsAndTheLoginFromAConfigurationFile() throws Exception {
        try (Connection connection = connect(file(tlsAndLogin()))) {
            int id = insert(connection, "by file");

            assertThat(name(connection, id)).isEqualTo("by file");
        }
        assertThatThrownBy(() -> connect(file(tlsAndLogin()), "ssl=false")).hasMessageContaining("ssl=true");
        assertThatThrownBy(() -> connect(file(tlsAndLogin()), "user=cassandra&password=wr0ng"))
                .hasFieldOrPropertyWithValue("SQLState", "28000");
    }

    @Test
    void shouldLetTheUrlWinOverTheFile() throws Exception {
        String file = file(tlsAndLogin(), "basic.request { consistency = TWO, page-size = 8 }");
        try (Connection connection = connect(file, "consistency=ONE");
                Statement statement = connection.createStatement()) {
            assertThat(insert(connection, "i")).isPositive();
            assertThat(statement.getFetchSize()).isEqualTo(8);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            assertThat(connection.getWarnings().getMessage()).contains("consistency=ONE");
        }
        try (Connection connection = connect(file);
                Statement statement = connection.createStatement()) {
            assertThat(statement.getFetchSize()).isEqualTo(8);
            assertThatThrownBy(() -> insert(connection, "j")).hasMessageContaining("TWO");
        }
    }

    @Test
    void shouldEndWithTheProgramAlsoIfAFileConfiguresTheDriver() throws Exception {
        try (Connection connection = connect(file(tlsAndLogin()))) {
            assertThat(connection.isValid(60)).isTrue();
            String prefix = connection.unwrap(CqlSession.class).getName() + "-";

            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().startsWith(prefix))
                            .filter(thread -> !thread.isDaemon())
                            .map(Thread::getName)
                            .collect(Collectors.toList()))
                    .isEmpty();
        }
    }
}
