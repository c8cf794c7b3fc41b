package dev.cassidy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The node that all test classes of a JVM share. After each class, the keyspaces that the class has left are dropped. Otherwise
 * the later classes pay for them: Cassandra reads and digests the whole schema at each change of it, and each session reads it
 * when it opens.
 *
 * <p>JUnit finds it as a service, so that it is in effect for every class.
 */
public final class SharedNode implements AfterAllCallback {

    /** The second and third are those of {@code TestCluster}, which creates them once. */
    private static final Set<String> KEPT = Set.of("system", "cassidy", "cassidy_dc1");

    private static volatile boolean used;

    /** Starts it, if this is the first call. */
    public static EmbeddedCassandra get() {
        used = true;
        return EmbeddedCassandra.shared();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (used && context.getRequiredTestClass().getEnclosingClass() == null) {
            for (Row row : Administrator.SESSION.execute("SELECT keyspace_name FROM system_schema.keyspaces")) {
                String keyspace = row.getString(0);
                if (!KEPT.contains(keyspace) && !keyspace.startsWith("system_")) {
                    Administrator.SESSION.execute("DROP KEYSPACE "
                            + CqlIdentifier.fromInternal(keyspace).asCql(true));
                }
            }
        }
    }

    private static final class Administrator {
        private static final CqlSession SESSION = CqlSession.builder()
                .addContactPoint(get().contactPoint())
                .withLocalDatacenter(get().localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                        // The driver's 2 s are too few for a change of the schema on a busy machine.
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
    }
}
