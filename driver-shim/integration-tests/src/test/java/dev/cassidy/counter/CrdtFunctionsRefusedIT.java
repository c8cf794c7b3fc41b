package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.counter.CrdtFunctionsFinding.Severity;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A server as a cautious administrator sets it up: with logins, without user-defined functions. */
class CrdtFunctionsRefusedIT {

    private static EmbeddedCassandra cassandra;
    private static CqlSession administrator;

    @BeforeAll
    static void start() {
        cassandra = EmbeddedCassandra.builder()
                .startsOnce()
                .yaml("authenticator", "PasswordAuthenticator")
                .yaml("authorizer", "CassandraAuthorizer")
                .yaml("user_defined_functions_enabled", "false")
                .yaml("user_function_timeout_policy", "die")
                .yaml("user_defined_functions_fail_timeout", "900ms")
                .yaml("read_request_timeout", "4s")
                .jvmOption("-Dcassandra.superuser_setup_delay_ms=0")
                .start();
        administrator = loginOnceTheRoleExists("cassandra", "cassandra");
        administrator.execute(
                "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    }

    @AfterAll
    static void stop() {
        administrator.close();
        cassandra.close();
    }

    @Test
    void shouldNameTheSettingThatDisablesFunctions() {
        assertThatThrownBy(() -> CrdtFunctions.install(administrator, "shop"))
                .isInstanceOf(CrdtFunctionsException.class)
                .hasCauseInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("user_defined_functions_enabled: true")
                .hasMessageContaining(Integer.toString(cassandra.port()));
    }

    @Test
    void shouldNameThePermissionThatIsMissing() {
        administrator.execute("CREATE ROLE clerk WITH PASSWORD = 'clerk' AND LOGIN = true");
        try (CqlSession clerk = loginOnceTheRoleExists("clerk", "clerk")) {
            assertThatThrownBy(() -> CrdtFunctions.install(clerk, "shop"))
                    .isInstanceOf(CrdtFunctionsException.class)
                    .hasCauseInstanceOf(UnauthorizedException.class)
                    .hasMessageContaining("GRANT CREATE, ALTER, DROP, EXECUTE ON ALL FUNCTIONS IN KEYSPACE shop TO");
        }
    }

    @Test
    void shouldWarnOfAServerThatStopsItselfWhenAFunctionStalls() {
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(CrdtFunctions.class);
        appender.start();
        logger.addAppender(appender);
        try {
            assertThatThrownBy(() -> CrdtFunctions.install(administrator, "shop"))
                    .isInstanceOf(CrdtFunctionsException.class);
        } finally {
            logger.detachAppender(appender);
        }
        assertThat(appender.list)
                .filteredOn(ILoggingEvent::getLevel, Level.WARN)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("user_function_timeout_policy: ignore");
    }

    @Test
    void shouldFindWhatMakesFunctionsImpossibleAndDangerousTheWorstFirst() {
        assertThat(CrdtFunctions.check(administrator))
                .extracting(CrdtFunctionsFinding::severity, CrdtFunctionsFinding::setting, CrdtFunctionsFinding::value)
                .containsExactly(
                        tuple(Severity.IMPOSSIBLE, "user_defined_functions_enabled", "false"),
                        tuple(Severity.DANGEROUS, "user_function_timeout_policy", "die"),
                        tuple(Severity.SLOW, "user_defined_functions_threads_enabled", "true"),
                        tuple(Severity.SLOW, "user_defined_functions_fail_timeout", "900ms"),
                        tuple(Severity.SLOW, "read_request_timeout", "4s"));
    }

    @Test
    void shouldNameThePermissionWithoutWhichSettingsCannotBeRead() {
        administrator.execute("CREATE ROLE blind WITH PASSWORD = 'blind' AND LOGIN = true");
        try (CqlSession blind = loginOnceTheRoleExists("blind", "blind")) {
            assertThat(CrdtFunctions.check(blind)).singleElement().satisfies(finding -> {
                assertThat(finding.severity()).isEqualTo(Severity.UNKNOWN);
                assertThat(finding.advice()).contains("GRANT SELECT ON system_views.settings TO it");
            });
        }
    }

    /** Cassandra creates its first role in the background once it is up. */
    private static CqlSession loginOnceTheRoleExists(String role, String password) {
        return await().atMost(Duration.ofMinutes(2))
                .ignoreExceptionsInstanceOf(AllNodesFailedException.class)
                .until(
                        () -> CqlSession.builder()
                                .addContactPoint(cassandra.contactPoint())
                                .withLocalDatacenter(cassandra.localDatacenter())
                                .withAuthCredentials(role, password)
                                .build(),
                        session -> true);
    }
}
