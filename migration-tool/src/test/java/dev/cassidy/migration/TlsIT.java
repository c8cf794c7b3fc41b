package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.cluster.Schema;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.TestCertificates;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.ChangesCodec;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.RowChange;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The tool on a node that requires TLS, a client certificate and a login, and checks permissions. */
class TlsIT {

    @TempDir
    private static Path folder;

    private static EmbeddedCassandra node;
    private static TestCertificates certificates;
    private static Path secret;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(folder);
        certificates.make("node", "localhost", "dns:localhost");
        certificates.make("client", "client", "dns:client");
        secret = Files.writeString(folder.resolve("secret"), TestCertificates.PASSWORD + "\n");
        node = EmbeddedCassandra.builder()
                .startsOnce()
                .requestTimeout(Duration.ofMinutes(1))
                .yaml("authenticator", "PasswordAuthenticator")
                .yaml("authorizer", "CassandraAuthorizer")
                .yaml("permissions_validity", "0ms")
                .yaml(
                        "client_encryption_options",
                        "{enabled: true, optional: false, require_client_auth: true, keystore: '"
                                + certificates.store("node")
                                + "', keystore_password: '" + TestCertificates.PASSWORD + "', truststore: '"
                                + certificates.truststore("client")
                                + "', truststore_password: '" + TestCertificates.PASSWORD + "'}")
                .jvmOption("-Dcassandra.superuser_setup_delay_ms=0")
                .start();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static ToolRun status(String host, String... rest) {
        return ToolRun.of(
                Map.of("CASSANDRA_PASSWORD", "cassandra"),
                null,
                ToolRun.join(
                        "ids status",
                        List.of("--contact-points", host + ":" + node.port(), "--local-dc", node.localDatacenter()),
                        rest));
    }

