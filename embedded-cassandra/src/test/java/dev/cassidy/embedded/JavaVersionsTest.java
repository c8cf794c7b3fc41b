package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JavaVersionsTest {
    @ParameterizedTest
    @ValueSource(ints = {24, 25, 30})
    void shouldRefuseAJdkWithoutSecurityManagerAndSayHowToSetJavaHome(int feature) {
        assertThatThrownBy(() -> JavaVersions.requireHost(feature, "/opt/jdk"))
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessageContaining("this is JDK " + feature + " at /opt/jdk")
                .hasMessageContaining("Security Manager")
                .hasMessageContaining("JAVA_HOME");
    }

    @Test
    void shouldRefuseAJdkThatIsTooOld() {
        assertThatThrownBy(() -> JavaVersions.requireHost(11, "/opt/jdk"))
                .hasMessageContaining("needs JDK 17 or later: this is JDK 11");
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 21, 23})
    void shouldAcceptAJdkThatCanHostTheServer(int feature) {
        assertThatCode(() -> JavaVersions.requireHost(feature, "/opt/jdk")).doesNotThrowAnyException();
    }
}
