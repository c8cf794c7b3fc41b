package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A child never outlives its parent, however the parent ends. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ParentDeathIT {
    /** A killed parent cannot remove its node's folder, so the folder is in here. */
    @TempDir
    private Path temporary;

    @Test
    void shouldEndWithAKilledParent() throws Exception {
        Parent parent = start("wait");

        parent.process.destroyForcibly();

        parent.awaitChildsEnd();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldEndWithAKilledParentEvenWhenPaused() throws Exception {
        Parent parent = start("pause");

        parent.process.destroyForcibly();

        parent.awaitChildsEnd();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit", "return"})
    void shouldEndAndLeaveNothingWithAParentThatEndsByItself(String end) throws Exception {
        Parent parent = start(end);

        assertThat(parent.process.waitFor()).isZero();
        parent.awaitChildsEnd();
        assertThat(parent.folder).doesNotExist();
    }

    private Parent start(String end) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ParentProgram.class.getName(),
                        end)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String[] said = out.readLine().split(" ", 2);
        // A parent that ends by itself may already have ended the child.
        Optional<ProcessHandle> child = ProcessHandle.of(Long.parseLong(said[0]));
        return new Parent(process, child, Path.of(said[1]).getParent().getParent());
    }

    private record Parent(Process process, Optional<ProcessHandle> child, Path folder) {
        void awaitChildsEnd() throws Exception {
            if (child.isPresent()) {
                try {
                    child.get().onExit().get(10, TimeUnit.MINUTES);
                } finally {
                    child.get().destroyForcibly();
                }
            }
        }
    }
}
