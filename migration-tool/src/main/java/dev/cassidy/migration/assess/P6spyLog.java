package dev.cassidy.migration.assess;

import dev.cassidy.insert.StatementShape;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.recorder.KnownNames;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A log of p6spy: a line for each statement, as SingleLineFormat writes it,
 * {@code time|elapsed|category|connection 1|url jdbc:...|prepared|sql}, also without the URL; or as CustomLineFormat does by
 * default, {@code time|elapsed|category|connection1|sql}.
 */
public final class P6spyLog {

    private static final Pattern LINE =
            Pattern.compile("[^|]*\\|[0-9]+\\|([a-z]+)\\|connection( ?)[0-9]+\\|(?:url [^|]*\\|)?(.*)");

    /** How many signs may be the one between the two statements: each of them is a walk over the line. */
    private static final int MAX_SIGNS = 100;

    private static final Set<String> STATEMENTS = Set.of("statement", "batch");

    private P6spyLog() {}

    /**
     * Adds what a log holds.
     *
     * @param names of words that are no values
     * @throws MigrationException {@link ExitCode#USAGE} if no line of it has one of the two formats
     */
    public static void read(Path file, KnownNames names, Observation seen) {
        long executions = 0;
        long skipped = 0;
        long unread = 0;
        // A log may have any character set, and what matters is ASCII.
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.ISO_8859_1))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher matcher = LINE.matcher(line);
                if (line.isBlank()) {
                    continue;
                }
                if (!matcher.matches()) {
                    unread++;
                } else if (STATEMENTS.contains(matcher.group(1))
                        && !matcher.group(3).isBlank()) {
                    String sql = matcher.group(2).isEmpty() ? matcher.group(3) : prepared(matcher.group(3));
                    Sent.add(sql, 1, names, seen);
                    executions++;
                } else {
                    skipped++;
                }
            }
        } catch (IOException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot read --p6spy " + file + ": " + e.getClass().getSimpleName(),
                    e);
        }
        if (executions + skipped == 0) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must have lines as p6spy's SingleLineFormat writes them,"
                            + " time|elapsed|category|connection 1|url ...|prepared|sql: --p6spy " + file);
        }
        seen.addInput(new Observation.Input("p6spy's log " + file, executions, skipped, unread, Set.of()));
    }

    /**
     * Returns the statement with its parameters, of {@code prepared|sql}, where {@code sql} has values in their places. Both may
     * contain the sign between them, the first one at most {@value #MAX_SIGNS} times.
     */
    private static String prepared(String both) {
        String first = null;
        int sign = both.indexOf('|');
        for (int tried = 0; sign >= 0 && tried <= MAX_SIGNS; tried++, sign = both.indexOf('|', sign + 1)) {
            String prepared = both.substring(0, sign).strip();
            String sql = both.substring(sign + 1).strip();
            if (prepared.isEmpty()) {
                return sql;
            }
            if (shape(prepared).equals(shape(sql))) {
                return prepared;
            }
            first = first == null ? prepared : first;
        }
        return first == null ? both : first;
    }

    private static String shape(String sql) {
        return StatementShape.of(sql).replaceAll("(?i)\\b(null|true|false)\\b", "?");
    }
}
