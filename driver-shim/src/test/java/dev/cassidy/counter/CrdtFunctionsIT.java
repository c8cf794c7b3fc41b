package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.math.BigInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CrdtFunctionsIT {

    private static CqlSession session;

    @BeforeAll
    static void connect() {
        EmbeddedCassandra cassandra = EmbeddedCassandra.shared();
        session = CqlSession.builder()
                .addContactPoint(cassandra.contactPoint())
                .withLocalDatacenter(cassandra.localDatacenter())
                // With schema metadata, the driver would wait for a second after each of the many schema changes here.
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
    void shouldInstallRepeatedlyAndOnlyIntoTheNamedKeyspace() {
        keyspaceWithTrades("crdt_functions");
        keyspaceWithTrades("crdt_functions_not");

        CrdtFunctions.install(session, "crdt_functions");
        CrdtFunctions.install(session, "crdt_functions");

        assertThat(sumOfTrades("crdt_functions")).isEqualTo("18446744073709551614");
        assertThatThrownBy(() -> sumOfTrades("crdt_functions_not")).hasMessageContaining("crdt_sum");
    }

    @Test
    void shouldInstallIntoAKeyspaceWithACaseSensitiveName() {
        keyspaceWithTrades("\"CrdtFunctions\"");

        CrdtFunctions.install(session, "\"CrdtFunctions\"");

        assertThat(sumOfTrades("\"CrdtFunctions\"")).isEqualTo("18446744073709551614");
    }

    @Test
    void shouldReplaceTheFunctionsOfAnotherVersion() {
        keyspaceWithTrades("crdt_functions_old");
        session.execute("CREATE FUNCTION crdt_functions_old.crdt_sum_add(state varint, value bigint)"
                + " CALLED ON NULL INPUT RETURNS varint LANGUAGE java AS 'return state;'");
        session.execute(
                "CREATE AGGREGATE crdt_functions_old.crdt_sum(bigint)" + " SFUNC crdt_sum_add STYPE varint INITCOND 0");
        assertThat(sumOfTrades("crdt_functions_old")).isEqualTo("0");

        CrdtFunctions.install(session, "crdt_functions_old");

        assertThat(sumOfTrades("crdt_functions_old")).isEqualTo("18446744073709551614");
    }

    @Test
    void shouldNameAKeyspaceThatDoesNotExist() {
        assertThatThrownBy(() -> CrdtFunctions.install(session, "nowhere"))
                .isInstanceOf(CrdtFunctionsException.class)
                .hasMessage("keyspace does not exist, create it first: keyspace=nowhere");
    }

    private static void keyspaceWithTrades(String keyspace) {
        session.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
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
