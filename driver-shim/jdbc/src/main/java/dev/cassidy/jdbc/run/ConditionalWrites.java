package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.jdbc.error.SameError;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.overlay.Write;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs UPDATE and DELETE of tables whose writes are exact. A column that is computed from its own value is read first, and written
 * only if it still has that value; else the answer says which value it has now, and the next try begins with that. So is a string that
 * WHERE compares by a collation: the driver compares what was read, and the row has to have that still. If the outcome of a try is
 * unknown, the statement fails and says so: sent again, it could count twice.
 */
final class ConditionalWrites {

    /** If the statement has no time-out of its own. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private static final long FIRST_WAIT_MILLIS = 4;
    private static final long LONGEST_WAIT_MILLIS = 500;

    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final StatementSender sender;
    private final Cancellation cancellation;
    private final ExactRows rows;
    private final LongSupplier nanoTime;

    ConditionalWrites(
            SharedSession session,
            Tables tables,
            Binder binder,
            StatementSender sender,
            Cancellation cancellation,
            ExactRows rows,
            LongSupplier nanoTime) {
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.sender = sender;
        this.cancellation = cancellation;
        this.rows = rows;
        this.nanoTime = nanoTime;
    }

    /** Returns whether a part of a row is written, which a replica may have that others lack. */
    static boolean writesColumns(ConditionalWrite write) {
        return !CqlWrite.deletesRows(write.text());
    }

    /** Returns whether the row is read before the write is sent. */
    static boolean isReadFirst(ConditionalWrite write) {
        return writesColumns(write) || !RowValues.areGiven(write);
    }

    private static CqlInsert.Table table(CqlWrite write) {
        return new CqlInsert.Table(write.keyspace().orElse(null), write.table());
    }

    /**
     * Returns how many rows were written.
     *
     * @param pending where they wait for a commit; null if they are sent now
     */
    StepResult run(
            CqlPlan.Exact plan,
            TsqlStep.Cql step,
            List<@Nullable Parameter> parameters,
            @Nullable PendingWrites pending)
            throws SQLException {
        ExactStatement statement = statement(plan, step, parameters);
        if (statement == null) {
            return StepResult.written(0);
        }
        return StepResult.written(
                pending != null
                        ? pending.run(statement)
                        : statement.write().keys().isEmpty() ? one(statement) : several(statement));
    }

    /** Returns the statement with its values; null if it finds no row, because it compares with NULL. */
    private @Nullable ExactStatement statement(
            CqlPlan.Exact plan, TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        Set<Integer> nulls = new HashSet<>();
        for (List<ConditionalWrite.Operand> values : plan.write().compared()) {
            boolean findsNothing = true;
            for (ConditionalWrite.Operand value : values) {
                boolean isNull = SetArithmetic.isNull(value, step, parameters);
                findsNothing &= isNull;
                if (isNull && value.marker() >= 0) {
                    nulls.add(value.marker());
                }
            }
            if (findsNothing) {
                // A comparison with NULL is never true in SQL.
                return null;
            }
        }
        CqlWrite recognised =
                session.statements().write(step.text(), step.parameters()).orElseThrow();
        ConditionalWrite sent = nulls.isEmpty()
                ? plan.write()
                : session.statements().conditional(step, recognised, nulls).orElseThrow();
        // A row that is missing must not hide what is wrong with the statement.
        List<Integer> unbound = Collections.nCopies(sent.markers().size(), 0);
        binder.prepare(session.plain(), new Binder.Unbound(sent.text(), unbound, false));
        CqlInsert.Table table = table(recognised);
        List<CollatedComparison> comparisons = sent.matches().isEmpty()
                ? List.of()
                : CollatedComparisons.of(sent.matches(), table, tables.collations(table), step, parameters, binder);
        return new ExactStatement(sent, plan.writes(), step, table, parameters, -1, comparisons);
    }

