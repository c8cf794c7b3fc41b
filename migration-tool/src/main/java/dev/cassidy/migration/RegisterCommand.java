package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.SequenceState;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "register",
        description = "Makes a column of Cassandra an identity column, and creates its sequence; needs no source.")
final class RegisterCommand implements Callable<Integer> {

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

    @Option(names = "--column", required = true, paramLabel = "NAME", description = "The identity column.")
    private String column = "";

    @Option(names = "--start", paramLabel = "N", description = "The first id. Default: 1, if the table has no rows.")
    private @Nullable Long start;

    @Option(
            names = "--increment",
            paramLabel = "N",
            defaultValue = "1",
            description = "Difference of two consecutive ids; negative for a descending sequence. Default: 1.")
    private long increment;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "smallint, int or bigint. Default: the column's type, if the table exists.")
    private @Nullable IdentityType type;

    @Option(names = "--unready", description = "Issues nothing until seed has run. Default: issues ids immediately.")
    private boolean unready;

    private final Shell shell;

    RegisterCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        TargetTable target = TargetTable.parse(
                table + ":" + column, keyspace == null ? null : TargetTable.keyspace(keyspace), null, "--table");
        try (Target opened = cassandra.open(shell)) {
            output.write(shell, register(opened, target));
        }
        return ExitCode.OK.code();
    }

    private Report register(Target opened, TargetTable target) {
        opened.requireOfApplication(target);
        SequenceSpec spec = spec(opened, target);
        Optional<Finding> finding = opened.check(target, spec.type());
        if (finding.isPresent()) {
            if (finding.get().level() == Finding.Level.REFUSED) {
                throw new MigrationException(ExitCode.REFUSED, finding.get().message());
            }
            shell.progress(finding.get().message());
        }
        Optional<IdentityColumn> registered =
                opened.identityColumns().stream().filter(target::sameTable).findFirst();
        // Before the sequence is created: a refusal leaves nothing behind.
        if (registered.isPresent() && !registered.get().equals(target.identityColumn())) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "table " + target.sequence() + " is registered with column '"
                            + registered.get().column() + "' and sequence "
                            + registered.get().sequence() + ", not with column '" + target.column() + "'");
        }
        Optional<SequenceState> before = opened.state(target);
        boolean known = before.isPresent() && registered.isPresent();
        if (unready) {
            opened.sequences().admin().register(spec);
        } else {
            opened.sequences().create(spec);
        }
        // Of a table that does not exist, --start and --type were given.
        InternalAccess.tables(opened.sequences()).registerIdentityAhead(target.identityColumn());
        SequenceSpec stored = before.map(SequenceState::spec).orElse(spec);
        return new Report.Registration(
                "register",
                ExitCode.OK.code(),
                target.keyspace(),
                target.table(),
                target.column(),
                target.sequence(),
                stored.type().name().toLowerCase(Locale.ROOT),
                stored.start(),
                stored.increment(),
                before.map(SequenceState::ready).orElse(!unready),
                known ? "unchanged" : "created");
    }

    /** Only of a table without rows is it known which ids are free. */
    private long first(Target opened, TargetTable target) {
        if (start != null) {
            return start;
        }
        Optional<SequenceState> state = opened.state(target);
        if (state.isPresent()) {
            return state.get().spec().start();
        }
        if (opened.table(target).isEmpty() || opened.hasRows(target)) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "table " + target.sequence()
                            + (opened.table(target).isEmpty() ? " does not exist in Cassandra yet" : " has rows")
                            + ": give --start, past every id that a row has or may get from elsewhere");
        }
        return 1;
    }

    private SequenceSpec spec(Target opened, TargetTable target) {
        IdentityType known = type != null ? type : opened.typeOf(target).orElse(null);
        if (known == null) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "--type is needed, since Cassandra has no integer column " + target + " to take it from");
        }
        try {
            return SequenceSpec.of(target.sequence(), known, first(opened, target), increment);
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
