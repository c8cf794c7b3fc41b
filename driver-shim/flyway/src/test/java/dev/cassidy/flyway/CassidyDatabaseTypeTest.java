package dev.cassidy.flyway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.flywaydb.core.internal.database.DatabaseTypeRegister;
import org.junit.jupiter.api.Test;

class CassidyDatabaseTypeTest {

    @Test
    void shouldBeFoundForUrlsOfTheDriver() {
        assertThat(DatabaseTypeRegister.getDatabaseTypeForUrl("jdbc:cassidy://10.0.0.1/shop", null))
                .isInstanceOf(CassidyDatabaseType.class);
        assertThatThrownBy(() ->
                        DatabaseTypeRegister.getDatabaseTypeForUrl("jdbc:cassidy:record:jdbc:sqlserver://a", null))
                .hasMessageContaining("No Flyway database plugin");
    }

    @Test
    void shouldShowNoPassword() {
        String shown = DatabaseTypeRegister.redactJdbcUrl("jdbc:cassidy://a/shop?user=u&sslTruststorePassword=one"
                + "&password=two&sequencesPassword=three&sslKeystorePassword=four");

        assertThat(shown).doesNotContain("one", "two", "three", "four").contains("user=u");
    }

    @Test
    void shouldTakeALocalQuorumInOneDatacenterAlone() {
        Map<String, String> one = Map.of("class", "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1", "3");
        Map<String, String> two =
                Map.of("class", "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1", "3", "dc2", "3");
        Map<String, String> simple =
                Map.of("class", "org.apache.cassandra.locator.SimpleStrategy", "replication_factor", "3");
        Set<String> datacenters = Set.of("dc1", "dc2");

        assertThat(CassidyDatabase.seesEveryWrite("LOCAL_QUORUM", one, datacenters))
                .isTrue();
        assertThat(CassidyDatabase.seesEveryWrite("LOCAL_QUORUM", two, datacenters))
                .isFalse();
        assertThat(CassidyDatabase.seesEveryWrite("LOCAL_QUORUM", simple, datacenters))
                .isFalse();
        assertThat(CassidyDatabase.seesEveryWrite("LOCAL_QUORUM", simple, Set.of("dc1")))
                .isTrue();
        assertThat(CassidyDatabase.seesEveryWrite("QUORUM", two, datacenters)).isTrue();
        assertThat(CassidyDatabase.seesEveryWrite("ONE", one, datacenters)).isFalse();
        assertThat(CassidyDatabase.seesEveryWrite("LOCAL_ONE", simple, Set.of("dc1")))
                .isFalse();
    }
}
