package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.SequenceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "register",
        description =
                "Says what Cassandra does not keep of a table: its identity column, whose sequence is created, the"
                        + " defaults of its columns, and their order; needs no source.")
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

    @Option(names = "--column", paramLabel = "NAME", description = "The identity column; needs --start.")
    private @Nullable String column;

    @Option(names = "--start", paramLabel = "N", description = "The first id.")
    private @Nullable Long start;

    @Option(
            names = "--defaults",
            paramLabel = "COLUMN=EXPRESSION",
            description =
                    "What an INSERT gives a column that it leaves out, as T-SQL writes it: \"qty=0\", \"state=N'new'\","
                            + " \"at=GETDATE()\". Repeat it for further columns.")
    private List<String> defaults = new ArrayList<>();

    @Option(
            names = "--writes",
            paramLabel = "MODE",
            description =
                    "How rows are written: conditional, or versioned:<column>. Nothing can be written to the table until"
                            + " every datacenter has the declaration, and three watch intervals longer. A datacenter"
                            + " without a running process needs this command too.")
    private @Nullable String writes;

    @Option(
            names = "--clock-skew",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description =
                    "Of --writes: by how much the clock of a client that has written to the table may be ahead of the"
                            + " servers'. Default: 0.")
    private long clockSkew;

    @Option(
            names = "--columns",
            paramLabel = "NAME,NAME...",
            description = "All columns in the order that an INSERT without a list of columns gives their values in.")
    private @Nullable String columns;

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
        String idColumn = column;
        Long first = start;
        if ((idColumn == null && !table.contains(":")) != (first == null)) {
            throw new MigrationException(ExitCode.USAGE, "--column and --start are given together, or neither of them");
        }
        if (first == null && defaults.isEmpty() && columns == null && writes == null) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "nothing to register: give --column and --start, --defaults, --columns or --writes");
        }
        TargetTable target = TargetTable.parse(
                table + (table.contains(":") || idColumn == null ? "" : ":" + idColumn),
                keyspace == null ? null : TargetTable.keyspace(keyspace),
                // Of a table without an identity no column is looked at.
                first == null ? "" : null,
                "--table");
        try (Target opened = cassandra.open(shell)) {
            // Before anything is written: a refusal leaves nothing behind.
            Declarations declarations = Declarations.of(opened, target, defaults, columns, writes, first != null);
            Report report = first == null
                    ? new Report.Declared(
                            "register",
                            ExitCode.OK.code(),
                            target.keyspace(),
                            target.table(),
                            declarations.shown(),
                            declarations.order(),
                            declarations.mode())
                    : register(opened, target, first, declarations);
            declarations.register(opened, Duration.ofSeconds(clockSkew));
            output.write(shell, report);
        }
        return ExitCode.OK.code();
    }

    private Report register(Target opened, TargetTable target, long first, Declarations declarations) {
        SequenceSpec spec = spec(opened, target, first);
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
        opened.sequences().registerIdentity(target.identityColumn());
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
                known ? "unchanged" : "created",
                declarations.shown(),
                declarations.order(),
                declarations.mode());
    }

    private SequenceSpec spec(Target opened, TargetTable target, long first) {
        IdentityType known = type != null ? type : opened.typeOf(target).orElse(null);
        if (known == null) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "--type is needed, since Cassandra has no integer column " + target + " to take it from");
        }
        try {
            return SequenceSpec.of(target.sequence(), known, first, increment);
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
