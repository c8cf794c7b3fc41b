package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.Remedy;
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
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables that could cause ids to be issued twice are refused, and the message contains the statements that correct
 * them.
 */
class SchemaCheckIT {

    private static final SequencesConfig CONFIG =
            SequencesConfig.defaults().withGlobalKeyspace("schema_check_it").withWatchInterval(Duration.ofMillis(100));

    private static CqlSession session;

    @BeforeAll
    static void open() {
        session = connect(true);
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
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

    static Stream<String> options() {
        Stream<String> tables = Stream.concat(
                Schema.GLOBAL.stream().map(table -> "schema_check_it." + table.name()),
                Schema.DATACENTER.stream().map(table -> "schema_check_it_dc1." + table.name()));
        return Stream.concat(
                tables.map(table -> "ALTER TABLE " + table + " WITH gc_grace_seconds = 0"),
                Stream.of(
                        "ALTER TABLE schema_check_it.seq WITH gc_grace_seconds = 10799",
                        "ALTER TABLE schema_check_it.seq WITH default_time_to_live = 86400",
                        "ALTER TABLE schema_check_it_dc1.sequence WITH default_time_to_live = 1",
                        "ALTER TABLE schema_check_it_dc1.reserve WITH read_repair = 'NONE'",
                        "ALTER TABLE schema_check_it_dc1.snowflake_node WITH read_repair = 'NONE'",
                        "ALTER TABLE schema_check_it.seq WITH comment = 'do not touch'",
                        "ALTER KEYSPACE schema_check_it WITH durable_writes = false",
                        "ALTER KEYSPACE schema_check_it_dc1 WITH durable_writes = false"));
    }

    static Stream<String> losses() {
        return Stream.of(
                "ALTER TABLE schema_check_it.seq DROP floor",
                "ALTER TABLE schema_check_it_dc1.sequence DROP (acknowledged, floor)",
                "ALTER TABLE schema_check_it_dc1.reserve DROP claim",
                "DROP TABLE schema_check_it.contracts",
                "DROP TABLE schema_check_it_dc1.reserve",
                "DROP TABLE schema_check_it.seq");
    }

    @ParameterizedTest
    @MethodSource({"options", "losses"})
    void shouldRefuseToOpenAndNameTheStatementThatCorrectsIt(String change) {
        session.execute(change);

        SequenceException refused = catchThrowableOfType(
                SequenceException.class, () -> Sequences.open(session, CONFIG).close());

        assertThat(refused)
                .isInstanceOfAny(SequenceException.Conflict.class, SequenceException.SchemaMissing.class)
                .hasMessageContaining(change.split(" ")[2]);
        List<String> statements = Remedy.of(refused.getMessage());
        assertThat(statements).isNotEmpty().allMatch(statement -> statement.contains(change.split(" ")[2]));
        statements.forEach(session::execute);
        assertThatCode(() -> Sequences.open(session, CONFIG).close()).doesNotThrowAnyException();
    }

    /** With and without the driver's notification of schema changes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldStopClaimingAtASchemaChangeAndContinueAfterItsCorrection(boolean metadata) {
        String name = "live." + metadata;
        try (CqlSession watching = connect(metadata);
                Sequences live = Sequences.open(watching, CONFIG)) {
            live.create(SequenceSpec.of(name).withBlock(1, 1));
            IdAllocator ids = live.allocator(name);
            ids.nextLong();
            if (!metadata) {
                // Without notification it checks only once an hour.
                watching.setSchemaMetadataEnabled(true);
            }
            session.execute("ALTER TABLE schema_check_it_dc1.reserve WITH gc_grace_seconds = 60");
            SequenceException refused = awaitRefusal(ids);
            assertThat(refused)
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("schema_check_it_dc1.reserve has gc_grace_seconds = 60");
            watching.setSchemaMetadataEnabled(metadata);

            Remedy.of(refused.getMessage()).forEach(session::execute);

            awaitId(ids);
        } finally {
            session.execute("ALTER TABLE schema_check_it_dc1.reserve WITH gc_grace_seconds = 864000");
        }
    }

    private static SequenceException awaitRefusal(IdAllocator ids) {
        return await().atMost(Duration.ofMinutes(2))
                .until(() -> catchThrowableOfType(SequenceException.Conflict.class, ids::nextLong), Objects::nonNull);
    }

    private static void awaitId(IdAllocator ids) {
        await().atMost(Duration.ofMinutes(2))
                .ignoreExceptionsInstanceOf(SequenceException.Conflict.class)
                .untilAsserted(ids::nextLong);
    }
}
