package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options that come from {@code --config}. */
class ConfigFileTest {

    @TempDir
    private Path folder;

    private SourceDatabase source;

    @BeforeEach
    void open() {
        source = SourceDatabase.h2("config_file_test");
        source.createTable("[dbo].[Order]", "INT", 1, 1);
        source.createTable("[dbo].[Item]", "INT", 1, 1);
        source.createTable("[dbo].[Other]", "INT", 1, 1);
    }

    @AfterEach
    void close() {
        source.close();
    }

    private ToolRun run(String yaml, String command, String... rest) throws IOException {
        Path file = Files.writeString(folder.resolve("migration.yaml"), yaml);
        List<String> arguments = new ArrayList<>(List.of(command, "--config", file.toString()));
        arguments.addAll(List.of(rest));
        return ToolRun.of(source.environment(), null, arguments);
    }

    private String connection() {
        return "source-url: " + source.url() + "\nsource-user: sa\nkeyspace: shop\noutput: json\n";
    }

    @Test
    void shouldTakeEveryKindOfOption() throws Exception {
        ToolRun run = run(connection() + """
                          include: ["dbo.O*", dbo.Item]
                          exclude: dbo.Other
                          accept-empty: true
                          detailed-exitcode: false
                          floor: {dbo.Order: 41}
                          map:
                            - dbo.Item=line:line_id
                          # Of other commands:
                          replication: dc1:3
                          migrate: {query-timeout: 5s, seed: {offline: true, accept-empty: true}}
                          """, "migrate plan");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.tables("next")).containsOnlyKeys("dbo.Order", "dbo.Item").containsEntry("dbo.Order", "42");
        assertThat(run.out()).contains("\"line_id\"");
    }

    @Test
    void shouldPutTheCommandLineBeforeTheCommandsPartBeforeTheRest() throws Exception {
        String yaml =
                connection() + "accept-empty: true\nfloor: {dbo.Order: 1}\nmigrate: {plan: {floor: {dbo.Order: 2}}}\n";

        assertThat(run(yaml, "migrate plan").tables("next")).containsEntry("dbo.Order", "3");
        assertThat(run(yaml, "migrate plan", "--floor=dbo.Order=7").tables("next"))
                .containsEntry("dbo.Order", "8");
        assertThat(run(yaml, "migrate plan", "--output", "table").out()).startsWith("table ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "kespace: shop|'kespace' is no option; known are [",
                "ids: {register: {offline: true}}|'ids.register.offline' is no option",
                "ids: {offline: true}|'ids.offline' is no option",
                "keyspace: [a, [b]]|'keyspace' must have plain values",
                "keyspace:|'keyspace' has no value",
                "accept-empty: perhaps|'accept-empty' must be true or false: 'perhaps'",
                "config: other.yaml|'config' names another file",
                "keyspace: a\\nkeyspace: b|is no YAML: --config",
                "- keyspace|must hold lines of the form",
                "keyspace: sh-op\\nsource-url: jdbc:h2:mem:x|must be a CQL name",
                "source-url: jdbc:sqlserver://db;password=s3cret\\nkeyspace: shop|--source-url must not carry a secret",
                "source-password: s3cret|--source-password is refused",
                "migrate: {seed: {password: s3cret}}|--password is refused"
            })
    void shouldSayWhatIsWrongWithTheFile(String yaml, String message) throws Exception {
        ToolRun run = run(yaml.replace("\\n", "\n"), "migrate plan");

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains(message).doesNotContain("s3cret");
    }

    @Test
    void shouldNameAFileThatIsMissing() {
        ToolRun run = ToolRun.of("migrate plan", "--config=" + folder.resolve("none.yaml"));

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("cannot read --config", "none.yaml: NoSuchFileException");
    }
}
