package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerJarsTest {
    private static final HostJdk WITH_MANAGER = new HostJdk(Path.of("/opt/jdk"), 17);
    private static final HostJdk WITHOUT_MANAGER = new HostJdk(Path.of("/opt/jdk"), 24);

    @TempDir
    private Path cache;

    private List<Path> jars;

    @BeforeEach
    void locate() {
        jars = ServerJars.locate(new Cache(cache), WITH_MANAGER);
    }

    @Test
    void shouldNameExistingJarsAndTheServerAmongThem() {
        assertThat(jars).allSatisfy(jar -> assertThat(jar).isRegularFile());
        assertThat(names()).anyMatch(name -> name.startsWith("cassandra-all-5.0."));
    }

    @Test
    void shouldKeepTheTestsDriverAndItsNettyOut() {
        assertThat(names()).noneMatch(name -> name.startsWith("java-driver-core"));
        // Driver 4.17 requests 4.1.94, and Maven's mediation would choose that version.
        assertThat(names()).contains("netty-handler-4.1.130.Final.jar");
    }

    @Test
    void shouldPackEveryClassOfTheChild() throws Exception {
        Path compiled = Path.of(
                        ServerJars.resource("child/CassandraChild.class").toURI())
                .resolveSibling("");
        try (ZipFile child = new ZipFile(jars.get(0).toFile());
                Stream<Path> classes = Files.list(compiled)) {
            List<String> packed = child.stream()
                    .map(entry -> entry.getName().replaceFirst(".*/", ""))
                    .toList();
            assertThat(packed)
                    .containsExactlyInAnyOrderElementsOf(
                            classes.map(path -> path.getFileName().toString())
                                    .filter(name -> !name.equals("package-info.class"))
                                    .toList());
        }
    }

    @Test
    void shouldGiveTheSameChildJarEveryTime() throws IOException {
        assertThat(ServerJars.locate(new Cache(cache), WITH_MANAGER)).isEqualTo(jars);
        assertThat(cache.toFile().list()).hasSize(1);
    }

    @Test
    void shouldPutThePatchBeforeTheServerIfTheJdkHasNoSecurityManager() throws IOException {
        List<Path> patched = ServerJars.locate(new Cache(cache), WITHOUT_MANAGER);

        assertThat(patched.subList(1, patched.size())).isEqualTo(jars);
        try (ZipFile patch = new ZipFile(patched.get(0).toFile())) {
            assertThat(patch.getEntry("org/apache/cassandra/security/ThreadAwareSecurityManager.class"))
                    .isNotNull();
        }
    }

    @Test
    void shouldKeepThePatchOffTheClassPathOfApplications() {
        assertThat(getClass().getResource("/org/apache/cassandra/security/ThreadAwareSecurityManager.class"))
                .asString()
                .contains("cassandra-all");
    }

    private List<String> names() {
        return jars.stream().map(jar -> jar.getFileName().toString()).toList();
    }
}
