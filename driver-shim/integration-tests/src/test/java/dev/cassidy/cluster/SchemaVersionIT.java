package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tables of an earlier version, which is made up, and of a later one. */
class SchemaVersionIT {

    private static final Replication REPLICATION = Replication.parse("dc1:1");

    private static CqlSession session;

    @BeforeAll
    static void open() {
        session = connect(false);
    }

    private static CqlSession connect(boolean metadata) {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(10))
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, metadata)
                        .build())
                .build();
    }

    @AfterAll
    static void close() {
        session.close();
    }

    private static SequencesConfig installed(String keyspace) {
        SequencesConfig config =
                SequencesConfig.defaults().withGlobalKeyspace(keyspace).withWatchInterval(Duration.ofMillis(100));
        CassidySchema.install(session, REPLICATION, config);
        return config;
    }

    private static void comment(String keyspace, int version) {
        Schema.tables(REPLICATION.factors(), SequencesConfig.defaults().withGlobalKeyspace(keyspace))
                .forEach((each, tables) -> tables.forEach(table -> session.execute("ALTER TABLE " + each + "."
                        + table.name() + " WITH comment = 'cassidy schema " + version + "'")));
    }

    /** Version 0 lacks two tables and two columns; an installation that did not end has added one of them. */
    @Test
    void shouldRefuseAnEarlierVersionUntilInitHasBroughtItUpToDate() {
        SequencesConfig config = installed("version_earlier_it");
        installed("version_new_it");
        Set<Long> ids = new HashSet<>();
        try (Sequences sequences = Sequences.open(session, config)) {
            sequences.create(SequenceSpec.of("orders"));
            ids.add(sequences.allocator("orders").nextLong());
        }
        comment("version_earlier_it", 0);
        session.execute("ALTER TABLE version_earlier_it_dc1.sequence DROP acknowledged");
        session.execute("ALTER TABLE version_earlier_it.seq DROP grantee");
        session.execute("DROP TABLE version_earlier_it.contracts");
        session.execute("DROP TABLE version_earlier_it_dc1.contracts");
        session.execute("ALTER TABLE version_earlier_it.changes WITH comment = 'cassidy schema 1'");

        assertThatThrownBy(() -> Sequences.open(session, config).close())
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("version_earlier_it")
                .hasMessageContaining("is of version 0, and this release of Cassidy needs version 1")
                .hasMessageContaining("CassidySchema.install(session, Replication.parse(\"dc1:1\")");
        CassidySchema.install(session, REPLICATION, config);

        assertThat(tables("version_earlier_it")).isEqualTo(tables("version_new_it"));
        try (Sequences sequences = Sequences.open(session, config)) {
            IdAllocator allocator = sequences.allocator("orders");
            assertThat(Stream.generate(allocator::nextLong).limit(100)).allMatch(ids::add);
        }
        UUID schema = schemaVersion();
        CassidySchema.install(session, REPLICATION, config);
        assertThat(schemaVersion()).isEqualTo(schema);
    }

    @Test
    void shouldRefuseALaterVersionExceptInAProcessThatIsRunning() {
        SequencesConfig config = installed("version_later_it");
        String refusal =
                "Cassidy's table version_later_it_dc1.reserve is of version 2, and this release of Cassidy knows version 1";
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ClusterState.class);
        logger.addAppender(logged);
        try (CqlSession watching = connect(true);
                Sequences running = Sequences.open(watching, config)) {
            running.create(SequenceSpec.of("orders").withBlock(1, 1));
            IdAllocator allocator = running.allocator("orders");
            Set<Long> ids = new HashSet<>(Set.of(allocator.nextLong()));

            session.execute("ALTER TABLE version_later_it_dc1.reserve WITH comment = 'cassidy schema 2'");

            assertRefused(config, refusal);
            await().atMost(Duration.ofMinutes(2)).until(() -> logged.list.stream()
                    .anyMatch(event -> event.getFormattedMessage().contains("This process continues")
                            && event.getFormattedMessage().contains(refusal)));
            assertThat(Stream.generate(allocator::nextLong).limit(20)).allMatch(ids::add);
        } finally {
            logger.detachAppender(logged);
        }
        // A table that it does not have is not called lost.
        session.execute("DROP TABLE version_later_it.contracts");
        assertRefused(config, refusal);
    }

    private static void assertRefused(SequencesConfig config, String refusal) {
        List<String> before = tables(config.globalKeyspace());
        assertThatThrownBy(() -> Sequences.open(session, config).close())
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining(refusal);
        assertThatThrownBy(() -> CassidySchema.install(session, REPLICATION, config))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining(refusal);
        assertThat(tables(config.globalKeyspace())).isEqualTo(before);
    }

    private static UUID schemaVersion() {
        return Objects.requireNonNull(Objects.requireNonNull(session.execute("SELECT schema_version FROM system.local")
                        .one())
                .getUuid(0));
    }

    /** Returns every table, column and option of an installation as the server stores it. */
    private static List<String> tables(String keyspace) {
        return Stream.of(keyspace, keyspace + "_dc1")
                .flatMap(each -> Stream.of(
                                "SELECT table_name, comment, default_time_to_live, gc_grace_seconds, read_repair, flags"
                                        + " FROM system_schema.tables WHERE keyspace_name = '" + each + "'",
                                "SELECT table_name, column_name, kind, position, clustering_order, type"
                                        + " FROM system_schema.columns WHERE keyspace_name = '" + each + "'")
                        .flatMap(query -> session.execute(query).all().stream())
                        .map(row -> each.substring(keyspace.length()) + " " + row.getFormattedContents()))
                .toList();
    }
}
