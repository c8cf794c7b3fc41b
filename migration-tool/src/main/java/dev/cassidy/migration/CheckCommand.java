package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.QueryExecutionException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.Steps;
import dev.cassidy.migration.rows.RowCheck;
import dev.cassidy.migration.rows.TwinCheck;
import dev.cassidy.migration.rows.UniqueCheck;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.remedy.CommandLines;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.ForeignTable;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "check",
        description =
                "Compares what is declared of tables with the schema, and with --rows with all rows, and names each table of"
                        + " which they disagree, with what that means. Changes nothing; exit code 3 if something is to be"
                        + " done.")
final class CheckCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(names = "--keyspace", paramLabel = "NAME", description = "The tables of one keyspace only. Default: all.")
    private @Nullable String keyspace;

    @Option(
            names = "--rows",
            description =
                    "Also reads the rows of all tables that T-SQL has defined, and finds those that break NOT NULL, lengths,"
                            + " precision, scale or UNIQUE, and where the reservations of UNIQUE, or the forms by which strings are"
                            + " compared, differ from them.")
    private boolean rows;

    @Mixin
    private final RowReading reading = new RowReading();

    @Spec
    private @Nullable CommandSpec spec;

    private final Shell shell;

    CheckCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        reading.require();
        String only = keyspace == null ? null : TargetTable.keyspace(keyspace);
        CheckReport report;
        try (Target target = cassandra.open(shell)) {
            report = check(target, only);
        }
        output.write(shell, report);
        return report.exitCode();
    }

    private CheckReport check(Target target, @Nullable String only) {
        TableRegistry registry = InternalAccess.tables(target.sequences());
        List<TableContract> contracts = contracts(registry, only);
        boolean agreed = target.session().checkSchemaAgreement();
        // After the contracts: those come before their tables.
        Metadata schema = target.schemaNow();
        if (only != null
                && contracts.isEmpty()
                && schema.getKeyspace(CqlIdentifier.fromInternal(only)).isEmpty()) {
            throw new MigrationException(ExitCode.USAGE, "there is no keyspace " + only + ": --keyspace " + keyspace);
        }
        if (!agreed) {
            shell.progress("the nodes do not agree on the schema yet: run it again once they do, which"
                    + " nodetool describecluster shows");
        }
        String own = target.sequences().config().globalKeyspace();
        List<ForeignTable> others = others(registry);
        ContractCheck check = new ContractCheck(schema, sequences(target, contracts), others, own);
        List<CheckReport.Entry> entries = new ArrayList<>();
        Set<TableContract> still = null;
        long read = 0;
        for (TableContract contract : contracts) {
            List<ContractCheck.Difference> differences = new ArrayList<>(check.of(contract));
            if (rows) {
                read += rows(target, contract, check, differences);
            }
            if (differences.isEmpty()) {
                continue;
            }
            if (still == null) {
                still = Set.copyOf(registry.contracts());
            }
            if (still.contains(contract)) {
                differences.forEach(each ->
                        entries.add(entry(contract.name(), contract.kind().toString(), each)));
            } else {
                entries.add(new CheckReport.Entry(
                        contract.name(),
                        contract.kind().toString(),
                        "changing",
                        "info",
                        "was changed while it was compared: run the command again",
                        null));
            }
        }
        others.stream()
                .filter(each -> own.equals(each.movingTo())
                        && (only == null || each.keyspace().equals(only)))
                .forEach(each -> entries.add(
                        entry(each.name(), null, check.arriving(each.keyspace(), each.table(), each.installation()))));
        long disagreeing = entries.stream()
                .filter(entry -> !entry.level().equals("info"))
                .map(CheckReport.Entry::table)
                .distinct()
                .count();
        ExitCode code = disagreeing > 0 ? ExitCode.DISAGREES : ExitCode.OK;
        Map<String, Long> kinds = contracts.stream()
                .filter(contract ->
                        contract.move() == null || contract.move().to().equals(own))
                .collect(Collectors.groupingBy(
                        contract -> contract.kind().toString(), TreeMap::new, Collectors.counting()));
        return new CheckReport("check", code.code(), contracts.size(), kinds, disagreeing, rows ? read : null, entries);
    }

    /**
     * Holds the rows of a table against its contract.
     *
     * @param differences receives what they break
     * @return how many were read
     */
    private long rows(
            Target target, TableContract contract, ContractCheck check, List<ContractCheck.Difference> differences) {
        TableMetadata table = check.defined(contract).orElse(null);
        if (table == null) {
            return 0;
        }
        try {
            RowCheck.Result found = reading.check(shell, target, table, check.rules(contract, table));
            found.broken()
                    .forEach(each ->
                            differences.add(check.of(ContractCheck.Kind.ROWS, Finding.warning(each.toString()))));
            long reserved = reservations(target, contract, table, check, differences);
            return Math.max(Math.max(found.rows(), reserved), twins(target, contract, table, check, differences));
        } catch (QueryExecutionException | QueryValidationException | MigrationException e) {
            MigrationException.throwIfInterrupted();
            // Of the other tables more may be known.
            differences.add(check.of(
                    ContractCheck.Kind.UNREAD,
                    Finding.warning("whether its rows break its contract is not known: " + e.getMessage())));
            return 0;
        }
    }

    /** As {@link #rows}, of the reservations of UNIQUE. */
    private long reservations(
            Target target,
            TableContract contract,
            TableMetadata table,
            ContractCheck check,
            List<ContractCheck.Difference> differences) {
        List<KeptUnique> reserved = check.reserved(contract);
        long read = 0;
        if (!reserved.isEmpty()) {
            try (OpenTransactions transactions = target.transactions()) {
                for (KeptUnique each : reserved) {
                    UniqueCheck.Result found = reading.check(
                            shell,
                            target,
                            transactions,
                            table,
                            Objects.requireNonNull(contract.writes()),
                            each.key(),
                            false);
                    read = found.rows();
                    differences.addAll(check.reservations(contract, each, found));
                }
            }
        }
        return read;
    }

    /** As {@link #rows}, of the forms by which strings are compared. */
    private long twins(
            Target target,
            TableContract contract,
            TableMetadata table,
            ContractCheck check,
            List<ContractCheck.Difference> differences) {
        Map<String, Twin> twins = check.twins(contract, table);
        if (twins.isEmpty()) {
            return 0;
        }
        try (OpenTransactions transactions = target.transactions()) {
            TwinCheck.Result found = reading.check(
                    shell, target, transactions, table, Objects.requireNonNull(contract.writes()), twins, false);
            differences.addAll(check.twins(contract, found));
            return found.rows();
        }
    }

    /** What cannot be read of other installations says nothing of this one. */
    private List<ForeignTable> others(TableRegistry registry) {
        try {
            return registry.ofOthers();
        } catch (SequenceException e) {
            shell.progress("whether another installation numbers a table too is not known: " + e.getMessage());
            return List.of();
        }
    }

    private static List<TableContract> contracts(TableRegistry registry, @Nullable String only) {
        return registry.contracts().stream()
                .filter(contract -> only == null || contract.keyspace().equals(only))
                .toList();
    }

    /** Reads all sequences that contracts name, several at once. */
    private Function<String, Optional<SequenceSpec>> sequences(Target target, List<TableContract> contracts) {
        Map<String, SequenceSpec> found = new ConcurrentHashMap<>();
        List<String> names =
                contracts.stream().flatMap(CheckCommand::sequencesOf).distinct().toList();
        new Steps(cassandra.parallelism())
                .forEach(names, name -> sequence(target, name).ifPresent(known -> found.put(name, known)));
        return name -> Optional.ofNullable(found.get(name));
    }

    private static Stream<String> sequencesOf(TableContract contract) {
        return Stream.concat(
                Stream.ofNullable(contract.identity()).map(IdentityColumn::sequence),
                contract.defaults().stream()
                        .filter(each -> each.kind() == ColumnDefault.Kind.NEXT_VALUE)
                        .map(ColumnDefault::value));
    }

    /** Returns a sequence that issues ids; empty if there is none, or if it was dropped. */
    static Optional<SequenceSpec> sequence(Target target, String name) {
        return target.sequences()
                .admin()
                .find(name)
                .filter(state -> !state.dropped())
                .map(SequenceState::spec);
    }

    private CheckReport.Entry entry(String table, @Nullable String tableKind, ContractCheck.Difference difference) {
        Finding finding = difference.finding();
        Remedy.ByCommand remedy = difference.remedy();
        return new CheckReport.Entry(
                table,
                tableKind,
                difference.kind().name().toLowerCase(Locale.ROOT),
                finding.level().name().toLowerCase(Locale.ROOT),
                finding.message(),
                remedy == null ? null : lines(difference.installation()).of(remedy));
    }

    /** Returns the lines for an installation of this cluster. */
    private CommandLines lines(String installation) {
        List<String> words = new ArrayList<>(
                MigrationTool.clusterOf(Objects.requireNonNull(spec).commandLine()));
        int named = words.indexOf("--global-keyspace");
        if (named >= 0) {
            words.set(named + 1, installation);
        } else if (!installation.equals(cassandra.config().globalKeyspace())) {
            words.addAll(List.of("--global-keyspace", installation));
        }
        return new CommandLines(words);
    }
}
