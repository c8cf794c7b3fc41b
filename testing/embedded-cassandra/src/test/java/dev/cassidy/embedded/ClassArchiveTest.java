package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassArchiveTest {
    @TempDir
    private Path folder;

    private Path jar;

    @BeforeEach
    void makeAJar() throws Exception {
        jar = Files.writeString(folder.resolve("server.jar"), "classes");
    }

    private ClassArchive archive() throws Exception {
        return ClassArchive.of(new Cache(folder), HostJdk.own(), List.of(jar));
    }

    @Test
    void shouldBeWrittenOnceAndThenUsed() throws Exception {
        ClassArchive archive = archive();
        assertThat(archive.options(true)).containsExactly("-XX:+RecordDynamicDumpInfo", written(archive));

        Files.createFile(archive.file());

        assertThat(archive.options(true)).containsExactly(used(archive));
        assertThat(archive.options(false)).containsExactly(used(archive));
    }

    @Test
    void shouldNotBeWrittenByEachJvm() throws Exception {
        assertThat(archive().options(false)).isEmpty();
    }

    @Test
    void shouldNotBeWrittenAgainAfterAJvmDied() throws Exception {
        archive().giveUp();

        assertThat(archive().options(true)).isEmpty();
    }

    @Test
    void shouldBeAnotherOneIfAJarChanges() throws Exception {
        Path before = archive().file();
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));

        assertThat(archive().file()).isNotEqualTo(before);
    }

    @Test
    void shouldMakeRoomByDeletingThoseNotUsedForLongest() throws Exception {
        for (int i = 0; i < 6; i++) {
            Path other = Files.createFile(folder.resolve("classes-" + i + ".jsa"));
            Files.setLastModifiedTime(other, FileTime.from(Instant.EPOCH.plusSeconds(i)));
        }
        ClassArchive third = new ClassArchive(folder.resolve("classes-3.jsa"));
        assertThat(third.options(true)).containsExactly(used(third));

        assertThat(archive().options(true)).hasSize(2);

        assertThat(folder.toFile().list())
                .containsExactlyInAnyOrder("server.jar", "classes-3.jsa", "classes-4.jsa", "classes-5.jsa");
    }

    private static String used(ClassArchive archive) {
        return "-XX:SharedArchiveFile=" + archive.file();
    }

    private static String written(ClassArchive archive) {
        return "-Dcassidy.embedded.archive=" + archive.file();
    }
}
