package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.plan.Seeder;
import dev.cassidy.migration.target.RunLog;
import dev.cassidy.migration.target.Target;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Records one run of a command in Cassandra, from its first write on. */
final class Runs {

    private final Shell shell;
    private final Target target;
    private final String command;
    private final String source;
    private final @Nullable String plan;
    private RunLog.@Nullable Run run;

    Runs(Shell shell, Target target, String command, String source, @Nullable String plan) {
        this.shell = shell;
        this.target = target;
        this.command = command;
        this.source = source;
        this.plan = plan;
    }

    /** Records that the command begins to write. */
    void begin(long tables) {
        run = target.runs(shell.clock(), shell::progress)
                .begin(
                        command,
                        source,
                        Math.toIntExact(tables),
                        plan,
                        target.sequences().holder(),
                        MigrationTool.version());
    }

    /** Runs the command, and records how it ended if it began to write. */
    Seeder.Result record(Supplier<Seeder.Result> work) {
        try {
            Seeder.Result result = work.get();
            end(result.exitCode());
            return result;
        } catch (RuntimeException e) {
            end(ExitCode.of(e));
            throw e;
        }
    }

    private void end(ExitCode exitCode) {
        if (run != null) {
            run.end(exitCode);
        }
    }
}
