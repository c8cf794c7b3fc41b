package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverOnClasspathTest {

    @TempDir
    Path directory;

    @Test
    void shouldAcceptTheDriverOfThisClassPath() {
        assertThatCode(DriverOnClasspath::requireOne).doesNotThrowAnyException();
    }

    @Test
    void shouldRefuseBothCoordinatesAndSayWhereTheyAre() throws Exception {
        URL old = driver("old", "com.datastax.oss");
        URL successor = driver("successor", "org.apache.cassandra");
        try (URLClassLoader loader = new URLClassLoader(new URL[] {old, successor}, null)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> DriverOnClasspath.requireOne(loader))
                    .withMessageContainingAll(
                            "com.datastax.oss:java-driver-core in " + old,
                            "org.apache.cassandra:java-driver-core in " + successor,
                            "exclude the other");
        }
    }

    @Test
    void shouldAcceptTheSameDriverTwice() throws Exception {
        URL[] twice = {driver("server", "com.datastax.oss"), driver("application", "com.datastax.oss")};
        try (URLClassLoader loader = new URLClassLoader(twice, null)) {
            assertThatCode(() -> DriverOnClasspath.requireOne(loader)).doesNotThrowAnyException();
        }
    }

    private URL driver(String name, String groupId) throws IOException {
        Path description = directory.resolve(name).resolve("com/datastax/oss/driver/Driver.properties");
        Files.createDirectories(description.getParent());
        Files.write(
                description,
                Arrays.asList("driver.groupId=" + groupId, "driver.artifactId=java-driver-core", "driver.version=4"));
        return url(directory.resolve(name));
    }

    private static URL url(Path path) throws MalformedURLException {
        return path.toUri().toURL();
    }
}
