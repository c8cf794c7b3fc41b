package dev.cassidy.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.cassandra.exceptions.ConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CrdtQueryHandlerTest {

    @ParameterizedTest
    @ValueSource(strings = {"5.0", "5.0.9", "5.0-rc1", "5.0.10-SNAPSHOT"})
    void shouldAcceptCassandra50(String version) {
        assertThatCode(() -> CrdtQueryHandler.requireSupported(version)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1.10", "5.1", "6.0-alpha2", "50.0", "Unknown"})
    void shouldRefuseOthers(String version) {
        assertThatThrownBy(() -> CrdtQueryHandler.requireSupported(version))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("Cassidy's native functions are for Cassandra 5.0: version=" + version
                        + "; remove -Dcassandra.custom_query_handler_class and load crdt-functions.cql instead");
    }
}
