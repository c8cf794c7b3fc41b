package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.value.Column;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rows, one after the other. */
public interface Cursor {

    List<Column> columns();

    /** Moves to the next row; initially before the first one. Returns false at the end. */
    boolean next() throws SQLException;

    /** Returns the current row's value as the driver's codec gives it, null for a CQL null. */
    @Nullable
    Object value(int index) throws SQLException;

    /** Returns the index, from 0, of the column of that label. */
    default int index(String label) throws SQLException {
        return Column.index(columns(), label);
    }

    /** Rows from the server, fetched page by page. */
    final class Server implements Cursor {
        private final List<Column> columns;
        private final Cancellation cancellation;
        private final Consumer<SQLWarning> warnings;
        private AsyncResultSet page;
        private Iterator<Row> rows;
        private @Nullable Row row;

        /**
         * Rows that the server gives page by page.
         *
         * @param cancellation of the statement, which is not running; to fetch a page is another run of it
         * @param warnings those of later pages
         */
        Server(AsyncResultSet result, Cancellation cancellation, Consumer<SQLWarning> warnings) {
            columns = List.copyOf(Column.of(result.getColumnDefinitions()));
            this.cancellation = cancellation;
            this.warnings = warnings;
            page = result;
            rows = result.currentPage().iterator();
        }

        @Override
        public List<Column> columns() {
            return columns;
        }

        @Override
        public boolean next() throws SQLException {
            row = null;
            while (!rows.hasNext() && page.hasMorePages()) {
                fetch();
            }
            row = rows.hasNext() ? rows.next() : null;
            return row != null;
        }

        private void fetch() throws SQLException {
            // Rows that the driver itself reads are a part of the run.
            boolean alone = !cancellation.isRunning();
            if (alone) {
                cancellation.begin();
            }
            try {
                page = cancellation.await(page.fetchNextPage(), Cancellation.READ_ALONE);
            } catch (RuntimeException e) {
                throw SqlErrors.of(e);
            } finally {
                if (alone) {
                    cancellation.end();
                }
            }
            rows = page.currentPage().iterator();
            page.getExecutionInfo().getWarnings().forEach(text -> warnings.accept(Warnings.general(text)));
        }

        @Override
        public @Nullable Object value(int index) throws SQLException {
            if (row == null) {
                throw new SQLException("No current row; call next() first", SqlStates.CURSOR_STATE);
            }
            try {
                // The codec would return an empty collection for a missing one.
                return row.isNull(index) ? null : row.getObject(index);
            } catch (DriverException | IllegalArgumentException e) {
                throw SqlErrors.of(e);
            }
        }
    }

    /** The rows of several cursors with the same columns, one cursor after the other. */
    final class Chained implements Cursor {
        private final List<Cursor> parts;
        private final long maxRows;
        private int part;
        private long rows;

        /**
         * Several cursors as one.
         *
         * @param parts at least one
         * @param maxRows how many rows there are at the most
         */
        Chained(List<Cursor> parts, long maxRows) {
            this.parts = List.copyOf(parts);
            this.maxRows = maxRows;
        }

        @Override
        public List<Column> columns() {
            return parts.get(0).columns();
        }

        @Override
        public boolean next() throws SQLException {
            if (rows == maxRows) {
                part = parts.size();
            }
            while (part < parts.size()) {
                if (parts.get(part).next()) {
                    rows++;
                    return true;
                }
                part++;
            }
            return false;
        }

        @Override
        public @Nullable Object value(int index) throws SQLException {
            if (part >= parts.size()) {
                throw new SQLException("No current row; call next() first", SqlStates.CURSOR_STATE);
            }
            return parts.get(part).value(index);
        }
    }

    /** Rows that are in memory already. */
    class Listed implements Cursor {
        private final List<Column> columns;
        private final List<? extends List<? extends @Nullable Object>> rows;
        private int row = -1;

        /**
         * Rows in memory.
         *
         * @param rows values as the driver's codecs give them
         */
        public Listed(List<Column> columns, List<? extends List<? extends @Nullable Object>> rows) {
            this.columns = List.copyOf(columns);
            this.rows = rows;
        }

        int size() {
            return rows.size();
        }

        @Override
        public List<Column> columns() {
            return columns;
        }

        @Override
        public boolean next() {
            if (row < rows.size()) {
                row++;
            }
            return row < rows.size();
        }

        @Override
        public @Nullable Object value(int index) throws SQLException {
            if (row < 0 || row >= rows.size()) {
                throw new SQLException("No current row; call next() first", SqlStates.CURSOR_STATE);
            }
            return rows.get(row).get(index);
        }
    }

    /** Rows that were read are kept, so that a result can move back to them. */
    final class Scrolled implements Cursor {
        private final Cursor source;
        private final long maxRows;
        private final List<@Nullable Object[]> rows = new ArrayList<>();
        private boolean complete;
        private boolean tooMany;
        private int row;

        /**
         * A cursor before its first row.
         *
         * @param maxRows how many rows are kept; a result with more raises an error where the next one would be read
         */
        public Scrolled(Cursor source, long maxRows) {
            this.source = source;
            this.maxRows = maxRows;
        }

        @Override
        public List<Column> columns() {
            return source.columns();
        }

        @Override
        public int index(String label) throws SQLException {
            return source.index(label);
        }

        @Override
        public boolean next() throws SQLException {
            return moveTo(row + 1);
        }

        /** Moves to a row, counted from 1; returns false, and is on no row, if there are fewer. */
        public boolean moveTo(int number) throws SQLException {
            row = has(number) ? number : 0;
            return row > 0;
        }

        /** Returns whether there are so many rows. */
        public boolean has(int number) throws SQLException {
            while (rows.size() < number && !complete) {
                read();
            }
            return number > 0 && rows.size() >= number;
        }

        /** Returns how many rows there are, at most {@code limit}. Reads them all. */
        public int count(int limit) throws SQLException {
            return has(limit) ? limit : rows.size();
        }

        private void read() throws SQLException {
            // The row that is one too many has been read: going on after it would leave it out.
            if (tooMany || rows.size() == maxRows) {
                tooMany = tooMany || source.next();
                if (tooMany) {
                    throw new SQLException(
                            "A scrollable result set keeps its rows in memory, at most " + maxRows
                                    + " unless setMaxRows says how many, and this one has more: read it forward only, limit it"
                                    + " by TOP, or give setMaxRows the number of rows to keep",
                            SqlStates.TOO_LARGE);
                }
                complete = true;
                return;
            }
            if (!source.next()) {
                complete = true;
                return;
            }
            @Nullable Object[] values = new Object[columns().size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = source.value(i);
            }
            rows.add(values);
        }

        @Override
        public @Nullable Object value(int index) throws SQLException {
            if (row == 0) {
                throw new SQLException("No current row; call next() first", SqlStates.CURSOR_STATE);
            }
            return rows.get(row - 1)[index];
        }
    }

    /** Generated keys: one column, found by any label, because code for SQL Server asks for various ones. */
    final class Keys extends Listed {
        public Keys(Column column, List<? extends List<? extends @Nullable Object>> rows) {
            super(List.of(column), rows);
        }

        @Override
        public int index(String label) {
            return 0;
        }
    }
}
