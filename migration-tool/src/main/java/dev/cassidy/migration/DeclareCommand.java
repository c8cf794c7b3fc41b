package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "declare",
        description = "Says what Cassandra does not keep of a table: the defaults of its columns, and how its rows are"
                + " written.")
final class DeclareCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(names = "--keyspace", paramLabel = "NAME", description = "The table's keyspace, if --table names none.")
    private @Nullable String keyspace;

    @Option(
            names = "--table",
            required = true,
            paramLabel = "NAME",
            description = "[keyspace.]table in Cassandra; in double quotes where case matters.")
    private String table = "";

    @Option(
            names = "--defaults",
            paramLabel = "COLUMN=EXPRESSION",
            description =
                    "What an INSERT gives a column that it leaves out, as T-SQL writes it: \"qty=0\", \"state=N'new'\","
                            + " \"at=GETDATE()\". Repeat it for further columns.")
    private List<String> defaults = new ArrayList<>();

    @Option(
            names = "--writes",
            paramLabel = "MODE",
            description =
                    "How rows are written: exact, or exact:<datacenter> where there are several, or serial, where the nodes of"
                            + " all datacenters decide; each row gets a mark then, for which all replicas have to be up."
                            + " Nothing can be written to the table until"
                            + " every datacenter has the declaration, and three watch intervals longer. A datacenter"
                            + " without a running process needs this command too.")
    private @Nullable String writes;

    @Option(
            names = "--clock-skew",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description =
                    "Of --writes: by how much the clock of a client that has written to the table may be ahead of the"
                            + " servers'. Default: 0.")
    private long clockSkew;

    private final Shell shell;

    DeclareCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        if (defaults.isEmpty() && writes == null) {
            throw new MigrationException(ExitCode.USAGE, "nothing to declare: give --defaults or --writes");
        }
        // A declaration is about the table; the column of its identity is not asked for.
        TargetTable target =
                TargetTable.parse(table, keyspace == null ? null : TargetTable.keyspace(keyspace), "", "--table");
        try (Target opened = cassandra.open(shell)) {
            opened.requireOfApplication(target);
            // Before anything is written: a refusal leaves nothing behind.
            Declarations declarations = Declarations.of(opened, target, defaults, writes);
            declarations.register(opened, target, Duration.ofSeconds(clockSkew), shell::progress);
            output.write(
                    shell,
                    new Report.Declared(
                            "declare",
                            ExitCode.OK.code(),
                            target.keyspace(),
                            target.table(),
                            declarations.shown(),
                            declarations.mode()));
        }
        return ExitCode.OK.code();
    }
}
