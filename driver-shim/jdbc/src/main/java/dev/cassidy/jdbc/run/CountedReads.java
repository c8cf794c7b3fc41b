package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.count.RowCounters;
import dev.cassidy.definition.CountMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.MarkedSelect;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Shows columns that count. Cassandra has what the row began with; the SELECT also reads the row's id, and what was added to the row is
 * read by that. Statements that do anything else with such a column are refused, so that nothing takes the beginning for the value.
 */
final class CountedReads {

    /** How many rows' counters are read at the same time, the first time and later. */
    private static final int FIRST_ROWS = 16;

    private static final int ROWS = 128;

    private final SharedSession session;
    private final Tables tables;
    private final Cancellation cancellation;

    CountedReads(SharedSession session, Tables tables, Cancellation cancellation) {
        this.session = session;
        this.tables = tables;
        this.cancellation = cancellation;
    }

    /**
     * A SELECT that shows columns that count.
     *
     * @param step the same with the row's id as its last column
     */
    record Reading(TsqlStep.Cql step, List<@Nullable String> items, CqlInsert.Table table) {}

    /** Returns how a statement is read; empty if it shows no column that counts. */
    Optional<Reading> of(TsqlStep.Cql step) throws SQLException {
        if (!step.keyword().equals("SELECT") || mayHaveNone(step)) {
            return Optional.empty();
        }
        MarkedSelect select = marked(step.text(), step.parameters());
        if (select == null) {
            return Optional.empty();
        }
        Set<String> counted = tables.countedColumns(select.table());
        CountedSelect named = counted.isEmpty() ? null : CountedSelect.of(step.text(), counted);
        if (named == null || !named.shows()) {
            return Optional.empty();
        }
        if (select.kind() != MarkedSelect.Kind.ROWS) {
            throw refused(firstOf(named.items()), select.table());
        }
        return Optional.of(new Reading(withMarks(step), named.items(), select.table()));
    }

    private @Nullable MarkedSelect marked(String cql, List<Integer> parameters) {
        return session.statements().marked(cql, parameters).orElse(null);
    }

    private TsqlStep.Cql withMarks(TsqlStep.Cql step) {
        Guard.Rows rows = step.rows().orElse(null);
        if (rows == null) {
            return step.withText(with(step.text(), step.parameters()));
        }
        List<Guard.Read> reads = new ArrayList<>();
        rows.reads().forEach(each -> reads.add(new Guard.Read(with(each.cql(), each.parameters()), each.parameters())));
        return step.withText(reads.get(0).cql())
                .withGuards(step.guards().stream()
                        .map(guard -> guard == rows ? new Guard.Rows(reads, rows.limit()) : guard)
                        .toList());
    }

    private String with(String cql, List<Integer> parameters) {
        return session.statements().marked(cql, parameters).orElseThrow().with(CountMark.COLUMN);
    }

    private static String firstOf(List<@Nullable String> items) {
        for (String item : items) {
            if (item != null) {
                return item;
            }
        }
        throw new IllegalArgumentException("none counts: " + items);
    }

    // ---- refusals

    /** Refuses a SELECT, UPDATE or DELETE that names a column that counts where Cassandra would take its beginning for its value. */
    void refuse(TsqlStep.Cql step) throws SQLException {
        if (mayHaveNone(step)) {
            return;
        }
        CqlInsert.Table table = table(step);
        Set<String> counted = table == null ? Set.of() : tables.countedColumns(table);
        if (table == null || counted.isEmpty()) {
            return;
        }
        String elsewhere = CountedSelect.of(step.text(), counted).elsewhere();
        if (elsewhere != null) {
            throw step.reads() ? refused(elsewhere, table) : refusedWrite(elsewhere, table);
        }
    }

    private CqlInsert.@Nullable Table table(TsqlStep.Cql step) {
        if (step.reads()) {
            MarkedSelect select = marked(step.text(), step.parameters());
            return select == null ? null : select.table();
        }
        CqlWrite write =
                session.statements().write(step.text(), step.parameters()).orElse(null);
        return write == null ? null : new CqlInsert.Table(write.keyspace().orElse(null), write.table());
    }

    /** So that a statement costs no second look where nothing counts. */
    private boolean mayHaveNone(TsqlStep.Cql step) {
        TsqlStep.Selection selection = step.selection();
        return tables.areNoneCounted() && (selection == null || tables.isKnown(selection.table()));
    }

    private SQLException refused(String column, CqlInsert.Table table) {
        return Unserved.feature(
                "Column " + column + " of table " + tables.qualified(table)
                        + " counts, so Cassandra cannot compare it, sort by it or calculate with it: read it as a column of its own");
    }

    private SQLException refusedWrite(String column, CqlInsert.Table table) {
        return refusedWrite(column, tables.qualified(table));
    }

    /** A write that compares a column that counts, sets it, or calculates with it. */
    static SQLException refusedWrite(String column, String table) {
        return Unserved.feature("A write that sets column " + column + " of table " + table
                + ", or depends on it, is not served: the column counts, and others add to it at any time without a condition."
                + " Add to it: UPDATE ... SET " + column + " = " + column
                + " + ? WHERE <key> = ?. Keep a number that is compared"
                + " before it is written in a column without COUNTED");
    }

