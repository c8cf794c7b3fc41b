package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.SequenceStatus;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "status",
        description = "Shows how much of each sequence is left, and when it is projected to end. Changes nothing.")
final class StatusCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Option(names = "--sequence", paramLabel = "NAME", description = "One sequence only. Default: all.")
    private @Nullable String sequence;

    @Option(
            names = "--min-headroom",
            paramLabel = "PERCENT",
            description = "Exit code 3 when less than this share of a sequence is free: 0 to 100.")
    private @Nullable Double minHeadroom;

    private final Shell shell;

    StatusCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        if (minHeadroom != null && !(minHeadroom >= 0 && minHeadroom <= 100)) {
            throw new MigrationException(ExitCode.USAGE, "must be from 0 to 100: --min-headroom " + minHeadroom);
        }
        List<SequenceStatus> found;
        try (Target target = cassandra.open(shell)) {
            found = sequence == null ? target.sequences().admin().status() : List.of(one(target, sequence));
        }
        StatusReport report = StatusReport.of(found, minHeadroom);
        output.write(shell, report);
        return report.exitCode();
    }

    private static SequenceStatus one(Target target, String name) {
        try {
            return target.sequences().admin().status(name);
        } catch (SequenceException.NotFound e) {
            throw new MigrationException(ExitCode.USAGE, "--sequence: " + e.getMessage(), e);
        }
    }
}
