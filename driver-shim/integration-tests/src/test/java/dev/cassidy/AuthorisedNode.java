package dev.cassidy;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The node with logins and permissions that the test classes of a JVM share. Each class has keyspaces and roles of its own, and
 * drops the keyspaces at its end. The node has Cassandra's own defaults for Paxos, a commit log that is synced every 0.5 s, and
 * functions without threads of their own.
 */
public final class AuthorisedNode {

    public static final EmbeddedCassandra NODE = EmbeddedCassandra.builder()
            .startsOnce()
            .requestTimeout(Duration.ofMinutes(1))
            .clusterName("with permissions")
            .yaml("authenticator", "PasswordAuthenticator")
            .yaml("authorizer", "CassandraAuthorizer")
            // A permission that was granted is seen at once.
            .yaml("permissions_validity", "0ms")
            .yaml("paxos_variant", "v1")
            .yaml("commitlog_sync", "periodic")
            .yaml("commitlog_sync_period", "500ms")
            .yaml("user_defined_functions_threads_enabled", "false")
            .yaml("allow_insecure_udfs", "true")
            .yaml("allow_extra_insecure_udfs", "true")
            .yaml("user_function_timeout_policy", "die")
            .jvmOption("-Dcassandra.superuser_setup_delay_ms=0")
            // Each connection checks a password: the cheapest hash that there is.
            .jvmOption("-Dcassandra.auth_bcrypt_gensalt_log2_rounds=4")
            .start();

    /** Of the superuser. */
    public static final CqlSession ADMINISTRATOR = login("cassandra", "cassandra");

    private AuthorisedNode() {}

    /** Opens a session; Cassandra creates its first role in the background after the server has started. */
    public static CqlSession login(String role, String password) {
        long start = System.nanoTime();
        while (true) {
            try {
                return CqlSession.builder()
                        .addContactPoint(NODE.contactPoint())
                        .withLocalDatacenter(NODE.localDatacenter())
                        .withAuthCredentials(role, password)
                        .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                                .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(10))
                                .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                                .build())
                        .build();
            } catch (AllNodesFailedException e) {
                if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(2)) {
                    throw e;
                }
            }
        }
    }

    /** Creates a role whose password is {@code p}, and grants it {@code rights}, each as in {@code SELECT ON shop.orders}. */
    public static void role(String name, List<String> rights) {
        ADMINISTRATOR.execute("CREATE ROLE \"" + name + "\" WITH PASSWORD = 'p' AND LOGIN = true");
        for (String right : rights) {
            ADMINISTRATOR.execute("GRANT " + right + " TO \"" + name + "\"");
        }
    }

    /**
     * Drops the keyspaces that a class has left, for its end: registrations read the tables of every installation, and the roles of
     * another class may not.
     */
    public static void dropKeyspaces() {
        for (Row row : ADMINISTRATOR.execute("SELECT keyspace_name FROM system_schema.keyspaces")) {
            String keyspace = row.getString(0);
            if (!keyspace.equals("system") && !keyspace.startsWith("system_")) {
                ADMINISTRATOR.execute(
                        "DROP KEYSPACE " + CqlIdentifier.fromInternal(keyspace).asCql(true));
            }
        }
    }

    /** Returns a URL of the node. */
    public static String url(String keyspace, String... options) {
        return "jdbc:cassidy://" + NODE.host() + ":" + NODE.port() + "/" + keyspace
                + "?requestTimeout=1m&connectTimeout=1m&" + String.join("&", options);
    }
}
