package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.cluster.Grants;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.jdbc.run.UniqueDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.UniqueCheck;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import dev.cassidy.table.TableWrites;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
        name = "add-unique",
        description =
                "Keeps UNIQUE of a table that has rows, while applications write it. Writes keep it first; then the value of each"
                        + " row is reserved for it, in a table beside. If two rows have the same, it is taken back, and they are"
                        + " listed: exit code 3. A command that has ended before it was done is repeated, and continues.")
final class AddUniqueCommand implements Callable<Integer> {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

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
            names = "--unique",
            required = true,
            paramLabel = "UNIQUE",
            description =
                    "What ADD in T-SQL adds: \"CONSTRAINT uq_isbn UNIQUE (isbn)\"; or an index without its table: \"UNIQUE INDEX"
                            + " ux_isbn (isbn) WHERE isbn IS NOT NULL\".")
    private String unique = "";

    @Spec
    private @Nullable CommandSpec spec;

    private final Shell shell;

    AddUniqueCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        reading.require();
        TargetTable target =
                TargetTable.parse(table, keyspace == null ? null : TargetTable.keyspace(keyspace), "", "--table");
        AddUniqueReport report;
        try (Target opened = cassandra.open(shell)) {
            report = add(opened, target);
        } catch (UnauthorizedException e) {
            throw Grants.forbidden(e);
        }
        output.write(shell, report);
        return report.exitCode();
    }

    /**
     * What is to be kept.
     *
     * @param constraint with the table of its reservations
     * @param wanted the whole definition then
     * @param isNew whether that table is to be created
     */
    private record Change(ConstraintDefinition constraint, TableDefinition wanted, boolean isNew) {

        Reservations reservations() {
            return Objects.requireNonNull(constraint.reserved());
        }
    }

    private AddUniqueReport add(Target opened, TargetTable target) {
        ContractedTable read = ContractedTable.read(opened, target);
        CommandLines lines = new CommandLines(
                MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
        TableWrites writes = exactWrites(read.contract(), lines, "UNIQUE is kept");
        TableDefinition known = read.known(lines);
        Change change = change(read, known);
        String written = UniqueDeclarations.written(change.constraint());
        if (change.reservations().complete()) {
            return new AddUniqueReport(
                    "add-unique",
                    ExitCode.OK.code(),
                    target.keyspace(),
                    target.table(),
                    written,
                    change.reservations().table(),
                    0,
                    0,
                    List.of(),
                    "unchanged");
        }
        RowReading.requireReadable(opened, read.found());
        declare(opened, read, change);
        UniqueCheck.Result found = reserve(opened, read, writes, change);
        boolean keeps = !found.isBroken();
        if (keeps) {
            read.registry()
                    .completeUnique(
                            target.keyspace(),
                            target.table(),
                            change.reservations().table());
        } else {
            takeBack(opened, read, change);
        }
        return new AddUniqueReport(
                "add-unique",
                (keeps ? ExitCode.OK : ExitCode.DISAGREES).code(),
                target.keyspace(),
                target.table(),
                written,
                change.reservations().table(),
                found.rows(),
                found.unreserved().count() + found.misnamed().count(),
                broken(new KeptUnique(written, key(change)), found),
                keeps ? "added" : "taken_back");
    }

    private static UniqueKey key(Change change) {
        return change.wanted().uniqueKeys().stream()
                .filter(each -> each.reservations().equals(change.reservations()))
                .findFirst()
                .orElseThrow();
    }

    /** Returns what keeps a constraint from being true, for people. */
    static List<String> broken(KeptUnique unique, UniqueCheck.Result found) {
        return Stream.of(
                        found.duplicates().count() == 0
                                ? null
                                : found.duplicates().count()
                                        + (found.duplicates().count() == 1 ? " row has" : " rows have")
                                        + " a value that another row has reserved: "
                                        + found.duplicates().shown(),
                        found.unmarked().count() == 0 ? null : ContractCheck.unmarked(unique, found.unmarked()),
                        found.unsettled().count() == 0
                                ? null
                                : found.unsettled().count() + " could not be decided, because others wrote them all the"
                                        + " time: " + found.unsettled().shown())
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    /** @param what happens where writes are exact alone */
    static TableWrites exactWrites(TableContract contract, CommandLines lines, String what) {
        TableWrites writes = contract.writes();
        if (writes == null || writes.changing()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the writes to table " + contract.name()
                            + (writes == null ? " are plain" : " are about to be exact, and are not yet")
                            + ", and " + what + " where they are exact. "
                            + lines.tell(
                                    writes == null
                                            ? new Remedy.DeclareWrites(contract.keyspace(), contract.table(), "exact")
                                            : writes.declaration()));
        }
        return writes;
    }

    private Change change(ContractedTable read, TableDefinition known) {
        ConstraintDefinition given;
        try {
            given = UniqueDeclarations.unique(read.found(), unique, known);
        } catch (SQLException e) {
            throw new MigrationException(ExitCode.REFUSED, String.valueOf(e.getMessage()), e);
        }
        try {
            UniqueDeclarations.requireCollations(given, known.columns());
        } catch (SQLException e) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    e.getMessage()
                            + ". Nothing was changed: give the column one by ALTER TABLE ... ALTER COLUMN ... COLLATE"
                            + " through the JDBC driver first",
                    e);
        }
        Set<String> primaryKey = read.found().getPrimaryKey().stream()
                .map(column -> Twin.original(column.getName().asInternal()))
                .collect(Collectors.toSet());
        if (primaryKey.equals(Set.copyOf(given.columns()))) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "no two rows can have the same in the columns of the key, as the key compares them, so nothing is to be"
                            + " added");
        }
        ConstraintDefinition before = declared(known, given).orElse(null);
        if (before != null && before.reserved() != null) {
            return new Change(before, known, false);
        }
        ConstraintDefinition reserved = (before == null ? given : before)
                .reservedIn(UniqueDeclarations.reservations(given, known.columns(), false));
        TableDefinition without = before == null ? known : known.withoutSame(before);
        return new Change(reserved, without.with(List.of(), List.of(reserved)), true);
    }

    private static Optional<ConstraintDefinition> declared(TableDefinition known, ConstraintDefinition given) {
        for (ConstraintDefinition each : known.constraints()) {
            boolean named = !given.name().isEmpty() && each.name().equalsIgnoreCase(given.name());
            if (each.kind() == given.kind()
                    && each.columns().equals(given.columns())
                    && (named || given.name().isEmpty())) {
                return Optional.of(each);
            }
            if (named) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "the table has a constraint " + each.name() + " already: " + each.text()
                                + ". Give another name");
            }
        }
        return Optional.empty();
    }

    /** From then on who knows the contract reserves what it writes, so the table of reservations comes first. */
    private void declare(Target opened, ContractedTable read, Change change) {
        TableContract contract = read.contract();
        createReservations(opened, contract, change.constraint());
        try {
            read.registry().tighten(contract, change.wanted());
        } catch (SequenceException.Conflict e) {
            if (change.isNew()) {
                dropReservations(
                        opened, contract.keyspace(), change.reservations().table());
            }
            throw e;
        }
        shell.progress("it is declared; waiting until every process keeps it");
        read.registry().awaitNoticed();
    }

    /** Creates the table of a constraint's reservations, unless it is there. */
    static void createReservations(Target opened, TableContract contract, ConstraintDefinition unique) {
        String cql = UniqueDeclarations.createTable(
                contract.keyspace(), contract.table(), unique, Objects.requireNonNull(unique.reserved()));
        opened.session().execute(SimpleStatement.newInstance(cql).setTimeout(TIMEOUT));
        if (!opened.session().checkSchemaAgreement()) {
            throw new MigrationException(
                    ExitCode.CASSANDRA, "the nodes do not agree on the schema yet: run it again, which continues");
        }
        opened.schemaNow();
    }

    private static void dropReservations(Target opened, String keyspace, String reservations) {
        opened.session()
                .execute(SimpleStatement.newInstance("DROP TABLE IF EXISTS "
                                + CqlIdentifier.fromInternal(keyspace).asCql(true) + "."
                                + CqlIdentifier.fromInternal(reservations).asCql(true))
                        .setTimeout(TIMEOUT));
    }

    private UniqueCheck.Result reserve(Target opened, ContractedTable read, TableWrites writes, Change change) {
        TableMetadata found = read.found();
        try (OpenTransactions transactions = opened.transactions()) {
            return reading.check(shell, opened, transactions, found, writes, key(change), true);
        } catch (RuntimeException e) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            throw new MigrationException(
                    interrupted ? ExitCode.INTERRUPTED : ExitCode.of(e),
                    "not every row of table " + writes.name() + " has its reservation yet: " + e.getMessage()
                            + ". Writes keep the constraint already, and no read relies on it. Run the command again, which"
                            + " continues; or take it back: ALTER TABLE ... DROP CONSTRAINT, or DROP INDEX, by JDBC",
                    e);
        }
    }

    /** Writers that do not know yet reserve values until then, and would fail. */
    private void takeBack(Target opened, ContractedTable read, Change change) {
        TableRegistry registry = read.registry();
        TableContract contract = read.contract();
        String reservations = change.reservations().table();
        registry.takeBackUnique(contract.keyspace(), contract.table(), reservations);
        shell.progress("it is taken back; waiting until no process keeps it");
        registry.awaitNoticed();
        dropReservations(opened, contract.keyspace(), reservations);
    }
}
