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
        if (!print) {
            install(replicas, config);
        }
        output.write(shell, new Report.Init("init", ExitCode.OK.code(), !print, statements));
        return ExitCode.OK.code();
    }

    private void install(Replication replicas, SequencesConfig config) {
        try (CqlSession session = cassandra.connect(shell)) {
            CassidySchema.install(session, replicas, config);
            session.execute(RunLog.schema(config));
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, "--replication " + e.getMessage(), e);
        }
    }
}
