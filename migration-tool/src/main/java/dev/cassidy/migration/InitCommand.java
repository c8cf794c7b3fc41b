package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.RunLog;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "init",
        description = "Creates Cassidy's own keyspaces and tables, or prints their CQL for a DBA to run.")
final class InitCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(
            names = "--replication",
            required = true,
            paramLabel = "DC:N,...",
            description = "Replicas of each datacenter, for example dc1:3,dc2:3.")
    private String replication = "";

    @Option(names = "--yes", description = "Does not ask whether one replica is enough where there are three nodes.")
    private boolean yes;

    @Option(names = "--print", description = "Prints the CQL and changes nothing; needs no --contact-points.")
    private boolean print;

    private final Shell shell;

    InitCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        SequencesConfig config = cassandra.config();
        Replication replicas;
        List<String> statements;
        try {
            replicas = Replication.parse(replication);
            statements = new ArrayList<>(CassidySchema.statements(replicas, config));
            statements.add(RunLog.schema(config));
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, "--replication " + e.getMessage(), e);
        }
        Report report = print
                ? new Report.Init("init", ExitCode.OK.code(), false, statements)
                : install(replicas, config)
                        .orElseGet(() -> new Report.Init("init", ExitCode.OK.code(), true, statements));
        output.write(shell, report);
        return report.exitCode();
    }

    /** Returns what is to be done instead, if nothing was changed. */
    private Optional<Report> install(Replication replicas, SequencesConfig config) {
        try (CqlSession session = cassandra.connect(shell)) {
            ReplicationCheck check = new ReplicationCheck(session.getMetadata(), config, replicas.factors());
            Optional<Report> change = check.change();
            if (change.isPresent()) {
                return change;
            }
            check.singleReplica().ifPresent(this::confirm);
            CassidySchema.install(session, replicas, config);
            session.execute(RunLog.schema(config));
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, "--replication " + e.getMessage(), e);
        }
    }

    private void confirm(String why) {
        if (!yes && shell.terminal().isEmpty()) {
            throw new MigrationException(ExitCode.REFUSED, why + ". If that is meant, add --yes");
        }
        shell.confirm(yes, why + ". Create one replica?", "run cassidy init --print first");
    }
}
