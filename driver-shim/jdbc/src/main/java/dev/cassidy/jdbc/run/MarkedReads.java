package dev.cassidy.jdbc.run;

import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.RowQuery;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlStep;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads tables whose rows have {@link RowMark} with the mark, and does not show it. A row that a transaction is about to insert is
 * left out. Of rows that are read by their keys, and that a committed transaction still holds, the transaction is ended first. What
 * shows neither columns nor COUNT(*) alone is sent as it is: SUM and the like find nothing in a row that is about to be inserted.
 */
final class MarkedReads {

    private final SharedSession session;
    private final Tables tables;
    private final Locks locks;
    private final ExactRows rows;

    MarkedReads(SharedSession session, Binder binder) {
        this.session = session;
        this.tables = session.tables();
        this.locks = new Locks(session, binder.cancellation());
        this.rows = new ExactRows(session, tables, binder, binder.cancellation());
    }

    /** Sends something. */
    interface Sender<T> {
        StepResult send(T what) throws SQLException;
    }

    /** @param byKey whether the statement gives the keys of its rows */
    StepResult run(TsqlStep.Cql step, boolean byKey, Sender<TsqlStep.Cql> sender) throws SQLException {
        RowQuery query = marked(step).orElse(null);
        if (query == null) {
            return sender.send(step);
        }
        if (query.counts()) {
            return count(step, query, sender);
        }
        List<String> hidden = hidden(query, byKey);
        TsqlStep.Cql with = step.withText(query.with(hidden));
        if (byKey) {
            return byKey(query, hidden.size(), () -> cursor(sender.send(with)));
        }
        return StepResult.query(new Unlocked(cursor(sender.send(with))));
    }

    /** Runs several reads of one form, each of a whole key. */
    StepResult rows(List<TsqlStep.Cql> steps, Sender<List<TsqlStep.Cql>> sender) throws SQLException {
        RowQuery query = marked(steps.get(0)).filter(each -> !each.counts()).orElse(null);
        if (query == null) {
            return sender.send(steps);
        }
        List<String> hidden = hidden(query, true);
        List<TsqlStep.Cql> with = new ArrayList<>();
        for (TsqlStep.Cql step : steps) {
            with.add(step.withText(marked(step).orElseThrow().with(hidden)));
        }
        return byKey(query, hidden.size(), () -> cursor(sender.send(with)));
    }

    private Optional<RowQuery> marked(TsqlStep.Cql step) {
        return session.statements()
                .query(step.text(), step.parameters())
                .filter(query -> query.counts() || query.items().stream().allMatch(item -> item.column() != null))
                .filter(query -> tables.isColumn(query.table(), RowMark.COLUMN));
    }

    private List<String> hidden(RowQuery query, boolean byKey) {
        List<String> hidden = new ArrayList<>();
        if (byKey) {
            tables.key(query.table()).forEach(column -> hidden.add(Identifiers.toCql(column)));
        }
        hidden.add(RowMark.COLUMN);
        return hidden;
    }

    private static Cursor cursor(StepResult result) {
        return Objects.requireNonNull(result.rows());
    }

    // ---- by key

    /** Reads again. */
    private interface Rereading {
        Cursor read() throws SQLException;
    }

    private StepResult byKey(RowQuery query, int hidden, Rereading rereading) throws SQLException {
        for (int tries = 0; ; tries++) {
            Cursor served = rereading.read();
            int shown = served.columns().size() - hidden;
            List<List<@Nullable Object>> found = new ArrayList<>();
            boolean ended = false;
            while (served.next()) {
                ByteBuffer mark = mark(served);
                if (Locks.isLock(mark)) {
                    ended |= tries < Locks.MAX_TRIES && isEnded(query.table(), served, shown, mark);
                    if (Locks.isPlaceholder(mark)) {
                        continue;
                    }
                }
                List<@Nullable Object> row = new ArrayList<>(shown);
                for (int i = 0; i < shown; i++) {
                    row.add(served.value(i));
                }
                found.add(row);
            }
            if (!ended) {
                return StepResult.query(new Cursor.Listed(served.columns().subList(0, shown), found));
            }
        }
    }

    private boolean isEnded(CqlInsert.Table named, Cursor row, int shown, ByteBuffer mark) throws SQLException {
        TableWrites writes = TableMode.of(session, tables, Optional.ofNullable(named.keyspace()), named.name())
                .orElse(null);
        if (writes == null) {
            return false;
        }
        Overlay.Table table = rows.table(writes);
        List<Object> key = new ArrayList<>();
        for (int i = 0; i < table.key().size(); i++) {
            key.add(Objects.requireNonNull(row.value(shown + i)));
        }
        return locks.isEnded(table, key, mark);
    }

    private static @Nullable ByteBuffer mark(Cursor row) throws SQLException {
        return (ByteBuffer) row.value(row.columns().size() - 1);
    }

    // ---- counts

    private StepResult count(TsqlStep.Cql step, RowQuery query, Sender<TsqlStep.Cql> sender) throws SQLException {
        Cursor served = cursor(sender.send(step.withText(query.with(List.of("MIN(" + RowMark.COLUMN + ")")))));
        List<Column> columns = served.columns().subList(0, served.columns().size() - 1);
        List<@Nullable Object> counts = new ArrayList<>();
        served.next();
        boolean locked = Locks.isLock(mark(served));
        long rows = locked ? countOneByOne(step, query, sender) : 0;
        for (int i = 0; i < columns.size(); i++) {
            counts.add(locked ? rows : served.value(i));
        }
        return StepResult.query(new Cursor.Listed(columns, List.of(counts)));
    }

    private static long countOneByOne(TsqlStep.Cql step, RowQuery query, Sender<TsqlStep.Cql> sender)
            throws SQLException {
        Cursor rows = new Unlocked(cursor(sender.send(new TsqlStep.Cql(
                query.selecting(List.of(RowMark.COLUMN), -1),
                step.keyword(),
                step.parameters().subList(0, query.markersBefore())))));
        long count = 0;
        while (rows.next()) {
            count++;
        }
        return count;
    }

    /** Rows without the last column, which is their mark, and without those that are about to be inserted. */
    private static final class Unlocked implements Cursor {

        private final Cursor source;
        private final List<Column> columns;

        Unlocked(Cursor source) {
            this.source = source;
            this.columns = source.columns().subList(0, source.columns().size() - 1);
        }

        @Override
        public List<Column> columns() {
            return columns;
        }

        @Override
        public boolean next() throws SQLException {
            while (source.next()) {
                if (!Locks.isPlaceholder(mark(source))) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public @Nullable Object value(int index) throws SQLException {
            return source.value(index);
        }
    }
}
