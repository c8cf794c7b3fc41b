package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
            Map<String, String> environment = new HashMap<>(source.environment());
            environment.put("CASSANDRA_PASSWORD", "x");
            ToolRun run = ToolRun.of(environment, null, List.of(arguments));
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

    /** Returns the shells that are there. */
    private static List<String> shells() {
        return Stream.of("sh", "bash", "zsh")
                .filter(shell -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, shell))))
                .toList();
    }

    @Test
    void shouldPrintLinesOnPagesThatWorkInEveryShell() throws Exception {
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
                for (String shell : shells()) {
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

    @Test
    void shouldRenderRemediesForAShellWhateverTheirNamesAre() throws Exception {
        String evil = "a b;$(touch x)`touch x`'\"*?~=#!\\";
        List<Remedy.ByCommand> remedies = List.of(
                new Remedy.Init("dc1", 3),
                new Remedy.RegisterIdentity("shop", "album", "albumid"),
                new Remedy.RegisterIdentity("shop", "Album", "Album Id"),
                new Remedy.DeclareWrites("shop", "item", "exact"),
                new Remedy.DeclareWrites("shop", "Item", "exact:" + evil),
                new Remedy.DeclareSmall("shop", "colour"),
                new Remedy.AssistOn("3f9c2a7b61d0"),
                new Remedy.AssistOn(""),
                new Remedy.DeclareSmall("shop", "Colour"),
                new Remedy.AdoptTable("shop", "order"),
                new Remedy.AdoptTable("shop", "Order"),
                new Remedy.AlterTable("shop", "Order", "[Unit Price] decimal(6,2) NOT NULL", ""),
                new Remedy.CountColumn("shop", "page", "hits"),
                new Remedy.AddTwin("shop", "customer", "email"),
                new Remedy.AddTwin("shop", "Order", "Ship " + evil),
                new Remedy.AlterTable("shop", "item", "", "CONSTRAINT [a 'b'] UNIQUE (\"A\", b)"));
        List<String> further = List.of("--cassandra-user", evil, "--cassandra-tls");
        CommandLines lines = CommandLines.of(List.of("127.0.0.1:1", "[::1]:9042"), evil, "other", further);
        for (Remedy.ByCommand remedy : remedies) {
            String line = lines.of(remedy);
            for (String shell : shells()) {
                assertThat(ShellText.calls(shell, folder, line))
                        .as(shell)
                        .containsExactly(Stream.of(
                                        remedy.words(),
                                        List.of("--contact-points", "127.0.0.1:1,[::1]:9042", "--local-dc", evil),
                                        List.of("--global-keyspace", "other"),
                                        further)
                                .flatMap(List::stream)
                                .toList());
            }
            assertThat(ShellPages.trap(line)).as(line).isEmpty();
            run(line);
        }
        assertThat(folder.resolve("x")).doesNotExist();
    }

    /** A command that a message of any module names. */
    private static final Pattern NAMED = Pattern.compile(
            "\\bcassidy ((?:init|doctor|assess|assist|ids|tables|transactions|counters|functions|migrate)\\b[ a-z-]*)");

    private static final String COMMAND =
            "(?:init|plan|fence|seed|verify|schema|copy|copy-back|export|rollback-plan|counters|repair"
                    + "|register|ids (?:register|repair|status)|tables (?:check|adopt|alter|declare)"
                    + "|transactions (?:list|status|resolve))\\b";

    /** A command that is named without the words before it. */
    private static final Pattern SHORTENED = Pattern.compile(
            "\\b(?:[Rr]un|then) " + COMMAND + "|(?<!cassidy |migrate |ids |[a-z-])" + COMMAND + " --[a-z]");

    private static final Pattern LITERAL = Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*\"");

    private record SourceFile(Path file, String text) {
        /** Literals alone: comments and names have the same words. */
        Stream<String> literals() {
            return LITERAL.matcher(text).results().map(MatchResult::group);
        }
    }

    /** Returns what may print messages. */
    private static List<SourceFile> sources() throws IOException {
        List<SourceFile> sources = new ArrayList<>();
        for (Path module : List.of(Path.of("../driver-shim"), Path.of("../spring"), Path.of("src/main"))) {
            for (Path file : ShellPages.files(module, ".java")) {
                if (!file.toString().contains("/test/")) {
                    // A literal may be in several parts.
                    sources.add(new SourceFile(file, Files.readString(file).replaceAll("\"\\s*\\+ \"", "")));
                }
            }
        }
        return sources;
    }

    @Test
    void shouldNameCommandsThatExist() throws Exception {
        int named = 0;
        for (SourceFile source : sources()) {
            Matcher command = NAMED.matcher(source.text());
            while (command.find()) {
                String[] words = command.group(1).split(" ");
                CommandLine found = tool.getSubcommands().get(words[0]);
                if (found != null && !found.getSubcommands().isEmpty()) {
                    found = words.length < 2 ? null : found.getSubcommands().get(words[1]);
                }
                assertThat(found).as(source.file() + ": " + command.group()).isNotNull();
                named++;
            }
        }
        assertThat(named).isGreaterThan(30);
    }

    @Test
    void shouldNameCommandsWithTheirWholePaths() throws Exception {
        assertThat(sources().stream()
                        .flatMap(source -> source.literals().map(literal -> source.file() + ": " + literal))
                        .filter(literal -> SHORTENED.matcher(literal).find()))
                .isEmpty();
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
