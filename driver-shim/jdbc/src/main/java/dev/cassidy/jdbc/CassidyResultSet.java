package dev.cassidy.jdbc;

import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.run.Cursor;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.FromCql;
import dev.cassidy.jdbc.value.MetaRows;
import dev.cassidy.jdbc.value.Temporals;
import dev.cassidy.tsql.TsqlStep;
import java.sql.DataTruncation;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A read-only result, forward only or scrollable. A scrollable one keeps the rows that it has read. Labels are found
 * exactly, otherwise in any case; if two columns have the same
 * label, the first one is used. Numbers are returned exactly, or the getter fails with SQLState 22003. Not safe for use
 * by several threads.
 */
final class CassidyResultSet extends ResultSetGetters implements WrapsNothing {

    private final @Nullable CassidyStatement statement;
    private final Cursor cursor;
    private final TsqlStep.@Nullable Selection selection;
    private final long maxRows;
    private int fetchSize;
    private int row;
    private boolean exhausted;
    private boolean onRow;
    private boolean wasNull;
    private boolean closed;
    private @Nullable SQLWarning warnings;
    private @Nullable ColumnsMetaData metaData;
    /** Whether the cursor is on its first row already, because somebody asked whether there is one. */
    private boolean firstIsRead;

    /**
     * @param statement null for metadata
     * @param selection what the columns are, as far as the statement tells; null otherwise
     * @param maxRows further rows are left out; 0 for no limit
     */
    CassidyResultSet(
            @Nullable CassidyStatement statement,
            Cursor cursor,
            TsqlStep.@Nullable Selection selection,
            long maxRows,
            int fetchSize) {
        this.statement = statement;
        this.cursor = cursor;
        this.selection = selection;
        this.maxRows = maxRows;
        this.fetchSize = fetchSize;
    }

    static ResultSet of(List<Column> columns, List<? extends List<? extends @Nullable Object>> rows) {
        return new CassidyResultSet(null, new Cursor.Listed(columns, rows), null, 0, 0);
    }

    static ResultSet of(MetaRows rows) {
        return of(rows.columns(), rows.rows());
    }

    private void requireOpen() throws SQLException {
        if (closed || (statement != null && statement.isClosed())) {
            throw new SQLException("The result set is closed", SqlStates.CURSOR_STATE);
        }
    }

    @Override
    public boolean next() throws SQLException {
        requireOpen();
        if (cursor instanceof Cursor.Scrolled) {
            return !exhausted && moveTo(row + 1L);
        }
        warnings = null;
        onRow = !exhausted && (maxRows == 0 || row < maxRows) && (firstIsRead || cursor.next());
        firstIsRead = false;
        exhausted = !onRow;
        if (onRow) {
            row++;
        }
        return onRow;
    }

    // ---- scrolling

    private Cursor.Scrolled scrolled(String method) throws SQLException {
        requireOpen();
        if (cursor instanceof Cursor.Scrolled scrolled) {
            return scrolled;
        }
        throw Unserved.feature("ResultSet." + method + " is not served of a result that runs forward only: ask for it"
                + " with createStatement or prepareStatement(..., TYPE_SCROLL_INSENSITIVE, CONCUR_READ_ONLY)");
    }

    private boolean has(Cursor.Scrolled scrolled, long number) throws SQLException {
        return number > 0
                && number <= Integer.MAX_VALUE
                && (maxRows == 0 || number <= maxRows)
                && scrolled.has((int) number);
    }

    private int count(Cursor.Scrolled scrolled) throws SQLException {
        return scrolled.count(maxRows == 0 ? Integer.MAX_VALUE : (int) Math.min(maxRows, Integer.MAX_VALUE));
    }

    /** Moves to a row, counted from 1; 0 and less is before the first one, and more than there are behind the last. */
    private boolean moveTo(long number) throws SQLException {
        Cursor.Scrolled scrolled = (Cursor.Scrolled) cursor;
        warnings = null;
        onRow = has(scrolled, number) && scrolled.moveTo((int) number);
        exhausted = !onRow && number > 0;
        row = onRow ? (int) number : exhausted ? count(scrolled) : 0;
        return onRow;
    }

    @Override
    public boolean absolute(int number) throws SQLException {
        Cursor.Scrolled scrolled = scrolled("absolute(int)");
        return moveTo(number < 0 ? count(scrolled) + 1L + number : number);
    }

    @Override
    public boolean relative(int rows) throws SQLException {
        scrolled("relative(int)");
        return moveTo(row + (exhausted ? 1L : 0L) + rows);
    }

    @Override
    public boolean previous() throws SQLException {
        scrolled("previous()");
        return relative(-1);
    }

    @Override
    public boolean first() throws SQLException {
        scrolled("first()");
        return moveTo(1);
    }

    @Override
    public boolean last() throws SQLException {
        return moveTo(count(scrolled("last()")));
    }

    @Override
    public void beforeFirst() throws SQLException {
        scrolled("beforeFirst()");
        moveTo(0);
    }

    @Override
    public void afterLast() throws SQLException {
        moveTo(count(scrolled("afterLast()")) + 1L);
    }

    @Override
    public boolean isLast() throws SQLException {
        requireOpen();
        if (!onRow) {
            return false;
        }
        Cursor.Scrolled scrolled = scrolled("isLast()");
        return !has(scrolled, row + 1L);
    }

