package dev.cassidy.definition;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The hidden column of a table with columns that count. Each row has an id of its own there, which its INSERT has drawn, and what is
 * added to a column of the row is counted under that id. So a row that is deleted and inserted again begins again, and whoever adds has
 * seen that the row is there. Queries and metadata do not show it.
 */
public final class CountMark {

    /** Its internal name. */
    public static final String COLUMN = "cassidy_counts";

    /** Its definition in CREATE TABLE. */
    public static final String DEFINITION = COLUMN + " uuid";

    /** How the names of all tables begin in which is counted. */
    private static final String PREFIX = "cassidy_counts_";

    /** Cassandra 4.1 takes no longer names. */
    private static final int MAX_NAME = 48;

    private static final int HEX = 16;

    private CountMark() {}

    /**
     * Returns the internal name of the table in which the columns of a table count, in its keyspace. It is the same for each table that
     * ever has the name: what is counted is of a row, by its id.
     */
    public static String tableOf(String table) {
        String name = PREFIX + table;
        boolean plain = name.length() <= MAX_NAME && table.matches("[a-z0-9_]+");
        // Another name may be one that CQL writes in quotes, or too long.
        return plain ? name : PREFIX + hash(table);
    }

    /** Returns whether a table of an internal name is one in which columns count. */
    public static boolean isTable(String name) {
        return name.startsWith(PREFIX);
    }

    /** Two tables of one hash would share a table of counters, whose counters are of different rows. */
    private static String hash(String table) {
        String hex = UUID.nameUUIDFromBytes(table.getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "");
        return hex.substring(0, HEX);
    }

    /** Returns the name of the counter of a column of one row. */
    public static String counter(UUID row, String column) {
        return row + "/" + column;
    }
}
