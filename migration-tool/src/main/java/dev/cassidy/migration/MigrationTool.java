package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.SourceUrl;
import java.io.Console;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command {@code migration-tool}, also for programs: {@link #run} takes the arguments of the command line and
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
            return failure(e);
        }
    }

    /** Returns the commands, their options and their help. */
    CommandLine commandLine() {
        CommandLine command = new CommandLine(new Root())
                .addSubcommand(new InitCommand(shell))
                .addSubcommand(new RegisterCommand(shell))
                .addSubcommand(new PlanCommand(shell))
                .addSubcommand(new FenceCommand(shell))
                .addSubcommand(new SeedCommand(shell))
                .addSubcommand(new VerifyCommand(shell))
                .addSubcommand(new StatusCommand(shell))
                .addSubcommand(new RepairCommand(shell))
                .addSubcommand(new SchemaCommand(shell))
                .addSubcommand(new CopyCommand(shell))
                .addSubcommand(new ExportCommand(shell))
                .addSubcommand(new CopyBackCommand(shell))
                .addSubcommand(new RollbackPlanCommand(shell))
                .addSubcommand(new CountersCommand(shell))
                .addSubcommand(new AssessCommand(shell))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(shell.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(shell.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler((e, arguments) -> misuse(e))
                .setExecutionExceptionHandler((e, line, parsed) -> failure(e));
        command.getSubcommands().values().forEach(MigrationTool::teach);
        return command;
    }

    private static void teach(CommandLine command) {
        command.getCommandSpec().mixinStandardHelpOptions(true);
        command.getCommandSpec().usageMessage().sortOptions(false).width(100);
        command.getCommandSpec()
                .usageMessage()
                .footerHeading("%nExamples:%n")
                .footer(HelpExamples.of(command.getCommandName()));
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new HelpGroups());
    }

    @Command(
            name = "migration-tool",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            description =
                    "Makes Cassandra continue the identity columns and sequences of SQL Server, PostgreSQL, MySQL, MariaDB or"
                            + " H2, copies their rows, and moves Cassandra's native counters to Cassidy's.",
            footer = {
                "",
                "A cutover with the source at rest: init, plan, seed --offline, verify. While it still inserts: plan, fence,"
                        + " seed, verify.",
                "With rows: schema, copy. The way back: rollback-plan, copy-back. 'migration-tool COMMAND --help' has examples.",
                "Passwords: environment SOURCE_PASSWORD, CASSANDRA_PASSWORD, SEQUENCES_PASSWORD, or a file, or a prompt.",
                "Exit codes: 0 ok, 1 internal, 2 usage, 3 collision risk, low headroom or unserved, 4 refused, 5 partial,"
                        + " 6 source, 7 Cassandra, 10 changes pending, 130 interrupted."
            })
    private static final class Root implements Runnable {

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
            return new String[] {"migration-tool " + version()};
        }
    }

    private int misuse(ParameterException e) {
        // picocli would repeat the argument, and a mistyped option may carry a password.
        String message = e instanceof UnmatchedArgumentException unmatched
                ? "unknown argument: " + unmatched.getUnmatched().get(0).split("=", 2)[0]
                : String.valueOf(e.getMessage());
        report(message);
        shell.err()
                .println("Try: migration-tool "
                        + (e.getCommandLine().getParent() == null
                                ? ""
                                : e.getCommandLine().getCommandName() + " ")
                        + "--help");
        return ExitCode.USAGE.code();
    }

    private int failure(Exception e) {
        ExitCode code = ExitCode.of(e);
        if (code == ExitCode.INTERNAL) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            report("internal error, please report it: " + trace);
        } else {
            report(String.valueOf(e.getMessage()));
        }
        return code.code();
    }

    private void report(String message) {
        shell.err().println("migration-tool: " + SourceUrl.redact(message));
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
