package dev.cassidy.migration.rows;

import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keys that the rows of the source have in Cassandra, where a collation compares them. What the source tells apart may be one key there:
 * the tables of characters are not the source's, and a user may have chosen another collation.
 */
public final class FoldedKeys {

    private static final int MAX_KEYS = 5;
    private static final int MAX_ROWS = 3;

    /** What the conversion of a key would lose is found where its row is read. */
    private static final Losses ELSEWHERE = (column, kind, was, becomes) -> {};

    private final Source source;
    private final SourceTable table;
    private final List<MovedColumn> columns;
    private final List<Conversion> conversions;

    /**
     * @param columns those of Cassandra's key, in its order
     * @param zone in which dates and times without one are
     */
    public FoldedKeys(Source source, SourceTable table, List<MovedColumn> columns, Optional<ZoneId> zone) {
        this.source = source;
        this.table = table;
        this.columns = List.copyOf(columns);
        this.conversions =
                columns.stream().map(column -> new Conversion(column, zone)).toList();
    }

    /** Of a table that is matched with one of Cassandra. */
    public static FoldedKeys of(Source source, RowTable table) {
        return new FoldedKeys(source, table.source(), table.keyColumns(), Optional.of(table.zone()));
    }

    /**
     * Returns the refusal of two rows with one key in Cassandra. Names all such rows of the table, as far as they are still there.
     *
     * @param values of one of them
     */
    static RowRefused refusal(Source source, RowTable table, @Nullable ByteBuffer[] values) {
        return new RowRefused(
                of(source, table)
                        .alike(Runtime.getRuntime().maxMemory() / 4)
                        .orElseGet(
                                () -> table.shownKey(values) + " of " + table.name()
                                        + " has the key of another row in Cassandra: correct one of them in the source, and run it again"));
    }

    /** Returns whether a collation compares a column of the key. */
    public boolean areAny() {
        return columns.stream().anyMatch(column -> column.twin() != null);
    }

    /**
     * Returns what is wrong with rows that would be one in Cassandra; empty if there are none. Reads the keys of all rows.
     *
     * @param memory the most bytes that the hashes of keys may take
     * @throws MigrationException if there are more keys, or the source cannot be read
     */
    public Optional<String> alike(long memory) {
        if (!areAny()) {
            return Optional.empty();
        }
        SeenValues seen = new SeenValues(memory, "whether keys of " + table.qualifiedName() + " are equal");
        Map<RowSum.Hash, List<String>> several = new LinkedHashMap<>();
        long[] rows = new long[1];
        each((hash, found) -> {
            if (!seen.add(hash)) {
                rows[0]++;
                if (several.size() < MAX_KEYS) {
                    several.putIfAbsent(hash, new ArrayList<>());
                }
            }
        });
        if (several.isEmpty()) {
            return Optional.empty();
        }
        // Of the first row with a key it was not known that others have it.
        each((hash, found) -> {
            List<String> keys = several.get(hash);
            if (keys != null && keys.size() < MAX_ROWS) {
                keys.add(shown(found));
            }
        });
        return Optional.of(
                rows[0] + (rows[0] == 1 ? " row of " : " rows of ") + table.qualifiedName()
                        + " would be one with another row in Cassandra, because their keys are equal by "
                        + columns.stream()
                                .filter(column -> column.twin() != null)
                                .map(column -> column.twin().collation())
                                .distinct()
                                .collect(Collectors.joining(", "))
                        + ": "
                        + several.values().stream()
                                .map(keys -> String.join(" and ", keys))
                                .collect(Collectors.joining("; "))
                        + (several.values().stream()
                                                .mapToLong(keys -> keys.size() - 1)
                                                .sum()
                                        < rows[0]
                                ? "; and more"
                                : "")
                        + ". Correct them in the source, or create the table with another collation: cassidy migrate schema --collation");
    }

    private interface Visitor {
        void key(RowSum.Hash hash, ResultSet found) throws SQLException;
    }

    private void each(Visitor visitor) {
        String sql = "SELECT "
                + columns.stream()
                        .map(column -> source.quote(column.from().name()))
                        .collect(Collectors.joining(", "))
                + " FROM " + source.quoted(table.schema(), table.name());
        try (Connection connection = source.connect()) {
            connection.setAutoCommit(false);
            RowSum hashes = new RowSum();
            try (Statement statement = RangeRunner.statement(source, connection);
                    ResultSet found = statement.executeQuery(sql)) {
                while (found.next()) {
                    MigrationException.throwIfInterrupted();
                    RowSum.Hash hash = hash(found, hashes);
                    if (hash != null) {
                        visitor.key(hash, found);
                    }
                }
            }
            connection.rollback();
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure(sql, e);
        }
    }

    /** Returns the hash of the key at the cursor; null if it is none in Cassandra, which is told where its row is read. */
    private RowSum.@Nullable Hash hash(ResultSet found, RowSum hashes) throws SQLException {
        @Nullable ByteBuffer[] key = new ByteBuffer[conversions.size()];
        for (int i = 0; i < key.length; i++) {
            try {
                key[i] = conversions.get(i).bytes(found, i + 1, ELSEWHERE);
            } catch (RowRefused e) {
                return null;
            }
            if (key[i] == null) {
                return null;
            }
        }
        return hashes.hash(key, key.length);
    }

    private String shown(ResultSet found) throws SQLException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < columns.size(); i++) {
            MovedColumn column = columns.get(i);
            text.append(i == 0 ? "" : ", ")
                    .append(column.from().name())
                    .append('=')
                    .append(
                            column.twin() == null
                                    ? conversions
                                            .get(i)
                                            .shown(conversions.get(i).bytes(found, i + 1, ELSEWHERE))
                                    : "'" + found.getString(i + 1).replace("'", "''") + "'");
        }
        return text.toString();
    }
}