    // ---- rows

    /** Returns the rows of a reading as the statement asks for them. */
    Cursor shown(Reading reading, Cursor rows, @Nullable Transaction transaction) throws SQLException {
        String keyspace = reading.table().keyspace() == null
                ? session.plain().getKeyspace().map(CqlIdentifier::asInternal).orElseThrow()
                : reading.table().keyspace();
        return new Counted(
                reading, rows, session.counts().of(keyspace, reading.table().name()), transaction, keyspace);
    }

    private final class Counted implements Cursor {

        private final Reading reading;
        private final Cursor source;
        private final RowCounters counters;
        private final @Nullable Transaction transaction;
        private final String keyspace;
        private final List<Column> columns;
        private final Deque<@Nullable Object[]> ahead = new ArrayDeque<>();
        private @Nullable Object @Nullable [] row;
        private int next = FIRST_ROWS;

        Counted(
                Reading reading,
                Cursor source,
                RowCounters counters,
                @Nullable Transaction transaction,
                String keyspace) {
            this.reading = reading;
            this.source = source;
            this.counters = counters;
            this.transaction = transaction;
            this.keyspace = keyspace;
            this.columns = source.columns().subList(0, source.columns().size() - 1);
        }

        @Override
        public List<Column> columns() {
            return columns;
        }

        @Override
        public boolean next() throws SQLException {
            if (ahead.isEmpty()) {
                readAhead();
            }
            row = ahead.poll();
            return row != null;
        }

        private void readAhead() throws SQLException {
            Map<String, CompletableFuture<BigInteger>> sums = new LinkedHashMap<>();
            List<@Nullable Object[]> rows = new ArrayList<>();
            List<UUID> marks = new ArrayList<>();
            while (rows.size() < next && source.next()) {
                @Nullable Object[] values = new Object[columns.size()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = source.value(i);
                }
                rows.add(values);
                marks.add((UUID) source.value(values.length));
            }
            next = ROWS;
            for (int i = 0; i < rows.size(); i++) {
                UUID mark = marks.get(i);
                for (int item = 0; item < reading.items().size(); item++) {
                    String column = reading.items().get(item);
                    if (column != null && mark != null) {
                        sums.computeIfAbsent(CountMark.counter(mark, column), counter -> counters.valueAsync(counter)
                                .toCompletableFuture());
                    }
                }
            }
            await(sums);
            for (int i = 0; i < rows.size(); i++) {
                ahead.add(total(rows.get(i), marks.get(i), sums));
            }
        }

        private void await(Map<String, CompletableFuture<BigInteger>> sums) throws SQLException {
            if (sums.isEmpty()) {
                return;
            }
            // Rows that the driver itself reads are a part of the run.
            boolean alone = !cancellation.isRunning();
            if (alone) {
                cancellation.begin();
            }
            try {
                var unused = cancellation.await(
                        CompletableFuture.allOf(sums.values().toArray(CompletableFuture[]::new)),
                        Cancellation.READ_ALONE);
            } catch (RuntimeException e) {
                throw SqlErrors.of(e);
            } finally {
                if (alone) {
                    cancellation.end();
                }
            }
        }

        private @Nullable Object[] total(
                @Nullable Object[] values, @Nullable UUID mark, Map<String, CompletableFuture<BigInteger>> sums) {
            for (int item = 0; item < reading.items().size(); item++) {
                String column = reading.items().get(item);
                if (column != null) {
                    // It is NOT NULL: a row from before it was added has nothing there.
                    BigInteger total = values[item] instanceof Number begun
                            ? BigInteger.valueOf(begun.longValue())
                            : BigInteger.ZERO;
                    if (mark != null) {
                        total = total.add(Objects.requireNonNull(sums.get(CountMark.counter(mark, column)))
                                .join());
                        total = total.add(pending(mark, column));
                    }
                    values[item] = total;
                }
            }
            return values;
        }

        private BigInteger pending(UUID mark, String column) {
            return transaction == null
                    ? BigInteger.ZERO
                    : transaction
                            .counts()
                            .pending(
                                    new Counts.Counter(keyspace, reading.table().name(), mark, column));
        }

        @Override
        public @Nullable Object value(int index) throws SQLException {
            if (row == null) {
                throw new SQLException("No current row; call next() first", SqlStates.CURSOR_STATE);
            }
            Object value = row[index];
            return value instanceof BigInteger total && reading.items().get(index) != null
                    ? fitting(total, columns.get(index))
                    : value;
        }

        private Object fitting(BigInteger total, Column column) throws SQLException {
            DataType type = column.type();
            try {
                return type.equals(DataTypes.INT) ? (Object) total.intValueExact() : (Object) total.longValueExact();
            } catch (ArithmeticException e) {
                throw SqlServerErrors.overflow(new SQLDataException("Arithmetic overflow: column " + column.label()
                        + " of table " + tables.qualified(reading.table())
                        + " has counted to " + total + ", which does not fit its type. Subtract from it: UPDATE ..."
                        + " SET " + column.label() + " = " + column.label() + " - ?"));
            }
        }
    }
}
