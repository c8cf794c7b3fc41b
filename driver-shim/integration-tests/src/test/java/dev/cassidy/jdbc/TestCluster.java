package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.table.TableWrites;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;

/** The shared node, with a keyspace for one test class. */
public record TestCluster(String keyspace) {

    public static final EmbeddedCassandra NODE = SharedNode.get();

    /** For the work that a migration would have done before. It is opened once, because opening takes a while. */
    private static final CqlSession SETUP = CqlSession.builder()
            .addContactPoint(NODE.contactPoint())
            .withLocalDatacenter(NODE.localDatacenter())
            .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                    .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                    .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(10))
                    .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
                    .build())
            .build();

    /** Drops and creates the keyspace. */
    public static TestCluster fresh(String keyspace) {
        SETUP.execute("DROP KEYSPACE IF EXISTS " + keyspace);
        SETUP.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        return new TestCluster(keyspace);
    }

    /** Returns the session of {@link #cql}. */
    public static CqlSession session() {
        return SETUP;
    }

    public static String hosts() {
        return NODE.host() + ":" + NODE.port();
    }

    public String url() {
        return "jdbc:cassidy://" + hosts() + "/" + keyspace + "?localDatacenter=" + NODE.localDatacenter()
                + "&requestTimeout=1m&connectTimeout=1m";
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /**
     * Connects for a field of a test, which JUnit closes ({@code @AutoClose}).
     *
     * @param options each in the form {@code name=value}
     */
    Connection open(String... options) {
        Properties properties = new Properties();
        StringBuilder url = new StringBuilder(url());
        for (String option : options) {
            if (option.startsWith("configFile=")) {
                // A URL may not name it.
                properties.setProperty("configFile", option.substring("configFile=".length()));
            } else {
                url.append('&').append(option);
            }
        }
        try {
            return DriverManager.getConnection(url.toString(), properties);
        } catch (SQLException e) {
            throw new IllegalStateException("no connection to " + keyspace, e);
        }
    }

    /** Runs CREATE and INSERT without any of our classes in between; {@code $} stands for the keyspace. */
    public void cql(String... statements) {
        for (String statement : statements) {
            SETUP.execute(statement.replace("$.", keyspace + "."));
        }
    }

    /** Installs Cassidy a second time, separately from the installation that {@link #identity} uses. */
    public static void install(String globalKeyspace) {
        CassidySchema.install(
                SETUP,
                Replication.parse(NODE.localDatacenter() + ":1"),
                SequencesConfig.defaults().withGlobalKeyspace(globalKeyspace));
    }

    static String datacenterKeyspace(String globalKeyspace) {
        return globalKeyspace + "_" + NODE.localDatacenter();
    }

    /** Gives {@code table} an identity column whose first id is {@code start}. */
    public void identity(String table, String column, IdentityType type, long start) {
        Identities.create(SequenceSpec.of(keyspace + "." + table, type, start, 1), keyspace, table, column);
    }

    /** Makes the writes to tables without rows exact, as {@code cassidy tables declare} does, for processes that have not written yet. */
    public void exact(String... tables) {
        // What the declaration waits for is three of these.
        SequencesConfig config = SequencesConfig.defaults().withWatchInterval(Duration.ofMillis(100));
        try (Sequences sequences = Sequences.open(SETUP, config)) {
            for (String table : tables) {
                InternalAccess.tables(sequences)
                        .declareWrites(
                                new TableWrites(keyspace, table, NODE.localDatacenter(), null, false),
                                Duration.ZERO,
                                () -> SETUP.execute("ALTER TABLE " + keyspace + "." + table
                                        + " ADD IF NOT EXISTS cassidy_tx blob"));
            }
        }
    }

    /** Like {@link #identity}, with ids ordered by the time since {@code epoch}. */
    public void timeOrderedIdentity(String table, String column, Instant epoch) {
        String sequence = keyspace + "." + table;
        Identities.SEQUENCES.create(SnowflakeSpec.of(sequence, epoch));
        Identities.SEQUENCES.registerIdentity(new IdentityColumn(keyspace, table, column, sequence));
    }

    private static final class Identities {
        private static final Sequences SEQUENCES = open();

        private static Sequences open() {
            SequencesConfig config = SequencesConfig.defaults();
            CassidySchema.install(SETUP, Replication.parse(NODE.localDatacenter() + ":1"), config);
            return Sequences.open(SETUP, config);
        }

        private static void create(SequenceSpec spec, String keyspace, String table, String column) {
            SEQUENCES.create(spec);
            SEQUENCES.registerIdentity(new IdentityColumn(keyspace, table, column, spec.name()));
        }
    }
}
