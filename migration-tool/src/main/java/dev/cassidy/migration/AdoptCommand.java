package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.jdbc.run.UniqueDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableWrites;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "adopt",
        description =
                "Declares the columns of a table that was made or changed by other means than T-SQL: their order, and"
                        + " what T-SQL says of them. Shows what is known and asks; identity, defaults and write mode stay.")
final class AdoptCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

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
            names = "--columns",
            paramLabel = "COLUMN,COLUMN...",
            description =
                    "All columns in the order of an INSERT without a list of columns, as CREATE TABLE in T-SQL writes"
                            + " them: \"id int, name nvarchar(50) not null, at\". All but the name may be left out."
                            + " Default: what the contract says of the table, or of the one that had its name.")
    private @Nullable String columns;

    @Option(names = "--yes", description = "Does not ask.")
    private boolean yes;

    private final Shell shell;

    AdoptCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        TargetTable target =
                TargetTable.parse(table, keyspace == null ? null : TargetTable.keyspace(keyspace), "", "--table");
        try (Target opened = cassandra.open(shell)) {
            output.write(shell, adopt(opened, target));
        }
        return ExitCode.OK.code();
    }

    private AdoptReport adopt(Target opened, TargetTable target) {
        ContractedTable read = ContractedTable.read(opened, target);
        TableContract contract = read.contract();
        TableMetadata found = read.found();
        UUID id = found.getId().orElseThrow();
        TableDefinition known = contract.definition();
        TableDefinition proposal = definition(target, found, known);
        boolean marked =
                found.getColumn(CqlIdentifier.fromInternal(RowMark.COLUMN)).isPresent();
        boolean unchanged = proposal.equals(known) && !contract.pending() && (marked || !isExact(contract));
        if (!unchanged) {
            show(opened, contract, found, proposal);
            shell.confirm(
                    yes,
                    "Declare this of " + target.sequence() + "?",
                    "read the columns that are shown above, or give --columns");
            requireSame(target, found, found(opened, target));
        }
        // Also if it is declared already: the command that declared it may have ended before it had told anybody.
        read.registry().adopt(contract, proposal, marked);
        return new AdoptReport(
                "adopt",
                ExitCode.OK.code(),
                target.keyspace(),
                target.table(),
                id.toString(),
                proposal.columns().stream().map(AdoptReport.Column::of).toList(),
                proposal.constraints().stream().map(ConstraintDefinition::text).toList(),
                unchanged ? "unchanged" : "adopted");
    }

    private static Optional<TableMetadata> found(Target opened, TargetTable target) {
        return Target.table(opened.schemaNow(), target.keyspace(), target.table());
    }

    // ---- what is declared

    private TableDefinition definition(TargetTable target, TableMetadata found, @Nullable TableDefinition known) {
        UUID id = found.getId().orElseThrow();
        List<ColumnDefinition> defined;
        if (columns != null) {
            try {
                defined = TableDeclarations.columns(
                        found, columns, known == null ? List.of() : TableDeclarations.fitting(found, known));
            } catch (SQLException e) {
                throw new MigrationException(ExitCode.REFUSED, "--columns: " + e.getMessage(), e);
            }
        } else {
            defined = known == null ? List.of() : TableDeclarations.columns(found, known);
        }
        if (defined.isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    (known == null
                                    ? "nothing was declared of the columns of " + target.sequence()
                                    : "the columns of " + target.sequence()
                                            + " are not those of which something was declared")
                            + ", so their order is not known: give --columns with all of them in the order in which an"
                            + " INSERT without a list of columns gives their values. Cassandra has "
                            + stored(found).collect(Collectors.joining(", ")));
        }
        for (ColumnMetadata key : found.getPrimaryKey()) {
            String name = Twin.original(key.getName().asInternal());
            if (Twin.isOne(key.getName().asInternal())
                    && defined.stream().noneMatch(column -> column.name().equals(name) && column.twin() != null)) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "the key of " + target.sequence() + " has column " + name + " as its collation compares it, and"
                                + " which collation that is, and by which table of characters, was not declared here: create a"
                                + " table by T-SQL, and copy the rows");
            }
        }
        return new TableDefinition(id, defined, known == null ? List.of() : constraints(found, known));
    }

    /**
     * Returns the constraints whose columns are still there. Of which columns a CHECK of the table is, is not known. What was reserved
     * of the values of UNIQUE are those of another table's rows, if the table has another id.
     */
    private static List<ConstraintDefinition> constraints(TableMetadata found, TableDefinition known) {
        List<String> existing = found.getColumns().keySet().stream()
                .map(name -> name.asInternal())
                .toList();
        boolean all = known.columns().stream().allMatch(column -> existing.contains(column.name()));
        return known.constraints().stream()
                .filter(constraint -> constraint.columns().isEmpty() ? all : existing.containsAll(constraint.columns()))
                .map(constraint -> known.isOf(found.getId().orElseThrow()) ? constraint : constraint.unreserved())
                .toList();
    }

    private static Stream<String> stored(TableMetadata found) {
        return found.getColumns().values().stream()
                .filter(column -> !TableDefinition.isHidden(column.getName().asInternal()))
                .map(column ->
                        column.getName().asCql(true) + " " + column.getType().asCql(true, true));
    }

    // ---- what is shown

    private void show(Target opened, TableContract contract, TableMetadata found, TableDefinition proposal) {
        List<String> lines = new ArrayList<>();
        UUID id = found.getId().orElseThrow();
        lines.add("Cassandra has the table " + contract.name() + ", id " + id + ":");
        stored(found).forEach(column -> lines.add("  " + column));
        lines.add("  key: " + names(found.getPartitionKey())
                + (found.getClusteringColumns().isEmpty()
                        ? ""
                        : ", then "
                                + names(List.copyOf(found.getClusteringColumns().keySet()))));
        lines.add(
                "Cassandra does not know lengths, precision, NOT NULL, labels, collations, and the order of columns.");
        lines.add(said(contract, id));
        lines.add("This would be declared, in the order of an INSERT without a list of columns:");
        proposal.columns()
                .forEach(column -> lines.add("  "
                        + TableDeclarations.written(column)
                        + (column.type() == null ? " (of no known type of T-SQL)" : "")));
        proposal.constraints().forEach(constraint -> lines.add("  " + constraint.text()));
        TableDefinition known = contract.definition();
        if (known != null) {
            known.constraints().stream()
                    .filter(constraint -> proposal.constraints().stream().noneMatch(constraint::saysAs))
                    .forEach(constraint -> lines.add("  no longer: " + constraint.text()));
        }
        lines.addAll(kept(contract, found));
        lines.addAll(notReserved(contract, proposal, commands()));
        new ContractCheck(
                        opened.session().getMetadata(),
                        name -> CheckCommand.sequence(opened, name),
                        List.of(),
                        opened.sequences().config().globalKeyspace())
                .uses(contract, found)
                .forEach(each -> lines.add("warning: " + each.finding().message()));
        lines.forEach(shell::progress);
    }

    private static String names(List<ColumnMetadata> key) {
        return key.stream().map(column -> column.getName().asCql(true)).collect(Collectors.joining(", "));
    }

    private static String said(TableContract contract, UUID id) {
        TableDefinition known = contract.definition();
        if (known == null) {
            return "Nothing was declared of its columns.";
        }
        String columns = known.columns().stream()
                .map(column -> TableDeclarations.written(column))
                .collect(Collectors.joining(", "));
        return (known.isOf(id)
                        ? "Its contract says: "
                        : "The contract is of "
                                + (contract.pending() ? "a table that was declared" : "the table that had the name")
                                + ", id " + known.id() + ", and says: ")
                + (columns.isEmpty() ? "nothing of columns" : columns);
    }

    private static boolean isExact(TableContract contract) {
        return contract.writes() != null;
    }

    private static List<String> kept(TableContract contract, TableMetadata found) {
        List<String> kept = new ArrayList<>();
        IdentityColumn identity = contract.identity();
        if (identity != null) {
            kept.add("identity '" + identity.column() + "' of the sequence " + identity.sequence());
        }
        for (ColumnDefault each : contract.defaults()) {
            kept.add("default " + each.expression() + " of '" + each.column() + "'");
        }
        TableWrites writes = contract.writes();
        boolean writable = !isExact(contract)
                || found.getColumn(CqlIdentifier.fromInternal(RowMark.COLUMN)).isPresent();
        if (writes != null && writable) {
            kept.add("rows written exactly, " + writes.deciders());
        }
        List<String> lines = new ArrayList<>();
        if (!kept.isEmpty()) {
            lines.add("This stays: " + String.join("; ", kept) + ".");
        }
        if (!writable) {
            lines.add("Its writes become plain, because it lacks the column " + RowMark.COLUMN
                    + ". To make them exact, run cassidy tables declare --table " + contract.name()
                    + " --writes exact.");
        }
        return lines;
    }

    private CommandLines commands() {
        return new CommandLines(
                MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
    }

    /** Of the rows of this table no value is reserved, and nobody knows whether two have the same. */
    private static List<String> notReserved(TableContract contract, TableDefinition proposal, CommandLines commands) {
        TableDefinition known = contract.definition();
        if (known == null || known.isOf(proposal.id())) {
            return List.of();
        }
        return known.constraints().stream()
                .filter(each -> each.reserved() != null
                        && proposal.constraints().stream().anyMatch(each::saysAs))
                .map(UniqueDeclarations::written)
                .map(unique ->
                        "warning: " + unique + " will not be kept: the values that are reserved are those of the table"
                                + " that had the name. When this is declared, a command reads the rows and reserves theirs. "
                                + commands.tell(new Remedy.AddUnique(contract.keyspace(), contract.table(), unique)))
                .toList();
    }

    /** Somebody may have dropped, created or altered the table while the user was asked. */
    private static void requireSame(TargetTable target, TableMetadata before, Optional<TableMetadata> now) {
        if (now.filter(found -> found.getId().equals(before.getId())
                        && found.getColumns().equals(before.getColumns()))
                .isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "table " + target.sequence() + " was "
                            + (now.isEmpty() ? "dropped" : "changed")
                            + " meanwhile; nothing was declared. Run the command again, which shows what is there now");
        }
    }
}
