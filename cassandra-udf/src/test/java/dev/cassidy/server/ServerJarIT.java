package dev.cassidy.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

class ServerJarIT {

    private static final Path JAR = Path.of(System.getProperty("cassidy.serverJar"));

    @Test
    void shouldAddOnlyItsOwnClassesToCassandrasLib() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            List<String> entries = jar.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .toList();
            assertThat(entries)
                    .contains(
                            "dev/cassidy/functions/CrdtSum.class",
                            "dev/cassidy/functions/crdt-functions.cql",
                            "dev/cassidy/server/CrdtQueryHandler.class")
                    .allMatch(
                            name -> name.matches(
                                    "META-INF/MANIFEST\\.MF|META-INF/maven/dev\\.cassidy/.*|dev/cassidy/(functions|server)/.*"));
        }
    }

    @Test
    void shouldContainTheCommittedScript() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            byte[] script = jar.getInputStream(jar.getEntry("dev/cassidy/functions/crdt-functions.cql"))
                    .readAllBytes();
            assertThat(script).isEqualTo(Files.readAllBytes(Path.of("crdt-functions.cql")));
        }
    }
}
