package dev.cassidy.migration;

import picocli.CommandLine.Option;

/** How results are written to standard output. */
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

    void write(Shell shell, Report report) {
        shell.out().print(form == Form.JSON ? report.json() : report.text());
        shell.out().flush();
    }
}
