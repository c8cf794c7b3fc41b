package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.AllLogs;
import dev.cassidy.AuthorisedNode;
import dev.cassidy.cql.IdentityInsertException;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.jdbc.session.ConnectionSettings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application whose role has no right on Cassidy's keyspaces, because the sequences have a role of their own. */
class RolesIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("roles_own");
    private static final String LOGIN = "globalKeyspace=roles_own&user=roles_app&password=p";
    private static final String TWO_ROLES = LOGIN + "&sequencesUser=roles_ids&sequencesPassword=p";

    @TempDir
    private Path folder;

    @BeforeAll
    static void install() {
        AuthorisedNode.ADMINISTRATOR.execute(
                "CREATE KEYSPACE roles_it WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        AuthorisedNode.ADMINISTRATOR.execute(
                "CREATE TABLE roles_it.orders (id int PRIMARY KEY, customer text, qty int)");
        CassidySchema.install(AuthorisedNode.ADMINISTRATOR, Replication.parse("dc1:1"), CONFIG);
        try (Sequences sequences = Sequences.open(AuthorisedNode.ADMINISTRATOR, CONFIG)) {
            sequences.create(SequenceSpec.of("roles_it.orders", IdentityType.INT, 1001, 1));
            sequences.registerIdentity(new IdentityColumn("roles_it", "orders", "id", "roles_it.orders"));
        }
        AuthorisedNode.role("roles_app", List.of("SELECT ON KEYSPACE roles_it", "MODIFY ON KEYSPACE roles_it"));
        AuthorisedNode.role(
                "roles_ids",
                List.of(
                        "SELECT ON KEYSPACE roles_own",
                        "MODIFY ON KEYSPACE roles_own",
                        "SELECT ON KEYSPACE roles_own_dc1",
                        "MODIFY ON KEYSPACE roles_own_dc1",
                        "SELECT ON system_views.settings"));
    }

    @AfterAll
    static void drop() {
        AuthorisedNode.dropKeyspaces();
    }

    private static Connection connect(String options) throws SQLException {
        return DriverManager.getConnection(AuthorisedNode.url("roles_it", options));
    }

    @Test
    void shouldServeADaoWhoseRoleMayNotEvenReadCassidysKeyspaces() throws SQLException {
        try (Connection connection = connect(TWO_ROLES);
                Statement statement = connection.createStatement()) {
            Orders orders = new Orders(connection);
            long first;
            try (PreparedStatement insert = orders.insert()) {
                insert.setString(1, "ada");
                insert.setInt(2, 1);
                assertThat(insert.executeUpdate()).isEqualTo(1);
                first = Orders.keys(insert).get(0);
                assertThat(first).isGreaterThan(1000);
                for (int i = 0; i < 100; i++) {
                    insert.setString(1, "batch " + i);
                    insert.setInt(2, i);
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(100).containsOnly(1);
                assertThat(Orders.keys(insert))
                        .doesNotHaveDuplicates()
                        .hasSize(100)
                        .doesNotContain(first);
            }
            try (ResultSet identity =
                    statement.executeQuery("INSERT INTO orders (customer) VALUES ('scope'); SELECT SCOPE_IDENTITY()")) {
                assertThat(identity.next()).isTrue();
                assertThat(orders.customerOf(identity.getLong(1))).isEqualTo("scope");
            }
            connection.setAutoCommit(false);
            statement.executeUpdate("INSERT INTO orders (customer) VALUES ('kept')", Statement.RETURN_GENERATED_KEYS);
            long kept = Orders.keys(statement).get(0);
            connection.commit();
            connection.setAutoCommit(true);
            assertThat(orders.customerOf(kept)).isEqualTo("kept");
            assertThat(statement.executeUpdate("UPDATE orders SET qty = 7 WHERE id = " + first))
                    .isEqualTo(1);
            assertThat(statement.executeUpdate("DELETE FROM orders WHERE id = " + kept))
                    .isEqualTo(1);
            assertThatThrownBy(() -> statement.execute("INSERT INTO orders (id, customer) VALUES (5000, 'mine')"))
                    .hasMessageContaining("5000");
            try (ResultSet columns = connection.getMetaData().getColumns(null, "roles_it", "orders", "id")) {
                assertThat(columns.next()).isTrue();
                assertThat(columns.getString("IS_AUTOINCREMENT")).isEqualTo("YES");
            }

            assertThatThrownBy(() ->
                            statement.executeQuery("SELECT next FROM roles_own.seq WHERE seq = 'roles_it.orders'"))
                    .isInstanceOf(SQLException.class)
                    .hasFieldOrPropertyWithValue("SQLState", "42501");
        }
    }

    /** What CREATE TABLE said is not known then. */
    @Test
    void shouldReadWithoutAnyRightOnCassidysKeyspaces() throws SQLException {
        try (Connection connection = connect(LOGIN);
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 2; i++) {
                try (ResultSet rows = statement.executeQuery("SELECT * FROM orders WHERE id = 1")) {
                    assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("id");
                }
                try (ResultSet rows = statement.executeQuery("SELECT Customer FROM orders WHERE id = 1")) {
                    assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("customer");
                }
            }
        }
    }

    @Test
    void shouldShowNeitherRoleNorPasswordInTheUrl() throws SQLException {
        try (Connection connection = connect(LOGIN + "&sequencesUser=roles_ids&sequencesPassword=p")) {
            assertThat(connection.getMetaData().getURL())
                    .contains("globalKeyspace=roles_own")
                    .doesNotContain("sequences", "roles_ids", "assword");
        }
    }

    /** Whatever is logged, and whatever fails, without redactValues. */
    @Test
    void shouldShowAPasswordInNoMessageAndNoLog() throws Exception {
        String canary = "c4nary";
        for (String role : List.of("roles_known", "roles_known_ids")) {
            AuthorisedNode.ADMINISTRATOR.execute(
                    "CREATE ROLE " + role + " WITH PASSWORD = '" + canary + role + "' AND LOGIN = true");
        }
        AuthorisedNode.ADMINISTRATOR.execute("GRANT roles_app TO roles_known");
        AuthorisedNode.ADMINISTRATOR.execute("GRANT roles_ids TO roles_known_ids");
        String login = "globalKeyspace=roles_own&user=roles_known&password=" + canary + "roles_known"
                + "&sequencesUser=roles_known_ids&sequencesPassword=" + canary + "roles_known_ids";
        Properties file = new Properties();
        file.setProperty(
                "configFile",
                Files.writeString(
                                folder.resolve("login.conf"),
                                "datastax-java-driver.advanced.auth-provider { class = PlainTextAuthProvider, username ="
                                        + " roles_known, password = " + canary + "roles_known }")
                        .toString());
        StringWriter shown = new StringWriter();
        PrintWriter writer = new PrintWriter(shown);
        try (AllLogs logs = new AllLogs()) {
            for (Properties properties : List.of(new Properties(), file)) {
                String options = properties.isEmpty() ? login : "globalKeyspace=roles_own";
                try (Connection connection =
                                DriverManager.getConnection(AuthorisedNode.url("roles_it", options), properties);
                        Statement statement = connection.createStatement()) {
                    writer.println(connection + " " + connection.getMetaData().getURL() + " "
                            + connection.getMetaData().getUserName() + " " + connection.getClientInfo());
                    for (String sql : List.of(
                            "SELECT customer FROM orders WHERE id = 1",
                            "INSERT INTO orders (customer) VALUES ('x')",
                            "SELECT nothing FROM orders",
                            "SELECT * FROM roles_own.seq",
                            "CREATE TABLE roles_it.refused (id INT PRIMARY KEY)",
                            "LIST ROLES",
                            "ALTER SEQUENCE orders RESTART WITH 2147483647")) {
                        try {
                            statement.execute(sql);
                        } catch (SQLException e) {
                            e.printStackTrace(writer);
                        }
                    }
                }
            }
            for (String options : List.of(
                    login + "x",
                    login.replace("&sequencesUser", "x&sequencesUser"),
                    login.replace("roles_known_ids", "nobody"),
                    login.replace("&", "&nothing&"),
                    login + "&localDatacenter=nowhere",
                    login + "&sequencesPassword=" + canary,
                    login + "&ssl=true&sslTruststore=" + folder.resolve("login.conf") + "&sslTruststorePassword="
                            + canary,
                    login + "&ssl=true",
                    login + "&requireTls=true")) {
                try (Connection connection = connect(options)) {
                    writer.println("connected with " + options.length());
                } catch (SQLException e) {
                    e.printStackTrace(writer);
                }
            }
            // What was sent and received, at least.
            assertThat(logs.texts).hasSizeGreaterThan(100);
            writer.println(String.join("\n", logs.texts));
        }
        assertThat(shown.toString().lines().filter(line -> line.contains(canary)))
                .isEmpty();
    }

    @Test
    void shouldRefuseAWrongPasswordOfTheSecondRoleWhenItConnects() {
        assertThatThrownBy(() -> connect(LOGIN + "&sequencesUser=roles_ids&sequencesPassword=wr0ng"))
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("SQLState", "28000")
                .hasMessageContaining("sequencesUser 'roles_ids'")
                .hasMessageContaining("sequencesPassword")
                .hasStackTraceContaining("roles_ids")
                .satisfies(thrown -> assertThat(thrown.toString()).doesNotContain("wr0ng"));
        awaitNoSession();
    }

    @Test
    void shouldCloseTheFirstSessionIfTheSecondOneFailsInAnyWay() throws SQLException {
        ConnectionSettings settings =
                ConnectionSettings.parse(AuthorisedNode.url("roles_it", TWO_ROLES), new Properties());
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> SharedSession.open(settings, () -> {
                    if (calls.getAndIncrement() > 0) {
                        throw new IllegalStateException("no time");
                    }
                    return 0;
                }))
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("SQLState", "08001")
                .hasMessageContaining("no time");
        awaitNoSession();
    }

    @Test
    void shouldCloseBothSessions() throws SQLException {
        try (Connection connection = connect(TWO_ROLES);
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("INSERT INTO orders (customer) VALUES ('last')"))
                    .isEqualTo(1);
            assertThat(sessions()).isPositive();
        }
        awaitNoSession();
        // The ids that were not used were given back: no claim is left.
        assertThat(AuthorisedNode.ADMINISTRATOR
                        .execute("SELECT kind, claim FROM roles_own_dc1.reserve")
                        .all())
                .filteredOn(row -> row.getUuid("claim") != null)
                .isEmpty();
    }

    private static long sessions() {
        return AuthorisedNode.ADMINISTRATOR.execute("SELECT username FROM system_views.clients").all().stream()
                .filter(row -> List.of("roles_app", "roles_ids").contains(row.getString("username")))
                .count();
    }

    private static void awaitNoSession() {
        await().atMost(Duration.ofMinutes(2)).until(() -> sessions() == 0);
    }

    /** While contracts cannot be read, an explicit id of a table that may be numbered is refused; not once they can be. */
    @Test
    void shouldReadContractsAgainOnceTheRightIsGranted() {
        AuthorisedNode.ADMINISTRATOR.execute("CREATE TABLE roles_it.plain (id int PRIMARY KEY)");
        AuthorisedNode.role(
                "roles_late",
                List.of(
                        "MODIFY ON KEYSPACE roles_it",
                        "SELECT ON KEYSPACE roles_own_dc1",
                        "MODIFY ON KEYSPACE roles_own_dc1",
                        "MODIFY ON KEYSPACE roles_own",
                        "SELECT ON system_views.settings"));
        for (Row table : AuthorisedNode.ADMINISTRATOR.execute(
                "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'roles_own'")) {
            if (!"contracts".equals(table.getString(0))) {
                AuthorisedNode.ADMINISTRATOR.execute(
                        "GRANT SELECT ON roles_own." + table.getString(0) + " TO roles_late");
            }
        }
        // Only a statement makes it read again.
        try (IdentitySession session = IdentitySession.wrap(
                AuthorisedNode.login("roles_late", "p"), CONFIG.withWatchInterval(Duration.ofHours(1)))) {
            assertThatThrownBy(() -> session.execute("INSERT INTO roles_it.plain (id) VALUES (1)"))
                    .isInstanceOf(IdentityInsertException.class)
                    .hasMessageContaining("is not known");

            AuthorisedNode.ADMINISTRATOR.execute("GRANT SELECT ON roles_own.contracts TO roles_late");

            await().ignoreExceptions()
                    .untilAsserted(() -> session.execute("INSERT INTO roles_it.plain (id) VALUES (1)"));
        }
    }
}
