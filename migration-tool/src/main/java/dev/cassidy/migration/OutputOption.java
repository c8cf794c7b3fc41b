package dev.cassidy.migration;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How results are written to standard output, and progress to standard error; and where options may come from. */
final class OutputOption {

    enum Form {
        TABLE,
        JSON
    }

    @Option(
            names = "--output",
            paramLabel = "FORM",
            defaultValue = "table",
            description = "table or json. Default: table.")
    private Form form = Form.TABLE;

    // Read by ConfigFile before anything is parsed.
    @SuppressWarnings("UnusedVariable")
    @Option(
            names = "--config",
            paramLabel = "FILE.yaml",
            description = "Reads options from a file, for example 'local-dc: dc1'. The command line comes first.")
    private @Nullable Path config;

    void write(Shell shell, Report report) {
        shell.out().print(form == Form.JSON ? report.json() : report.text());
        shell.out().flush();
    }
}
