package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Runs on a server as a cautious administrator configures it: with logins, and without user-defined functions. */
class CrdtFunctionsRefusedIT {

    private static EmbeddedCassandra cassandra;
    private static CqlSession administrator;

    @BeforeAll
    static void start() {
        cassandra = EmbeddedCassandra.builder()
                .yaml("authenticator", "PasswordAuthenticator")
                .yaml("authorizer", "CassandraAuthorizer")
                .yaml("user_defined_functions_enabled", "false")
                .yaml("user_function_timeout_policy", "die")
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
                    .hasMessageContaining("GRANT CREATE, ALTER, EXECUTE ON ALL FUNCTIONS IN KEYSPACE shop TO");
        }
    }

    @Test
    void shouldWarnAboutAServerThatStopsItselfWhenAFunctionStalls() {
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

    /** Cassandra creates its first role in the background after it has started. */
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
