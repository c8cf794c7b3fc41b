package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A server that refuses timestamps which are far from its clock. It refuses them to ordinary users, who exist only where there are logins. */
class CounterGuardrailIT {

    private static CqlSession login(EmbeddedCassandra node, String role, String password) {
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withAuthCredentials(role, password)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
    }

    @Test
    void shouldBeRefusedByNameWhenCountersAreOpenedOrCreated() {
        try (EmbeddedCassandra node = EmbeddedCassandra.builder()
                        .startsOnce()
                        .requestTimeout(Duration.ofMinutes(1))
                        .yaml("authenticator", "PasswordAuthenticator")
                        .yaml("maximum_timestamp_fail_threshold", "1d")
                        .yaml("minimum_timestamp_fail_threshold", "1d")
                        .jvmOption("-Dcassandra.superuser_setup_delay_ms=0")
                        .start();
                // Cassandra creates the first role in the background after the server has started.
                CqlSession administrator = await().atMost(Duration.ofMinutes(5))
                        .ignoreExceptionsInstanceOf(AllNodesFailedException.class)
                        .until(() -> login(node, "cassandra", "cassandra"), session -> true)) {
            SequencesConfig cassidy = SequencesConfig.defaults().withGlobalKeyspace("guarded");
            CassidySchema.install(administrator, Replication.parse("dc1:1"), cassidy);
            administrator.execute(
                    "CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
            CountersConfig config = CountersConfig.of("shop.visits")
                    .withGlobalKeyspace("guarded")
                    .withRequestTimeout(Duration.ofMinutes(1));
            Counters.create(administrator, config);
            administrator.execute("CREATE ROLE clerk WITH PASSWORD = 'p' AND LOGIN = true");

            try (CqlSession clerk = login(node, "clerk", "p")) {
                assertThatThrownBy(() -> Counters.open(clerk, config))
                        .isInstanceOf(CounterException.Unfit.class)
                        .hasMessageContainingAll("refuses", "shop.visits", "maximum_timestamp");
                for (CounterKind kind : List.of(CounterKind.FOLDED, CounterKind.CUMULATIVE, CounterKind.VERSIONED)) {
                    requireRefusedUntilItIsAllowed(clerk, administrator, kind);
                }
            }
        }
    }

    private static void requireRefusedUntilItIsAllowed(CqlSession clerk, CqlSession administrator, CounterKind kind) {
        CountersConfig any = CountersConfig.of("shop.made_" + kind.name().toLowerCase(Locale.ROOT))
                .withGlobalKeyspace("guarded")
                .withRequestTimeout(Duration.ofMinutes(1))
                .withKind(kind);
        CountersConfig config = kind == CounterKind.FOLDED ? any : any.withActor("P1");
        String setting = (kind == CounterKind.FOLDED ? "maximum" : "minimum") + "_timestamp_fail_threshold";
        List<ThrowingCallable> calls = List.of(
                () -> Counters.create(clerk, config),
                // The table is there now.
                () -> Counters.create(clerk, config),
                () -> Counters.adopt(clerk, config));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOf(CounterException.Unfit.class)
                    .hasMessageContainingAll("refuses", config.table(), setting, "cassandra.yaml");
        }

        Counters.create(administrator, config);

        try (Counters counters = Counters.open(administrator, config)) {
            counters.counter("home").add(7);
            assertThat(counters.counter("home").value()).isEqualTo(7);
        }
    }
}
