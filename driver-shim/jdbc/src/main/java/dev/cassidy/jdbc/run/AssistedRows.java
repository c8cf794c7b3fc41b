package dev.cassidy.jdbc.run;

import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.assist.Bound;
import dev.cassidy.jdbc.assist.BoundExceededException;
import dev.cassidy.jdbc.assist.Budget;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.RowSource;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows as a SELECT of the connection reads them, so by its isolation, with what its transaction has written, and without what other
 * transactions have not committed. It reads on the thread that asks; an error is that of the SELECT.
 */
final class AssistedRows implements RowSource {

    /** How many look-ups are under way at a time. */
    private static final int PARALLEL = 32;

    private final CqlSteps cqlSteps;

    private final Set<String> readTwice;

    /** The rows so far of the tables that are read in several places, by table and key. */
    private final Map<List<@Nullable Object>, List<@Nullable Object>> known = new HashMap<>();

    /** @param readTwice the tables of which a row must be the same in each place where the statement reads it */
    AssistedRows(CqlSteps cqlSteps, Set<String> readTwice) {
        this.cqlSteps = cqlSteps;
        this.readTwice = readTwice;
    }

    /** Others have changed a row between two reads of it: together, they are of no moment. */
    static final class TwoStates extends RuntimeException {
        private static final long serialVersionUID = 1;

        TwoStates() {
            super(null, null, false, false);
        }
    }

    @Override
    public CompletionStage<List<List<@Nullable Object>>> read(
            TableModel table,
            List<ColumnModel> columns,
            List<ColumnModel> by,
            List<List<Object>> values,
            Budget budget) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try {
            if (by.isEmpty()) {
                scan(table, columns, budget, rows);
            } else if (by.get(0).place() == ColumnModel.Place.PARTITION_KEY) {
                for (int from = 0; from < values.size(); from += PARALLEL) {
                    byKeys(
                            table,
                            columns,
                            by,
                            values.subList(from, Math.min(values.size(), from + PARALLEL)),
                            budget,
                            rows);
                }
            } else {
                for (List<Object> each : values) {
                    add(
                            table,
                            columns,
                            cqlSteps.run(step(limited(table, columns, by), 1), limited(each, budget)),
                            budget,
                            rows);
                }
            }
            requireOneState(table, columns, rows);
        } catch (SQLException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        return CompletableFuture.completedFuture(rows);
    }

    private void requireOneState(TableModel table, List<ColumnModel> columns, List<List<@Nullable Object>> rows) {
        if (!readTwice.contains(table.qualified())) {
            return;
        }
        for (List<@Nullable Object> row : rows) {
            List<@Nullable Object> key = new ArrayList<>(List.of(table.qualified()));
            for (int i = 0; i < columns.size(); i++) {
                if (columns.get(i).place() != ColumnModel.Place.REGULAR) {
                    key.add(row.get(i));
                }
            }
            // Of all places the columns are the same.
            List<@Nullable Object> before = known.putIfAbsent(key, row);
            if (before != null && !Arrays.deepEquals(before.toArray(), row.toArray())) {
                throw new TwoStates();
            }
        }
    }

    /**
     * Of a whole key there is one row. Several reads of parts of keys have no LIMIT: rows that another transaction is about to insert would
     * use it up. They end where the budget ends.
     */
    private void byKeys(
            TableModel table,
            List<ColumnModel> columns,
            List<ColumnModel> by,
            List<List<Object>> values,
            Budget budget,
            List<List<@Nullable Object>> rows)
            throws SQLException {
        boolean all = values.size() > 1
                || by.size() == table.partitionKey().size() + table.clustering().size();
        String text = all ? select(table, columns, by) : limited(table, columns, by);
        List<@Nullable Parameter> parameters = new ArrayList<>();
        List<Guard.Read> reads = new ArrayList<>();
        for (List<Object> each : values) {
            int first = parameters.size();
            parameters.addAll(all ? parameters(each) : limited(each, budget));
            reads.add(new Guard.Read(
                    text, IntStream.range(first, parameters.size()).boxed().toList()));
        }
        TsqlStep.Cql step = new TsqlStep.Cql(
                text,
                "SELECT",
                reads.get(0).parameters(),
                reads.size() == 1 ? List.of() : List.of(new Guard.Rows(reads, null)));
        add(table, columns, cqlSteps.run(step, parameters), budget, rows);
    }

