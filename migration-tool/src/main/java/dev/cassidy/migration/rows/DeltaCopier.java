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
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
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
    private final long keysInMemory;

    /** @param timestamps gives the timestamp that a round would like to write with */
    public DeltaCopier(
            Source source,
            ChangeFeed feed,
            CqlSession session,
            Journal journal,
            CopySettings settings,
            LongSupplier nanoClock,
            LongSupplier timestamps) {
        this(
                source,
                feed,
                session,
                journal,
                settings,
                nanoClock,
                timestamps,
                Runtime.getRuntime().maxMemory() / 4);
    }

    /** @param keysInMemory the most bytes that the keys of a round may take */
    DeltaCopier(
            Source source,
            ChangeFeed feed,
            CqlSession session,
            Journal journal,
            CopySettings settings,
            LongSupplier nanoClock,
            LongSupplier timestamps,
            long keysInMemory) {
        this.source = source;
        this.feed = feed;
        this.session = session;
        this.journal = journal;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.timestamps = timestamps;
        this.keysInMemory = keysInMemory;
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

    /** Which row of Cassandra a change means has to be known. */
    private static void requireKeyOfSource(RowTable table) {
        List<String> key = ChangeFeed.key(table);
        for (MovedColumn column : table.keyColumns()) {
            if (column.isFinerThanSource()) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "changes of " + table.name() + " cannot be followed: its collation "
                                + column.from().collation() + " takes strings of "
                                + column.from().name()
                                + " for equal that are different keys in Cassandra, such as 'Admin' and 'ADMIN', and does not"
                                + " tell which of them a row was before; run cassidy migrate copy --repair, or copy to a table"
                                + " whose key is compared by that collation, as cassidy migrate schema makes it with --writes"
                                + " exact");
            }
        }
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
            connection.setAutoCommit(false);
            if (table.mayBeAlike()) {
                // Before anything is written: of two rows that are written at one time, cells of both would stay.
                SharedKeys keys = new SharedKeys(table);
                each(connection, table, from, found -> {
                    if (isThere(table, found)) {
                        keys.write(table.read(found, UNSEEN));
                    }
                });
            }
            try (RowChanges changes =
                    new RowChanges(session, table, settings, journal, timestamps.getAsLong(), nanoClock)) {
                SharedKeys keys = new SharedKeys(table);
                each(connection, table, from, found -> apply(table, found, changes, keys));
                delete(keys, changes);
                changes.await();
                if (table.isFolded() && changes.written() > 0) {
                    // One that came since they were last looked at. The round is not recorded, so that the next one
                    // looks again.
                    FoldedKeys.of(source, table)
                            .alike(Runtime.getRuntime().maxMemory() / 2)
                            .ifPresent(alike -> {
                                throw new RowRefused(alike);
                            });
                }
                journal.delta(table.name(), to);
                return new Round(table.name(), from, to, changes.written(), changes.deleted());
            }
        } catch (SQLException e) {
            throw RangeRunner.sourceFailure("the changes of " + table.name(), e);
        }
    }

    /** What a value would lose is told where its row is written. */
    private static final Losses UNSEEN = (column, kind, was, becomes) -> {};

    private interface Visitor {
        void row(ResultSet found) throws SQLException, InterruptedException;
    }

    private void each(Connection connection, RowTable table, long from, Visitor visitor)
            throws SQLException, InterruptedException {
        try (Statement statement = RangeRunner.statement(source, connection);
                ResultSet found = statement.executeQuery(feed.changed(table, from))) {
            while (found.next()) {
                visitor.row(found);
            }
        }
        connection.rollback();
    }

    /** The keys that a round has met of a table in which several rows of the source may have one. */
    private final class SharedKeys {

        /** About what a key takes in memory, of which a round may use a quarter. */
        private static final long BYTES_A_KEY = 400;

        private final RowTable table;
        private final RowSum hashes = new RowSum();
        private final Map<RowSum.Hash, RowSum.Hash> written = new HashMap<>();
        private final Map<RowSum.Hash, @Nullable ByteBuffer[]> gone = new LinkedHashMap<>();

        SharedKeys(RowTable table) {
            this.table = table;
        }

        RowSum.Hash key(@Nullable ByteBuffer[] values) {
            return hashes.hash(values, table.keys());
        }

        void write(@Nullable ByteBuffer[] values) {
            RowSum.Hash row = hashes.hash(values, values.length);
            RowSum.Hash other = written.put(key(values), row);
            if (other != null && !other.equals(row)) {
                throw FoldedKeys.refusal(source, table, values);
            }
            requireRoom();
        }

        void delete(@Nullable ByteBuffer[] values) {
            gone.put(key(values), values);
            requireRoom();
        }

        private void requireRoom() {
            if (written.size() + (long) gone.size() > keysInMemory / BYTES_A_KEY) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        "too many rows of " + table.name()
                                + " have changed for their keys to be held in memory: give the JVM a"
                                + " larger heap, JAVA_TOOL_OPTIONS=-Xmx8g, or run cassidy migrate copy --repair");
            }
        }
    }

    /**
     * Deletes rows that are gone, unless a row that is there has their key: as of 'Admin' that became 'ADMIN'. One that this round has
     * not written is written, as the row that is gone may have been written over it.
     */
    private void delete(SharedKeys keys, RowChanges changes) throws SQLException, InterruptedException {
        keys.gone.keySet().removeAll(keys.written.keySet());
        if (keys.gone.isEmpty()) {
            return;
        }
        try (Connection connection = source.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = RangeRunner.statement(source, connection);
                    ResultSet found = statement.executeQuery(keys.table.select())) {
                while (found.next()) {
                    RowSum.Hash key = keys.key(keys.table.readKey(found));
                    if (keys.gone.remove(key) != null) {
                        changes.write(keys.table.read(found, settings.losses()));
                    }
                }
            }
            connection.rollback();
        }
        for (@Nullable ByteBuffer[] values : keys.gone.values()) {
            changes.delete(values);
        }
    }

    private static boolean isThere(RowTable table, ResultSet found) throws SQLException {
        boolean there = false;
        for (int i = 1; i <= table.columns().size() && !there; i++) {
            found.getObject(i);
            there = !found.wasNull();
        }
        return there;
    }

    private void apply(RowTable table, ResultSet found, RowChanges changes, SharedKeys keys)
            throws SQLException, InterruptedException {
        boolean there = isThere(table, found);
        @Nullable ByteBuffer[] before = changedKey(table, found, there ? UNSEEN : settings.losses());
        if (there) {
            @Nullable ByteBuffer[] values = table.read(found, settings.losses());
            if (table.mayBeAlike()) {
                keys.write(values);
            }
            changes.write(values);
            if (Arrays.equals(before, 0, table.keys(), values, 0, table.keys())) {
                return;
            }
            // The source takes the two for one key: 'a' that became 'a ', which are different ones in Cassandra.
        }
        if (table.mayBeAlike()) {
            keys.delete(before);
        } else {
            changes.delete(before);
        }
    }

    /** Returns the key of the row that changed, as the source tells it, in an array for all columns. */
    private static @Nullable ByteBuffer[] changedKey(RowTable table, ResultSet found, Losses losses)
            throws SQLException {
        List<String> key = ChangeFeed.key(table);
        int width = table.columns().size();
        @Nullable ByteBuffer[] values = new ByteBuffer[width];
        for (int i = 0; i < table.keys(); i++) {
            int at = width + 1 + key.indexOf(table.columns().get(i).from().name());
            values[i] = table.conversions().get(i).bytes(found, at, losses);
        }
        return values;
    }
}
