package dev.cassidy.jdbc.run;

import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.assist.Assistant;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.assist.AssistedChange;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.NotAssistedException;
import dev.cassidy.jdbc.assist.TableModel;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.session.AssistedTables;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.EvaluatedValues;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Serves UPDATE, DELETE and INSERT ... SELECT that have no form in CQL. The assistant says which rows they write, and each is written as
 * a statement by its key would. All of it is one transaction: the connection's, or one of the statement. A row that was found is read once
 * more in that transaction, which keeps it as it is until the commit; if it is another one by then, the statement begins again. So no
 * change of others is lost, and none is overwritten that the statement has not seen.
 */
final class AssistedWrites {

    /** How often a statement begins again because others change its rows. */
    private static final int MAX_TRIES = 20;

    private static final long SHORTEST_PAUSE_MILLIS = 5;
    private static final long LONGEST_PAUSE_MILLIS = 500;

    /** How many rows one INSERT has that the driver makes. */
    private static final int ROWS_OF_INSERT = 50;

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final CqlSteps cqlSteps;
    private final Inserts inserts;
    private final Binder binder;
    private final StatementSender sender;
    private final Cancellation cancellation;
    private final LongSupplier nanoTime;
    private final AssistedBounds bounds;

    AssistedWrites(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            CqlSteps cqlSteps,
            Inserts inserts,
            Binder binder,
            StatementSender sender,
            Cancellation cancellation,
            LongSupplier nanoTime) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.cqlSteps = cqlSteps;
        this.inserts = inserts;
        this.binder = binder;
        this.sender = sender;
        this.cancellation = cancellation;
        this.nanoTime = nanoTime;
        this.bounds = new AssistedBounds(connection, session, tables, cqlSteps, binder);
    }

    /** A row that was found is another one by now. */
    private static final class ChangedMeanwhile extends SQLTransactionRollbackException {
        private static final long serialVersionUID = 1;
    }

    /** Runs a statement that the driver's parser refuses. */
    StepResult run(TsqlStep.AssistedWrite step, List<@Nullable Parameter> parameters) throws SQLException {
        return changed(step.written(), parameters, SqlErrors.of(step.refusal()));
    }

    /** Runs a statement as it is, or by the rows that the assistant finds if the server or the driver refuses that. */
    StepResult run(TsqlStep.Cql step, TsqlStep.Written written, List<@Nullable Parameter> parameters)
            throws SQLException {
        boolean may = connection.settings().assists()
                && Assistants.find()
                        .filter(found -> found.readsChange(written.text()))
                        .isPresent();
        if (!may) {
            return cqlSteps.run(step, parameters);
        }
        AtomicBoolean assisted = session.statements().assisted(written);
        SQLException refusal = null;
        if (!assisted.get()) {
            int before = cancellation.written();
            try {
                return cqlSteps.run(step, parameters);
            } catch (SQLException | RuntimeException e) {
                refusal = SyntaxErrors.told(SqlErrors.of(e, session.commandLines()), step, session);
                // What was sent would be sent again.
                if (!Unserved.isOfCql(refusal) || cancellation.written() != before) {
                    throw e;
                }
            }
        }
        StepResult result = changed(written, parameters, refusal);
        if (AssistedReads.isAlways(refusal, connection)) {
            assisted.set(true);
        }
        return result;
    }

    /** @param refusal what is said of the statement if it is not served here; null if it was served here before */
    private StepResult changed(
            TsqlStep.Written written, List<@Nullable Parameter> parameters, @Nullable SQLException refusal)
            throws SQLException {
        Transaction open = connection.transaction();
        long begun = nanoTime.getAsLong();
        for (int tries = 1; ; tries++) {
            try {
                return open == null ? alone(written, parameters, refusal) : in(open, written, parameters, refusal);
            } catch (SQLTransactionRollbackException e) {
                // Within the connection's transaction only what this statement has read may be read again.
                boolean again = open == null || e instanceof ChangedMeanwhile;
                if (!again) {
                    throw e;
                }
                if (tries == MAX_TRIES) {
                    throw e instanceof ChangedMeanwhile
                            ? SqlServerErrors.deadlock(
                                    "Nothing was written: the rows that the statement finds were changed by"
                                            + " others each time, " + MAX_TRIES + " times. Run it again")
                            : e;
                }
                long most = Math.min(LONGEST_PAUSE_MILLIS, SHORTEST_PAUSE_MILLIS << Math.min(tries, 10));
                requireTime(begun);
                cancellation.pauseUnsent(ThreadLocalRandom.current().nextLong(most) + 1);
            }
        }
    }

    private void requireTime(long begun) throws SQLException {
        Duration timeout = binder.timeout();
        if (timeout != null && nanoTime.getAsLong() - begun > timeout.toNanos()) {
            throw SqlServerErrors.timeout(
                    "Nothing was written: others have changed the rows that the statement finds for "
                            + timeout.toMillis() + " ms, the statement's timeout. Run it again");
        }
    }

    private StepResult alone(
            TsqlStep.Written written, List<@Nullable Parameter> parameters, @Nullable SQLException refusal)
            throws SQLException {
        Transaction own = new Transaction();
        StepResult result = connection.within(own, () -> once(written, parameters, refusal));
        if (!own.isEmpty()) {
            own.judgeAgain(session, binder.timeout(), cancellation);
            cancellation.writes();
            sender.warn(own.commit(session, binder, cancellation));
            connection.countImmediateWrite();
        }
        return result;
    }

    private StepResult in(
            Transaction open,
            TsqlStep.Written written,
            List<@Nullable Parameter> parameters,
            @Nullable SQLException refusal)
            throws SQLException {
        // Not a mark alone: each of its rows is a statement of its own, which forgets the marks.
        Transaction.Mark before = open.mark();
        int number = open.number();
        try {
            return once(written, parameters, refusal);
        } catch (SQLException | RuntimeException e) {
            if (open.number() == number) {
                open.rollbackTo(before);
            }
            throw e;
        } finally {
            open.statementEnded();
        }
    }

    private StepResult once(
            TsqlStep.Written written, List<@Nullable Parameter> parameters, @Nullable SQLException refusal)
            throws SQLException {
        Assistant assistant = Assistants.find().orElseThrow();
        AssistedBounds.Planned<AssistedChange> planned = bounds.evaluate(
                written,
                () -> {
                    List<@Nullable Object> values = AssistedReads.values(written, parameters, binder.warnings());
                    AssistedChange made =
                            assistant.change(written.text(), new AssistedTables(tables), values, connection.language());
                    requireServed(made);
                    return made;
                },
                AssistedChange::select,
                refusal);
        AssistedChange change = planned.plan();
        Evaluated rows = planned.rows();
        return (change.kind() == AssistedChange.Kind.INSERT ? inserted(change, rows) : written(change, rows))
                .asEvaluated();
    }

    /** Also if no row is found. Of a table without conditions, a row that is deleted meanwhile would come back in part. */
    private void requireServed(AssistedChange change) throws SQLException {
        TableModel table = change.target();
        if (change.kind() == AssistedChange.Kind.UPDATE) {
            CqlPlanner.refuseIdentity(session, table.keyspace(), table.name(), change.assigned());
        }
        if (change.kind() != AssistedChange.Kind.INSERT) {
            for (String column : tables.countedColumns(new CqlInsert.Table(table.keyspace(), table.name()))) {
                if (change.assigned().contains(column) || change.compared().contains(column)) {
                    throw CountedReads.refusedWrite(column, table.qualified());
                }
            }
        }
        if (change.kind() != AssistedChange.Kind.INSERT
                && TableMode.of(session, tables, Optional.of(table.keyspace()), table.name())
                        .isEmpty()) {
            throw new NotAssistedException("Table " + table.qualified()
                    + " is plain, where what is written cannot depend on what was read. Name the row by its key, or make"
                    + " the table exact. "
                    + session.commandLines().tell(new Remedy.DeclareWrites(table.keyspace(), table.name(), "exact")));
        }
    }

    // ---- UPDATE and DELETE

    private StepResult written(AssistedChange change, Evaluated rows) throws SQLException {
        // Of a row that is found several times, T-SQL takes one of its new values.
        Map<List<@Nullable Object>, @Nullable Object[]> once = new LinkedHashMap<>();
        int keys = change.key().size();
        for (@Nullable Object[] row : rows.rows()) {
            List<@Nullable Object> key = new ArrayList<>();
            for (int i = 0; i < keys; i++) {
                key.add(EvaluatedValues.toCql(row[i]));
            }
            // An outer join gives rows without one of the table.
            if (!key.contains(null)) {
                once.putIfAbsent(Collections.unmodifiableList(key), row);
            }
        }
        String table = Identifiers.toCql(change.target().keyspace()) + "."
                + Identifiers.toCql(change.target().name());
        String where = " WHERE " + equal(change.key(), " AND ");
        String write = change.kind() == AssistedChange.Kind.DELETE
                ? "DELETE FROM " + table + where
                : "UPDATE " + table + " SET " + equal(change.assigned(), ", ") + where;
        TsqlStep.Cql step = step(write, change.kind().name(), change.assigned().size() + keys);
        long count = 0;
        for (Map.Entry<List<@Nullable Object>, @Nullable Object[]> each : once.entrySet()) {
            cancellation.requireGoingOn();
            requireSame(change, each.getKey(), each.getValue(), table, where);
            List<@Nullable Parameter> values = new ArrayList<>();
            @Nullable Object[] row = each.getValue();
            for (int i = keys + change.compared().size(); i < row.length; i++) {
                values.add(new Parameter(row[i], null));
            }
            each.getKey().forEach(value -> values.add(new Parameter(value, null)));
            if (cqlSteps.run(step, values).count() != 1) {
                throw new ChangedMeanwhile();
            }
            count++;
        }
        return StepResult.written(count);
    }

    /** Reads a row so that the transaction keeps it; it must be the one that was found. */
    private void requireSame(
            AssistedChange change, List<@Nullable Object> key, @Nullable Object[] row, String table, String where)
            throws SQLException {
        List<String> columns = new ArrayList<>(change.key());
        columns.addAll(change.compared());
        String select = "SELECT " + columns.stream().map(Identifiers::toCql).collect(Collectors.joining(", "))
                + " FROM " + table + where;
        List<@Nullable Parameter> values = new ArrayList<>();
        key.forEach(value -> values.add(new Parameter(value, null)));
        Cursor found = connection.remembering(() -> Objects.requireNonNull(
                cqlSteps.run(step(select, "SELECT", key.size()), values).rows()));
        if (!found.next()) {
            throw new ChangedMeanwhile();
        }
        for (int i = 0; i < columns.size(); i++) {
            if (!isSame(found.value(i), EvaluatedValues.toCql(row[i]))) {
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

    private StepResult inserted(AssistedChange change, Evaluated rows) throws SQLException {
        String into = "INSERT INTO " + bracketed(change.target().keyspace()) + "."
                + bracketed(change.target().name())
                + (change.assigned().isEmpty()
                        ? ""
                        : change.assigned().stream()
                                .map(AssistedWrites::bracketed)
                                .collect(Collectors.joining(", ", " (", ")")));
        String row = "(" + String.join(", ", Collections.nCopies(rows.columns().size(), "?")) + ")";
        List<GeneratedKeys.Key> keys = new ArrayList<>();
        for (int from = 0; from < rows.rows().size(); from += ROWS_OF_INSERT) {
            List<@Nullable Object[]> some =
                    rows.rows().subList(from, Math.min(rows.rows().size(), from + ROWS_OF_INSERT));
            List<@Nullable Parameter> values = new ArrayList<>();
            some.forEach(each -> {
                for (@Nullable Object value : each) {
                    values.add(new Parameter(value, null));
                }
            });
            keys.addAll(inserts.run(
                            insert(into + " VALUES " + String.join(", ", Collections.nCopies(some.size(), row))),
                            values)
                    .keys());
        }
        return StepResult.inserted(rows.rows().size(), keys);
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
                "INSERT ... SELECT into this table is not served in the client: select the rows, and insert them");
    }

    private static String bracketed(String name) {
        return "[" + name.replace("]", "]]") + "]";
    }

    // ---- without running

    /** Puts the statement's parameters into their places in the script, as far as Cassandra knows them. */
    void describe(TsqlStep.Cql step, TsqlStep.Written written, List<Column> columns) throws SQLException {
        if (connection.settings().assists()
                && session.statements().assisted(written).get()) {
            return;
        }
        try {
            cqlSteps.describe(step, columns);
        } catch (SQLException | RuntimeException e) {
            SQLException refusal = SqlErrors.of(e, session.commandLines());
            if (!Unserved.isOfCql(refusal)) {
                throw e;
            }
            // It has a plan, or is refused as it would be.
            try {
                requireServed(planned(written, refusal));
            } catch (RuntimeException planning) {
                throw AssistedErrors.told(planning, refusal);
            }
        }
    }

    /** Returns how a statement is served; throws the error with which it is refused. */
    Plan plan(TsqlStep.Written written, SQLException refusal) throws SQLException {
        try {
            requireServed(planned(written, refusal));
            Plan.Assisted plan = AssistedPlans.ofChange(
                    assistant(written, refusal),
                    written.text(),
                    written.parameters().size(),
                    new AssistedTables(tables),
                    connection.language());
            bounds.requireOn(written, AssistedReads.keyspaces(plan));
            return plan;
        } catch (RuntimeException e) {
            throw AssistedErrors.told(e, refusal);
        }
    }

    private Assistant assistant(TsqlStep.Written written, SQLException refusal) throws SQLException {
        return Assistants.find()
                .filter(found -> connection.settings().assists() && found.readsChange(written.text()))
                .orElseThrow(() -> refusal);
    }

    private AssistedChange planned(TsqlStep.Written written, SQLException refusal) throws SQLException {
        return assistant(written, refusal)
                .change(
                        written.text(),
                        new AssistedTables(tables),
                        AssistedPlans.unknown(written.parameters().size()),
                        connection.language());
    }
}
