package dev.cassidy.jdbc.run;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CollatedSelect;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.MarkedSelect;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.tsql.TsqlStep;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads tables whose rows have {@link RowMark} with the mark and the key, and does not show them. A row that a transaction is about to
 * insert is left out. Where rows are held by a transaction that is committed, that is ended first, and the rows are read again; of a
 * long result only its first rows are looked at so. Where WHERE compares strings that are equal by a collation, within partitions, the server
 * reads the rows without that condition, and the driver leaves out those that do not meet it.
 */
final class MarkedReads {

    /** How many rows are looked at before the first of them is shown. */
    private static final int FIRST_ROWS = 500;

    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final Cancellation cancellation;
    private final Locks locks;
    private final ExactRows rows;
    private final int firstRows;

    MarkedReads(SharedSession session, Binder binder) {
        this.session = session;
        this.tables = session.tables();
        this.binder = binder;
        this.cancellation = binder.cancellation();
        this.locks = new Locks(session, cancellation);
        this.rows = new ExactRows(session, tables, binder, cancellation);
        // No further page is asked for.
        this.firstRows = binder.pageSize() > 0 ? Math.min(FIRST_ROWS, binder.pageSize()) : FIRST_ROWS;
    }

    /** Sends something. */
    interface Sender<T> {
        StepResult send(T what) throws SQLException;
    }

    /** Sends several reads, and shows a number of rows at the most. */
    interface RowsSender {
        StepResult send(List<TsqlStep.Cql> steps, long maxRows) throws SQLException;
    }

    StepResult run(TsqlStep.Cql given, List<@Nullable Parameter> parameters, Sender<TsqlStep.Cql> sender)
            throws SQLException {
        CollatedSelect collated = collated(given).orElse(null);
        TsqlStep.Cql step = collated == null ? given : without(given, collated);
        MarkedSelect select = marked(step).orElse(null);
        if (select == null) {
            return sender.send(step);
        }
        List<CollatedComparison> compared =
                collated == null ? List.of() : comparisons(collated, select.table(), given, parameters);
        return switch (select.kind()) {
            case ROWS -> {
                String list = hidden(select.table(), compared);
                TsqlStep.Cql with = step.withText(select.with(list));
                Reading unlimited = () -> cursor(sender.send(new TsqlStep.Cql(
                        select.withoutLimit(list),
                        step.keyword(),
                        step.parameters().subList(0, select.markersBeforeLimit()))));
                yield StepResult.query(unlocked(
                        select.table(),
                        compared,
                        // The first rows may be those that are left out.
                        compared.isEmpty() ? () -> cursor(sender.send(with)) : unlimited,
                        unlimited,
                        limit(select, step, parameters)));
            }
            case AGGREGATES ->
                compared.isEmpty() ? aggregates(step, select, sender) : count(step, select, compared, sender);
            case OTHER -> sender.send(step);
        };
    }

    /** Runs several reads of one form, each of a whole key. */
    StepResult rows(List<TsqlStep.Cql> given, long maxRows, List<@Nullable Parameter> parameters, RowsSender sender)
            throws SQLException {
        CollatedSelect collated = collated(given.get(0)).orElse(null);
        List<TsqlStep.Cql> steps = new ArrayList<>();
        for (TsqlStep.Cql each : given) {
            steps.add(collated == null ? each : without(each, collated(each).orElseThrow()));
        }
        MarkedSelect select = marked(steps.get(0))
                .filter(each -> each.kind() == MarkedSelect.Kind.ROWS)
                .orElse(null);
        if (select == null) {
            return sender.send(given, maxRows);
        }
        // What is compared apart from the key is the same of all.
        List<CollatedComparison> compared =
                collated == null ? List.of() : comparisons(collated, select.table(), given.get(0), parameters);
        String list = hidden(select.table(), compared);
        List<TsqlStep.Cql> with = new ArrayList<>();
        for (TsqlStep.Cql step : steps) {
            with.add(step.withText(marked(step).orElseThrow().with(list)));
        }
        Reading reading = () -> cursor(sender.send(with, compared.isEmpty() ? maxRows : Long.MAX_VALUE));
        return StepResult.query(
                unlocked(select.table(), compared, reading, reading, compared.isEmpty() ? Long.MAX_VALUE : maxRows));
    }

