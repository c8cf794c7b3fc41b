package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.cassandra.InternalAccess;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "small",
        description =
                "Declares that a table is small: a statement that the JDBC driver evaluates in the client may read all of its rows,"
                        + " up to assistRows, to find those that it needs; of any other table 1,000. Without --table it lists"
                        + " the tables of which that is declared.")
final class SmallCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--keyspace",
            paramLabel = "NAME",
            description =
                    "The table's keyspace, if --table names none; without --table, the tables of one keyspace only.")
    private @Nullable String keyspace;

    @Option(
            names = "--table",
            paramLabel = "NAME",
            description = "[keyspace.]table in Cassandra; in double quotes where case matters.")
    private @Nullable String table;

    @Option(names = "--not", description = "Takes it back: the table is not small any more.")
    private boolean not;

    private final Shell shell;

    SmallCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        String in = keyspace == null ? null : TargetTable.keyspace(keyspace);
        if (table == null && not) {
            throw new MigrationException(ExitCode.USAGE, "names no table: give --table with --not");
        }
        TargetTable target = table == null ? null : TargetTable.parse(table, in, "", "--table");
        Report report;
        try (Target opened = cassandra.open(shell)) {
            report = target == null ? list(opened, in) : declare(opened, target);
        }
        output.write(shell, report);
        return ExitCode.OK.code();
    }

    private Report declare(Target opened, TargetTable target) {
        ContractedTable read = ContractedTable.read(opened, target);
        boolean changed = read.registry()
                .declareSmall(
                        target.keyspace(), target.table(), read.found().getId().orElseThrow(), !not);
        return new Report.DeclaredSmall("small", ExitCode.OK.code(), target.keyspace(), target.table(), !not, changed);
    }

    private static Report list(Target opened, @Nullable String in) {
        List<String> small = InternalAccess.tables(opened.sequences()).contracts().stream()
                .filter(contract -> in == null || contract.keyspace().equals(in))
                .filter(contract -> Target.table(schema(opened), contract.keyspace(), contract.table())
                        .flatMap(RelationMetadata::getId)
                        .filter(contract::isSmall)
                        .isPresent())
                .map(contract -> contract.name())
                .toList();
        return new Report.SmallTables("small", ExitCode.OK.code(), small);
    }

    private static Metadata schema(Target opened) {
        return opened.session().getMetadata();
    }
}
