package dev.cassidy.migration.rows;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows to a table of the source, with their ids. Groups of rows are committed together; where a group fails, each of
 * its rows is tried alone, so that a row that the source refuses keeps back no other one. One thread.
 */
final class SourceWriter implements AutoCloseable {

    private static final int GROUP = 500;
    private static final int MAX_REFUSALS = 20;
    private static final int VALID_WITHIN_SECONDS = 10;

    /** A row that Cassandra has, and that which the source has of its key, if there is one. */
    static final class Change {
        private final @Nullable ByteBuffer[] values;
        private final @Nullable ByteBuffer @Nullable [] before;

        private Change(@Nullable ByteBuffer[] values, @Nullable ByteBuffer @Nullable [] before) {
            this.values = values;
            this.before = before;
        }

        /** A row that the source does not have. */
        static Change insert(@Nullable ByteBuffer[] values) {
            return new Change(values, null);
        }

        /** @param before what the source has */
        static Change update(@Nullable ByteBuffer[] values, @Nullable ByteBuffer[] before) {
            return new Change(values, before);
        }

        @Nullable
        ByteBuffer[] values() {
            return values;
        }

        /** Returns whether the row has another spelling of its key than the source has. */
        private boolean renames(RowTable table) {
            for (int key = 0; before != null && key < table.keys(); key++) {
                int value = table.valueIndex(key);
                if (!Objects.equals(values[value], before[value])) {
                    return true;
                }
            }
            return false;
        }

        /** Returns the row by whose key the source finds it: two of Cassandra's one key may differ there. */
        @Nullable
        ByteBuffer[] named() {
            return before == null ? values : before;
        }
    }

    private final RowTable table;
    private final Source source;
    private final Connection connection;
    private final Source.ExplicitIds ids;
    private final Map<String, String> refusals = new LinkedHashMap<>();
    private final List<Integer> inserted;
    private final List<Integer> set;
    private final List<Integer> setWithKey;

    private enum Form {
        INSERT,
        /** Leaves the key as it is: a trigger, or a foreign key, may ask whether it is set. */
        UPDATE,
        UPDATE_WITH_KEY
    }

    SourceWriter(Source source, RowTable table) {
        this.source = source;
        this.table = table;
        // The source has no twins: it compares the column itself.
        List<Integer> all = IntStream.range(0, table.columns().size())
                .filter(i -> table.columns().get(i).twin() == null)
                .boxed()
                .toList();
        this.inserted = all;
        // An identity keeps its value; SQL Server refuses to set one.
        this.setWithKey = all.stream()
                .filter(i -> i >= table.keys() && !table.columns().get(i).from().identity())
                .toList();
        List<Integer> key =
                IntStream.range(0, table.keys()).map(table::valueIndex).boxed().toList();
        this.set = setWithKey.stream().filter(i -> !key.contains(i)).toList();
        boolean identity = table.source().columns().stream().anyMatch(SourceTable.Column::identity);
        this.ids =
                identity ? source.explicitIds(table.quotedTable()) : new Source.ExplicitIds(List.of(), "", List.of());
        this.connection = source.connectToWrite();
        try {
            connection.setAutoCommit(false);
            execute(ids.before());
        } catch (SQLException e) {
            close();
            throw failure(e);
        }
    }

    private void execute(List<String> statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        connection.commit();
    }

    /** Returns why rows were refused, by their key; not all if there are many. */
    Map<String, String> refusals() {
        return Collections.unmodifiableMap(refusals);
    }

    /**
     * Writes rows, inserts before updates, each in the given order.
     *
     * @return how many were inserted, and how many updated
     * @throws MigrationException {@link ExitCode#SOURCE} if the source went away; what was committed stays
     */
    long[] write(List<Change> changes) {
        long[] written = new long[2];
        for (Form form : Form.values()) {
            List<Change> some =
                    changes.stream().filter(change -> form(change) == form).toList();
            for (int from = 0; from < some.size(); from += GROUP) {
                MigrationException.throwIfInterrupted();
                written[form == Form.INSERT ? 0 : 1] +=
                        group(some.subList(from, Math.min(some.size(), from + GROUP)), form);
            }
        }
        return written;
    }

