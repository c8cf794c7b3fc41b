package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cluster.Grants;
import dev.cassidy.count.CountException;
import dev.cassidy.count.RowCountings;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.BuiltIndex;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.table.ColumnDefault;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "count",
        description =
                "Has a column of an exact table count, as COUNTED in CREATE TABLE does: UPDATE ... SET hits = hits + 1 adds to it without"
                        + " a condition, and once. Rows begin with what they have. Applications may write meanwhile; those that"
                        + " set the column, compare it before they write, or find rows by it are refused then. It is not undone. A command that has ended before it was done is"
                        + " repeated, and continues.")
final class CountCommand implements Callable<Integer> {

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
            description = "[keyspace.]table in Cassandra; in double quotes where case matters. Its writes are exact.")
    private String table = "";

    @Option(
            names = "--column",
            required = true,
            paramLabel = "NAME",
            description =
                    "A column that is INT NOT NULL or BIGINT NOT NULL, without index and constraint; in double quotes where case"
                            + " matters.")
    private String column = "";

    @Spec
    private @Nullable CommandSpec spec;

    private final Shell shell;

    CountCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        TargetTable target =
                TargetTable.parse(table, keyspace == null ? null : TargetTable.keyspace(keyspace), "", "--table");
        Report.Counted report;
        try (Target opened = cassandra.open(shell)) {
            report = count(opened, target);
        } catch (UnauthorizedException e) {
            throw Grants.forbidden(e);
        } catch (CountException e) {
            throw new MigrationException(
                    e.outcome() == CountException.Outcome.UNAVAILABLE ? ExitCode.CASSANDRA : ExitCode.REFUSED,
                    String.valueOf(e.getMessage()),
                    e);
        }
        output.write(shell, report);
        return report.exitCode();
    }

    private Report.Counted count(Target opened, TargetTable target) {
        ContractedTable read = ContractedTable.read(opened, target);
        CommandLines lines = new CommandLines(
                MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
        var unused = AddUniqueCommand.exactWrites(read.contract(), lines, "a column counts");
        TableDefinition known = read.known(lines);
        ColumnDefinition declared = declared(read, known);
        CqlIdentifier mark = CqlIdentifier.fromInternal(CountMark.COLUMN);
        if (read.found().getColumn(mark).isEmpty()) {
            BuiltIndex.addColumn(opened.session(), read.found(), mark, DataTypes.UUID);
        }
        RowCountings.find()
                .orElseThrow(() -> new IllegalStateException("is not there: " + RowCountings.ARTIFACT))
                .create(
                        opened.session(),
                        opened.sequences().config(),
                        target.keyspace(),
                        CountMark.tableOf(target.table()));
        if (!declared.counted()) {
            read.registry().tighten(read.contract(), known.replacing(declared.asCounted()));
        }
        shell.progress("it is declared; waiting until every process adds to it");
        read.registry().awaitNoticed();
        return new Report.Counted(
                "count",
                ExitCode.OK.code(),
                target.keyspace(),
                target.table(),
                declared.name(),
                declared.counted() ? "unchanged" : "counted");
    }

    private ColumnDefinition declared(ContractedTable read, TableDefinition known) {
        String name = Identifiers.toInternal(column);
        DataType type = read.found()
                .getColumn(CqlIdentifier.fromInternal(name))
                .orElseThrow(() -> refusal(name, "is not one of the table's"))
                .getType();
        ColumnDefinition declared = known.column(name)
                .orElseThrow(() -> refusal(name, "is not declared: cassidy tables adopt declares it"));
        if (!type.equals(DataTypes.INT) && !type.equals(DataTypes.BIGINT)) {
            throw refusal(name, "is no INT or BIGINT");
        }
        if (!declared.required()) {
            throw refusal(
                    name,
                    "may be NULL, to which nothing can be added: give each row a value, and declare it NOT NULL by cassidy tables"
                            + " alter");
        }
        if (read.found().getPrimaryKey().stream()
                .anyMatch(key -> key.getName().asInternal().equals(name))) {
            throw refusal(name, "is part of the primary key, which is the place of a row");
        }
        if (Stream.concat(read.contract().drawing().stream(), read.contract().drew().stream())
                .anyMatch(drawn -> drawn.column().equals(name))) {
            throw refusal(name, "has, or had, the ids of a sequence, which stay");
        }
        if (read.contract().defaults().stream()
                .anyMatch(each -> each.column().equals(name) && each.kind() != ColumnDefault.Kind.CONSTANT)) {
            throw refusal(name, "has a DEFAULT that is no number");
        }
        if (BuiltIndex.on(read.found(), CqlIdentifier.fromInternal(name)).isPresent()) {
            throw refusal(name, "has an index, which would find rows by what they began with: drop it first");
        }
        for (ConstraintDefinition each : known.constraints()) {
            if (isOf(each, name, known)) {
                throw refusal(
                        name,
                        "has a constraint, which nobody can keep while others add: " + each.text() + ". Drop it first");
            }
        }
        return declared;
    }

    private static boolean isOf(ConstraintDefinition constraint, String column, TableDefinition known) {
        return constraint.columns().contains(column)
                || (constraint.kind() == ConstraintDefinition.Kind.CHECK
                        && CheckExpression.parse(constraint.text(), known.columns())
                                .map(CheckExpression::columns)
                                .orElse(Set.of())
                                .contains(column));
    }

    private static MigrationException refusal(String column, String why) {
        return new MigrationException(ExitCode.REFUSED, "column " + column + " " + why);
    }
}
