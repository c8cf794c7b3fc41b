package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.PlanFile;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A plan that a command executes as it was made. */
final class PlanOption {

    @Option(
            names = "--plan",
            paramLabel = "FILE",
            description = "The plan that 'cassidy migrate plan --plan FILE' wrote. It fixes the tables and where they"
                    + " go; refused if the"
                    + " source has changed since.")
    private @Nullable Path file;

    @Option(
            names = "--plan-hash",
            paramLabel = "HASH",
            description = "The hash that was agreed on, as in the plan's report; refused if the plan has another one.")
    private @Nullable String hash;

    /** Returns the plan that was named. */
    Optional<PlanFile> read() {
        if (file == null && hash != null) {
            throw new MigrationException(ExitCode.USAGE, "--plan-hash needs --plan, the file that has this hash");
        }
        return Optional.ofNullable(file).map(named -> PlanFile.read(named, hash));
    }
}