    private Form form(Change change) {
        return change.before == null ? Form.INSERT : change.renames(table) ? Form.UPDATE_WITH_KEY : Form.UPDATE;
    }

    private List<Integer> columns(Form form) {
        return switch (form) {
            case INSERT -> inserted;
            case UPDATE -> set;
            case UPDATE_WITH_KEY -> setWithKey;
        };
    }

    private int group(List<Change> rows, Form form) {
        try {
            send(rows, form);
            return rows.size();
        } catch (SQLException | RowRefused e) {
            undo(e);
        }
        // A row may point to another one that comes later: as long as one is taken, the others are tried again.
        List<Change> left = rows;
        int taken;
        do {
            List<Change> refused = new ArrayList<>();
            for (Change row : left) {
                try {
                    send(List.of(row), form);
                } catch (SQLException | RowRefused e) {
                    undo(e);
                    refused.add(row);
                    refuse(row, e);
                }
            }
            taken = left.size() - refused.size();
            left = refused;
        } while (taken > 0 && !left.isEmpty());
        return rows.size() - left.size();
    }

    private void refuse(Change row, Exception why) {
        String key = table.shownKey(row.values());
        if (refusals.containsKey(key) || refusals.size() < MAX_REFUSALS) {
            refusals.put(key, String.valueOf(why.getMessage()).strip());
        }
    }

    private void send(List<Change> rows, Form form) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(form == Form.INSERT ? insert() : update(columns(form)))) {
            for (Change row : rows) {
                int index = 1;
                for (int column : columns(form)) {
                    bind(statement, index++, column, row.values());
                }
                for (int key = 0; form != Form.INSERT && key < table.keys(); key++) {
                    bind(statement, index++, table.valueIndex(key), row.named());
                }
                statement.addBatch();
            }
            statement.executeBatch();
        }
        connection.commit();
    }

    private void bind(PreparedStatement statement, int index, int column, @Nullable ByteBuffer[] values)
            throws SQLException {
        SourceValue.bind(
                statement,
                index,
                table.columns().get(column),
                table.conversions().get(column).decoded(values[column]),
                source.engine(),
                table.zone());
    }

    private String insert() {
        return "INSERT INTO " + table.quotedTable() + " ("
                + inserted.stream().map(table.quotedColumns()::get).collect(Collectors.joining(", ")) + ") "
                + (ids.overriding().isEmpty() ? "" : ids.overriding() + " ") + "VALUES ("
                + inserted.stream().map(column -> "?").collect(Collectors.joining(", ")) + ")";
    }

    private String update(List<Integer> columns) {
        return "UPDATE " + table.quotedTable() + " SET "
                + columns.stream()
                        .map(i -> table.quotedColumns().get(i) + " = ?")
                        .collect(Collectors.joining(", "))
                + " WHERE "
                + IntStream.range(0, table.keys())
                        .mapToObj(i -> table.quotedColumns().get(i) + " = ?")
                        .collect(Collectors.joining(" AND "));
    }

    /** Takes back what a failure left, if the source is still there. */
    private void undo(Exception failed) {
        try {
            if (connection.isValid(VALID_WITHIN_SECONDS)) {
                connection.rollback();
                return;
            }
        } catch (SQLException e) {
            failed.addSuppressed(e);
        }
        throw failure(failed);
    }

    private MigrationException failure(Exception e) {
        return new MigrationException(
                ExitCode.SOURCE,
                "the source failed while rows of " + table.name() + " were written back: " + e.getMessage()
                        + ". What was committed stays: run the same command again",
                e);
    }

    @Override
    public void close() {
        try (connection) {
            execute(ids.after());
        } catch (SQLException e) {
            // The session ends, and with it what was set. Everything that was written is committed, or refused by name.
            return;
        }
    }
}
