package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.SharedNode;
import dev.cassidy.counter.CrdtFunctionsFinding.Severity;
import dev.cassidy.cql.SeenRequests;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.functions.CrdtPackVersion;
import dev.cassidy.functions.CrdtScript;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class CrdtFunctionsIT {

    private static final SeenRequests seen = new SeenRequests();

    private static CqlSession session;

    @BeforeAll
    static void connect() {
        EmbeddedCassandra cassandra = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(cassandra.contactPoint())
                .withLocalDatacenter(cassandra.localDatacenter())
                .withRequestTracker(seen)
                // With it, the driver waits for a second after each of the many schema changes here.
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .build())
                .build();
    }

    @AfterAll
    static void disconnect() {
        session.close();
    }

    @Test
    void shouldInstallIntoTheNamedKeyspaceAloneAndThenSendNothingToChange() {
        keyspaceWithTrades("crdt_functions");
        keyspaceWithTrades("crdt_functions_not");

        CrdtFunctions.install(session, "crdt_functions");

        assertThat(sumOfTrades("crdt_functions")).isEqualTo("18446744073709551614");
        assertThatThrownBy(() -> sumOfTrades("crdt_functions_not")).hasMessageContaining("crdt_sum");

        seen.upToNow(session);
        seen.clear();
        CrdtFunctions.install(session, "crdt_functions");
        assertThat(seen.upToNow(session)).isNotEmpty().allMatch(SeenRequests.Seen::isRead);
    }

    @Test
    void shouldReplaceWhatAnotherVersionInstalled() {
        keyspaceWithTrades("crdt_functions_old");
        session.execute("CREATE FUNCTION crdt_functions_old.crdt_sum_add(state varint, value bigint)"
                + " CALLED ON NULL INPUT RETURNS varint LANGUAGE java AS 'return state;'");
        session.execute(
                "CREATE AGGREGATE crdt_functions_old.crdt_sum(bigint)" + " SFUNC crdt_sum_add STYPE varint INITCOND 0");
        assertThat(sumOfTrades("crdt_functions_old")).isEqualTo("0");

        CrdtFunctions.install(session, "crdt_functions_old", List.of("crdt_sum"));

        assertThat(sumOfTrades("crdt_functions_old")).isEqualTo("18446744073709551614");
        assertThat(functionsOf("crdt_functions_old"))
                .containsOnly("crdt_sum", "crdt_sum_add", "crdt_sum_result", "crdt_pack_version");
    }

    @Test
    void shouldNameAnAggregateThatIsNotOffered() {
        assertThatThrownBy(() -> CrdtFunctions.install(session, "system", List.of("crdt_sum", "crdt_some")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("crdt_sum_long")
                .hasMessageEndingWith(": aggregates=[crdt_sum, crdt_some]");
    }

    @Test
    void shouldSayWhatIsInstalled() {
        keyspaceWithTrades("crdt_functions_list");
        CrdtFunctionsInstalled nothing = CrdtFunctions.installed(session, "crdt_functions_list");
        assertThat(nothing.version()).isZero();
        assertThat(nothing.isComplete()).isFalse();
        assertThat(nothing.present()).isEmpty();
        assertThat(nothing.missing()).contains("crdt_sum(bigint)", "crdt_sum_add(varint, bigint)");

        session.execute("CREATE FUNCTION crdt_functions_list.crdt_sum_add(state varint, value bigint)"
                + " CALLED ON NULL INPUT RETURNS varint LANGUAGE java"
                + " AS $$ return value == null ? state : state.add(java.math.BigInteger.valueOf(value)); $$");
        session.execute(
                "CREATE AGGREGATE crdt_functions_list.crdt_sum(bigint) SFUNC crdt_sum_add STYPE varint INITCOND 0");
        CrdtFunctionsInstalled old = CrdtFunctions.installed(session, "crdt_functions_list");
        assertThat(old.version()).isZero();
        assertThat(old.different()).containsExactly("crdt_sum_add(varint, bigint)");
        assertThat(old.present()).containsExactly("crdt_sum(bigint)");
        assertThat(old.isComplete()).isFalse();

        CrdtFunctions.install(session, "crdt_functions_list");
        CrdtFunctionsInstalled complete = CrdtFunctions.installed(session, "crdt_functions_list");
        assertThat(complete.isComplete()).isTrue();
        assertThat(complete.version()).isEqualTo(CrdtPackVersion.version());
        assertThat(complete.present()).hasSameSizeAs(CrdtScript.statements());
        assertThat(complete.retired()).isEmpty();
    }

    @Test
    void shouldRemoveWhatAnOlderVersionInstalledUnlessItIsUsed() {
        keyspace("crdt_functions_retired");
        for (String name : List.of("crdt_old_add", "crdt_older_add")) {
            session.execute("CREATE FUNCTION crdt_functions_retired." + name + "(state varint, value int)"
                    + " CALLED ON NULL INPUT RETURNS varint LANGUAGE java AS 'return state;'");
        }
        for (String name : List.of("crdt_old(int) SFUNC crdt_old_add", "mine(int) SFUNC crdt_older_add")) {
            session.execute("CREATE AGGREGATE crdt_functions_retired." + name + " STYPE varint INITCOND 0");
        }
        CrdtFunctionsPack newer = new CrdtFunctionsPack(
                Map.of(), Set.of("crdt_old(int)", "crdt_old_add(varint, int)", "crdt_older_add(varint, int)"));

        List<String> warnings = warningsOf(() -> CrdtFunctions.install(session, "crdt_functions_retired", newer));

        assertThat(functionsOf("crdt_functions_retired")).containsExactlyInAnyOrder("crdt_older_add", "mine");
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("function=crdt_functions_retired.crdt_older_add(varint, int)")
                .contains("crdt_functions_retired.mine");
    }

    @Test
    void shouldRemoveEverythingButWhatAUsersOwnAggregateNeeds() {
        keyspaceWithTrades("\"CrdtUninstall\"");
        CrdtFunctions.install(session, "\"CrdtUninstall\"");
        assertThat(sumOfTrades("\"CrdtUninstall\"")).isEqualTo("18446744073709551614");
        session.execute(
                "CREATE AGGREGATE \"CrdtUninstall\".my_sum(bigint) SFUNC crdt_sum_add STYPE varint INITCOND 100");
        session.execute("CREATE FUNCTION \"CrdtUninstall\".mine() CALLED ON NULL INPUT RETURNS int LANGUAGE java"
                + " AS 'return 1;'");

        CrdtFunctionsRemoved removed = CrdtFunctions.uninstall(session, "\"CrdtUninstall\"");

        assertThat(functionsOf("CrdtUninstall")).containsExactlyInAnyOrder("my_sum", "crdt_sum_add", "mine");
        assertThat(removed.removed())
                .hasSize(CrdtScript.statements().size() - 1)
                .contains("crdt_sum(bigint)");
        assertThat(removed.kept()).containsOnlyKeys("crdt_sum_add(varint, bigint)");
        assertThat(removed.kept().get("crdt_sum_add(varint, bigint)")).contains("my_sum");
        assertThat(session.execute("SELECT my_sum(increment) FROM \"CrdtUninstall\".trades")
                        .one()
                        .getBigInteger(0))
                .isEqualTo("18446744073709551714");

        session.execute("DROP AGGREGATE \"CrdtUninstall\".my_sum");
        assertThat(CrdtFunctions.uninstall(session, "\"CrdtUninstall\"").kept()).isEmpty();
        assertThat(CrdtFunctions.uninstall(session, "\"CrdtUninstall\"").removed())
                .isEmpty();
        assertThat(functionsOf("CrdtUninstall")).containsExactly("mine");
    }

    @Test
    void shouldFindTheDefaultsSlowAndNothingElse() {
        assertThat(CrdtFunctions.check(session)).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.SLOW);
            assertThat(finding.setting()).isEqualTo("user_defined_functions_threads_enabled");
            assertThat(finding.node().getEndPoint().resolve())
                    .isEqualTo(SharedNode.get().contactPoint());
        });
    }

    @Test
    void shouldSayThatANodeHasNoNativeFunctions() {
        assertThat(CrdtFunctions.nativeFunctions(session)).singleElement().satisfies(node -> {
            assertThat(node.isInstalled()).isFalse();
            assertThat(node.problem()).isEmpty();
        });
    }

    @Test
    void shouldNameAKeyspaceThatDoesNotExist() {
        for (Consumer<String> call : List.<Consumer<String>>of(
                keyspace -> CrdtFunctions.install(session, keyspace),
                keyspace -> CrdtFunctions.installed(session, keyspace),
                keyspace -> CrdtFunctions.uninstall(session, keyspace))) {
            assertThatThrownBy(() -> call.accept("nowhere"))
                    .isInstanceOf(CrdtFunctionsException.class)
                    .hasMessage("keyspace does not exist, create it first: keyspace=nowhere");
        }
    }

    private static List<String> functionsOf(String keyspace) {
        List<String> names = new ArrayList<>();
        for (String kind : List.of("function", "aggregate")) {
            session.execute(
                            "SELECT " + kind + "_name FROM system_schema." + kind + "s WHERE keyspace_name = ?",
                            keyspace)
                    .forEach(row -> names.add(row.getString(0)));
        }
        return names;
    }

    private static List<String> warningsOf(Runnable action) {
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(CrdtFunctions.class);
        appender.start();
        logger.addAppender(appender);
        try {
            action.run();
        } finally {
            logger.detachAppender(appender);
        }
        return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static void keyspace(String keyspace) {
        session.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    }

    private static void keyspaceWithTrades(String keyspace) {
        keyspace(keyspace);
        session.execute("CREATE TABLE " + keyspace + ".trades(type text, version int, increment bigint,"
                + " PRIMARY KEY(type, version))");
        for (int version = 1; version <= 2; version++) {
            session.execute(
                    "INSERT INTO " + keyspace + ".trades(type, version, increment) VALUES ('IBM', ?, ?)",
                    version,
                    Long.MAX_VALUE);
        }
    }

    private static BigInteger sumOfTrades(String keyspace) {
        return session.execute("SELECT crdt_sum(increment) FROM " + keyspace + ".trades WHERE type = 'IBM'")
                .one()
                .getBigInteger(0);
    }
}