    /** Returns a statement without what the driver compares; the same if that is nothing, or if the server compares it. */
    TsqlStep.Cql served(TsqlStep.Cql step) {
        return collated(step).map(found -> without(step, found)).orElse(step);
    }

    /** Returns by which collations the driver compares strings, by their columns. */
    Map<String, Collation> collations(TsqlStep.Cql step) {
        CollatedSelect collated = collated(step).orElse(null);
        CqlInsert.Table table = collated == null
                ? null
                : marked(without(step, collated)).map(MarkedSelect::table).orElse(null);
        if (collated == null || table == null) {
            return Map.of();
        }
        Map<String, Collation> collations = new HashMap<>(tables.collationsForReads(table));
        collations
                .keySet()
                .retainAll(collated.matches().stream()
                        .map(ConditionalWrite.Match::column)
                        .toList());
        return collations;
    }

    /** Of aggregates, the driver knows how to count rows. */
    private Optional<CollatedSelect> collated(TsqlStep.Cql step) {
        return session.statements().collated(step).filter(found -> marked(without(step, found))
                .filter(select -> select.kind() == MarkedSelect.Kind.ROWS || select.isCountOfAll())
                .isPresent());
    }

    private static TsqlStep.Cql without(TsqlStep.Cql step, CollatedSelect collated) {
        return step.withText(
                collated.text(),
                collated.markers().stream().map(step.parameters()::get).toList());
    }

    private List<CollatedComparison> comparisons(
            CollatedSelect collated, CqlInsert.Table table, TsqlStep.Cql given, List<@Nullable Parameter> parameters)
            throws SQLException {
        return CollatedComparisons.of(
                collated.matches(), table, tables.collationsForReads(table), given, parameters, binder);
    }

    private Optional<MarkedSelect> marked(TsqlStep.Cql step) {
        return session.statements()
                .marked(step.text(), step.parameters())
                .filter(select -> tables.isColumn(select.table(), RowMark.COLUMN));
    }

    /** What the driver compares, the key, and the mark, in this order. */
    private String hidden(CqlInsert.Table table, List<CollatedComparison> compared) {
        return compared.stream()
                        .map(each -> Identifiers.toCql(each.column()) + ", ")
                        .collect(Collectors.joining())
                + hidden(table);
    }

    /** The key and the mark, in this order. */
    private String hidden(CqlInsert.Table table) {
        return tables.key(table).stream().map(Identifiers::toCql).collect(Collectors.joining(", ")) + ", "
                + RowMark.COLUMN;
    }

    private static Cursor cursor(StepResult result) {
        return Objects.requireNonNull(result.rows());
    }

    private static long limit(MarkedSelect select, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlInsert.Value limit = select.limit();
        if (limit instanceof CqlInsert.Value.Marker marker) {
            return IndexedReads.limit(parameters.get(step.parameters().get(marker.index())));
        }
        return limit instanceof CqlInsert.Value.IntegerLiteral literal
                ? literal.value().longValue()
                : Long.MAX_VALUE;
    }

    // ---- rows

    /** Sends a query. */
    private interface Reading {
        Cursor send() throws SQLException;
    }

    /**
     * @param compared what is compared with the columns that follow those that are shown
     * @param unlimited the same without LIMIT: rows that are left out must not use it up
     */
    private Cursor unlocked(
            CqlInsert.Table table, List<CollatedComparison> compared, Reading reading, Reading unlimited, long limit)
            throws SQLException {
        boolean limited = limit < Long.MAX_VALUE;
        Reading now = reading;
        for (int tries = 0; ; tries++) {
            Unlocked read =
                    new Unlocked(now.send(), compared, 1 + tables.key(table).size(), limited ? limit : Long.MAX_VALUE);
            read.readAhead((int) Math.min(firstRows, limit));
            if (tries < Locks.MAX_TRIES && isAnyEnded(table, read.locks())) {
                continue;
            }
            if (limited && read.leftOut() && now != unlimited) {
                now = unlimited;
                continue;
            }
            return read;
        }
    }

