package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.RowCheck;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdentityColumn;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "alter",
        description =
                "Declares what rows that are there may break: a shorter text, fewer digits, NOT NULL, UNIQUE, CHECK. Writes obey it first;"
                        + " then all rows are read, and if one breaks it, the contract becomes again what it was. Exit code 3 if"
                        + " a row does.")
final class AlterCommand implements Callable<Integer> {

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

    @Option(
            names = "--columns",
            paramLabel = "COLUMN,COLUMN...",
            description =
                    "The columns as ALTER COLUMN in T-SQL writes them: \"name nvarchar(20) not null, price decimal(6,2)\". As there,"
                            + " a column with a type and without NOT NULL takes NULL.")
    private @Nullable String columns;

    @Option(
            names = "--add",
            paramLabel = "CONSTRAINT",
            description =
                    "What ADD in T-SQL adds: \"CONSTRAINT uq_isbn UNIQUE (isbn)\", \"CHECK (price > 0)\". May be repeated. Later"
                            + " writes are not checked for UNIQUE; where writes are exact, tables add-unique keeps it.")
    private List<String> added = new ArrayList<>();

    @Option(names = "--dry-run", description = "Reads the rows and declares nothing.")
    private boolean dryRun;

    @Spec
    private @Nullable CommandSpec spec;

    private final Shell shell;

    AlterCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        if (columns == null && added.isEmpty()) {
            throw new MigrationException(ExitCode.USAGE, "nothing to declare: give --columns or --add");
        }
        reading.require();
        TargetTable target =
                TargetTable.parse(table, keyspace == null ? null : TargetTable.keyspace(keyspace), "", "--table");
        AlterReport report;
        try (Target opened = cassandra.open(shell)) {
            report = alter(opened, target);
        }
        output.write(shell, report);
        return report.exitCode();
    }

    private AlterReport alter(Target opened, TargetTable target) {
        ContractedTable read = ContractedTable.read(opened, target);
        CommandLines lines = new CommandLines(
                MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
        TableDefinition known = read.known(lines);
        requireNotReserving(read, known, lines);
        Change change = change(read, known);
        Supplier<RowCheck.Result> rows = () -> reading.check(shell, opened, read.found(), change.rules(read.found()));
        RowReading.requireReadable(opened, read.found());
        Alteration.@Nullable Outcome outcome = dryRun
                ? null
                : new Alteration(read.registry(), read.contract(), change.wanted(), shell::progress).apply(rows);
        RowCheck.Result found = outcome == null ? rows.get() : outcome.rows();
        return new AlterReport(
                "alter",
                (found.broken().isEmpty() ? ExitCode.OK : ExitCode.DISAGREES).code(),
                target.keyspace(),
                target.table(),
                change.shown(),
                found.rows(),
                found.broken(),
                outcome == null ? "checked" : outcome.result().name().toLowerCase(Locale.ROOT));
    }

    /** Where writes are exact, UNIQUE is kept, which takes more than a look at the rows. */
    private void requireNotReserving(ContractedTable read, TableDefinition known, CommandLines lines) {
        if (read.contract().writes() == null) {
            return;
        }
        for (String each : added) {
            try {
                if (TableDeclarations.constraint(read.found(), each, known)
                        .kind()
                        .isUnique()) {
                    throw new MigrationException(
                            ExitCode.REFUSED,
                            "the writes to table " + read.contract().name()
                                    + " are exact, so UNIQUE is kept by reservations: "
                                    + each + ". "
                                    + lines.tell(new Remedy.AddUnique(
                                            read.contract().keyspace(),
                                            read.contract().table(),
                                            each)));
                }
            } catch (SQLException e) {
                // It is told with the others.
                return;
            }
        }
    }

    /**
     * What is to be declared.
     *
     * @param columns as they are to be
     * @param wanted the whole definition then
     */
    private record Change(
            List<ColumnDefinition> columns, List<ConstraintDefinition> constraints, TableDefinition wanted) {

        RowCheck.Rules rules(TableMetadata table) {
            return ContractCheck.rules(columns, constraints, table, wanted, Map.of());
        }

        List<String> shown() {
            return Stream.concat(
                            columns.stream().map(TableDeclarations::written),
                            constraints.stream().map(TableDeclarations::written))
                    .toList();
        }
    }

    private Change change(ContractedTable read, TableDefinition known) {
        try {
            List<ColumnDefinition> altered =
                    columns == null ? List.of() : TableDeclarations.altered(read.found(), columns, known);
            TableDefinition wanted = known;
            for (ColumnDefinition each : altered) {
                requireNoOtherIdentity(read, known, each);
                wanted = wanted.replacing(each);
            }
            List<ConstraintDefinition> constraints = new ArrayList<>();
            for (String each : added) {
                ConstraintDefinition constraint = TableDeclarations.constraint(read.found(), each, wanted);
                constraints.add(constraint);
                wanted = with(wanted, constraint);
            }
            return new Change(altered, constraints, wanted);
        } catch (SQLException e) {
            throw new MigrationException(ExitCode.REFUSED, String.valueOf(e.getMessage()), e);
        }
    }

    /** Its sequence would go on issuing ids that the new type does not hold. */
    private static void requireNoOtherIdentity(ContractedTable read, TableDefinition known, ColumnDefinition column) {
        IdentityColumn identity = read.contract().identity();
        if (identity != null
                && identity.column().equals(column.name())
                && !Objects.equals(
                        column.type(),
                        known.column(column.name()).map(ColumnDefinition::type).orElse(null))) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "column '" + column.label() + "' takes the ids of the sequence " + identity.sequence()
                            + ", and has the type of these: leave it out");
        }
    }

    private static TableDefinition with(TableDefinition known, ConstraintDefinition added) {
        for (ConstraintDefinition each : known.constraints()) {
            boolean named = !added.name().isEmpty() && each.name().equalsIgnoreCase(added.name());
            boolean same = each.kind() == added.kind()
                    && (each.kind() == ConstraintDefinition.Kind.CHECK
                            ? each.text().equals(added.text())
                            : each.columns().equals(added.columns()));
            if (same && (named || added.name().isEmpty())) {
                return known;
            }
            if (named) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "the table has a constraint " + each.name() + " already: " + each.text()
                                + ". Give another name");
            }
        }
        return known.with(List.of(), List.of(added));
    }
}