    /** Each row by itself: a condition is of one partition. */
    private long several(ExactStatement statement) throws SQLException {
        long count = 0;
        for (List<Object> key : rows.keys(statement)) {
            try {
                count += one(statement.of(key));
            } catch (SQLException | RuntimeException e) {
                SQLException failure = SqlErrors.of(e);
                throw count == 0
                        ? failure
                        : SameError.andAlso(
                                failure, count + (count == 1 ? " row was" : " rows were") + " written before");
            }
        }
        return count;
    }

    // ---- entries of a batch

    /** Returns what an entry of a batch does that writes one row. */
    RowEntry.Bound entry(CqlPlan.Exact plan, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        ExactStatement statement = statement(plan, step, parameters);
        if (statement == null) {
            return new RowEntry.Bound(null, () -> RowWrite.Ended.written(0));
        }
        BatchableStatement<?> query = rows.query(statement);
        return new RowEntry.Bound(
                RowEntry.Partition.of(statement.writes(), query.getRoutingKey()),
                isReadFirst(statement.write())
                        ? () -> read(statement, query)
                        : () -> send(statement, deletion(statement), RowValues.given(statement)));
    }

    /** Reads the row before it is written. What is out of the ordinary is done as for a single statement. */
    private RowWrite read(ExactStatement statement, BatchableStatement<?> query) throws SQLException {
        CompletableFuture<AsyncResultSet> asked = rows.asked(statement, query);
        return new RowWrite.UnderWay(asked, () -> {
            Row row = cancellation.await(asked, Cancellation.READ_ALONE).one();
            if (row == null && !rows.hasOtherDatacenters(statement)) {
                return RowWrite.Ended.written(0);
            }
            if (row == null || !ExactRows.isFree(row)) {
                return RowWrite.Ended.written(one(statement));
            }
            RowValues old = values(statement.write(), row);
            Statement<?> judged = judged(statement, row, old);
            return judged == null ? RowWrite.Ended.written(0) : send(statement, judged, old);
        });
    }

    private RowWrite send(ExactStatement statement, Statement<?> judged, RowValues old) throws SQLException {
        String keyword = statement.step().keyword();
        KeptDeclarations.require(tables, statement.table(), statement.write().text());
        CompletableFuture<AsyncResultSet> sent = sender.sendOnce(judged);
        return new RowWrite.UnderWay(sent, () -> {
            AsyncResultSet answer = sender.answerOf(sent, keyword);
            // Before the row is taken.
            boolean applied = answer.wasApplied();
            if (applied) {
                return RowWrite.Ended.written(1);
            }
            // It has certainly written nothing, so that it may be run again.
            return RowWrite.Ended.written(isUnmet(statement, answer.one(), old) ? 0 : one(statement));
        });
    }

    /** Returns whether a statement was not applied because its row is not as WHERE says, or is missing. */
    private boolean isUnmet(ExactStatement statement, @Nullable Row now, RowValues old) throws SQLException {
        if (now != null && ExactRows.isFree(now)) {
            return isUnmet(statement, old, values(statement.write(), now));
        }
        return (now == null || !now.getColumnDefinitions().contains(RowMark.COLUMN))
                && !rows.hasOtherDatacenters(statement);
    }

    /** @param now what the row has, which did not meet the condition that it has {@code old} */
    private static boolean isUnmet(ExactStatement statement, RowValues old, RowValues now) throws SQLException {
        // If both are the same, what has failed is a condition of another column.
        return now.equals(old) || !SetArithmetic.holds(statement, now);
    }

    // ---- one statement

