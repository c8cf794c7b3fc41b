package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows what changes in the source after the copy has read it. A round reads the source's version, then the rows that changed
 * since the version before, as they are now, and records the version when all of them are in Cassandra. A round that was
 * interrupted is repeated: its writes are the same or later ones.
 */
public final class DeltaCopier {

    /**
     * What a round found.
     *
     * @param written rows that were inserted or updated in the source
     * @param deleted rows that are gone there
     */
    public record Round(String table, long from, long to, long written, long deleted) {}

    private final Source source;
    private final ChangeFeed feed;
    private final CqlSession session;
    private final Journal journal;
    private final CopySettings settings;
    private final LongSupplier nanoClock;
    private final LongSupplier timestamps;

    /** @param timestamps gives the timestamp that a round would like to write with */
    public DeltaCopier(
            Source source,
            ChangeFeed feed,
            CqlSession session,
            Journal journal,
            CopySettings settings,
            LongSupplier nanoClock,
            LongSupplier timestamps) {
        this.source = source;
        this.feed = feed;
        this.session = session;
        this.journal = journal;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.timestamps = timestamps;
    }

    /**
     * Returns the version since which the table's changes are to be read.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} if they are not all known
     */
    private long since(Connection connection, RowTable table) throws SQLException {
        OptionalLong since = journal.changes(table.name());
        OptionalLong oldest = since.isEmpty() ? since : feed.oldest(connection, table);
        if (since.isEmpty() || oldest.isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the changes of " + table.name() + " are not tracked"
                            + (since.isEmpty() ? " since its copy began" : "")
                            + ": ALTER TABLE ... ENABLE CHANGE_TRACKING before the copy begins, or find changed rows with"
                            + " cassidy migrate verify --rows");
        }
        if (oldest.getAsLong() > since.getAsLong()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "the source no longer knows all changes of " + table.name() + ": it knows those after version "
                            + oldest.getAsLong() + ", and version " + since.getAsLong()
                            + " is needed; run cassidy migrate copy --repair, and set a longer CHANGE_RETENTION");
        }
        return since.getAsLong();
    }

    private static void requireKeyOfSource(RowTable table) {
        List<String> key = ChangeFeed.key(table);
        for (MovedColumn column : table.columns()) {
            if (column.key() && !key.contains(column.from().name())) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "changes of " + table.name() + " cannot be followed: "
                                + column.from().name()
                                + " is part of Cassandra's key and not of the source's primary key " + key
                                + ", so the place of a row that changed or is gone is not known; run cassidy"
                                + " migrate copy --repair");
            }
        }
    }

    /** Returns how many rows changed since the copy or the last round; empty if the source does not track them. */
    public OptionalLong pending(RowTable table) {
        OptionalLong since = journal.changes(table.name());
        if (since.isEmpty()) {
            return OptionalLong.empty();
        }
        try (Connection connection = source.connect()) {
            OptionalLong oldest = feed.oldest(connection, table);
            if (oldest.isEmpty() || oldest.getAsLong() > since.getAsLong()) {
                return OptionalLong.empty();
            }
            String sql = "SELECT COUNT(*) FROM (" + feed.changed(table, since.getAsLong()) + ") AS changed";
            try (Statement statement = connection.createStatement();
                    ResultSet found = statement.executeQuery(sql)) {
                found.next();
                return OptionalLong.of(found.getLong(1));
            }
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure("the changes of " + table.name(), e);
        }
    }

    /**
     * Checks that a table's changes can be followed. Writes nothing.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} if they cannot
     */
    public void check(RowTable table) {
        requireKeyOfSource(table);
        try (Connection connection = source.connect()) {
            since(connection, table);
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure("the changes of " + table.name(), e);
        }
    }

    /** Copies what changed since the copy or the last round. */
    public Round follow(RowTable table) throws InterruptedException, IOException {
        requireKeyOfSource(table);
        try (Connection connection = source.connect()) {
            long from = since(connection, table);
            // Before the rows: what changes while they are read belongs to the next round as well.
            long to = feed.version(connection).orElse(from);
            long timestamp = journal.stamp(timestamps.getAsLong());
            connection.setAutoCommit(false);
            try (RowChanges changes = new RowChanges(session, table, settings, timestamp, nanoClock);
                    Statement statement = RangeRunner.statement(source, connection);
                    ResultSet found = statement.executeQuery(feed.changed(table, from))) {
                FoldedRound round = new FoldedRound(table);
                while (found.next()) {
                    apply(table, found, changes, round);
                }
                delete(round, changes);
                changes.await();
                journal.delta(table.name(), to);
                return new Round(table.name(), from, to, changes.written(), changes.deleted());
            }
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure("the changes of " + table.name(), e);
        }
    }

    /** The keys that a round has met of a table whose key is compared by a collation: those of several rows may be one. */
    private static final class FoldedRound {
        private final RowTable table;
        private final RowSum hashes = new RowSum();
        private final Set<RowSum.Hash> written = new HashSet<>();
        private final Map<RowSum.Hash, @Nullable ByteBuffer[]> gone = new LinkedHashMap<>();

        FoldedRound(RowTable table) {
            this.table = table;
        }

        RowSum.Hash key(@Nullable ByteBuffer[] values) {
            return hashes.hash(values, table.keys());
        }
    }

    /**
     * Deletes rows that are gone, unless a row that is there has their key: as of 'Admin' that became 'ADMIN'. What this round has
     * written has its timestamp, so that a delete would take it away. What it has not written is written, as the row that is gone
     * may have been written over it.
     */
    private void delete(FoldedRound round, RowChanges changes) throws SQLException, InterruptedException {
        round.gone.keySet().removeAll(round.written);
        if (round.gone.isEmpty()) {
            return;
        }
        try (Connection connection = source.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = RangeRunner.statement(source, connection);
                    ResultSet found = statement.executeQuery(round.table.select())) {
                while (found.next()) {
                    RowSum.Hash key = round.key(round.table.readKey(found));
                    if (round.gone.remove(key) != null) {
                        changes.write(round.table.read(found, settings.losses()));
                    }
                }
            }
            connection.rollback();
        }
        for (@Nullable ByteBuffer[] values : round.gone.values()) {
            changes.delete(values);
        }
    }

    private void apply(RowTable table, ResultSet found, RowChanges changes, FoldedRound round)
            throws SQLException, InterruptedException {
        List<String> key = ChangeFeed.key(table);
        int width = table.columns().size();
        boolean gone = true;
        for (int i = 1; i <= width && gone; i++) {
            found.getObject(i);
            gone = found.wasNull();
        }
        if (!gone) {
            @Nullable ByteBuffer[] values = table.read(found, settings.losses());
            changes.write(values);
            if (table.isFolded()) {
                round.written.add(round.key(values));
            }
            return;
        }
        @Nullable ByteBuffer[] values = new ByteBuffer[width];
        for (int i = 0; i < table.keys(); i++) {
            int at = width + 1 + key.indexOf(table.columns().get(i).from().name());
            values[i] = table.conversions().get(i).bytes(found, at, settings.losses());
        }
        if (table.isFolded()) {
            round.gone.put(round.key(values), values);
        } else {
            changes.delete(values);
        }
    }
}
