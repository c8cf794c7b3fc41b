package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.CopySettings;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options that say how fast rows are moved. */
final class CopyOptions {

    @Option(
            names = "--readers",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many connections read the source at the same time. Default: 4.")
    private int readers = 4;

    @Option(
            names = "--range-size",
            paramLabel = "IDS",
            defaultValue = "50000",
            description = "How many ids are read at a time, and read again if that fails. Default: 50000.")
    private long rangeSize = 50_000;

    @Option(
            names = "--max-rate",
            paramLabel = "ROWS",
            defaultValue = "0",
            description = "The most rows that are read in a second. Default: 0, no limit.")
    private long maxRate;

    CopySettings settings(Set<String> acceptedLosses) {
        try {
            return CopySettings.defaults()
                    .withParallelism(readers)
                    .withRangeSize(rangeSize)
                    .withRowsASecond(maxRate)
                    .withAcceptedLosses(acceptedLosses);
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