    private int one(ExactStatement statement) throws SQLException {
        ConditionalWrite write = statement.write();
        if (write.dependsOnRow()) {
            return isReadFirst(write) ? change(statement, rows.healed(statement)) : delete(statement);
        }
        Statement<?> judged;
        if (isReadFirst(write)) {
            Row row = rows.healed(statement);
            judged = row == null ? null : judged(statement, row, RowValues.NONE);
        } else {
            judged = deletion(statement);
        }
        if (judged == null) {
            return 0;
        }
        Answer answer = once(statement, judged);
        if (answer.applied()) {
            return 1;
        }
        if (!rows.isMissing(statement, answer.row())) {
            return 0;
        }
        return rows.isElsewhere(statement) && once(statement, judged).applied() ? 1 : 0;
    }

    /**
     * Of a row that is deleted nothing is left that a read would have to heal, so the first try has its strings as they are given. That
     * is right in any case, since equal bytes are equal by every collation, and it is one request as long as code compares with what
     * it has written. If the row has them in another spelling, the answer shows that.
     */
    private int delete(ExactStatement statement) throws SQLException {
        Answer answer = once(statement, deletion(statement));
        if (answer.applied()) {
            return 1;
        }
        Row now = answer.row();
        if (!rows.isMissing(statement, now)) {
            return now == null || isUnmet(statement, RowValues.given(statement), values(statement.write(), now))
                    ? 0
                    : change(statement, now);
        }
        return rows.isElsewhere(statement) ? change(statement, rows.healed(statement)) : 0;
    }

    /** @param first the row as it was read; null if there is none */
    private int change(ExactStatement statement, @Nullable Row first) throws SQLException {
        ConditionalWrite write = statement.write();
        long deadline = deadline();
        Row row = first;
        long wait = FIRST_WAIT_MILLIS;
        while (row != null) {
            RowValues old = values(write, row);
            Statement<?> judged = judged(statement, row, old);
            if (judged == null) {
                if (!ExactRows.isHeld(row)) {
                    return 0;
                }
                // A transaction may be about to make it a row that WHERE finds.
                if (nanoTime.getAsLong() - deadline >= 0 || !rows.isFreed(statement, row)) {
                    throw ExactRows.held(statement.writes());
                }
                row = rows.healed(statement);
                continue;
            }
            Answer answer = once(statement, judged);
            if (answer.applied()) {
                return 1;
            }
            Row now = answer.row();
            if (now == null || rows.isMissing(statement, now)) {
                // Only [applied]: the row is gone.
                return 0;
            }
            if (isUnmet(statement, old, values(write, now))) {
                return 0;
            }
            if (nanoTime.getAsLong() - deadline >= 0) {
                throw new SQLTransientException(
                        "Nothing was written: others changed the row before each try. Run it again, or have fewer"
                                + " writers of one row",
                        SqlStates.CONFLICT);
            }
            pause(wait);
            wait = Math.min(LONGEST_WAIT_MILLIS, 2 * wait);
            row = now;
        }
        return 0;
    }

    /**
     * Returns the statement with its values; null if WHERE does not find the row, as far as the driver knows it.
     *
     * @param row as it was read
     * @param old what the row has where the statement depends on it
     * @throws SQLException if WHERE finds the row, and a value cannot be written to it
     */
    private @Nullable Statement<?> judged(ExactStatement statement, Row row, RowValues old) throws SQLException {
        if (!SetArithmetic.holds(statement, old)) {
            return null;
        }
        Write.Bound judged = SetArithmetic.judged(statement, old, tables.types(statement.table()), binder, sender);
        if (judged.refusal() == null) {
            return judged.statement();
        }
        if (rows.meets(statement, judged.statement(), row)) {
            throw judged.refusal();
        }
        return null;
    }

    /** A statement that gives no column a value, with its strings as they are given. */
    private Statement<?> deletion(ExactStatement statement) throws SQLException {
        return sender.looked(SetArithmetic.bound(statement, RowValues.given(statement), List.of(), binder));
    }

    private long deadline() {
        Duration given = binder.timeout();
        return nanoTime.getAsLong() + (given == null ? LONGEST : given).toNanos();
    }

