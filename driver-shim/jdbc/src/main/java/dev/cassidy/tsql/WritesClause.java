package dev.cassidy.tsql;

import java.util.Optional;

/**
 * What WITH in CREATE TABLE says of how the table's rows are written: {@code plain}, {@code exact}, {@code serial} or {@code home =
 * 'dc1'}.
 *
 * @param exact whether writes have SQL Server's effects and counts
 * @param home the datacenter whose nodes decide their order; empty if those of all do; not there if that is not said
 */
public record WritesClause(boolean exact, Optional<String> home) {

    static final WritesClause PLAIN = new WritesClause(false, Optional.empty());
    static final WritesClause EXACT = new WritesClause(true, Optional.empty());
    static final WritesClause SERIAL = new WritesClause(true, Optional.of(""));

    private static final String EXACT_AT = "exact:";

    /**
     * Reads what a setting says: {@code plain}, {@code exact}, {@code exact:dc1} or {@code serial}.
     *
     * @throws IllegalArgumentException if it says nothing of these
     */
    public static WritesClause parse(String text) {
        return switch (text) {
            case "plain" -> PLAIN;
            case "exact" -> EXACT;
            case "serial" -> SERIAL;
            default -> {
                if (!text.startsWith(EXACT_AT)
                        || text.substring(EXACT_AT.length()).isBlank()) {
                    throw new IllegalArgumentException("must be one of plain, exact, exact:<datacenter>, serial");
                }
                yield new WritesClause(true, Optional.of(text.substring(EXACT_AT.length())));
            }
        };
    }
}
