package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.migration.error.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tool on a node that requires TLS, a client certificate and a login. */
class TlsIT {

    private static final String STORE_PASSWORD = "st0re+s3cret";

    @TempDir
    private static Path folder;

    private static EmbeddedCassandra node;
    private static Path secret;

    @BeforeAll
    static void start() throws Exception {
        generate("node", "localhost", "dns:localhost");
        generate("client", "client", "dns:client");
        trust("node");
        trust("client");
        secret = Files.writeString(folder.resolve("secret"), STORE_PASSWORD + "\n");
        node = EmbeddedCassandra.builder()
                .requestTimeout(Duration.ofMinutes(1))
                .yaml("authenticator", "PasswordAuthenticator")
                .yaml(
                        "client_encryption_options",
                        "{enabled: true, optional: false, require_client_auth: true, keystore: '" + store("node")
                                + "', keystore_password: '" + STORE_PASSWORD + "', truststore: '" + truststore("client")
                                + "', truststore_password: '" + STORE_PASSWORD + "'}")
                .jvmOption("-Dcassandra.superuser_setup_delay_ms=0")
                .start();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static void generate(String name, String commonName, String names) throws Exception {
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process process = new ProcessBuilder(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + commonName,
                        "-ext",
                        "san=" + names,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store(name).toString(),
                        "-storepass",
                        STORE_PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve(name + ".log")))
                .isZero();
    }

    /** Creates a truststore that contains only the certificate with that name. */
    private static void trust(String name) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(name, load(store(name)).getCertificate(name));
        try (OutputStream out = Files.newOutputStream(truststore(name))) {
            trusted.store(out, STORE_PASSWORD.toCharArray());
        }
    }

    private static KeyStore load(Path file) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, STORE_PASSWORD.toCharArray());
        }
        return store;
    }

    private static Path store(String name) {
        return folder.resolve(name + ".p12");
    }

    private static Path truststore(String name) {
        return folder.resolve(name + "-trusted.p12");
    }

    private static ToolRun status(String host, String... rest) {
        return ToolRun.of(
                Map.of("CASSANDRA_PASSWORD", "cassandra"),
                null,
                ToolRun.join(
                        "status",
                        List.of("--contact-points", host + ":" + node.port(), "--local-dc", node.localDatacenter()),
                        rest));
    }

    private static void assertHint(ToolRun run, String hint) {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.CASSANDRA.code());
        assertThat(run.err()).contains("cannot connect to Cassandra", hint).doesNotContain(STORE_PASSWORD);
    }

    @Test
    void shouldConnectWithACertificateAndALogin() {
        String[] all = {
            "--replication",
            node.localDatacenter() + ":1",
            "--cassandra-user",
            "cassandra",
            "--cassandra-truststore",
            truststore("node").toString(),
            "--cassandra-truststore-password-file",
            secret.toString(),
            "--cassandra-keystore",
            store("client").toString(),
            "--cassandra-keystore-password-file",
            secret.toString()
        };
        ToolRun run = ToolRun.of(
                Map.of("CASSANDRA_PASSWORD", "cassandra"),
                null,
                ToolRun.join(
                        "init",
                        List.of("--contact-points", "localhost:" + node.port(), "--local-dc", node.localDatacenter()),
                        all));

        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    @Test
    void shouldSayWhatIsMissing() {
        assertHint(status("localhost"), "If the nodes require TLS, give --cassandra-tls");
        assertHint(status("localhost", "--cassandra-tls"), "is not trusted: give --cassandra-truststore FILE");
        String[] trusting = {
            "--cassandra-truststore", truststore("node").toString(),
            "--cassandra-truststore-password-file", secret.toString()
        };
        assertHint(status("localhost", trusting), "--cassandra-keystore FILE");
        String[] complete = {
            "--cassandra-truststore", truststore("node").toString(),
            "--cassandra-truststore-password-file", secret.toString(),
            "--cassandra-keystore", store("client").toString(),
            "--cassandra-keystore-password-file", secret.toString()
        };
        assertHint(status("localhost", complete), "--cassandra-user");
    }

    /** A server of another name, whose certificate is trusted. It ends each connection after the handshake. */
    @Test
    void shouldCheckTheNameOfTheHost() throws Exception {
        generate("other", "elsewhere", "dns:elsewhere.example");
        trust("other");
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load(store("other")), STORE_PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        try (ServerSocket server =
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread accepting = new Thread(() -> accept(server));
            accepting.start();
            String[] trusting = {
                "--contact-points",
                "localhost:" + server.getLocalPort(),
                "--local-dc",
                "dc1",
                "--cassandra-truststore",
                truststore("other").toString(),
                "--cassandra-truststore-password-file",
                secret.toString()
            };

            assertHint(
                    ToolRun.of(Map.of(), null, ToolRun.join("status", List.of(), trusting)),
                    "--cassandra-hostnames skip");
            ToolRun skipping = ToolRun.of(
                    Map.of(), null, ToolRun.join("status", List.of("--cassandra-hostnames", "skip"), trusting));
            assertThat(skipping.exitCode()).isEqualTo(ExitCode.CASSANDRA.code());
            assertThat(skipping.err()).doesNotContain("does not name its host");
        }
    }

    private static void accept(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                socket.getInputStream().read();
            } catch (IOException e) {
                // The client refused the certificate, or the test has ended.
            }
        }
    }

    @Test
    void shouldNameAStoreThatItCannotOpen() {
        ToolRun run =
                status("localhost", "--cassandra-truststore", truststore("node").toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("cannot open --cassandra-truststore " + truststore("node"));
        assertThat(status("localhost", "--cassandra-keystore", "none").err()).contains("no such file");
        assertThat(status("localhost", "--cassandra-keystore-password-file", secret.toString())
                        .err())
                .contains("--cassandra-keystore-password-file needs --cassandra-keystore");
    }
}