    private static RowValues values(ConditionalWrite write, Row row) {
        return RowValues.of(write, column -> row.getObject(CqlIdentifier.fromInternal(column)));
    }

    /** At a random time, so that those that collided do not collide again. */
    private void pause(long maxMillis) throws SQLException {
        long millis = ThreadLocalRandom.current().nextLong(maxMillis + 1);
        cancellation.pause(millis, Cancellation.NOTHING_SENT);
    }

    /**
     * What became of a conditional statement.
     *
     * @param row as it was, if a condition did not hold; null if there was none
     */
    private record Answer(boolean applied, @Nullable Row row) {}

    /** Sends the statement; if a transaction holds the row, again once it does not. */
    private Answer once(ExactStatement statement, Statement<?> judged) throws SQLException {
        long deadline = deadline();
        for (int tries = 0; tries < Locks.MAX_TRIES && nanoTime.getAsLong() - deadline < 0; tries++) {
            KeptDeclarations.require(
                    tables, statement.table(), statement.write().text());
            AsyncResultSet answer = sender.once(judged, statement.step().keyword());
            // Before the row is taken.
            boolean applied = answer.wasApplied();
            Row now = applied ? null : answer.one();
            if (!rows.isFreed(statement, now)) {
                return new Answer(applied, now);
            }
        }
        throw ExactRows.held(statement.writes());
    }

    /** Puts the statement's parameters into their places in the script. */
    void describe(ConditionalWrite write, TsqlStep.Cql step, List<Column> columns) throws SQLException {
        List<Integer> markers = new ArrayList<>();
        for (ConditionalWrite.Source source : write.markers()) {
            // What is read first has no parameter of the script.
            markers.add(
                    source instanceof ConditionalWrite.Source.Given given
                            ? step.parameters().get(given.marker())
                            : Binder.AT_COMMIT);
        }
        binder.describe(session.plain(), new Binder.Unbound(write.text(), markers, false), columns);
        if (!write.keys().isEmpty()) {
            List<Integer> ofKeys = write.keyMarkers().stream()
                    .map(source -> step.parameters().get(((ConditionalWrite.Source.Given) source).marker()))
                    .toList();
            binder.describe(session.plain(), new Binder.Unbound(write.keys(), ofKeys, false), columns);
        }
        CqlWrite recognised =
                session.statements().write(step.text(), step.parameters()).orElseThrow();
        Map<String, DataType> types =
                tables.types(new CqlInsert.Table(recognised.keyspace().orElse(null), recognised.table()));
        for (ConditionalWrite.Change change : write.changes()) {
            describe(change.value(), change.column(), types, step, columns);
        }
        String keyspace = SequenceStatements.keyspace(
                session.plain(), recognised.keyspace().orElse(null));
        for (ConditionalWrite.Match match : write.matches()) {
            for (ConditionalWrite.Operand value : match.values()) {
                DataType type = types.get(match.column());
                int parameter = parameter(value, step);
                if (parameter != Binder.AT_COMMIT && type != null) {
                    // As if the server compared it: T-SQL has declared the column.
                    columns.set(parameter, new Column(match.column(), type, keyspace, recognised.table()));
                }
            }
        }
        for (ConditionalWrite.Check check : write.checks()) {
            describe(check.value(), write.changes().get(check.change()).column(), types, step, columns);
        }
    }

    private static int parameter(ConditionalWrite.Operand operand, TsqlStep.Cql step) {
        return operand.marker() < 0 ? Binder.AT_COMMIT : step.parameters().get(operand.marker());
    }

    private static void describe(
            ConditionalWrite.Operand operand,
            String column,
            Map<String, DataType> types,
            TsqlStep.Cql step,
            List<Column> columns) {
        DataType type = types.get(column);
        int parameter = parameter(operand, step);
        if (parameter != Binder.AT_COMMIT && type != null) {
            columns.set(parameter, Column.of(column, type));
        }
    }
}
