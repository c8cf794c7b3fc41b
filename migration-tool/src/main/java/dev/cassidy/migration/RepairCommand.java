package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.IdColumnScan;
import dev.cassidy.migration.target.RunLog;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdScan;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.Holder;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Repair;
import dev.cassidy.sequence.cassandra.RepairOutlook;
import dev.cassidy.sequence.cassandra.SequenceState;
import java.math.BigInteger;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "repair",
        description =
                "Repairs a sequence that was raised too far, by mistake or by an injected statement: it issues again"
                        + " from within the ids that the raise passed over. Without --next it shows what a repair would rely on and"
                        + " changes nothing. Refuses an id that is used or was"
                        + " granted, signs of a restore from a backup, and while a replica of a table or a datacenter with Cassidy's"
                        + " tables does not answer. Then it drops the sequence, and waits for"
                        + " processes and datacenters that may hold ids. If it fails, run it again.")
final class RepairCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(names = "--sequence", required = true, paramLabel = "NAME", description = "The sequence.")
    private String sequence = "";

    @Option(
            names = "--column",
            paramLabel = "KEYSPACE.TABLE.COLUMN",
            description = "A column that holds ids of the sequence, read on all replicas; may be repeated. Name all of"
                    + " them. The identity columns of the sequence and those with DEFAULT NEXT VALUE FOR it are read as well, but"
                    + " not those whose default is of another sequence by now.")
    private List<String> columns = List.of();

    @Option(names = "--next", paramLabel = "ID", description = "Repairs the sequence to issue from this id on.")
    private @Nullable Long next;

    @Option(
            names = "--last",
            paramLabel = "ID",
            description = "The last id that the repaired sequence may issue. Default: as many as there are.")
    private @Nullable Long last;

    @Option(
            names = "--clients-stopped",
            description = "No client of the sequence runs, in any datacenter. Needed if explicit ids were allowed past"
                    + " --next.")
    private boolean clientsStopped;

    @Option(
            names = "--confirm",
            paramLabel = "NAME",
            description = "The sequence's name again, which says that this one is meant. Default: asks for it.")
    private @Nullable String confirmed;

    private final Shell shell;

    RepairCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        if (next == null && (last != null || clientsStopped || confirmed != null)) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "--last, --clients-stopped and --confirm need --next; without it, nothing is repaired");
        }
        try (Target target = cassandra.open(shell)) {
            Set<IdColumnScan.Column> missing = new LinkedHashSet<>();
            Set<IdColumnScan.Column> places = places(target, missing);
            IdScan scan = new IdColumnScan(target.session(), places, cassandra.parallelism(), shell::progress);
            RepairReport report =
                    next == null ? plan(target, scan, places, missing) : repair(target, scan, places, missing, next);
            output.write(shell, report);
            return report.exitCode();
        } catch (SequenceException.NotFound e) {
            throw new MigrationException(ExitCode.USAGE, "--sequence: " + e.getMessage(), e);
        } catch (SequenceException.NotAcknowledged e) {
            throw new MigrationException(ExitCode.PARTIAL, String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            throw Stream.of(e.getSuppressed())
                    .filter(SequenceException.Dropped.class::isInstance)
                    .findFirst()
                    .<RuntimeException>map(dropped -> new MigrationException(
                            ExitCode.of(e), e.getMessage() + ". Then: " + dropped.getMessage(), e))
                    .orElse(e);
        }
    }

    /** @param missing receives the registered columns that are not there */
    private Set<IdColumnScan.Column> places(Target target, Set<IdColumnScan.Column> missing) {
        Set<IdColumnScan.Column> places = new LinkedHashSet<>();
        for (String column : columns) {
            String[] parts = column.split("\\.", -1);
            if (parts.length != 3 || List.of(parts).contains("")) {
                throw new MigrationException(ExitCode.USAGE, "must be keyspace.table.column: --column " + column);
            }
            places.add(new IdColumnScan.Column(internal(parts[0]), internal(parts[1]), internal(parts[2])));
        }
        Set<IdColumnScan.Column> registered = new LinkedHashSet<>();
        for (IdentityColumn column : InternalAccess.tables(target.sequences()).columnsOf(sequence)) {
            registered.add(new IdColumnScan.Column(column.keyspace(), column.table(), column.column()));
        }
        registered.removeAll(places);
        Set<IdColumnScan.Column> existing = IdColumnScan.existing(target.session(), registered);
        places.addAll(existing);
        missing.addAll(registered);
        missing.removeAll(existing);
        for (IdColumnScan.Column each : missing) {
            requireRenamedColumn(target, each, places);
            shell.progress("WARNING: " + each + " is registered for sequence " + sequence
                    + " and is not there as an integer, so no ids are looked for in it. If its rows live on elsewhere, name that column too:"
                    + " --column keyspace.table.column");
        }
        if (places.isEmpty()) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "no column that is there is registered for sequence " + sequence
                            + ": name the columns that hold its ids, --column keyspace.table.column");
        }
        return places;
    }

    /** A column of the primary key can be renamed. Then its rows have the ids under another name. */
    private static void requireRenamedColumn(
            Target target, IdColumnScan.Column missing, Set<IdColumnScan.Column> places) {
        boolean named = places.stream()
                .anyMatch(each -> each.keyspace().equals(missing.keyspace())
                        && each.table().equals(missing.table()));
        if (!named && IdColumnScan.isRenamed(target.session(), missing)) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the table of " + missing
                            + ", which is registered for the sequence, is there without that column. If it"
                            + " was renamed, name it as it is now: --column " + missing.keyspace() + "."
                            + missing.table()
                            + ".COLUMN. If the table is another one, name any integer column of it");
        }
    }

    private static String internal(String cql) {
        try {
            return CqlIdentifier.fromCql(cql).asInternal();
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, "must be a name as CQL writes it: --column " + cql, e);
        }
    }

    private RepairReport plan(
            Target target, IdScan scan, Set<IdColumnScan.Column> places, Set<IdColumnScan.Column> missing) {
        RepairOutlook outlook = target.sequences().admin().repairOutlook(sequence);
        IdRange issuable = outlook.issuable();
        Optional<IdScan.Found> used = scan.find(issuable);
        return new RepairReport(
                "repair",
                ExitCode.OK.code(),
                "planned",
                sequence,
                outlook.gaps().stream()
                        .map(gap -> new RepairReport.Ids(gap.first(), gap.last()))
                        .toList(),
                new RepairReport.Ids(
                        outlook.passedOver().first(), outlook.passedOver().last()),
                outlook.passedOver().first() != outlook.state().spec().start(),
                outlook.grantedSince(),
                used.map(found -> new RepairReport.Used(found.lowest(), found.highest(), found.where()))
                        .orElse(null),
                proposal(outlook, used),
                issuable.last(),
                outlook.floorPassed(),
                names(places),
                names(missing),
                List.of(),
                outlook.holders().stream().map(Holder::process).distinct().toList());
    }

    /** The margin past what is used; null if that is no id that was passed over. */
    private static @Nullable Long proposal(RepairOutlook outlook, Optional<IdScan.Found> used) {
        IdRange ids = outlook.passedOver();
        BigInteger increment = BigInteger.valueOf(ids.increment());
        BigInteger before = used.map(
                        found -> BigInteger.valueOf(ids.increment() > 0 ? found.highest() : found.lowest()))
                .orElse(BigInteger.valueOf(ids.first()).subtract(increment));
        BigInteger proposed = before.add(increment.multiply(BigInteger.valueOf(outlook.margin() + 1)));
        boolean within = proposed.subtract(BigInteger.valueOf(ids.last())).signum() * increment.signum() <= 0;
        return within ? proposed.longValueExact() : null;
    }

    private RepairReport repair(
            Target target, IdScan scan, Set<IdColumnScan.Column> places, Set<IdColumnScan.Column> missing, long from) {
        requireConfirmed();
        Repair repair =
                new Repair(sequence, from, last == null ? OptionalLong.empty() : OptionalLong.of(last), clientsStopped);
        RunLog.Run run = target.runs(shell.clock(), shell::progress)
                .begin("repair", sequence, 1, null, target.sequences().holder(), MigrationTool.version());
        SequenceState repaired;
        try {
            repaired = target.sequences().admin().repair(repair, sequence, scan);
        } catch (RuntimeException e) {
            run.end(e instanceof SequenceException.NotAcknowledged ? ExitCode.PARTIAL : ExitCode.of(e));
            throw e;
        }
        List<String> outdated = outdated(target);
        ExitCode code = outdated == null ? ExitCode.PARTIAL : ExitCode.OK;
        run.end(code);
        return new RepairReport(
                "repair",
                code.code(),
                "repaired",
                sequence,
                List.of(),
                null,
                null,
                null,
                null,
                repaired.next().isPresent() ? repaired.next().getAsLong() : null,
                repaired.spec().idAt(repaired.spec().count() - 1),
                null,
                names(places),
                names(missing),
                outdated,
                List.of());
    }

    /** Only if explicit ids were allowed does a floor that is too far do harm. Null if a datacenter could not be asked. */
    private @Nullable List<String> outdated(Target target) {
        if (!clientsStopped) {
            return List.of();
        }
        try {
            return target.sequences().admin().outdatedCopies(sequence);
        } catch (SequenceException e) {
            shell.progress(
                    "WARNING: the sequence is repaired, and it is not known which datacenters still have its old floor: "
                            + e.getMessage());
            return null;
        }
    }

    private void requireConfirmed() {
        String name = confirmed;
        if (name == null) {
            name = shell.terminal()
                    .orElseThrow(() -> new MigrationException(
                            ExitCode.REFUSED,
                            "a repair is confirmed by the sequence's name: run cassidy ids repair without --next"
                                    + " first, then add"
                                    + " --confirm " + sequence))
                    .readLine("Repair sequence " + sequence + "? Type its name: ")
                    .strip();
        }
        if (!name.equals(sequence)) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "not confirmed; nothing was changed: --confirm '" + name + "' is not sequence " + sequence);
        }
    }

    private static List<String> names(Set<IdColumnScan.Column> places) {
        return places.stream().map(IdColumnScan.Column::toString).toList();
    }
}
