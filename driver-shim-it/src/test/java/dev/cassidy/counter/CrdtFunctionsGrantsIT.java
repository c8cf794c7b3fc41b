package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.counter.CrdtFunctionsFinding.Severity;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which permissions are enough, on a server that checks them, and that runs functions without threads of their own. */
class CrdtFunctionsGrantsIT {

    private static final String EXACT =
            "SELECT crdt_exact(type, actor, version, upto, increment) FROM shop.counter WHERE type = 'IBM'";

    private static EmbeddedCassandra cassandra;
    private static CqlSession administrator;

    @BeforeAll
    static void start() {
        cassandra = EmbeddedCassandra.builder()
                .startsOnce()
                .yaml("authenticator", "PasswordAuthenticator")
                .yaml("authorizer", "CassandraAuthorizer")
                // A permission that was granted is seen at once.
                .yaml("permissions_validity", "0ms")
                .yaml("user_defined_functions_threads_enabled", "false")
                .yaml("allow_insecure_udfs", "true")
                .yaml("allow_extra_insecure_udfs", "true")
                .yaml("user_function_timeout_policy", "die")
                // So that a busy machine fails no test.
                .yaml("read_request_timeout", "60s")
                .yaml("range_request_timeout", "60s")
                .yaml("write_request_timeout", "60s")
                .jvmOption("-Dcassandra.superuser_setup_delay_ms=0")
                .start();
        administrator = login("cassandra");
        administrator.execute(
                "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        administrator.execute("CREATE TABLE shop.counter(type text, actor text, version bigint, increment bigint,"
                + " upto bigint, PRIMARY KEY(type, actor, version))");
        administrator.execute(
                "INSERT INTO shop.counter(type, actor, version, increment) VALUES ('IBM', 'P1', 1, 2000)");
        CrdtFunctions.install(administrator, "shop", List.of("crdt_exact", "crdt_sum"));
    }

    @AfterAll
    static void stop() {
        administrator.close();
        cassandra.close();
    }

    @Test
    void shouldLetAReaderCallWhatItWasGrantedAndNothingElse() {
        role("reader", "GRANT SELECT ON shop.counter TO reader");
        List<String> grants = CrdtFunctions.readerGrants("shop", "reader", "crdt_exact");
        assertThat(grants)
                .contains("GRANT EXECUTE ON FUNCTION shop.crdt_exact(text, text, bigint, bigint, bigint) TO reader")
                // An aggregate and its state function for each of three types, one final function, and the version.
                .hasSize(8);
        grants.forEach(administrator::execute);
        try (CqlSession reader = login("reader")) {
            assertThat(reader.execute(EXACT).one().getBigInteger(0)).isEqualTo("2000");
            assertThatThrownBy(() -> reader.execute("SELECT crdt_sum(increment) FROM shop.counter"))
                    .isInstanceOf(UnauthorizedException.class);

            for (String grant : grants.stream()
                    .filter(grant -> grant.matches(".*(bigint, bigint, bigint\\)|_result\\(.*) TO reader"))
                    .toList()) {
                administrator.execute(grant.replace("GRANT", "REVOKE").replace(" TO ", " FROM "));
                assertThatThrownBy(() -> reader.execute(EXACT))
                        .as("without: %s", grant)
                        .isInstanceOf(UnauthorizedException.class);
                administrator.execute(grant);
            }
        }
    }

    @Test
    void shouldLetAnInstallerInstallReplaceAndRemove() {
        administrator.execute(
                "CREATE KEYSPACE stock WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        administrator.execute("CREATE FUNCTION stock.crdt_sum_add(state varint, value bigint) CALLED ON NULL INPUT"
                + " RETURNS varint LANGUAGE java AS 'return state;'");
        role("installer", CrdtFunctions.installerGrants("stock", "installer").toArray(new String[0]));

        try (CqlSession installer = login("installer")) {
            CrdtFunctions.install(installer, "stock", List.of("crdt_sum"));
            assertThat(CrdtFunctions.installed(installer, "stock")).satisfies(installed -> {
                assertThat(installed.different()).isEmpty();
                assertThat(installed.present()).contains("crdt_sum(double)", "crdt_sum_add(varint, bigint)");
            });

            CrdtFunctions.uninstall(installer, "stock");
            assertThat(CrdtFunctions.installed(installer, "stock").present()).isEmpty();

            assertThatThrownBy(() -> CrdtFunctions.uninstall(installer, "shop"))
                    .isInstanceOf(CrdtFunctionsException.class)
                    .hasMessageContaining("GRANT CREATE, ALTER, DROP, EXECUTE ON ALL FUNCTIONS IN KEYSPACE shop TO it");
        }
    }

    @Test
    void shouldGrantAllAggregatesWhereNoneIsNamed() {
        assertThat(CrdtFunctions.readerGrants("\"Shop\"", "reader"))
                .doesNotHaveDuplicates()
                .contains("GRANT EXECUTE ON FUNCTION \"Shop\".crdt_sum_add(varint, counter) TO reader");
        assertThatThrownBy(() -> CrdtFunctions.readerGrants("shop", "reader", "sum"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("aggregates=[sum]")
                .hasMessageContaining("crdt_sum_long");
    }

    @Test
    void shouldFindFunctionsThatNothingCanStop() {
        assertThat(CrdtFunctions.check(administrator))
                .extracting(CrdtFunctionsFinding::severity, CrdtFunctionsFinding::setting)
                .containsExactly(
                        tuple(Severity.DANGEROUS, "user_defined_functions_threads_enabled"),
                        tuple(Severity.DANGEROUS, "allow_extra_insecure_udfs"));
    }

    private static void role(String name, String... grants) {
        administrator.execute("CREATE ROLE " + name + " WITH PASSWORD = '" + name + "' AND LOGIN = true");
        for (String grant : grants) {
            administrator.execute(grant);
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
                                        .build())
                                .build(),
                        session -> true);
    }
}
