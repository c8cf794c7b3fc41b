package dev.cassidy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.QueryTrace;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.TraceEvent;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCassandraException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar in a node that uses what production nodes use: logins, permissions, the audit log, another query handler. */
class CrdtQueryHandlerIT {

    private static final String SUM = "SELECT crdt_sum(increment) FROM shop.counter WHERE type = ?";

    @TempDir
    static Path folder;

    private static EmbeddedCassandra cassandra;
    private static CqlSession session;

    @BeforeAll
    static void start() throws IOException {
        cassandra = withJars("dev.cassidy.server.HandlerOfAnotherJar")
                .yaml("authenticator", "PasswordAuthenticator")
                .yaml("authorizer", "CassandraAuthorizer")
                .yaml("audit_logging_options", "{enabled: true, logger: [{class_name: FileAuditLogger}]}")
                // A permission that was granted is seen at once.
                .yaml("permissions_validity", "0ms")
                // So that a busy machine fails no test.
                .yaml("read_request_timeout", "60s")
                .yaml("range_request_timeout", "60s")
                .yaml("write_request_timeout", "60s")
                .jvmOption("-Dcassandra.superuser_setup_delay_ms=0")
                .start();
        session = login("cassandra");
        session.execute("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE shop.counter(type text, version int, increment int, PRIMARY KEY(type, version))");
        session.execute("INSERT INTO shop.counter(type, version, increment) VALUES ('IBM', 1, 2000)");
    }

    @AfterAll
    static void stop() {
        session.close();
        cassandra.close();
    }

    @Test
    void shouldLeaveEverythingToTheNextHandler() {
        String insert = "INSERT INTO shop.counter(type, version, increment) VALUES ('SAP', 1, 1)";
        session.execute(insert);
        session.execute(session.prepare(SUM).bind("IBM"));
        session.execute(BatchStatement.newInstance(DefaultBatchType.LOGGED, SimpleStatement.newInstance(insert)));

        for (String method : List.of("parse", "process", "prepare", "getPrepared", "processPrepared", "processBatch")) {
            assertThat(session.execute(
                                    "SELECT value FROM system_views.system_properties WHERE name = ?",
                                    HandlerOfAnotherJar.CALLED + method)
                            .one()
                            .getString(0))
                    .as(method)
                    .isEqualTo("yes");
        }
        String forbidden = "SELECT crdt_sum(increment) AS forbidden FROM shop.counter";
        assertThatThrownBy(() -> session.execute(forbidden))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessage("refused by the handler of another jar");
        assertThatThrownBy(() -> session.prepare(forbidden)).hasMessage("refused by the handler of another jar");
    }

    @Test
    void shouldNeedThePermissionToReadAndNoOther() {
        session.execute("CREATE ROLE reader WITH PASSWORD = 'reader' AND LOGIN = true");
        try (CqlSession reader = login("reader")) {
            assertThatThrownBy(() -> reader.execute(SUM, "IBM")).isInstanceOf(UnauthorizedException.class);

            session.execute("GRANT SELECT ON shop.counter TO reader");

            assertThat(reader.execute(SUM, "IBM").one().getBigInteger(0)).isEqualTo("2000");
        }
    }

    @Test
    void shouldKeepTheAuditLog() {
        session.execute("SELECT crdt_sum(increment) AS audited FROM shop.counter WHERE type = 'IBM'");

        await().atMost(Duration.ofMinutes(1)).until(() -> log().lines()
                .anyMatch(line -> line.contains("type:SELECT") && line.contains("crdt_sum(increment) AS audited")));
    }

    @Test
    void shouldKeepTracing() {
        QueryTrace trace = session.execute(
                        SimpleStatement.newInstance(SUM, "IBM").setTracing(true))
                .getExecutionInfo()
                .getQueryTrace();

        assertThat(trace.getParameters()).containsEntry("query", SUM);
        assertThat(trace.getEvents()).extracting(TraceEvent::getActivity).anyMatch(event -> event.contains("shop"));
    }

    @Test
    void shouldHaveItsFunctionsBeforeTheStatementsOfTheLastRunAreLoadedAgain() {
        String prepared = "SELECT crdt_sum(increment) AS prepared FROM shop.counter WHERE type = ?";
        session.prepare(prepared);
        assertThat(isKept(prepared)).isTrue();

        session.close();
        int before = log().length();
        cassandra.restart();
        session = login("cassandra");

        // Cassandra removes those that it cannot load.
        assertThat(isKept(prepared)).isTrue();
        assertThat(log().substring(before))
                .containsPattern("Preloaded [1-9][0-9]* prepared statements")
                .doesNotContain("Prepared statement recreation error");
        assertThat(session.execute(session.prepare(prepared).bind("IBM")).one().getBigInteger(0))
                .isEqualTo("2000");
    }

    private static boolean isKept(String statement) {
        for (Row row : session.execute("SELECT query_string FROM system.prepared_statements")) {
            if (statement.equals(row.getString(0))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void shouldNotStartWithAHalfOfTheFunctions() throws IOException {
        EmbeddedCassandra.Builder conflicting = withJars("dev.cassidy.server.ConflictingHandler");

        assertThatThrownBy(conflicting::start)
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessageContaining("Cassidy's native functions are not installed:"
                        + " system.crdt_orset_size : (text, uuid, boolean) -> bigint exists already, registered by"
                        + " dev.cassidy.server.ConflictingHandler")
                .hasMessageContaining("remove one of the two jars");
    }

    @Test
    void shouldNotStartWithAHandlerThatIsNone() throws IOException {
        EmbeddedCassandra.Builder wrong = withJars("dev.cassidy.server.CrdtNatives");

        assertThatThrownBy(wrong::start)
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessageContaining("cassidy.query_handler")
                .hasMessageContaining("dev.cassidy.server.CrdtNatives");
    }

    private static EmbeddedCassandra.Builder withJars(String nextHandler) throws IOException {
        return EmbeddedCassandra.builder()
                .serverJar(Path.of(System.getProperty("cassidy.serverJar")))
                .serverJar(otherJar())
                .jvmOption("-Dcassandra.custom_query_handler_class=dev.cassidy.server.CrdtQueryHandler")
                .jvmOption("-Dcassidy.query_handler=" + nextHandler);
    }

    private static Path otherJar() throws IOException {
        Path jar = folder.resolve("other.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(file)) {
            for (String name : List.of("HandlerOfAnotherJar", "ConflictingHandler", "ConflictingHandler$1")) {
                String path = "dev/cassidy/server/" + name + ".class";
                entries.putNextEntry(new JarEntry(path));
                try (InputStream type = CrdtQueryHandlerIT.class.getResourceAsStream("/" + path)) {
                    type.transferTo(entries);
                }
            }
        }
        return jar;
    }

    private static String log() {
        try {
            return Files.readString(cassandra.logFile());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Cassandra creates its first role in the background once it is up. */
    private static CqlSession login(String role) {
        return await().atMost(Duration.ofMinutes(2))
                .ignoreExceptionsInstanceOf(AllNodesFailedException.class)
                .until(
                        () -> CqlSession.builder()
                                .addContactPoint(cassandra.contactPoint())
                                .withLocalDatacenter(cassandra.localDatacenter())
                                .withAuthCredentials(role, role)
                                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(60))
                                        // A trace is complete some time after its answer.
                                        .withInt(DefaultDriverOption.REQUEST_TRACE_ATTEMPTS, 600)
                                        .withDuration(
                                                DefaultDriverOption.REQUEST_TRACE_INTERVAL, Duration.ofMillis(100))
                                        .build())
                                .build(),
                        opened -> true);
    }
}
