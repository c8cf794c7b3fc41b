package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.RowQuery;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.overlay.MergedRows;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlStep;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs SELECT of an exact table as the transaction that has written to it sees the table. */
final class PendingReads {

    private final SharedSession session;
    private final Binder binder;
    private final Reads reads;
    private final ExactRows rows;
    private final Transaction transaction;
    private final Overlay overlay;

    PendingReads(SharedSession session, Binder binder, Reads reads, ExactRows rows, Transaction transaction) {
        this.session = session;
        this.binder = binder;
        this.reads = reads;
        this.rows = rows;
        this.transaction = transaction;
        this.overlay = transaction.overlay();
    }

    /** What the rows that are read must be when the transaction commits. */
    enum Keeps {
        NOTHING,
        /** As they were read. */
        SAME,
        /** As they were read, and no other transaction that has locked one of them so has committed: UPDLOCK. */
        ALONE
    }

    StepResult run(TsqlStep.Cql step, TableWrites writes, Keeps keeps, List<@Nullable Parameter> parameters)
            throws SQLException {
        RowQuery query = RowQuery.of(step.text())
                .filter(each -> each.counts() || each.items().stream().allMatch(item -> item.column() != null))
                .orElseThrow(() -> Unserved.feature("A SELECT of anything but columns or COUNT(*) of table "
                        + writes.name()
                        + " is not served in a transaction that has written to it, or that keeps what it reads"
                        + " (REPEATABLE READ, UPDLOCK): the driver has to know the rows. Commit first, or select the columns"
                        + " and calculate: " + step.text()));
        Overlay.Table table = overlay.table(writes, rows::table);
        long limit = limit(query, step, parameters);
        long asked = query.counts() || limit == Long.MAX_VALUE
                ? -1
                : Math.min(Integer.MAX_VALUE, limit + overlay.rows(writes).size());
        List<String> columns = table.types().keySet().stream()
                .filter(column -> keeps == Keeps.ALONE || !column.equals(RowMark.COLUMN))
                .toList();
        TsqlStep.Cql whole = new TsqlStep.Cql(
                query.selecting(columns, asked),
                step.keyword(),
                step.parameters().subList(0, query.markersBefore()),
                step.guards());
        MergedRows merged = new MergedRows(
                table,
                query.order().isEmpty() ? clustering(writes) : query.order(),
                query.order().isEmpty() ? partition(writes) : List.of(),
                overlay.rows(writes).keySet());
        List<Column> known = new ArrayList<>();
        List<ClaimedRows.Read> read =
                keeps == Keeps.ALONE ? alone(table, whole, parameters, known) : read(whole, parameters, known);
        for (ClaimedRows.Read each : read) {
            merged.add(each.row());
            if (merged.size() > Overlay.MAX_ROWS) {
                throw Unserved.feature("A SELECT of more than " + Overlay.MAX_ROWS + " rows of table " + writes.name()
                        + " is not served in a transaction that has written to it: they are kept in memory beside its own."
                        + " Commit first, or read fewer rows");
            }
        }
        Collection<RowImage> written = overlay.shown(
                        table,
                        bound(whole, parameters),
                        reads.collations(whole),
                        session.plain().getContext().getCodecRegistry())
                .values();
        merged.addWritten(written);
        if (keeps != Keeps.NOTHING) {
            read.forEach(each -> overlay.check(table, each.row(), each.mark()));
            written.forEach(row -> overlay.rely(table, row));
        }
        return StepResult.query(result(query, merged.rows(limit), known));
    }

    /** Reads rows that no other transaction means to hold, and tells others that this one does. */
    private List<ClaimedRows.Read> alone(
            Overlay.Table table, TsqlStep.Cql whole, List<@Nullable Parameter> parameters, List<Column> known)
            throws SQLException {
        Statement<?> select = bound(whole, parameters);
        ClaimedRows claimed =
                new ClaimedRows(session, rows, transaction, binder.cancellation(), binder.timeout(), System::nanoTime);
        return claimed.of(table, new ClaimedRows.Source() {
            @Override
            public List<ClaimedRows.Read> read() throws SQLException {
                return PendingReads.this.read(whole, parameters, known);
            }

            @Override
            public boolean finds(RowImage row) {
                return Overlay.finds(
                        table,
                        select,
                        reads.collations(whole),
                        session.plain().getContext().getCodecRegistry(),
                        row);
            }

            @Override
            public boolean isLimited() {
                return RowQuery.of(whole.text())
                        .filter(query -> query.limit() != null)
                        .isPresent();
            }
        });
    }

