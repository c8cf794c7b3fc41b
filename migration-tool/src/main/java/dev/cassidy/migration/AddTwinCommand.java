package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cluster.Grants;
import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.TwinCheck;
import dev.cassidy.migration.target.BuiltIndex;
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
        name = "add-twin",
        description =
                "Has an index compare strings as their collation does, of a table that has rows, while applications write it. Writes"
                        + " keep the form that is compared first, in a column beside; then each row gets it. An index on the column"
                        + " that compares bytes is replaced; what reads by it without the JDBC driver is refused then. A command that has ended before it was done is repeated, and"
                        + " continues.")
final class AddTwinCommand implements Callable<Integer> {

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
            description = "[keyspace.]table in Cassandra; in double quotes where case matters. Its writes are exact.")
    private String table = "";

    @Option(
            names = "--column",
            required = true,
            paramLabel = "NAME",
            description = "A column of strings that T-SQL has declared; in double quotes where case matters.")
    private String column = "";

    @Option(
            names = "--keep-index",
            description =
                    "Keep the index that compares bytes, too: code on java-driver that reads by the column needs it.")
    private boolean keepIndex;

    @Spec
    private @Nullable CommandSpec spec;

    private final Shell shell;

    AddTwinCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        reading.require();
        TargetTable target =
                TargetTable.parse(table, keyspace == null ? null : TargetTable.keyspace(keyspace), "", "--table");
        AddTwinReport report;
        try (Target opened = cassandra.open(shell)) {
            report = add(opened, target);
        } catch (UnauthorizedException e) {
            throw Grants.forbidden(e);
        }
        output.write(shell, report);
        return report.exitCode();
    }

    private AddTwinReport add(Target opened, TargetTable target) {
        ContractedTable read = ContractedTable.read(opened, target);
        CommandLines lines = new CommandLines(
                MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
        TableWrites writes = AddUniqueCommand.exactWrites(read.contract(), lines, "an index compares by a collation");
        TableDefinition known = read.known(lines);
        ColumnDefinition declared = declared(read.found(), known);
        Twin before = declared.twin();
        Twin twin = before == null ? twin(declared) : before;
        String old = BuiltIndex.on(read.found(), CqlIdentifier.fromInternal(declared.name()))
                .orElse(null);
        // Who knows that each row has it reads by it as soon as there is an index on it, built or not.
        boolean replaces = old != null
                && BuiltIndex.on(read.found(), twinOf(declared.name())).isEmpty();
        TwinCheck.@Nullable Result given = null;
        @Nullable
        String made = BuiltIndex.on(read.found(), twinOf(declared.name())).orElse(null);
        boolean complete = true;
        if (before == null || !before.isComplete() || replaces) {
            RowReading.requireReadable(opened, read.found());
            TableMetadata with =
                    declare(shell, opened, read, target, known, declared.withTwin(twin.in(Twin.Place.BUILDING)));
            if (before == null || !before.isComplete()) {
                given = give(opened, with, writes, declared.name(), twin);
                complete = !given.isBroken();
            }
            if (complete) {
                made = index(opened, read, declared.name(), old);
                read.registry().completeTwin(target.keyspace(), target.table(), known.id(), declared.name());
            }
        }
        if (old != null && made != null && given == null && !replaces) {
            // The command, or a CREATE INDEX, has ended while it was being built.
            made = index(opened, read, declared.name(), old);
        }
        @Nullable String replaced = complete && !keepIndex ? old : null;
        if (replaced != null) {
            shell.progress("index " + made + " is built; waiting until every process reads by it");
            read.registry().awaitNoticed();
            BuiltIndex.drop(opened.session(), read.found(), CqlIdentifier.fromInternal(replaced));
        }
        return new AddTwinReport(
                "add-twin",
                (complete ? ExitCode.OK : ExitCode.DISAGREES).code(),
                target.keyspace(),
                target.table(),
                declared.name(),
                twin.collation(),
                given == null ? 0 : given.rows(),
                given == null ? 0 : given.wrong().count(),
                complete ? made : null,
                replaced,
                given == null ? List.of() : broken(given),
                given == null && replaced == null && !replaces ? "unchanged" : complete ? "added" : "incomplete");
    }

    private ColumnDefinition declared(TableMetadata found, TableDefinition known) {
        String name = Identifiers.toInternal(column);
        ColumnMetadata stored = found.getColumn(CqlIdentifier.fromInternal(name))
                .orElseThrow(() -> refusal(name, "is not one of the table's"));
        ColumnDefinition declared = known.column(name)
                .orElseThrow(() -> refusal(name, "is not declared: cassidy tables adopt declares it"));
        Twin twin = declared.twin();
        if (twin != null && twin.isOfKey()) {
            throw refusal(name, "is in the primary key, which is compared by its collation already");
        }
        if (found.getPrimaryKey().contains(stored)
                || stored.isStatic()
                || !stored.getType().equals(DataTypes.TEXT)
                || (twin == null && declared.equality().isEmpty())) {
            throw refusal(
                    name,
                    "is compared by its bytes: it is in the primary key, or no CHAR, VARCHAR, NCHAR or NVARCHAR, or its"
                            + " collation is binary, or one whose rules are not known");
        }
        return declared;
    }

    private static MigrationException refusal(String column, String why) {
        return new MigrationException(ExitCode.REFUSED, "column " + column + " " + why);
    }

    private static Twin twin(ColumnDefinition declared) {
        Collation collation = declared.equality().orElseThrow();
        return new Twin(collation.name(), collation.version(), Twin.Place.BUILDING);
    }

    /** From then on who knows the contract keeps the twin, so its column comes first. Returns the table with it. */
    static TableMetadata declare(
            Shell shell,
            Target opened,
            ContractedTable read,
            TargetTable target,
            TableDefinition known,
            ColumnDefinition then) {
        TableContract contract = read.contract();
        addColumn(opened, read, then.name());
        if (!known.column(then.name()).filter(then::equals).isPresent()) {
            read.registry().tighten(contract, known.replacing(then));
        }
        shell.progress("it is declared; waiting until every process keeps it");
        read.registry().awaitNoticed();
        return Target.table(opened.schemaNow(), target.keyspace(), target.table())
                .filter(now -> now.getId().equals(read.found().getId()))
                .orElseThrow(() -> new MigrationException(
                        ExitCode.REFUSED, "table " + contract.name() + " was dropped meanwhile"));
    }

    /** Adds the column of a twin, unless it is there. */
    static void addColumn(Target opened, ContractedTable read, String column) {
        CqlIdentifier twin = CqlIdentifier.fromInternal(Twin.nameOf(column));
        if (read.found().getColumn(twin).isPresent()) {
            return;
        }
        TableContract contract = read.contract();
        boolean wasDropped = opened
                .session()
                .execute(
                        "SELECT column_name FROM system_schema.dropped_columns WHERE keyspace_name = ? AND table_name = ?",
                        contract.keyspace(),
                        contract.table())
                .all()
                .stream()
                .anyMatch(row -> twin.asInternal().equals(row.getString(0)));
        if (wasDropped) {
            // Cassandra hides what is earlier than the column's end, and new rows would lose it.
            read.registry().insertConditionally(contract.keyspace(), contract.table());
        }
        BuiltIndex.addColumn(opened.session(), read.found(), twin);
    }

    private TwinCheck.Result give(Target opened, TableMetadata table, TableWrites writes, String name, Twin twin) {
        try (OpenTransactions transactions = opened.transactions()) {
            return reading.check(shell, opened, transactions, table, writes, Map.of(name, twin), true);
        } catch (RuntimeException e) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            throw new MigrationException(
                    interrupted ? ExitCode.INTERRUPTED : ExitCode.of(e),
                    "not every row of table " + writes.name() + " has the form of column " + name + " yet: "
                            + e.getMessage()
                            + ". Writes keep it already, and no read relies on it. Run the command again, which continues",
                    e);
        }
    }

    /**
     * Has an index on the twin be ready to be asked, in all datacenters, if there was one on the column; before the twin is complete. Returns
     * its name; null if there is none.
     */
    private @Nullable String index(Target opened, ContractedTable read, String name, @Nullable String old) {
        TableMetadata now = now(opened, read);
        String there = BuiltIndex.on(now, twinOf(name)).orElse(null);
        if (there == null && old == null) {
            return null;
        }
        String made = there == null ? BuiltIndex.freeName(opened.session(), now, old + Twin.INDEX) : there;
        shell.progress("each row has it; index " + made + " is being built");
        BuiltIndex.make(opened.session(), now, CqlIdentifier.fromInternal(made), twinOf(name));
        if (BuiltIndex.on(now(opened, read), twinOf(name)).filter(made::equals).isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "another index got the name " + made
                            + " meanwhile: run the command again, which takes another one");
        }
        return made;
    }

    private static TableMetadata now(Target opened, ContractedTable read) {
        return Target.table(
                        opened.schemaNow(),
                        read.contract().keyspace(),
                        read.contract().table())
                .orElse(read.found());
    }

    private static CqlIdentifier twinOf(String column) {
        return CqlIdentifier.fromInternal(Twin.nameOf(column));
    }

    /** Returns which rows cannot be mended, for people. */
    static List<String> broken(TwinCheck.Result found) {
        List<String> broken = new ArrayList<>();
        if (found.unmarked().count() > 0) {
            broken.add(ContractCheck.unmarked(found.unmarked()));
        }
        if (found.unsettled().count() > 0) {
            broken.add(found.unsettled().count() + " could not be decided, because others wrote them all the time: "
                    + found.unsettled().shown());
        }
        return broken;
    }
}