    @Override
    <T> @Nullable T read(int index, @Nullable Class<T> type, @Nullable Calendar calendar) throws SQLException {
        requireOpen();
        List<Column> columns = cursor.columns();
        if (index < 1 || index > columns.size()) {
            throw new SQLException(
                    "must be from 1 to " + columns.size() + ": column index=" + index, SqlStates.WRONG_COLUMN);
        }
        if (!onRow) {
            throw new SQLException(
                    exhausted ? "The result set is past its last row" : "No current row; call next() first",
                    SqlStates.CURSOR_STATE);
        }
        if (type == null) {
            throw new SQLException("must not be null: type", SqlStates.BAD_ARGUMENT);
        }
        Object value = cursor.value(index - 1);
        wasNull = value == null;
        if (value == null) {
            return null;
        }
        try {
            ZoneId zone = FromCql.mayDependOnZone(type) ? Temporals.zone(calendar) : ZoneOffset.UTC;
            SqlType declared = FromCql.mayDependOnDeclaration(value, type)
                    ? metaData().declaredType(index).map(DeclaredType::type).orElse(null)
                    : null;
            T read = FromCql.convert(value, columns.get(index - 1).type(), declared, type, zone, CassidyResultSet::of);
            DataTruncation truncation = FromCql.truncation(value, read, index);
            if (truncation != null) {
                warn(truncation);
            }
            return read;
        } catch (ConversionException e) {
            throw e.in("column " + columns.get(index - 1));
        }
    }

    private void warn(SQLWarning warning) {
        if (warnings == null) {
            warnings = warning;
        } else {
            warnings.setNextWarning(warning);
        }
    }

    @Override
    public boolean wasNull() throws SQLException {
        requireOpen();
        return wasNull;
    }

    @Override
    public int findColumn(String label) throws SQLException {
        requireOpen();
        // Some libraries read a column by the label that the metadata gave it.
        int unnamed = "".equals(label) && selection != null ? selection.unnamed() : -1;
        return (unnamed < 0 ? cursor.index(label) : unnamed) + 1;
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        requireOpen();
        return metaData();
    }

    private ColumnsMetaData metaData() throws SQLException {
        ColumnsMetaData known = metaData;
        if (known == null) {
            SharedSession session =
                    statement == null ? null : statement.connection().state().session();
            known = new ColumnsMetaData(cursor.columns(), selection, cursor instanceof Cursor.Keys, session);
            // Some libraries ask for it at each row, and it looks up what is declared of the table.
            metaData = known;
        }
        return known;
    }

    @Override
    public @Nullable Statement getStatement() throws SQLException {
        requireOpen();
        return statement;
    }

    @Override
    public int getRow() throws SQLException {
        requireOpen();
        return onRow ? row : 0;
    }

    @Override
    public boolean isBeforeFirst() throws SQLException {
        requireOpen();
        if (row > 0 || exhausted) {
            return false;
        }
        if (cursor instanceof Cursor.Scrolled scrolled) {
            return has(scrolled, 1);
        }
        firstIsRead = firstIsRead || cursor.next();
        exhausted = !firstIsRead;
        return firstIsRead;
    }

    @Override
    public boolean isFirst() throws SQLException {
        requireOpen();
        return onRow && row == 1;
    }

    @Override
    public boolean isAfterLast() throws SQLException {
        requireOpen();
        return exhausted && row > 0;
    }

    @Override
    public int getType() throws SQLException {
        requireOpen();
        return cursor instanceof Cursor.Scrolled ? TYPE_SCROLL_INSENSITIVE : TYPE_FORWARD_ONLY;
    }

    @Override
    public int getConcurrency() throws SQLException {
        requireOpen();
        return CONCUR_READ_ONLY;
    }

    @Override
    public int getHoldability() throws SQLException {
        requireOpen();
        return HOLD_CURSORS_OVER_COMMIT;
    }

    @Override
    public int getFetchDirection() throws SQLException {
        requireOpen();
        return FETCH_FORWARD;
    }

    @Override
    public void setFetchDirection(int direction) throws SQLException {
        requireOpen();
        // A hint, and of no use for rows that are in memory.
        if (direction != FETCH_FORWARD && !(cursor instanceof Cursor.Scrolled)) {
            throw Unserved.feature("A result set runs forward only: fetch direction=" + direction);
        }
    }

    @Override
    public int getFetchSize() throws SQLException {
        requireOpen();
        return fetchSize;
    }

    @Override
    public void setFetchSize(int rows) throws SQLException {
        requireOpen();
        if (rows < 0) {
            throw new SQLException("must be >= 0: fetchSize=" + rows, SqlStates.BAD_ARGUMENT);
        }
        // A hint by the standard; the size of the pages was fixed when the statement ran.
        fetchSize = rows;
    }

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        requireOpen();
        return warnings;
    }

    @Override
    public void clearWarnings() throws SQLException {
        requireOpen();
        warnings = null;
    }

    @Override
    public void close() throws SQLException {
        if (!closed) {
            closed = true;
            if (statement != null) {
                statement.resultClosed(this);
            }
        }
    }

    @Override
    public boolean isClosed() throws SQLException {
        return closed || (statement != null && statement.isClosed());
    }
}