    private static void assertHint(ToolRun run, String hint) {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.CASSANDRA.code());
        assertThat(run.err()).contains("cannot connect to Cassandra", hint).doesNotContain(TestCertificates.PASSWORD);
    }

    private static String[] stores() {
        return new String[] {
            "--cassandra-truststore",
            certificates.truststore("node").toString(),
            "--cassandra-truststore-password-file",
            secret.toString(),
            "--cassandra-keystore",
            certificates.store("client").toString(),
            "--cassandra-keystore-password-file",
            secret.toString()
        };
    }

    /** Runs a command; passwords are in the environment. */
    private static ToolRun run(Map<String, String> environment, String command, List<String> arguments) {
        return run(environment, null, command, arguments);
    }

    private static ToolRun run(
            Map<String, String> environment, Terminal terminal, String command, List<String> arguments) {
        return ToolRun.of(environment, terminal, complete(command, arguments));
    }

    /** Runs {@code seed}, and {@code event} when it says something. */
    private static ToolRun runUntil(
            Map<String, String> environment, String point, Runnable event, List<String> arguments) {
        return ToolRun.listening(environment, complete("migrate seed", arguments), point, event);
    }

    private static List<String> complete(String command, List<String> arguments) {
        List<String> all = ToolRun.join(
                command,
                List.of("--contact-points", "localhost:" + node.port(), "--local-dc", node.localDatacenter()),
                stores());
        all.addAll(arguments);
        return all;
    }

    private static ToolRun init() {
        return run(
                Map.of("CASSANDRA_PASSWORD", "cassandra"),
                "init",
                List.of("--replication", node.localDatacenter() + ":1", "--cassandra-user", "cassandra"));
    }

    private static String url(String keyspace, String login) {
        return "jdbc:cassidy://localhost:" + node.port() + "/" + keyspace
                + "?connectTimeout=1m&requestTimeout=1m&ssl=true"
                + "&sslTruststore=" + certificates.truststore("node") + "&sslTruststorePassword="
                + TestCertificates.PASSWORD + "&sslKeystore="
                + certificates.store("client") + "&sslKeystorePassword=" + TestCertificates.PASSWORD + "&" + login;
    }

    @Test
    void shouldConnectWithACertificateAndALogin() {
        ToolRun run = init();

        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** The role that writes the application's tables has no right on Cassidy's keyspaces, and the other one no other right. */
    @Test
    void shouldCutOverWithTwoRoles() throws Exception {
        assertThat(init().exitCode()).isZero();
        try (Connection administrator = DriverManager.getConnection(url("", "user=cassandra&password=cassandra"));
                CqlSession session = administrator.unwrap(CqlSession.class)) {
            session.execute("CREATE KEYSPACE moved WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
            for (String role : List.of("mover", "ids")) {
                session.execute("CREATE ROLE " + role + " WITH PASSWORD = '" + role + " secret' AND LOGIN = true");
            }
            for (String right : List.of("CREATE", "ALTER", "SELECT", "MODIFY")) {
                session.execute("GRANT " + right + " ON KEYSPACE moved TO mover");
            }
            for (String right : List.of("SELECT", "MODIFY")) {
                session.execute("GRANT " + right + " ON KEYSPACE cassidy TO ids");
                session.execute("GRANT " + right + " ON KEYSPACE cassidy_dc1 TO ids");
            }
            session.execute("GRANT SELECT ON system_views.settings TO ids");
        }
        Map<String, String> passwords =
                Map.of("CASSANDRA_PASSWORD", "mover secret", "SEQUENCES_PASSWORD", "ids secret", "SOURCE_PASSWORD", "");
        try (SourceDatabase source = SourceDatabase.h2WithoutFunctions("two_roles")) {
            source.createTable("[dbo].[Client]", "INT", 1, 1);
            source.insert("[dbo].[Client]", 20);
            List<String> both = new ArrayList<>(List.of(
                    "--cassandra-user", "mover", "--sequences-user", "ids", "--keyspace", "moved", "--output", "json"));
            both.addAll(source.arguments());
            List<String> one = both.stream()
                    .filter(argument -> !List.of("--sequences-user", "ids").contains(argument))
                    .toList();

            succeed(run(passwords, "migrate schema", with(both, "--apply", "--key", "dbo.Client=id")));
            assertThat(run(passwords, "migrate seed", with(one, "--offline", "--yes"))
                            .exitCode())
                    .isNotZero();
            succeed(run(passwords, "migrate seed", with(both, "--offline", "--yes")));
            succeed(run(
                    passwords,
                    "migrate copy",
                    with(both, "--state", folder.resolve("state").toString())));
            succeed(run(passwords, "migrate verify", both));
            succeed(run(
                    passwords,
                    "ids status",
                    List.of(
                            "--cassandra-user",
                            "ids",
                            "--cassandra-password-file",
                            Files.writeString(folder.resolve("ids"), "ids secret\n")
                                    .toString())));
        }
        String login = "user=mover&password=mover secret&sequencesUser=ids&sequencesPassword=ids secret";
        try (Connection connection = DriverManager.getConnection(url("moved", login));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO client (x) VALUES (1)", Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isGreaterThan(20);
            }
            assertThatThrownBy(() -> statement.executeQuery("SELECT * FROM cassidy.seq"))
                    .hasFieldOrPropertyWithValue("SQLState", "42501");
        }
        assessWithTwoRoles(passwords);
    }

    /** The role may write when the command begins, and not any more when it is told to go on; then it may again. */
    @Test
    void shouldTellWhatItWroteIfItsRightsAreLostMeanwhile() throws Exception {
        assertThat(init().exitCode()).isZero();
        Map<String, String> passwords = Map.of("CASSANDRA_PASSWORD", "seeder secret", "SOURCE_PASSWORD", "");
        try (Connection administrator = DriverManager.getConnection(url("", "user=cassandra&password=cassandra"));
                CqlSession session = administrator.unwrap(CqlSession.class);
                SourceDatabase source = SourceDatabase.h2WithoutFunctions("lost_rights")) {
            session.execute("CREATE ROLE seeder WITH PASSWORD = 'seeder secret' AND LOGIN = true");
            for (String keyspace : List.of("cassidy", "cassidy_dc1")) {
                session.execute("GRANT SELECT ON KEYSPACE " + keyspace + " TO seeder");
                session.execute("GRANT MODIFY ON KEYSPACE " + keyspace + " TO seeder");
            }
            session.execute("GRANT SELECT ON system_views.settings TO seeder");
            List<String> arguments = new ArrayList<>(source.arguments());
            arguments.addAll(
                    List.of("--cassandra-user", "seeder", "--keyspace", "lost", "--output", "json", "--offline"));
            for (String table : List.of("Aardvark", "Zebra")) {
                source.createTable("[dbo].[" + table + "]", "INT", 1, 1);
                source.insert("[dbo].[" + table + "]", 3);
            }

            ToolRun nothing = run(
                    passwords,
                    ToolRun.meanwhile(() -> session.execute("REVOKE MODIFY ON KEYSPACE cassidy FROM seeder")),
                    "migrate seed",
                    arguments);

            assertThat(nothing.exitCode()).as(nothing.out() + nothing.err()).isEqualTo(ExitCode.CASSANDRA.code());
            assertThat(nothing.tables("result").values()).isSubsetOf("failed", "not_tried");
            assertThat(nothing.out() + nothing.err()).contains("MODIFY");
            assertThat(run(passwords, "migrate verify", verify(arguments))
                            .tables("result")
                            .values())
                    .containsOnly("missing");
            session.execute("GRANT MODIFY ON KEYSPACE cassidy TO seeder");
            // The rights go when the first of two sequences is ready, before the second one is.
            ToolRun half = runUntil(
                    passwords,
                    "seeding lost.zebra",
                    () -> session.execute("REVOKE MODIFY ON KEYSPACE cassidy FROM seeder"),
                    with(arguments, "--yes", "--parallelism", "1"));

            assertThat(half.exitCode()).as(half.out() + half.err()).isEqualTo(ExitCode.PARTIAL.code());
            assertThat(half.tables("result")).isEqualTo(Map.of("dbo.Aardvark", "seeded", "dbo.Zebra", "failed"));
            assertThat(run(passwords, "migrate verify", verify(arguments)).tables("result"))
                    .isEqualTo(Map.of("dbo.Aardvark", "ok", "dbo.Zebra", "unready"));
            session.execute("GRANT MODIFY ON KEYSPACE cassidy TO seeder");
            succeed(run(passwords, "migrate seed", with(arguments, "--yes")));
            succeed(run(passwords, "migrate verify", verify(arguments)));
        }
    }

    /** Each refusal names one right, and those together are enough. */
    @Test
    void shouldNameEachRightThatTablesNeed() throws Exception {
        assertThat(init().exitCode()).isZero();
        try (Connection administrator = DriverManager.getConnection(url("", "user=cassandra&password=cassandra"));
                CqlSession session = administrator.unwrap(CqlSession.class)) {
            session.execute(
                    "CREATE KEYSPACE adopted WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
            session.execute("CREATE TABLE adopted.t (id int PRIMARY KEY, a text)");
            session.execute("CREATE ROLE adopter WITH PASSWORD = 'adopter secret' AND LOGIN = true");

            List<String> toCheck = grantUntilDone(session, "adopter", "tables check", List.of());
            List<String> toAdopt = grantUntilDone(
                    session,
                    "adopter",
                    "tables adopt",
                    List.of("--table", "adopted.t", "--columns", "a nvarchar(5), id int", "--yes"));

            assertThat(toCheck).isNotEmpty().allMatch(grant -> grant.startsWith("GRANT SELECT ON "));
            assertThat(toAdopt)
                    .contains("GRANT MODIFY ON cassidy.contracts TO adopter")
                    .isSubsetOf(Stream.concat(
                                    // It looks whether this datacenter has the contract.
                                    Stream.of("SELECT ON cassidy_dc1.contracts"),
                                    Stream.of(
                                                    "cassidy.contracts",
                                                    "cassidy.changes",
                                                    "cassidy_dc1.contracts",
                                                    "cassidy_dc1.changes")
                                            .map(table -> "MODIFY ON " + table))
                            .map(right -> "GRANT " + right + " TO adopter")
                            .toList());
        }
    }

    /** Not by JDBC, which refuses to write the mark of a row. */
    private static CqlSession administrator() {
        return CqlSession.builder()
                .addContactPoint(new InetSocketAddress("localhost", node.port()))
                .withLocalDatacenter(node.localDatacenter())
                .withAuthCredentials("cassandra", "cassandra")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .withString(DefaultDriverOption.SSL_ENGINE_FACTORY_CLASS, "DefaultSslEngineFactory")
                        .withString(
                                DefaultDriverOption.SSL_TRUSTSTORE_PATH,
                                certificates.truststore("node").toString())
                        .withString(DefaultDriverOption.SSL_TRUSTSTORE_PASSWORD, TestCertificates.PASSWORD)
                        .withString(
                                DefaultDriverOption.SSL_KEYSTORE_PATH,
                                certificates.store("client").toString())
                        .withString(DefaultDriverOption.SSL_KEYSTORE_PASSWORD, TestCertificates.PASSWORD)
                        .build())
                .build();
    }

    /** With the rights of roles {@code monitor}, {@code app} and {@code ids} of docs/grants.md, and without one of them. */
    @Test
    void shouldResolveTransactionsWithTheRightsOfThePage() throws Exception {
        assertThat(init().exitCode()).isZero();
        String page = Files.readString(Path.of("..", "docs", "grants.md"));
        Map<String, String> passwords = Map.of("CASSANDRA_PASSWORD", "secret", "SEQUENCES_PASSWORD", "secret");
        try (CqlSession session = administrator()) {
            session.execute("CREATE KEYSPACE held WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
            session.execute("CREATE TABLE held.t (id int PRIMARY KEY, v int, cassidy_tx blob)");
            for (String role : List.of("monitor", "app", "ids")) {
                session.execute("CREATE ROLE tx_" + role + " WITH PASSWORD = 'secret' AND LOGIN = true");
                Pattern.compile("(?m)^(GRANT .* TO )(" + role + ");$")
                        .matcher(page)
                        .results()
                        .forEach(grant -> session.execute(
                                grant.group(1).replace("KEYSPACE shop ", "KEYSPACE held ") + "tx_" + role));
            }
            UUID id = UUID.randomUUID();
            RowChange change = new RowChange(
                    new TableWrites("held", "t", "dc1", null, false),
                    Map.of("id", ByteBuffer.allocate(4).putInt(0, 1)),
                    1,
                    Map.of(),
                    RowChange.Kind.UPDATE,
                    Map.of("v", ByteBuffer.allocate(4).putInt(0, 2)));
            session.execute(
                    "INSERT INTO held.t (id, v, cassidy_tx) VALUES (1, 1, ?) IF NOT EXISTS",
                    new LockMark(id, false).toBytes());
            session.execute(
                    "INSERT INTO cassidy_dc1.transactions (id, state, holder, created, rows, writes)"
                            + " VALUES (?, 'COMMITTED', 'gone', toTimestamp(now()), 1, ?) IF NOT EXISTS",
                    id,
                    ChangesCodec.encode(List.of(change)));

            List<String> monitor = List.of("--cassandra-user", "tx_monitor");
            assertThat(succeed(run(passwords, "transactions list", monitor)).out())
                    .contains(id + "  dc1   COMMITTED");
            assertThat(succeed(run(passwords, "transactions status " + id, monitor))
                            .out())
                    .contains("COMMITTED", "1 of held.t");
            assertThat(run(passwords, "transactions resolve " + id, monitor).exitCode())
                    .isEqualTo(ExitCode.CASSANDRA.code());
            List<String> both = List.of("--cassandra-user", "tx_app", "--sequences-user", "tx_ids");
            for (String right : List.of("SELECT", "MODIFY")) {
                session.execute("REVOKE " + right + " ON KEYSPACE held FROM tx_app");
                ToolRun run = run(passwords, "transactions resolve " + id, both);
                assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.CASSANDRA.code());
                assertThat(run.out()).contains("has no " + right + " permission on");
                session.execute("GRANT " + right + " ON KEYSPACE held TO tx_app");
            }
            assertThat(session.execute("SELECT v FROM held.t WHERE id = 1")
                            .one()
                            .getInt(0))
                    .isEqualTo(1);
            succeed(run(passwords, "transactions resolve " + id, both));
            assertThat(session.execute("SELECT v FROM held.t WHERE id = 1")
                            .one()
                            .getInt(0))
                    .isEqualTo(2);
        }
    }

    /** With the rights of role {@code counting} of docs/grants.md, and without one of them. */
    @Test
    void shouldEmptyCountersWithTheRightsOfThePage() throws Exception {
        assertThat(init().exitCode()).isZero();
        List<String> grants = Pattern.compile("(?m)^GRANT .* TO counting;$")
                .matcher(Files.readString(Path.of("..", "docs", "grants.md")))
                .results()
                .map(grant -> grant.group().replace(" shop.", " emptied.").replace(";", ""))
                .toList();
        Map<String, String> passwords = Map.of("CASSANDRA_PASSWORD", "counting secret");
        List<String> arguments =
                List.of("--table", "emptied.visits", "--kind", "FOLDED", "--yes", "--cassandra-user", "counting");
        try (Connection administrator = DriverManager.getConnection(url("", "user=cassandra&password=cassandra"));
                CqlSession session = administrator.unwrap(CqlSession.class)) {
            session.execute(
                    "CREATE KEYSPACE emptied WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
            session.execute("CREATE ROLE counting WITH PASSWORD = 'counting secret' AND LOGIN = true");
            CountersConfig config = CountersConfig.of("emptied.visits")
                    .withRequestTimeout(Duration.ofMinutes(1))
                    .withIncrementTimeout(Duration.ofMinutes(2));
            Counters.create(session, config);
            try (Counters counters = Counters.open(session, config)) {
                counters.counter("/home").increment(41);

                ToolRun stranger = run(passwords, "counters truncate", arguments);
                assertThat(stranger.exitCode()).as(stranger.out()).isNotZero();
                grants.forEach(session::execute);
                for (String right : List.of(
                        "SELECT ON cassidy.contracts", "SELECT ON emptied.visits", "MODIFY ON emptied.visits")) {
                    assertThat(grants).contains("GRANT " + right + " TO counting");
                    session.execute("REVOKE " + right + " FROM counting");
                    ToolRun run = run(passwords, "counters truncate", arguments);
                    assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.REFUSED.code());
                    assertThat(run.err()).contains("GRANT " + right + " TO counting");
                    session.execute("GRANT " + right + " TO counting");
                }
                assertThat(counters.counter("/home").value()).isEqualTo(41);

                succeed(run(passwords, "counters truncate", arguments));
                assertThat(counters.counter("/home").value()).isZero();
            }
        }
    }

    /**
     * Those of role {@code register} of docs/grants.md, in both installations, and of the rows SELECT alone. Each command is
     * repeated until it has all rights, and waits each time.
     */
    @Test
    @EnabledIfSystemProperty(named = "tables.rights", matches = "true")
    void shouldNameEachRightThatTablesOfTsqlNeed() throws Exception {
        assertThat(init().exitCode()).isZero();
        succeed(run(
                Map.of("CASSANDRA_PASSWORD", "cassandra"),
                "init",
                List.of(
                        "--replication",
                        node.localDatacenter() + ":1",
                        "--cassandra-user",
                        "cassandra",
                        "--global-keyspace",
                        "second")));
        try (Connection administrator = DriverManager.getConnection(url("", "user=cassandra&password=cassandra"));
                CqlSession session = administrator.unwrap(CqlSession.class)) {
            session.execute("CREATE KEYSPACE handed WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
            session.execute("CREATE ROLE changer WITH PASSWORD = 'changer secret' AND LOGIN = true");
            try (Connection tables = DriverManager.getConnection(url("handed", "user=cassandra&password=cassandra"));
                    Statement statement = tables.createStatement()) {
                statement.execute("CREATE TABLE t (id INT IDENTITY PRIMARY KEY, a NVARCHAR(9))");
                statement.executeUpdate("INSERT INTO t (a) VALUES ('abc')");
            }
            List<String> toAlter = grantUntilDone(
                    session,
                    "changer",
                    "tables alter",
                    List.of("--table", "handed.t", "--columns", "a nvarchar(5) NOT NULL"));
            List<String> toAdd = grantUntilDone(
                    session,
                    "changer",
                    "tables add-unique",
                    List.of("--table", "handed.t", "--unique", "CONSTRAINT u UNIQUE (a)"));
            assertThat(toAdd)
                    .contains(
                            "GRANT CREATE ON ALL TABLES IN KEYSPACE handed TO changer",
                            "GRANT MODIFY ON handed.t TO changer")
                    .isSubsetOf(
                            "GRANT CREATE ON ALL TABLES IN KEYSPACE handed TO changer",
                            "GRANT MODIFY ON handed.t TO changer",
                            "GRANT SELECT ON cassidy_dc1.transactions TO changer",
                            "GRANT MODIFY ON cassidy_dc1.transactions TO changer");
            assertThat(grantUntilDone(session, "changer", "tables rebuild", List.of("--table", "handed.t")))
                    .isEmpty();
            session.execute("REVOKE SELECT ON handed.t FROM changer");
            List<String> toMove = grantUntilDone(
                    session, "changer", "tables move", List.of("--table", "handed.t", "--to", "second", "--yes"));

            assertThat(toAlter).contains("GRANT SELECT ON handed.t TO changer");
            // Nothing is declared before the rows can be read.
            assertThat(toAlter.indexOf("GRANT SELECT ON handed.t TO changer"))
                    .isLessThan(toAlter.indexOf("GRANT MODIFY ON cassidy.contracts TO changer"));
            assertThat(Stream.concat(toAlter.stream(), toMove.stream()).filter(grant -> !grant.contains("handed.t")))
                    .isSubsetOf(rightsOfRegister());
            // Roles of other tests have no rights in it, and would be refused.
            session.execute("DROP KEYSPACE second");
            session.execute("DROP KEYSPACE second_" + node.localDatacenter());
        }
    }

    /** In two installations of one datacenter, table by table. */
    private static List<String> rightsOfRegister() {
        List<String> rights = new ArrayList<>(List.of("GRANT SELECT ON system_views.settings TO changer"));
        for (String keyspace : List.of("cassidy", "second")) {
            for (String table : List.of("seq", "contracts", "changes")) {
                rights.add("GRANT MODIFY ON " + keyspace + "." + table + " TO changer");
            }
            for (String table : List.of("reserve", "sequence", "contracts", "changes")) {
                rights.add("GRANT MODIFY ON " + keyspace + "_dc1." + table + " TO changer");
            }
            for (String table : Schema.tableNames()) {
                rights.add("GRANT SELECT ON " + keyspace + "." + table + " TO changer");
                rights.add("GRANT SELECT ON " + keyspace + "_dc1." + table + " TO changer");
            }
        }
        return rights;
    }

    private static List<String> grantUntilDone(
            CqlSession session, String role, String command, List<String> arguments) {
        List<String> granted = new ArrayList<>();
        while (true) {
            ToolRun run = run(
                    Map.of("CASSANDRA_PASSWORD", role + " secret"), command, with(arguments, "--cassandra-user", role));
            if (run.exitCode() == 0) {
                return granted;
            }
            assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.CASSANDRA.code());
            Matcher grant = Pattern.compile("GRANT [A-Z]+ ON (?:ALL TABLES IN KEYSPACE )?[\\w.]+ TO " + role)
                    .matcher(run.err());
            assertThat(grant.find()).as(run.err()).isTrue();
            assertThat(granted).as(run.err()).doesNotContain(grant.group());
            granted.add(grant.group());
            session.execute(grant.group());
        }
    }

    private static List<String> verify(List<String> arguments) {
        return arguments.stream()
                .filter(argument -> !argument.equals("--offline"))
                .toList();
    }

    @Test
    void shouldNameTheOptionsOfTheRoleThatIsRefused() {
        ToolRun run = run(
                Map.of("CASSANDRA_PASSWORD", "cassandra", "SEQUENCES_PASSWORD", "wr0ng"),
                "ids status",
                List.of("--cassandra-user", "cassandra", "--sequences-user", "nobody"));

        assertHint(run, "Give --sequences-user, and its password in SEQUENCES_PASSWORD or --sequences-password-file");
        assertThat(run.err()).doesNotContain("wr0ng");
    }

    private static List<String> with(List<String> arguments, String... more) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of(more));
        return all;
    }

    private static ToolRun succeed(ToolRun run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return run;
    }

    @Test
    void shouldSayWhatIsMissing() {
        assertHint(status("localhost"), "If the nodes require TLS, give --cassandra-tls");
        assertHint(status("localhost", "--cassandra-tls"), "is not trusted: give --cassandra-truststore FILE");
        String[] trusting = {
            "--cassandra-truststore", certificates.truststore("node").toString(),
            "--cassandra-truststore-password-file", secret.toString()
        };
        assertHint(status("localhost", trusting), "--cassandra-keystore FILE");
        assertHint(status("localhost", stores()), "--cassandra-user");
    }

    private static void assessWithTwoRoles(Map<String, String> passwords) throws IOException {
        Path csv = Files.writeString(
                folder.resolve("store.csv"),
                "query_sql_text,count_executions\nINSERT INTO client (x) VALUES (1),3\nSELECT x FROM client WHERE id = 1,4\n");
        Properties stores = new Properties();
        stores.setProperty("sslTruststorePassword", TestCertificates.PASSWORD);
        stores.setProperty("sslKeystorePassword", TestCertificates.PASSWORD);
        stores.setProperty("requireTls", "true");
        Path properties = folder.resolve("target.properties");
        try (Writer out = Files.newBufferedWriter(properties)) {
            stores.store(out, null);
        }
        String target = url("moved", "user=mover&sequencesUser=ids").replaceAll("&?ssl[A-Za-z]+Password=[^&]*", "");

        ToolRun run = ToolRun.of(
                passwords,
                null,
                List.of(
                        "assess",
                        "--query-store",
                        csv.toString(),
                        "--target",
                        target,
                        "--target-properties",
                        properties.toString()));

        assertThat(run.err()).doesNotContain("secret", TestCertificates.PASSWORD);
        assertThat(run.out())
                .contains(
                        "2 distinct statements: 2 served as they are, 0 rewritten, 0 evaluated in the client, 0 refused",
                        "by the key 2")
                .doesNotContain("secret");
        assertThat(run.exitCode()).isZero();
    }

    /** A server of another name, whose certificate is trusted. It ends each connection after the handshake. */
    @Test
    void shouldCheckTheNameOfTheHost() throws Exception {
        certificates.make("other", "elsewhere", "dns:elsewhere.example");
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(certificates.load("other"), TestCertificates.PASSWORD.toCharArray());
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
                certificates.truststore("other").toString(),
                "--cassandra-truststore-password-file",
                secret.toString()
            };

            assertHint(
                    ToolRun.of(Map.of(), null, ToolRun.join("ids status", List.of(), trusting)),
                    "--cassandra-hostnames skip");
            ToolRun skipping = ToolRun.of(
                    Map.of(), null, ToolRun.join("ids status", List.of("--cassandra-hostnames", "skip"), trusting));
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
        ToolRun run = status(
                "localhost",
                "--cassandra-truststore",
                certificates.truststore("node").toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("cannot open --cassandra-truststore " + certificates.truststore("node"));
        assertThat(status("localhost", "--cassandra-keystore", "none").err()).contains("no such file");
        assertThat(status("localhost", "--cassandra-keystore-password-file", secret.toString())
                        .err())
                .contains("--cassandra-keystore-password-file needs --cassandra-keystore");
    }
}
