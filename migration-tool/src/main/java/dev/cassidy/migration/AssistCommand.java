package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.toggle.Assistance;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether statements that have no form in CQL are evaluated in the client. */
abstract sealed class AssistCommand implements Callable<Integer> {

    private static final String STATEMENT = "[0-9a-f]{12}";

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    private final Shell shell;

    private AssistCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        Report report;
        require();
        try (Target opened = cassandra.open(shell)) {
            report = run(InternalAccess.assistance(opened.sequences()));
        }
        output.write(shell, report);
        return report.exitCode();
    }

    /** Refuses options before anything is opened. */
    void require() {}

    abstract Report run(Assistance assistance);

    /** @return by what it is known that the option names */
    private static String named(@Nullable String statement) {
        if (statement == null) {
            return Assistance.ALL;
        }
        if (!statement.matches(STATEMENT)) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must be twelve hexadecimal digits, as an error, a warning or SHOWPLAN_TEXT shows them: --statement '"
                            + statement + "'");
        }
        return statement;
    }

    @Command(
            name = "off",
            description =
                    "Has the JDBC driver refuse a statement that it evaluates in the client, or all of them, in all processes of"
                            + " the installation within a watch interval. Statements that Cassandra takes are sent as before.")
    static final class Off extends AssistCommand {

        @Option(
                names = "--statement",
                paramLabel = "HASH",
                description =
                        "The statement, by the digits that its errors, its warnings and SHOWPLAN_TEXT show. Default: all statements.")
        private @Nullable String statement;

        @Option(
                names = "--note",
                paramLabel = "TEXT",
                description = "Why; errors of the statements show it, and assist list.")
        private String note = "";

        Off(Shell shell) {
            super(shell);
        }

        @Override
        void require() {
            var unused = named(statement);
        }

        @Override
        Report run(Assistance assistance) {
            boolean changed = assistance.turnOff(new Assistance.Off(named(statement), note));
            return new Report.SwitchedAssistance("off", ExitCode.OK.code(), statement, false, changed);
        }
    }

    @Command(name = "on", description = "Takes assist off back, in all processes within a watch interval.")
    static final class On extends AssistCommand {

        @Option(
                names = "--statement",
                paramLabel = "HASH",
                description = "One statement, as assist list shows it. Default: what was turned off for all statements;"
                        + " single ones stay off.")
        private @Nullable String statement;

        On(Shell shell) {
            super(shell);
        }

        @Override
        void require() {
            var unused = named(statement);
        }

        @Override
        Report run(Assistance assistance) {
            boolean changed = assistance.turnOn(named(statement));
            return new Report.SwitchedAssistance("on", ExitCode.OK.code(), statement, true, changed);
        }
    }

    @Command(name = "list", description = "Lists what is turned off. Changes nothing.")
    static final class Listing extends AssistCommand {

        Listing(Shell shell) {
            super(shell);
        }

        @Override
        Report run(Assistance assistance) {
            List<Assistance.Off> off = assistance.list();
            return new Report.AssistanceOff(
                    "list",
                    ExitCode.OK.code(),
                    off.stream().anyMatch(each -> each.statement().equals(Assistance.ALL)),
                    off.stream()
                            .map(each -> new Report.AssistanceOff.Entry(each.statement(), each.note()))
                            .toList());
        }
    }
}
