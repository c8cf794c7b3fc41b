package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the help shows is what the tool accepts. */
class HelpExamplesTest {

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    private final CommandLine tool = new MigrationTool(
                    new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                    new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                    Map.of(),
                    Optional.empty())
            .commandLine();

    private static List<List<String>> examples(String help) {
        List<List<String>> examples = new ArrayList<>();
        String[] lines = help.substring(help.indexOf("Examples:"))
                .replaceAll("\\\\\\R", " ")
                .split("\\R");
        for (String line : lines) {
            if (line.strip().startsWith("migration-tool ")) {
                List<String> words = new ArrayList<>();
                Matcher word = WORD.matcher(line.replaceFirst(" > \\S+$", ""));
                while (word.find()) {
                    words.add(word.group(1) == null ? word.group(2) : word.group(1));
                }
                examples.add(words.subList(1, words.size()));
            }
        }
        return examples;
    }

    /** The words of an example, with its files in a folder, and a minute shortened. */
    private static String[] within(Path folder, List<String> words) {
        return words.stream()
                .map(word ->
                        word.matches("[^:]+\\.(yaml|jsonl?|html|state|txt|csv)") ? folder.resolve(word) + "" : word)
                .map(word -> word.equals("60s") ? "1s" : word)
                .toArray(String[]::new);
    }

    @Test
    void shouldShowExamplesThatWork(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("keys.txt"), "dbo.Client=ClientId\n");
        Files.writeString(folder.resolve("shop.jsonl"), "{\"recorder\":1}\n");
        Files.writeString(folder.resolve("shop.csv"), "query_sql_text\nSELECT x FROM Client\n");
        try (SourceDatabase source = SourceDatabase.h2("help_examples")) {
            source.execute("CREATE TABLE [dbo].[Client] ([ClientId] INT NOT NULL IDENTITY(1,1) PRIMARY KEY, [x] INT)");
            source.insert("[dbo].[Client]", 2);
            Files.writeString(
                    folder.resolve("shop.yaml"),
                    "source-url: \"" + source.url()
                            + "\"\nsource-user: sa\ncontact-points: 127.0.0.1:1\nlocal-dc: dc1\n");
            ToolRun.of(
                    source.environment(),
                    null,
                    ToolRun.join(
                            "plan",
                            source.arguments(),
                            "--keyspace",
                            "shop",
                            "--plan",
                            folder.resolve("shop.json").toString()));
            int shown = 0;
            for (Map.Entry<String, CommandLine> command : tool.getSubcommands().entrySet()) {
                String help = command.getValue().getUsageMessage(CommandLine.Help.Ansi.OFF);
                assertThat(help.lines()).as(command.getKey()).allMatch(line -> line.length() <= 100);
                List<List<String>> examples = examples(help);
                assertThat(examples).as(command.getKey()).isNotEmpty();
                for (List<String> words : examples) {
                    String[] arguments = within(folder, words);
                    assertThat(words.get(0)).isEqualTo(command.getKey());
                    tool.parseArgs(ConfigFile.expand(tool, arguments));
                    if (String.join(" ", words).matches(".*(db\\.example|shop\\.state|10\\.0\\.0).*")) {
                        continue;
                    }
                    // Nothing listens at that address: how far it comes does not matter, but it must be understood.
                    ToolRun run = ToolRun.of(source.environment(), null, List.of(arguments));
                    assertThat(run.exitCode())
                            .as(String.join(" ", words) + ": " + run.err())
                            .isNotIn(ExitCode.USAGE.code(), ExitCode.INTERNAL.code());
                    shown++;
                }
            }
            assertThat(shown).isGreaterThan(20);
        }
    }
}
