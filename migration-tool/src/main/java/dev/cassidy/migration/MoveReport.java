package dev.cassidy.migration;

import java.util.List;

/**
 * The result of {@code tables move}.
 *
 * @param kind what kind of table it is
 * @param from the global keyspace of the installation that had the table
 * @param to that of the one that has it now
 * @param result {@code moved}, or {@code unchanged} if that was so before
 */
record MoveReport(
        String command,
        int exitCode,
        String keyspace,
        String table,
        String kind,
        String from,
        String to,
        List<Sequence> sequences,
        String result)
        implements Report {

    /**
     * A sequence from which a column of the table draws.
     *
     * @param name in the installation that has the table now
     * @param next the first id that it issued or will issue
     */
    record Sequence(String column, String name, long next) {}

    MoveReport {
        sequences = List.copyOf(sequences);
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder()
                .append(keyspace)
                .append('.')
                .append(table)
                .append(": ")
                .append(result)
                .append(" from installation ")
                .append(from)
                .append(" to ")
                .append(to)
                .append('\n');
        sequences.forEach(each -> text.append("  column ")
                .append(each.column())
                .append(": sequence ")
                .append(each.name())
                .append(" issues ids from ")
                .append(each.next())
                .append(" on\n"));
        return text.toString();
    }
}