    /**
     * A lock that was seen.
     *
     * @param key of its row
     */
    private record Seen(List<Object> key, ByteBuffer mark) {}

    /** Returns whether a transaction that holds one of the rows is over, so that they have to be read again. */
    private boolean isAnyEnded(CqlInsert.Table named, List<Seen> seen) throws SQLException {
        if (seen.isEmpty()) {
            return false;
        }
        TableWrites writes = TableMode.of(session, tables, Optional.ofNullable(named.keyspace()), named.name())
                .orElse(null);
        if (writes == null) {
            return false;
        }
        Overlay.Table table = rows.table(writes);
        boolean ended = false;
        Set<UUID> asked = new HashSet<>();
        for (Seen each : seen) {
            if (asked.add(LockMark.of(each.mark()).transaction())) {
                ended |= locks.isEnded(table, each.key(), each.mark());
            }
        }
        return ended;
    }

    /**
     * Rows without their last columns, which are what is compared, key, and mark; and without those that are about to be inserted, or do
     * not meet a comparison.
     */
    private static final class Unlocked implements Cursor {

        private final Cursor source;
        private final List<CollatedComparison> compared;

        /** The index of the first column of the key. */
        private final int key;

        private final int mark;
        private final List<Column> columns;
        private final List<@Nullable Object[]> ahead = new ArrayList<>();
        private final List<Seen> locks = new ArrayList<>();
        private long left;
        private int current = -1;
        private boolean leftOut;

        /**
         * @param hidden how many columns are key and mark
         * @param limit how many rows are shown at the most
         */
        Unlocked(Cursor source, List<CollatedComparison> compared, int hidden, long limit) {
            this.source = source;
            this.compared = compared;
            this.left = limit;
            this.mark = source.columns().size() - 1;
            this.key = source.columns().size() - hidden;
            this.columns = source.columns().subList(0, key - compared.size());
        }

        void readAhead(int count) throws SQLException {
            while (ahead.size() < count && nextOfSource()) {
                @Nullable Object[] row = new Object[columns.size()];
                for (int i = 0; i < row.length; i++) {
                    row[i] = source.value(i);
                }
                ahead.add(row);
            }
        }

        /** Returns those that the rows so far have shown. */
        List<Seen> locks() {
            return locks;
        }

        /** Returns whether a row was left out so far. */
        boolean leftOut() {
            return leftOut;
        }

        private boolean nextOfSource() throws SQLException {
            while (source.next()) {
                ByteBuffer found = (ByteBuffer) source.value(mark);
                if (found != null && Locks.isLock(found) && current < 0) {
                    List<Object> ofRow = new ArrayList<>();
                    for (int i = key; i < mark; i++) {
                        ofRow.add(Objects.requireNonNull(source.value(i)));
                    }
                    locks.add(new Seen(ofRow, found));
                }
                if (!Locks.isPlaceholder(found) && meets()) {
                    return true;
                }
                leftOut = true;
            }
            return false;
        }

