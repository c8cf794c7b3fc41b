package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;

/**
 * How much is read for a maximum that no index gives. Where an index begins with the column, reading the maximum costs
 * nothing, and it is always read.
 *
 * @param text as the user gives it
 * @param rows the most rows of a table that is read from end to end
 */
public record ScanLimit(String text, long rows) {

    /** Every table is read. */
    public static final ScanLimit ALWAYS = new ScanLimit("always", Long.MAX_VALUE);

    /** No table is read. */
    public static final ScanLimit NEVER = new ScanLimit("never", 0);

    /** Tables of which the catalogue does not say that they have more than ten million rows. */
    public static final ScanLimit AUTO = new ScanLimit("auto", 10_000_000);

    /** Parses {@code auto}, {@code always}, {@code never} or a number of rows. */
    public static ScanLimit parse(String text) {
        return switch (text) {
            case "auto" -> AUTO;
            case "always" -> ALWAYS;
            case "never" -> NEVER;
            default -> {
                if (!text.matches("[1-9][0-9]{0,17}")) {
                    throw new MigrationException(
                            ExitCode.USAGE,
                            "must be auto, always, never or a number of rows > 0: --max-scan '" + text + "'");
                }
                yield new ScanLimit(text, Long.parseLong(text));
            }
        };
    }

    boolean isAlways() {
        return rows == Long.MAX_VALUE;
    }

    /**
     * Returns whether a table may be read from end to end.
     *
     * @param known how many rows the catalogue says it has; negative if it does not say
     */
    boolean allows(long known) {
        if (rows == 0) {
            return false; // never: statistics that say 0 may be old
        }
        // auto spares the source; it refuses nothing that is not known to be large.
        return known < 0 ? text.equals("auto") || isAlways() : known <= rows;
    }
}
