package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The executable jar, started as by a user. */
class MigrationJarIT {

    /** Without the option that docs/migration.md names, the JVM warns once about the driver's Guava. */
    private static final int FIRST_TO_WARN_OF_UNSAFE = 24;

    @TempDir
    private Path folder;

    private ToolRun java(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= FIRST_TO_WARN_OF_UNSAFE) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.add("-jar");
        command.add(Path.of("target", "migration-tool.jar").toString());
        command.addAll(List.of(arguments));
        File out = folder.resolve("out").toFile();
        File err = folder.resolve("err").toFile();
        Process process = new ProcessBuilder(command)
                .redirectOutput(out)
                .redirectError(err)
                .start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("ended in time").isTrue();
        return new ToolRun(process.exitValue(), Files.readString(out.toPath()), Files.readString(err.toPath()));
    }

    @Test
    void shouldWriteNothingButResultsToStandardOutput() throws Exception {
        EmbeddedCassandra node = EmbeddedCassandra.shared();
        String[] cassandra = {
            "--contact-points",
            node.host() + ":" + node.port(),
            "--local-dc",
            node.localDatacenter(),
            "--global-keyspace",
            "migration_jar"
        };

        ToolRun init = java(ToolRun.join("init", List.of(cassandra), "--replication", node.localDatacenter() + ":1")
                .toArray(String[]::new));
        ToolRun register = java(ToolRun.join(
                        "register",
                        List.of(cassandra),
                        "--table",
                        "shop.album",
                        "--column",
                        "albumid",
                        "--start",
                        "348",
                        "--type",
                        "int",
                        "--output",
                        "json")
                .toArray(String[]::new));

        assertThat(init.exitCode()).as(init.err()).isZero();
        assertThat(register.exitCode()).as(register.err()).isZero();
        assertThat(new ObjectMapper().readTree(register.out()).get("sequence").asText())
                .isEqualTo("shop.album");
        assertThat(register.err().lines())
                .containsExactly(
                        "connecting to Cassandra at " + node.host() + ":" + node.port(),
                        "table shop.album does not exist in Cassandra yet");
    }

    @Test
    void shouldBringSqlServersDriver() throws Exception {
        ToolRun run = java(
                "plan",
                "--keyspace",
                "shop",
                "--source-url",
                "jdbc:sqlserver://127.0.0.1:1;loginTimeout=1;connectRetryCount=0");

        assertThat(run.exitCode()).isEqualTo(ExitCode.SOURCE.code());
        assertThat(run.err()).contains("cannot connect to jdbc:sqlserver://127.0.0.1:1", "08S01");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void shouldKnowItsVersion() throws Exception {
        assertThat(java("--version").out()).startsWith("migration-tool 0.");
    }

    @Test
    void shouldRefuseAPasswordOnTheCommandLine() throws Exception {
        assertThat(java("seed", "--password=s3cret").exitCode()).isEqualTo(ExitCode.USAGE.code());
    }
}
