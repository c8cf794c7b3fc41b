package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import java.io.BufferedReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the jar alone, as a user does; it unpacks itself. */
class PackagedJarIT {
    private static final Pattern NODE = Pattern.compile("host=(\\S+) port=(\\d+) datacenter=(\\S+) log=(.+)");

    @TempDir
    private Path temporary;

    @Test
    void shouldRunTwiceAtOnceFromAnEmptyCacheAndThenFromWhatTheyWrote() throws Exception {
        List<Process> programs = List.of(run(), run());
        List<Path> logs = new ArrayList<>();
        try {
            for (Process program : programs) {
                BufferedReader out = program.inputReader(StandardCharsets.UTF_8);
                Matcher node = NODE.matcher(out.readLine());
                assertThat(node.matches()).isTrue();
                assertThat(out.readLine()).startsWith("Stop it with").endsWith("kill " + program.pid());
                logs.add(Path.of(node.group(4)));
                try (CqlSession session = Cql.connect(
                        new InetSocketAddress(node.group(1), Integer.parseInt(node.group(2))), node.group(3))) {
                    assertThat(session.getMetadata().getNodes()).hasSize(1);
                }
            }
        } finally {
            programs.forEach(Process::destroy);
        }
        for (Process program : programs) {
            program.waitFor();
        }
        assertThat(logs).allSatisfy(log -> assertThat(log).doesNotExist());
        assertThat(temporary.toFile().list())
                .as("one child jar, one server folder, one archive of classes")
                .hasSize(3);
        assertStartsWithArchivedClasses();
    }

    /** The log would not tell whether a node accepts the archive. */
    private void assertStartsWithArchivedClasses() throws Exception {
        Process program = run();
        try {
            assertThat(program.inputReader(StandardCharsets.UTF_8).readLine()).matches(NODE);
            ProcessHandle node = program.children().findFirst().orElseThrow();
            assertThat(Files.readString(Path.of("/proc", Long.toString(node.pid()), "maps")))
                    .containsPattern(Pattern.quote(temporary + "/classes-") + ".*[.]jsa");
        } finally {
            program.destroy();
        }
        program.waitFor();
    }

    private Process run() throws Exception {
        Path jar = Path.of(EmbeddedCassandra.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dcassidy.embedded.cache=" + temporary,
                        "-jar",
                        jar.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