    /** @param known is given the columns */
    private List<ClaimedRows.Read> read(TsqlStep.Cql whole, List<@Nullable Parameter> parameters, List<Column> known)
            throws SQLException {
        Cursor served = Objects.requireNonNull(
                reads.run(session.plain(), whole, parameters).rows());
        known.clear();
        known.addAll(served.columns());
        List<ClaimedRows.Read> read = new ArrayList<>();
        // One more is refused.
        while (read.size() <= Overlay.MAX_ROWS && served.next()) {
            Map<String, Object> values = new HashMap<>();
            for (int i = 0; i < known.size(); i++) {
                Object value = served.value(i);
                if (value != null) {
                    values.put(known.get(i).label(), value);
                }
            }
            ByteBuffer mark = (ByteBuffer) values.remove(RowMark.COLUMN);
            read.add(new ClaimedRows.Read(new RowImage(values), mark));
        }
        return read;
    }

    /** Runs several reads of one form, whose rows are the same if their keys are. */
    StepResult run(
            List<TsqlStep.Cql> each,
            TableWrites writes,
            Keeps keeps,
            long maxRows,
            List<@Nullable Parameter> parameters)
            throws SQLException {
        List<Cursor> parts = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        for (TsqlStep.Cql one : each) {
            Statement<?> bound = bound(one, parameters);
            if (!(bound instanceof BoundStatement with) || seen.add(with.getValues())) {
                parts.add(Objects.requireNonNull(
                        run(one, writes, keeps, parameters).rows()));
            }
        }
        return StepResult.query(new Cursor.Chained(parts, maxRows));
    }

    private Statement<?> bound(TsqlStep.Cql whole, List<@Nullable Parameter> parameters) throws SQLException {
        try {
            return binder.bind(session.plain(), Binder.Unbound.of(whole), parameters);
        } catch (InvalidQueryException e) {
            String filtering = CqlSelect.of(whole.text())
                    .filter(select -> !select.filters())
                    .map(CqlSelect::filtering)
                    .orElseThrow(() -> e);
            return binder.bind(session.plain(), Binder.Unbound.of(whole.withText(filtering)), parameters);
        }
    }

    private static long limit(RowQuery query, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlInsert.Value limit = query.limit();
        if (limit == null) {
            return Long.MAX_VALUE;
        }
        return limit instanceof CqlInsert.Value.Marker marker
                ? IndexedReads.limit(parameters.get(step.parameters().get(marker.index())))
                : ((CqlInsert.Value.IntegerLiteral) limit).value().longValue();
    }

    private static Cursor result(RowQuery query, List<RowImage> rows, List<Column> known) throws SQLException {
        if (query.counts()) {
            List<Column> columns = new ArrayList<>();
            List<Object> counts = new ArrayList<>();
            for (RowQuery.Item item : query.items()) {
                columns.add(Column.of(item.label() == null ? "count" : item.label(), DataTypes.BIGINT));
                counts.add((long) rows.size());
            }
            return new Cursor.Listed(columns, List.of(counts));
        }
        List<Column> columns = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (RowQuery.Item item : query.items()) {
            String name = Objects.requireNonNull(item.column());
            Column column = known.stream()
                    .filter(each -> each.label().equals(name))
                    .findFirst()
                    .orElseThrow(
                            () -> Unserved.feature(
                                    "Column " + name
                                            + " was added since this transaction first wrote to its table: commit first, or roll back"));
            names.add(name);
            columns.add(
                    item.label() == null
                            ? column
                            : new Column(item.label(), column.type(), column.keyspace(), column.table()));
        }
        List<List<@Nullable Object>> values = new ArrayList<>();
        for (RowImage row : rows) {
            List<@Nullable Object> shown = new ArrayList<>();
            names.forEach(name -> shown.add(row.value(name)));
            values.add(shown);
        }
        return new Cursor.Listed(columns, values);
    }

    private List<String> partition(TableWrites writes) {
        return rows.metadata(writes).getPartitionKey().stream()
                .map(column -> column.getName().asInternal())
                .toList();
    }

    private List<RowQuery.Order> clustering(TableWrites writes) {
        List<RowQuery.Order> order = new ArrayList<>();
        rows.metadata(writes)
                .getClusteringColumns()
                .forEach((column, direction) -> order.add(
                        new RowQuery.Order(column.getName().asInternal(), direction == ClusteringOrder.DESC)));
        return order;
    }
}
