package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.cluster.Grants;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.TwinCheck;
import dev.cassidy.migration.rows.UniqueCheck;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
                        + " removes those without a row. Rows with the same values are listed, exit code 3. Also gives rows the forms"
                        + " by which indexes compare their strings, where they lack them. It may be repeated.")
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
        RebuildReport.Forms forms = writes == null || writes.changing() ? null : forms(opened, read, known, writes);
        boolean broken = entries.stream().anyMatch(entry -> !entry.broken().isEmpty())
                || (forms != null && !forms.broken().isEmpty());
        return new RebuildReport(
                "rebuild",
                (broken ? ExitCode.DISAGREES : ExitCode.OK).code(),
                target.keyspace(),
                target.table(),
                entries,
                forms);
    }

    /** Gives rows the twins beside columns; returns null if the table has none that are complete. */
    private RebuildReport.@Nullable Forms forms(
            Target opened, ContractedTable read, TableDefinition known, TableWrites writes) {
        Map<String, Twin> twins = known.twinsBeside();
        // A twin that is being built is for add-twin, which goes on with it.
        twins.values().removeIf(twin -> !twin.isComplete());
        if (twins.isEmpty()) {
            return null;
        }
        List<String> missing = twins.keySet().stream()
                .filter(column -> read.found()
                        .getColumn(CqlIdentifier.fromInternal(Twin.nameOf(column)))
                        .isEmpty())
                .toList();
        missing.forEach(column -> begin(opened, read, column));
        TableMetadata now = Target.table(opened.schemaNow(), writes.keyspace(), writes.table())
                .orElse(read.found());
        try (OpenTransactions transactions = opened.transactions()) {
            TwinCheck.Result found = reading.check(shell, opened, transactions, now, writes, twins, true);
            if (!found.isBroken()) {
                missing.forEach(
                        column -> read.registry().completeTwin(writes.keyspace(), writes.table(), known.id(), column));
            }
            return new RebuildReport.Forms(
                    List.copyOf(twins.keySet()), found.rows(), found.wrong().count(), AddTwinCommand.broken(found));
        }
    }

    /** No row has a twin whose column was dropped by CQL: nobody may rely on it until each has it again. */
    private void begin(Target opened, ContractedTable read, String column) {
        TableContract now = read.registry()
                .contract(read.contract().keyspace(), read.contract().table());
        TableDefinition known = Objects.requireNonNull(now.definition());
        ColumnDefinition declared = known.column(column).orElseThrow();
        Twin twin = Objects.requireNonNull(declared.twin());
        read.registry().tighten(now, known.replacing(declared.withTwin(twin.in(Twin.Place.BUILDING))));
        shell.progress("what stands beside column " + column + " was dropped; waiting until no process reads by it");
        read.registry().awaitNoticed();
        AddTwinCommand.addColumn(opened, read, column);
        // Who had begun before it was there has not written it.
        read.registry().awaitNoticed();
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