        private boolean meets() throws SQLException {
            for (int i = 0; i < compared.size(); i++) {
                if (!compared.get(i).holds((String) source.value(columns.size() + i))) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public List<Column> columns() {
            return columns;
        }

        @Override
        public boolean next() throws SQLException {
            if (left == 0) {
                current = Integer.MAX_VALUE;
                return false;
            }
            left--;
            if (current < ahead.size()) {
                current++;
            }
            return current < ahead.size() || nextOfSource();
        }

        @Override
        public @Nullable Object value(int index) throws SQLException {
            return current >= 0 && current < ahead.size() ? ahead.get(current)[index] : source.value(index);
        }
    }

    // ---- aggregates

    /** Counts the rows that meet comparisons which the server does not know. */
    private StepResult count(
            TsqlStep.Cql step, MarkedSelect select, List<CollatedComparison> compared, Sender<TsqlStep.Cql> sender)
            throws SQLException {
        TsqlStep.Cql each = new TsqlStep.Cql(
                select.rows(hidden(select.table(), compared)),
                step.keyword(),
                step.parameters().subList(select.markersBeforeFrom(), select.markersBeforeLimit()));
        Reading reading = () -> cursor(sender.send(each));
        Cursor rows = unlocked(select.table(), compared, reading, reading, Long.MAX_VALUE);
        long count = 0;
        while (rows.next()) {
            count++;
        }
        List<Column> columns =
                Column.of(binder.prepare(session.plain(), new Binder.Unbound(select.ofAllRows(), List.of(), false))
                        .getResultSetDefinitions());
        return StepResult.query(new Cursor.Listed(columns, List.of(List.of(count))));
    }

    /**
     * Aggregates are the server's. Whether a row is about to be inserted matters to those of columns of the key, and to counts: these are
     * taken again until there is none, or of one count the rows are subtracted.
     */
    private StepResult aggregates(TsqlStep.Cql step, MarkedSelect select, Sender<TsqlStep.Cql> sender)
            throws SQLException {
        if (select.counted().stream()
                .noneMatch(
                        column -> column == null || tables.key(select.table()).contains(column))) {
            return sender.send(step);
        }
        for (int tries = 0; ; tries++) {
            Cursor served = cursor(sender.send(step.withText(select.with("MIN(" + RowMark.COLUMN + ")"))));
            List<Column> columns = served.columns().subList(0, served.columns().size() - 1);
            List<List<@Nullable Object>> found = new ArrayList<>();
            boolean locked = false;
            while (served.next()) {
                locked |= Locks.isLock((ByteBuffer) served.value(columns.size()));
                List<@Nullable Object> row = new ArrayList<>();
                for (int i = 0; i < columns.size(); i++) {
                    row.add(served.value(i));
                }
                found.add(row);
            }
            List<Seen> seen = locked ? seen(step, select, sender) : List.of();
            long placeholders = seen.stream()
                    .filter(each -> Locks.isPlaceholder(each.mark()))
                    .count();
            boolean again = tries < Locks.MAX_TRIES && isAnyEnded(select.table(), seen);
            if (!again && placeholders > 0 && isOneCount(select, found)) {
                found = List.of(
                        List.of((Long) Objects.requireNonNull(found.get(0).get(0)) - placeholders));
            } else if (!again && placeholders > 0) {
                requirePatience(tries, select);
                again = true;
            }
            if (!again) {
                return StepResult.query(new Cursor.Listed(columns, found));
            }
        }
    }

    private static boolean isOneCount(MarkedSelect select, List<List<@Nullable Object>> found) {
        return select.counted().size() == 1
                && select.counted().get(0) == null
                && found.size() == 1
                && found.get(0).get(0) instanceof Long;
    }

    private void requirePatience(int tries, MarkedSelect select) throws SQLException {
        if (tries >= Locks.MAX_TRIES) {
            throw SqlServerErrors.deadlock("Rows of table " + tables.qualified(select.table())
                    + " are being inserted by transactions that are not committed, one after the other, and the aggregate would"
                    + " contain them. Run it again");
        }
        long millis = ThreadLocalRandom.current().nextLong(1, 20L * (tries + 1));
        cancellation.pause(millis, Cancellation.READ_ALONE);
    }

    /** Returns the locks of the rows that the statement looks at. */
    private List<Seen> seen(TsqlStep.Cql step, MarkedSelect select, Sender<TsqlStep.Cql> sender) throws SQLException {
        Cursor held = cursor(sender.send(new TsqlStep.Cql(
                select.held(hidden(select.table())),
                step.keyword(),
                step.parameters().subList(select.markersBeforeFrom(), select.markersBeforeLimit()))));
        List<Seen> seen = new ArrayList<>();
        int mark = held.columns().size() - 1;
        while (held.next()) {
            List<Object> key = new ArrayList<>();
            for (int i = 0; i < mark; i++) {
                key.add(Objects.requireNonNull(held.value(i)));
            }
            ByteBuffer found = (ByteBuffer) held.value(mark);
            if (found != null && Locks.isLock(found)) {
                seen.add(new Seen(key, found));
            }
        }
        return seen;
    }
}
