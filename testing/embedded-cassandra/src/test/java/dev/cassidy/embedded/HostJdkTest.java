package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostJdkTest {
    private static final HostJdk NEW = new HostJdk(Path.of("/opt/new"), 25);

    @TempDir
    private Path folder;

    private Path jdk(String name, String version) throws IOException {
        Path home = Files.createDirectories(folder.resolve(name));
        Files.createDirectories(home.resolve("bin"));
        assertThat(Files.createFile(home.resolve("bin/java")).toFile().setExecutable(true))
                .isTrue();
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 21, 23})
    void shouldUseTheJdkOfThisJvmIfItHasASecurityManager(int feature) throws IOException {
        jdk("other", "17.0.15");

        assertThat(HostJdk.choose(new HostJdk(Path.of("/opt/own"), feature), "/nowhere", List.of(folder)))
                .isEqualTo(new HostJdk(Path.of("/opt/own"), feature));
    }

    @Test
    void shouldPreferTheOldestJdkThatItFinds() throws IOException {
        jdk("a21", "21.0.1");
        Path expected = jdk("b17", "17.0.15");
        jdk("c24", "24");
        jdk("d11", "11.0.2");
        jdk("e8", "1.8.0_402");

        assertThat(HostJdk.choose(NEW, null, List.of(folder.resolve("missing"), folder)))
                .isEqualTo(new HostJdk(expected, 17));
    }

    @Test
    void shouldFindAJdkInABundleOfMacOs() throws IOException {
        Path expected = jdk("temurin.jdk/Contents/Home", "17.0.15");

        assertThat(HostJdk.choose(NEW, null, List.of(folder))).isEqualTo(new HostJdk(expected, 17));
    }

    @Test
    void shouldPreferTheNamedJdk() throws IOException {
        jdk("a17", "17.0.15");
        Path named = jdk("elsewhere/b21", "21.0.1");

        assertThat(HostJdk.choose(NEW, named.toString(), List.of(folder))).isEqualTo(new HostJdk(named, 21));
    }

    @Test
    void shouldRefuseAnUnsuitableNamedJdk() throws IOException {
        Path named = jdk("b25", "25.0.1");

        assertThatThrownBy(() -> HostJdk.choose(NEW, named.toString(), List.of(folder)))
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessageContaining("JAVA17_HOME=" + named)
                .hasMessageContaining("from 17 to 23");
    }

    @Test
    void shouldUseTheJdkOfThisJvmIfThereIsNoOther() throws IOException {
        jdk("b25", "25.0.1");
        Files.createDirectories(folder.resolve("empty"));
        Files.writeString(folder.resolve("file"), "");

        assertThat(HostJdk.choose(NEW, null, List.of(folder))).isEqualTo(NEW);
    }
}
