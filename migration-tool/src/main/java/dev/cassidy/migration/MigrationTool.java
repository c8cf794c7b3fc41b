package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedied;
import java.io.Console;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command {@code cassidy}, also for programs: {@link #run} takes the arguments of the command line and
 * returns its exit code. Results go to one stream, progress and errors to another. Safe for use by many threads.
 */
public final class MigrationTool {

    private final Shell shell;

    /**
     * @param out takes results, and nothing else
     * @param err takes progress and errors
     * @param environment is asked for {@code SOURCE_PASSWORD}, {@code CASSANDRA_PASSWORD} and {@code SEQUENCES_PASSWORD}
     * @param terminal asks for passwords and confirmation; empty if there is no terminal
     */
    public MigrationTool(
            PrintStream out, PrintStream err, Map<String, String> environment, Optional<Terminal> terminal) {
        this(new Shell(out, err, environment, terminal, InstantSource.system(), Progress.NONE));
    }

    private MigrationTool(Shell shell) {
        this.shell = shell;
    }

    public static void main(String[] args) {
        MigrationTool tool = new MigrationTool(new Shell(
                System.out,
                System.err,
                System.getenv(),
                Optional.ofNullable(System.console()).map(MigrationTool::terminal),
                InstantSource.system(),
                Progress.ofStandardError(System.err)));
        System.exit(tool.run(args));
    }

    /** Runs one command and returns its exit code, see docs/migration.md. Never throws for an error of the user. */
    public int run(String... args) {
        CommandLine command = commandLine();
        try {
            Password.requireNoneIn(args);
            return command.execute(ConfigFile.expand(command, args));
        } catch (MigrationException e) {
            return failure(e, List.of());
        }
    }

    /** Returns the commands, their options and their help. */
    CommandLine commandLine() {
        CommandLine tool = group(
                        "cassidy",
                        "Operates Cassidy: identity columns, sequences and counters for Apache Cassandra.",
                        new InitCommand(shell),
                        new AssessCommand(shell))
                .addSubcommand(group(
                        "ids",
                        "Sequences and identity columns.",
                        new StatusCommand(shell),
                        new RegisterCommand(shell),
                        new RepairCommand(shell)))
                .addSubcommand(group(
                        "tables",
                        "What Cassandra does not keep of a table.",
                        new CheckCommand(shell),
                        new AdoptCommand(shell),
                        new AlterCommand(shell),
                        new DeclareCommand(shell),
                        new SmallCommand(shell),
                        new AddUniqueCommand(shell),
                        new AddTwinCommand(shell),
                        new CountCommand(shell),
                        new RebuildCommand(shell),
                        new MoveCommand(shell)))
                .addSubcommand(group(
                        "transactions",
                        "Transactions over exact tables that are under way, or were left behind.",
                        new ListTransactionsCommand(shell),
                        new TransactionStatusCommand(shell),
                        new ResolveCommand(shell)))
                .addSubcommand(group(
                        "assist",
                        "Statements without a form in CQL, which the JDBC driver evaluates in the client.",
                        new AssistCommand.Off(shell),
                        new AssistCommand.On(shell),
                        new AssistCommand.Listing(shell)))
                .addSubcommand(group(
                        "counters",
                        "Tables of Cassidy's counters.",
                        new AdoptCountersCommand(shell),
                        new CopyCountersCommand(shell),
                        new TruncateCountersCommand(shell)))
                .addSubcommand(group(
                        "migrate",
                        "Makes Cassandra continue the identity columns and sequences of SQL Server, PostgreSQL, MySQL,"
                                + " MariaDB or H2, copies their rows, and moves Cassandra's native counters to Cassidy's.",
                        new PlanCommand(shell),
                        new FenceCommand(shell),
                        new SeedCommand(shell),
                        new VerifyCommand(shell),
                        new SchemaCommand(shell),
                        new CopyCommand(shell),
                        new ExportCommand(shell),
                        new CopyBackCommand(shell),
                        new RollbackPlanCommand(shell),
                        new CountersCommand(shell)))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(shell.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(shell.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler((e, arguments) -> misuse(e))
                .setExecutionExceptionHandler((e, line, parsed) -> failure(e, clusterOf(line)));
        tool.getCommandSpec().versionProvider(new Version());
        tool.getCommandSpec()
                .usageMessage()
                .footer(
                        "",
                        "'cassidy COMMAND --help' has examples.",
                        "Passwords: environment SOURCE_PASSWORD, CASSANDRA_PASSWORD, SEQUENCES_PASSWORD, or a file, or a"
                                + " prompt.",
                        "Exit codes: 0 ok, 1 internal, 2 usage, 3 collision risk, low headroom, unserved, tables that"
                                + " disagree or undecided, 4 refused, 5 partial, 6 source, 7 Cassandra, 10 changes pending, 130 interrupted.");
        Objects.requireNonNull(tool.getSubcommands().get("migrate"))
                .getCommandSpec()
                .usageMessage()
                .footer(
                        "",
                        "A cutover with the source at rest: plan, seed with --offline, verify. While it still"
                                + " inserts: plan,"
                                + " fence, seed, verify.",
                        "With rows: schema, copy. The way back: rollback-plan, copy-back.");
        leaves(tool).forEach(MigrationTool::teach);
        return tool;
    }

    private static CommandLine group(String name, String description, Object... commands) {
        CommandLine group = new CommandLine(new Group()).setCommandName(name);
        group.getCommandSpec().usageMessage().description(description).width(100);
        for (Object command : commands) {
            group.addSubcommand(command);
        }
        return group;
    }

    /** Returns the commands of a group, and of the groups in it. */
    static Stream<CommandLine> leaves(CommandLine command) {
        return command.getSubcommands().isEmpty()
                ? Stream.of(command)
                : command.getSubcommands().values().stream().flatMap(MigrationTool::leaves);
    }

    /** Returns what a user types to run a command, without {@code cassidy}: {@code ids status}. */
    static String path(CommandLine command) {
        return command.getCommandSpec().qualifiedName().substring("cassidy ".length());
    }

    private static void teach(CommandLine command) {
        command.getCommandSpec().mixinStandardHelpOptions(true);
        command.getCommandSpec().usageMessage().sortOptions(false).width(100);
        command.getCommandSpec().usageMessage().footerHeading("%nExamples:%n").footer(HelpExamples.of(path(command)));
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new HelpGroups());
    }

    /** A name that needs one of its commands after it. */
    @Command(mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND")
    private static final class Group implements Runnable {

        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public void run() {
            if (spec != null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "name a command: "
                                + String.join(", ", spec.subcommands().keySet()));
            }
        }
    }

    static String version() {
        String version = MigrationTool.class.getPackage().getImplementationVersion();
        return version == null ? "(unpacked)" : version;
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"cassidy " + version()};
        }
    }

    private int misuse(ParameterException e) {
        CommandLine command = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched) {
            // picocli would repeat the argument, and a mistyped option may carry a password.
            String argument = unmatched.getUnmatched().get(0).split("=", 2)[0];
            List<String> meant = meant(command, unmatched, argument);
            report("unknown argument: " + argument
                    + (meant.isEmpty() ? "" : ". Did you mean: " + String.join(", ", meant) + "?"));
        } else {
            report(String.valueOf(e.getMessage()));
        }
        shell.err().println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE.code();
    }

    /** A command whose group was left out or is another one, or else what picocli finds similar. */
    private static List<String> meant(CommandLine command, UnmatchedArgumentException unmatched, String argument) {
        List<String> elsewhere = leaves(command.getCommandSpec().root().commandLine())
                .filter(leaf -> leaf.getCommandName().equals(argument))
                .map(leaf -> leaf.getCommandSpec().qualifiedName())
                .toList();
        return elsewhere.isEmpty() ? unmatched.getSuggestions() : elsewhere;
    }

    /** The options of Cassandra as they were given, without those that hold no more than a password's place. */
    static List<String> clusterOf(CommandLine command) {
        List<String> words = new ArrayList<>();
        for (OptionSpec option : command.getParseResult().matchedOptions()) {
            if (HelpGroups.heading(option).equals(HelpGroups.CASSANDRA)) {
                words.add(option.longestName());
                words.addAll(option.originalStringValues());
            }
        }
        return words;
    }

    private int failure(Exception e, List<String> cluster) {
        ExitCode code = ExitCode.of(e);
        if (code == ExitCode.INTERNAL) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            report("internal error, please report it: " + trace);
        } else {
            report(
                    e instanceof Remedied told
                            ? new CommandLines(cluster).message(told)
                            : String.valueOf(e.getMessage()));
        }
        return code.code();
    }

    private void report(String message) {
        shell.err().println("cassidy: " + SourceUrl.redact(message));
    }

    private static Terminal terminal(Console console) {
        return new Terminal() {
            @Override
            public String readLine(String prompt) {
                String line = console.readLine("%s", prompt);
                return line == null ? "" : line;
            }

            @Override
            public char[] readPassword(String prompt) {
                char[] password = console.readPassword("%s", prompt);
                return password == null ? new char[0] : password;
            }
        };
    }
}
