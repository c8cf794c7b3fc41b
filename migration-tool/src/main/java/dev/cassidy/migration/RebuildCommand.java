package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.cluster.Grants;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.UniqueCheck;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "rebuild",
        description =
                "Makes the reservations of UNIQUE agree with the rows, while applications write: adds those that are missing, and"
                        + " removes those without a row. Rows are not changed: those with the same values are listed, exit code 3."
                        + " It may be repeated.")
final class RebuildCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Mixin
    private final RowReading reading = new RowReading();

    @Option(names = "--keyspace", paramLabel = "NAME", description = "The table's keyspace, if --table names none.")
    private @Nullable String keyspace;

    @Option(
            names = "--table",
            required = true,
            paramLabel = "NAME",
            description = "[keyspace.]table in Cassandra; in double quotes where case matters.")
    private String table = "";

    @Spec
    private @Nullable CommandSpec spec;

    private final Shell shell;

    RebuildCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        reading.require();
        TargetTable target =
                TargetTable.parse(table, keyspace == null ? null : TargetTable.keyspace(keyspace), "", "--table");
        RebuildReport report;
        try (Target opened = cassandra.open(shell)) {
            report = rebuild(opened, target);
        } catch (UnauthorizedException e) {
            throw Grants.forbidden(e);
        }
        output.write(shell, report);
        return report.exitCode();
    }

    private RebuildReport rebuild(Target opened, TargetTable target) {
        ContractedTable read = ContractedTable.read(opened, target);
        CommandLines lines = new CommandLines(
                MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
        TableDefinition known = read.known(lines);
        TableWrites writes = read.contract().writes();
        List<KeptUnique> kept = writes == null || writes.changing() ? List.of() : KeptUnique.of(known);
        List<RebuildReport.Entry> entries = new ArrayList<>();
        if (writes != null && !kept.isEmpty()) {
            requireTables(opened, read.contract(), known);
            try (OpenTransactions transactions = opened.transactions()) {
                for (KeptUnique each : kept) {
                    UniqueCheck.Result found =
                            reading.check(shell, opened, transactions, read.found(), writes, each.key(), true);
                    entries.add(new RebuildReport.Entry(
                            each.written(),
                            each.key().reservations().table(),
                            found.rows(),
                            found.reservations(),
                            found.unreserved().count(),
                            found.misnamed().count(),
                            found.orphans().count(),
                            AddUniqueCommand.broken(each, found)));
                }
            }
        }
        boolean broken = entries.stream().anyMatch(entry -> !entry.broken().isEmpty());
        return new RebuildReport(
                "rebuild",
                (broken ? ExitCode.DISAGREES : ExitCode.OK).code(),
                target.keyspace(),
                target.table(),
                entries);
    }

    private static void requireTables(Target opened, TableContract contract, TableDefinition known) {
        for (ConstraintDefinition each : known.constraints()) {
            if (each.reserved() == null) {
                continue;
            }
            String name = each.reserved().table();
            TableMetadata found = Target.table(opened.session().getMetadata(), contract.keyspace(), name)
                    .orElse(null);
            if (found == null) {
                AddUniqueCommand.createReservations(opened, contract, each);
            } else if (!ContractCheck.isOfReservations(found)) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "table " + contract.keyspace() + "." + name
                                + " does not have the columns of reservations: drop it by CQL, and run the command again");
            }
        }
    }
}