    private void scan(TableModel table, List<ColumnModel> columns, Budget budget, List<List<@Nullable Object>> rows)
            throws SQLException {
        budget.requests(table, 1);
        int most = table.small() ? budget.rowsLeft() : Math.min(AssistedBounds.MAX_SCANNED, budget.rowsLeft());
        List<@Nullable Parameter> limit = List.of(new Parameter(most + 1, null));
        Cursor found = Objects.requireNonNull(
                cqlSteps.run(step(limited(table, columns, List.of()), 0), limit).rows());
        while (found.next()) {
            budget.rows(table, 1);
            if (rows.size() == most) {
                throw new BoundExceededException(table, Bound.SCAN, most);
            }
            rows.add(row(table, found, columns, budget));
        }
        if (!table.small()) {
            budget.scanned(table, rows.size(), AssistedBounds.MAX_SCANNED);
        }
    }

    private static void add(
            TableModel table,
            List<ColumnModel> columns,
            StepResult result,
            Budget budget,
            List<List<@Nullable Object>> rows)
            throws SQLException {
        Cursor found = Objects.requireNonNull(result.rows());
        while (found.next()) {
            budget.rows(table, 1);
            rows.add(row(table, found, columns, budget));
        }
    }

    private static List<@Nullable Object> row(TableModel table, Cursor found, List<ColumnModel> columns, Budget budget)
            throws SQLException {
        List<@Nullable Object> row = new ArrayList<>(columns.size());
        long bytes = 0;
        for (int i = 0; i < columns.size(); i++) {
            Object value = found.value(i);
            bytes += ValueSize.of(value);
            row.add(value);
        }
        budget.bytes(table, bytes);
        return row;
    }

    // ---- statements

    /** Returns what a planned read sends for a value. */
    static TsqlStep.Cql step(Plan.Assisted.Read read) {
        String text = "SELECT * FROM " + Identifiers.toCql(read.keyspace()) + "." + Identifiers.toCql(read.table())
                + (read.columns().isEmpty() ? "" : " WHERE ")
                + read.columns().stream()
                        .map(column -> Identifiers.toCql(column) + " = ?")
                        .collect(Collectors.joining(" AND "));
        return new TsqlStep.Cql(
                text,
                "SELECT",
                IntStream.range(0, read.columns().size()).boxed().toList());
    }

    /** @param values how many parameters stand before that of LIMIT */
    private static TsqlStep.Cql step(String text, int values) {
        return new TsqlStep.Cql(
                text, "SELECT", IntStream.rangeClosed(0, values).boxed().toList());
    }

    private static String select(TableModel table, List<ColumnModel> columns, List<ColumnModel> by) {
        return "SELECT "
                + columns.stream().map(each -> Identifiers.toCql(each.name())).collect(Collectors.joining(", "))
                + " FROM " + Identifiers.toCql(table.keyspace()) + "." + Identifiers.toCql(table.name())
                + (by.isEmpty() ? "" : " WHERE ")
                + by.stream()
                        .map(each -> Identifiers.toCql(each.name()) + " = ?")
                        .collect(Collectors.joining(" AND "));
    }

    private static String limited(TableModel table, List<ColumnModel> columns, List<ColumnModel> by) {
        return select(table, columns, by) + " LIMIT ?";
    }

    private static List<@Nullable Parameter> parameters(List<Object> values) {
        List<@Nullable Parameter> parameters = new ArrayList<>();
        values.forEach(value -> parameters.add(new Parameter(value, null)));
        return parameters;
    }

    private static List<@Nullable Parameter> limited(List<Object> values, Budget budget) {
        List<@Nullable Parameter> parameters = parameters(values);
        parameters.add(new Parameter(budget.rowsLeft() + 1, null));
        return parameters;
    }
}
