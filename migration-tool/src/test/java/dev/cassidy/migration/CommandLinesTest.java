package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every command line that is printed anywhere is read by a shell as printed, and understood by the tool. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandLinesTest {

    private final CommandLine tool = new MigrationTool(
                    new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                    new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                    Map.of(),
                    Optional.empty())
            .commandLine();

    private Path folder;
    private SourceDatabase source;

    /** The files that command lines name. */
    @BeforeAll
    void prepare(@TempDir Path folder) throws IOException {
        this.folder = folder;
        source = SourceDatabase.h2("command_lines");
        source.execute("CREATE TABLE [dbo].[Client] ([ClientId] INT NOT NULL IDENTITY(1,1) PRIMARY KEY, [x] INT)");
        source.insert("[dbo].[Client]", 2);
        Files.writeString(folder.resolve("keys.txt"), "dbo.Client=ClientId\n");
        Files.writeString(folder.resolve("shop.jsonl"), "{\"recorder\":1}\n");
        Files.writeString(folder.resolve("shop.csv"), "query_sql_text\nSELECT x FROM Client\n");
        Files.writeString(
                folder.resolve("spy.log"), "1|0|statement|connection 0|SELECT x FROM Client|SELECT x FROM Client\n");
        Files.writeString(
                folder.resolve("shop.yaml"),
                "source-url: \"" + source.url() + "\"\nsource-user: sa\ncontact-points: 127.0.0.1:1\nlocal-dc: dc1\n");
        ToolRun plan = ToolRun.of(
                source.environment(),
                null,
                ToolRun.join(
                        "migrate plan",
                        source.arguments(),
                        "--keyspace",
                        "shop",
                        "--plan",
                        folder.resolve("shop.json").toString()));
        assertThat(plan.exitCode()).as(plan.err()).isZero();
    }

    @AfterAll
    void close() {
        source.close();
    }

    /** The arguments with their files in the folder, and a minute shortened. */
    private String[] within(List<String> words) {
        return words.stream()
                .map(word -> word.matches("[^:/]+\\.(yaml|jsonl?|html|state|txt|csv|log)")
                        ? folder.resolve(word) + ""
                        : word)
                .map(word -> word.matches("10\\.0\\.0\\.1(:9042)?") ? "127.0.0.1:1" : word)
                .map(word -> word.equals("60s") || word.equals("5m") ? "1s" : word)
                .toArray(String[]::new);
    }

    /** Runs lines in a shell, and what they give to {@code cassidy} in this process, as far as that can be done. */
    private int run(String lines) throws Exception {
        List<List<String>> calls = ShellText.calls("sh", folder, lines);
        for (List<String> words : calls) {
            String[] arguments = within(words);
            tool.parseArgs(ConfigFile.expand(tool, arguments));
            if (String.join(" ", words).matches(".*(db\\.example|shop\\.state|/data/).*")) {
                continue;
            }
            // Nothing listens at that address: how far it comes does not matter, but it must be understood.
            ToolRun run = ToolRun.of(source.environment(), null, List.of(arguments));
            assertThat(run.exitCode())
                    .as(String.join(" ", words) + ": " + run.err())
                    .isNotIn(ExitCode.USAGE.code(), ExitCode.INTERNAL.code());
        }
        return calls.size();
    }

    /** Whether a line does no more than name a command or a group of them. */
    private boolean isName(String line) {
        CommandLine command = tool;
        for (String word : line.split(" ")) {
            command = word.equals("cassidy") ? tool : command.getSubcommands().get(word);
            if (command == null) {
                return false;
            }
        }
        return true;
    }

    @Test
    void shouldPrintLinesOnPagesThatWorkInEveryShell() throws Exception {
        List<String> others = Stream.of("bash", "zsh")
                .filter(shell -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, shell))))
                .toList();
        int lines = 0;
        for (ShellPages.Page page : ShellPages.read(Path.of("..").toRealPath())) {
            assertThat(page.others())
                    .as(page.name() + ": a block of lines for a shell begins with ```sh")
                    .noneMatch(block -> block.matches("(?s)(.*\\n)?(\\$ |cassidy |mvn ).*"));
            List<String> printed = new ArrayList<>(page.blocks());
            page.inline().stream().filter(line -> !isName(line)).forEach(printed::add);
            for (String block : printed) {
                assertThat(ShellPages.trap(block))
                        .as(page.name() + ":\n" + block)
                        .isEmpty();
                List<List<String>> calls = ShellText.calls("sh", folder, block);
                for (String shell : others) {
                    assertThat(ShellText.calls(shell, folder, block)).as(shell).isEqualTo(calls);
                }
                try {
                    lines += run(block);
                } catch (CommandLine.ParameterException | MigrationException e) {
                    throw new AssertionError(page.name() + ":\n" + block, e);
                }
            }
        }
        assertThat(lines).isGreaterThan(25);
    }

    private static String examples(String help) {
        return help.substring(help.indexOf("Examples:") + "Examples:".length());
    }

    @Test
    void shouldShowExamplesThatWork() throws Exception {
        List<CommandLine> commands = new ArrayList<>(MigrationTool.leaves(tool).toList());
        int shown = 0;
        for (CommandLine command : commands) {
            String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
            assertThat(help.lines()).as(MigrationTool.path(command)).allMatch(line -> line.length() <= 100);
            int examples = run(examples(help));
            assertThat(examples).as(MigrationTool.path(command)).isPositive();
            shown += examples;
        }
        assertThat(shown).isGreaterThan(25);
    }
}
