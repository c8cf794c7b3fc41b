package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WithoutMicrometerTest {

    @Test
    void shouldLoadEveryOtherClass() throws Exception {
        URL[] classpath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("micrometer"))
                .map(entry -> url(Path.of(entry).toUri()))
                .toArray(URL[]::new);
        Path main = Path.of(Sequences.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> names;
        try (Stream<Path> files = Files.walk(main)) {
            names = files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> main.relativize(file).toString().replace(File.separatorChar, '.'))
                    .map(file -> file.substring(0, file.length() - ".class".length()))
                    .filter(name -> !name.endsWith("package-info"))
                    .toList();
        }
        assertThat(names).contains(Sequences.class.getName(), SequenceMetrics.class.getName());
        try (URLClassLoader bare = new URLClassLoader(classpath, ClassLoader.getPlatformClassLoader())) {
            for (String name : names) {
                if (!name.equals(SequenceMetrics.class.getName())) {
                    // This links and initialises the class, and loads every type that its members name.
                    Class<?> loaded = Class.forName(name, true, bare);
                    assertThat(loaded.getDeclaredMethods()).isNotNull();
                    assertThat(loaded.getDeclaredFields()).isNotNull();
                }
            }
            assertThatThrownBy(() -> Class.forName(SequenceMetrics.class.getName(), true, bare))
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessageContaining("micrometer");
        }
    }

    private static URL url(URI uri) {
        try {
            return uri.toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
