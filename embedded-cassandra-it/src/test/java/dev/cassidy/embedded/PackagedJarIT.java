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
    void shouldRunTwiceAtOnceFromAnEmptyCache() throws Exception {
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
    }

    /** The first node of an empty cache writes them; the log would not tell whether the second one accepts them. */
    @Test
    void shouldStartTheSecondNodeWithArchivedClasses() throws Exception {
        for (int start = 0; start < 2; start++) {
            Process program = run();
            try {
                BufferedReader out = program.inputReader(StandardCharsets.UTF_8);
                assertThat(out.readLine()).matches(NODE);
                ProcessHandle node = program.children().findFirst().orElseThrow();
                String mapped = Files.readString(Path.of("/proc", Long.toString(node.pid()), "maps"));
                if (start == 0) {
                    assertThat(mapped).doesNotContain(temporary + "/classes-");
                } else {
                    assertThat(mapped).containsPattern(Pattern.quote(temporary + "/classes-") + ".*[.]jsa");
                }
            } finally {
                program.destroy();
            }
            program.waitFor();
        }
    }

    private Process run() throws Exception {
        Path jar = Path.of(EmbeddedCassandra.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dcassidy.embedded.cache=" + temporary,
                        "-jar",
                        jar.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
