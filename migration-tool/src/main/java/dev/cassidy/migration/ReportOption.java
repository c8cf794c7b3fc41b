package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Where a copy of the result is kept, for people or for programs. */
final class ReportOption {

    @Option(
            names = "--report",
            paramLabel = "FILE",
            converter = ReportFile.class,
            description = "Also writes the result to FILE.html, one page to read, print and sign, or to FILE.json."
                    + " Repeat it for both.")
    private List<Path> files = List.of();

    static final class ReportFile implements ITypeConverter<Path> {

        @Override
        public Path convert(String text) {
            if (!text.toLowerCase(Locale.ROOT).matches(".*\\.(html?|json)")) {
                throw new TypeConversionException("must end with .html or .json: '" + text + "'");
            }
            return Path.of(text);
        }
    }

    /** Makes sure that the files can be written, before anything is done that the report is to tell of. */
    void prepare() {
        for (Path file : files) {
            try {
                Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                        .close();
            } catch (IOException e) {
                throw failure("cannot write --report " + file, e);
            }
        }
    }

    void write(Report.Tables report, List<HtmlReport.Fact> facts) {
        for (Path file : files) {
            String text = file.toString().toLowerCase(Locale.ROOT).endsWith(".json")
                    ? report.json()
                    : HtmlReport.of(report, facts);
            try {
                Files.writeString(file, text, StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw failure(
                        report.command() + " itself ended with exit code " + report.exitCode()
                                + ", but cannot write --report " + file,
                        e);
            }
        }
    }

    private static MigrationException failure(String what, IOException e) {
        return new MigrationException(
                ExitCode.USAGE, what + ": " + e.getClass().getSimpleName() + " " + e.getMessage(), e);
    }
}
