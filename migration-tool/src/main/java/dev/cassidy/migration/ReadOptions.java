package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.plan.Expectations;
import dev.cassidy.migration.source.ScanLimit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a command may read of the source, and what it is expected to find there. */
final class ReadOptions {

    @Option(
            names = "--max-scan",
            paramLabel = "LIMIT",
            description =
                    "Which tables are read from end to end if no index begins with a column whose MAX is needed: auto,"
                            + " those of up to 10 million rows, the default; always; never; or a number of rows. Of the others"
                            + " --floor is needed.")
    private @Nullable String maxScan;

    @Option(
            names = "--expect",
            paramLabel = "WHAT",
            description = "What you know of the source, compared with what this login sees: a number of columns and"
                    + " SEQUENCE objects, schema.table for one that must be there, schema.table=n for its furthest id,"
                    + " schema.table=none for one without rows. Refused where they differ. May be repeated.")
    private List<String> expected = new ArrayList<>();

    ScanLimit limit() {
        return maxScan == null ? ScanLimit.AUTO : ScanLimit.parse(maxScan);
    }

    Expectations expectations() {
        return Expectations.parse(expected);
    }

    /** Refuses what {@code --plan} fixes. */
    void requireNoLimit() {
        if (maxScan != null) {
            throw new MigrationException(
                    ExitCode.USAGE, "--plan fixes what is read: leave out --max-scan, or make another plan with it");
        }
    }
}
