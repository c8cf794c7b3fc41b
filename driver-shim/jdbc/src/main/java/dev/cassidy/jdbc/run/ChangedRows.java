package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.assist.AssistedChange;
import dev.cassidy.jdbc.assist.AssistedChange.Kind;
import dev.cassidy.jdbc.assist.AssistedChange.Output;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.ResultColumn;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.EvaluatedValues;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows that a statement evaluated in the client has found, in the connection's transaction, and makes the rows of its OUTPUT. Of
 * one change; not safe for use by many threads.
 */
final class ChangedRows {

    /** A row that was found is another one by now. */
    static final class ChangedMeanwhile extends SQLTransactionRollbackException {
        private static final long serialVersionUID = 1;
    }

    /** How many rows one INSERT has that the driver makes. */
    private static final int ROWS_OF_INSERT = 50;

    private static final int SAME_ROW_TWICE = 8672;

    /** The day that a time without one gets. */
    private static final LocalDate DAY_ZERO = LocalDate.of(1900, 1, 1);

    private final ConnectionState connection;
    private final Tables tables;
    private final CqlSteps cqlSteps;
    private final Inserts inserts;
    private final Cancellation cancellation;
    private final AssistedChange change;
    private final Evaluated found;
    private final boolean plain;
    private final String table;
    private final String where;
    private final String delete;
    private final String update;
    private final List<Output.Inserted> inserted = new ArrayList<>();
    private final List<List<@Nullable Object>> shown = new ArrayList<>();
    private final List<GeneratedKeys.Key> keys = new ArrayList<>();

    /** @param plain whether the target is a plain table, where nothing keeps a row as it was found */
    ChangedRows(
            ConnectionState connection,
            Tables tables,
            CqlSteps cqlSteps,
            Inserts inserts,
            Cancellation cancellation,
            AssistedChange change,
            Evaluated found,
            boolean plain) {
        this.connection = connection;
        this.tables = tables;
        this.cqlSteps = cqlSteps;
        this.inserts = inserts;
        this.cancellation = cancellation;
        this.change = change;
        this.found = found;
        this.plain = plain;
        this.table = Identifiers.toCql(change.target().keyspace()) + "."
                + Identifiers.toCql(change.target().name());
        this.where = " WHERE " + equal(key(), " AND ");
        this.delete = "DELETE FROM " + table + where;
        this.update = "UPDATE " + table + " SET " + equal(change.assigned(), ", ") + where;
        change.output().forEach(each -> {
            if (each instanceof Output.Inserted column) {
                inserted.add(column);
            }
        });
    }

    private List<String> key() {
        List<String> key = new ArrayList<>(change.target().partitionKey());
        key.addAll(change.target().clustering());
        return key;
    }

    /**
     * A row that was found, and what is done with it.
     *
     * @param values as the SELECT gives them
     */
    private record Row(Kind kind, List<@Nullable Object> key, List<@Nullable Object> values) {}

