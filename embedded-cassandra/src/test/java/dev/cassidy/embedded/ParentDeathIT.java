package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A child never outlives its parent, however the parent ends. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ParentDeathIT {
    @Test
    void shouldEndWithAKilledParent() throws Exception {
        Parent parent = Parent.start("wait");

        parent.process.destroyForcibly();

        parent.awaitChildsEnd();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldEndWithAKilledParentEvenWhenPaused() throws Exception {
        Parent parent = Parent.start("pause");

        parent.process.destroyForcibly();

        parent.awaitChildsEnd();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit", "return"})
    void shouldEndAndLeaveNothingWithAParentThatEndsByItself(String end) throws Exception {
        Parent parent = Parent.start(end);

        assertThat(parent.process.waitFor()).isZero();
        parent.awaitChildsEnd();
        assertThat(parent.folder).doesNotExist();
    }

    private record Parent(Process process, ProcessHandle child, Path folder) {
        static Parent start(String end) throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            ParentProgram.class.getName(),
                            end)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String[] said = out.readLine().split(" ", 2);
            long pid = Long.parseLong(said[0]);
            Path folder = Path.of(said[1]).getParent().getParent();
            // A parent that ends by itself may have taken the child with it already.
            return new Parent(process, ProcessHandle.of(pid).orElse(null), folder);
        }

        void awaitChildsEnd() throws Exception {
            if (child != null) {
                child.onExit().get(30, TimeUnit.SECONDS);
            }
        }
    }
}