    /** Returns what rows a MERGE would insert: by these, a further try is known to do the same. */
    List<List<@Nullable Object>> merged() throws SQLException {
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < change.inserted().size(); i++) {
            if (key().contains(change.inserted().get(i))) {
                places.add(i);
            }
        }
        List<List<@Nullable Object>> merged = new ArrayList<>();
        if (change.kind() != Kind.MERGE) {
            return merged;
        }
        for (Row row : rows()) {
            if (row.kind() == Kind.INSERT) {
                List<@Nullable Object> given = new ArrayList<>();
                newValues(row).forEach(value -> given.add(EvaluatedValues.toCql(value)));
                merged.add(
                        places.isEmpty()
                                ? given
                                : places.stream()
                                        .<@Nullable Object>map(given::get)
                                        .toList());
            }
        }
        return merged;
    }

    StepResult write() throws SQLException {
        List<Row> rows = rows();
        // First those: a new row may have a value that must be unique, and that one of them gives up.
        for (Row row : rows) {
            if (row.kind() != Kind.INSERT) {
                cancellation.requireGoingOn();
                change(row);
            }
        }
        insert(rows.stream().filter(row -> row.kind() == Kind.INSERT).toList());
        if (change.output().isEmpty()) {
            return change.kind() == Kind.UPDATE || change.kind() == Kind.DELETE
                    ? StepResult.written(rows.size())
                    : StepResult.inserted(rows.size(), keys);
        }
        return StepResult.query(new Cursor.Listed(columns(), shown)).withKeys(keys);
    }

    /** Returns what is written: of a row that is found several times, T-SQL takes one of its new values. */
    private List<Row> rows() throws SQLException {
        long most = change.top() == null ? Long.MAX_VALUE : change.top();
        Set<List<@Nullable Object>> seen = new HashSet<>();
        List<Row> rows = new ArrayList<>();
        int count = change.key().size();
        List<@Nullable ColumnModel> targets = targets();
        for (@Nullable Object[] evaluated : found.rows()) {
            if (rows.size() >= most) {
                break;
            }
            @Nullable Object[] values = stored(evaluated, targets);
            Kind kind = kind(values);
            if (kind == null) {
                continue;
            }
            List<@Nullable Object> key = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                key.add(EvaluatedValues.toCql(values[i]));
            }
            // An outer join gives rows without one of the table.
            boolean there = kind == Kind.INSERT || !key.contains(null);
            if (there && (kind == Kind.INSERT || seen.add(key))) {
                rows.add(new Row(
                        kind, Collections.unmodifiableList(key), Collections.unmodifiableList(Arrays.asList(values))));
            } else if (there && change.kind() == Kind.MERGE) {
                throw SqlServerErrors.rule(
                        SAME_ROW_TWICE,
                        "The MERGE statement attempted to UPDATE or DELETE the same row more than once: a row of "
                                + change.target().qualified()
                                + " matches several rows of the source. Refine ON, or group the rows of the source."
                                + " Nothing was written");
            }
        }
        return rows;
    }

    /** Returns for each value of SET and INSERT the column that gets it; null where that is not known here. */
    private List<@Nullable ColumnModel> targets() {
        List<String> named = new ArrayList<>(change.assigned());
        named.addAll(change.inserted());
        List<@Nullable ColumnModel> targets = new ArrayList<>();
        named.forEach(each -> targets.add(change.target().column(each).orElse(null)));
        int count = found.columns().size() - assigned() - evaluated();
        List<ColumnModel> all = change.target().columns();
        // An INSERT that names no columns has a value for each.
        if (count - targets.size() == all.size()) {
            targets.addAll(all);
        }
        while (targets.size() < count) {
            targets.add(null);
        }
        return targets;
    }

    /** Returns the values of SET and INSERT as SQL Server converts them for columns of another type, where Cassandra's type does not. */
    private @Nullable Object[] stored(@Nullable Object[] values, List<@Nullable ColumnModel> targets)
            throws SQLException {
        @Nullable Object[] stored = values.clone();
        int from = assigned();
        for (int i = 0; i < targets.size(); i++) {
            ColumnModel target = targets.get(i);
            Object value = values[from + i];
            if (target != null && value != null) {
                stored[from + i] = stored(value, found.columns().get(from + i), target);
            }
        }
        return stored;
    }

    private Object stored(Object value, ResultColumn column, ColumnModel target) throws SQLException {
        if (target.isString() && !(value instanceof String)) {
            try {
                return Assistants.find().orElseThrow().text(value, column.type(), connection.language());
            } catch (NotAssistedException e) {
                throw Unserved.feature("Column " + target.name() + ": " + e.getMessage());
            }
        }
        boolean moment =
                switch (target.type().name()) {
                    case DATETIME, SMALLDATETIME, DATETIME2, DATETIMEOFFSET -> true;
                    default -> false;
                };
        return moment && value instanceof LocalTime time ? DAY_ZERO.atTime(time) : value;
    }

    private @Nullable Kind kind(@Nullable Object[] values) {
        if (change.kind() != Kind.MERGE) {
            return change.kind();
        }
        Object action = values[change.key().size() + change.compared().size()];
        return action == null ? null : Kind.valueOf(action.toString());
    }

    /** Returns where the values of SET begin. */
    private int assigned() {
        return change.key().size() + change.compared().size() + (change.kind() == Kind.MERGE ? 1 : 0);
    }

    /** Returns the values of a new row. */
    private List<@Nullable Object> newValues(Row row) {
        int from = change.kind() == Kind.MERGE ? assigned() + change.assigned().size() : 0;
        return row.values().subList(from, row.values().size() - evaluated());
    }

    /** Returns how many values are shown by OUTPUT as they are. */
    private int evaluated() {
        return (int) change.output().stream()
                .filter(Output.Evaluated.class::isInstance)
                .count();
    }

    // ---- UPDATE and DELETE

    private void change(Row row) throws SQLException {
        if (!plain) {
            requireSame(row);
        }
        List<@Nullable Parameter> values = new ArrayList<>();
        boolean deletes = row.kind() == Kind.DELETE;
        if (!deletes) {
            for (int i = 0; i < change.assigned().size(); i++) {
                values.add(new Parameter(row.values().get(assigned() + i), null));
            }
        }
        row.key().forEach(value -> values.add(new Parameter(value, null)));
        if (cqlSteps.run(step(deletes ? delete : update, row.kind().name(), values.size()), values)
                        .count()
                != 1) {
            throw new ChangedMeanwhile();
        }
        if (!change.output().isEmpty()) {
            show(row, deletes || inserted.isEmpty() ? null : read(row.key()));
        }
    }

    /** Returns the values of {@code inserted.x} as the row has them now. */
    private Cursor read(List<@Nullable Object> key) throws SQLException {
        List<@Nullable Parameter> values = new ArrayList<>();
        key.forEach(value -> values.add(new Parameter(value, null)));
        Cursor row = Objects.requireNonNull(cqlSteps.run(reading(), values).rows());
        if (!row.next()) {
            throw new ChangedMeanwhile();
        }
        return row;
    }

    private TsqlStep.Cql reading() {
        return step(
                "SELECT "
                        + inserted.stream()
                                .map(each -> Identifiers.toCql(each.column()))
                                .distinct()
                                .collect(Collectors.joining(", "))
                        + " FROM " + table + where,
                "SELECT",
                key().size());
    }

    /** Reads a row so that the transaction keeps it; it must be the one that was found. */
    private void requireSame(Row row) throws SQLException {
        List<String> columns = new ArrayList<>(change.key());
        columns.addAll(change.compared());
        String select = "SELECT " + columns.stream().map(Identifiers::toCql).collect(Collectors.joining(", "))
                + " FROM " + table + where;
        List<@Nullable Parameter> values = new ArrayList<>();
        row.key().forEach(value -> values.add(new Parameter(value, null)));
        Cursor now = connection.remembering(() -> Objects.requireNonNull(
                cqlSteps.run(step(select, "SELECT", values.size()), values).rows()));
        if (!now.next()) {
            throw new ChangedMeanwhile();
        }
        for (int i = 0; i < columns.size(); i++) {
            if (!isSame(now.value(i), EvaluatedValues.toCql(row.values().get(i)))) {
                throw new ChangedMeanwhile();
            }
        }
    }

    private static boolean isSame(@Nullable Object now, @Nullable Object found) {
        if (now instanceof BigDecimal one && found instanceof BigDecimal other) {
            return one.compareTo(other) == 0;
        }
        if (now instanceof Number one && found instanceof Number other && !(now instanceof BigDecimal)) {
            // NaN is itself here.
            return Double.compare(one.doubleValue(), other.doubleValue()) == 0 && one.longValue() == other.longValue();
        }
        return Objects.equals(now, found);
    }

    private static String equal(List<String> columns, String between) {
        return columns.stream().map(each -> Identifiers.toCql(each) + " = ?").collect(Collectors.joining(between));
    }

    private static TsqlStep.Cql step(String text, String keyword, int parameters) {
        return new TsqlStep.Cql(
                text, keyword, IntStream.range(0, parameters).boxed().toList());
    }

    // ---- INSERT

    private void insert(List<Row> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        List<String> columns = change.kind() == Kind.MERGE ? change.inserted() : change.assigned();
        String into = "INSERT INTO " + bracketed(change.target().keyspace()) + "."
                + bracketed(change.target().name())
                + (columns.isEmpty()
                        ? ""
                        : columns.stream().map(ChangedRows::bracketed).collect(Collectors.joining(", ", " (", ")")))
                + (inserted.isEmpty()
                        ? ""
                        : inserted.stream()
                                .map(each -> "inserted." + bracketed(each.column()))
                                .distinct()
                                .collect(Collectors.joining(", ", " OUTPUT ", "")));
        String row = "("
                + String.join(", ", Collections.nCopies(newValues(rows.get(0)).size(), "?")) + ")";
        for (int from = 0; from < rows.size(); from += ROWS_OF_INSERT) {
            List<Row> some = rows.subList(from, Math.min(rows.size(), from + ROWS_OF_INSERT));
            List<@Nullable Parameter> values = new ArrayList<>();
            some.forEach(each -> newValues(each).forEach(value -> values.add(new Parameter(value, null))));
            StepResult result = inserts.run(
                    insert(into + " VALUES " + String.join(", ", Collections.nCopies(some.size(), row))), values);
            keys.addAll(result.keys());
            if (!change.output().isEmpty()) {
                Cursor written = inserted.isEmpty() ? null : Objects.requireNonNull(result.rows());
                for (Row each : some) {
                    if (written != null && !written.next()) {
                        throw new IllegalStateException("OUTPUT has fewer rows than were inserted: " + table);
                    }
                    show(each, written);
                }
            }
        }
    }

    private TsqlStep.Insert insert(String text) throws SQLException {
        try {
            List<TsqlStep> steps = TsqlScript.parse(text, tables).steps();
            if (steps.size() == 1 && steps.get(0) instanceof TsqlStep.Insert insert) {
                return insert;
            }
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
        throw Unserved.feature(
                change.kind() + " into this table is not served in the client: select the rows, and insert them");
    }

    private static String bracketed(String name) {
        return "[" + name.replace("]", "]]") + "]";
    }

    // ---- OUTPUT

    /** @param written has what {@code inserted.x} shows; null if no row is there */
    private void show(Row row, @Nullable Cursor written) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        int next = row.values().size() - evaluated();
        List<String> read =
                inserted.stream().map(Output.Inserted::column).distinct().toList();
        for (Output each : change.output()) {
            if (each instanceof Output.Evaluated) {
                values.add(EvaluatedValues.toCql(row.values().get(next++)));
            } else if (each instanceof Output.Inserted column) {
                values.add(written == null ? null : written.value(read.indexOf(column.column())));
            } else {
                values.add(row.kind().name());
            }
        }
        shown.add(Collections.unmodifiableList(values));
    }

    private List<Column> columns() throws SQLException {
        List<Column> read = inserted.isEmpty() ? List.of() : cqlSteps.resultColumns(reading());
        List<String> names =
                inserted.stream().map(Output.Inserted::column).distinct().toList();
        List<Column> columns = new ArrayList<>();
        int next = found.columns().size() - evaluated();
        for (Output each : change.output()) {
            if (each instanceof Output.Evaluated) {
                ResultColumn evaluated = found.columns().get(next++);
                columns.add(Column.evaluated(
                        evaluated.label(),
                        EvaluatedValues.cqlType(evaluated.type()),
                        new DeclaredType(evaluated.type())));
            } else if (each instanceof Output.Inserted column) {
                columns.add(inserted(column, read.get(names.indexOf(column.column()))));
            } else if (each instanceof Output.Action action) {
                columns.add(Column.of(action.label(), DataTypes.TEXT));
            }
        }
        return columns;
    }

    /** @param of the column as Cassandra has it */
    private Column inserted(Output.Inserted column, Column of) {
        return change.target()
                .column(column.column())
                .map(ColumnModel::type)
                .filter(type -> EvaluatedValues.cqlType(type).equals(of.type()))
                .map(type -> Column.evaluated(column.label(), of.type(), new DeclaredType(type)))
                .orElseGet(() ->
                        new Column(column.label(), of.type(), of.keyspace(), of.table(), of.digits(), of.declared()));
    }
}
