package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.jdbc.error.SameError;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs UPDATE and DELETE of tables whose writes are exact. A column that is computed from its own value is read first, and written
 * only if it still has that value; else the answer says which value it has now, and the next try begins with that. If the outcome
 * of a try is unknown, the statement fails and says so: sent again, it could count twice.
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
                return StepResult.written(0);
            }
        }
        CqlWrite recognised =
                session.statements().write(step.text(), step.parameters()).orElseThrow();
        ConditionalWrite sent = nulls.isEmpty()
                ? plan.write()
                : session.statements()
                        .conditional(step.text(), recognised, nulls)
                        .orElseThrow();
        // A row that is missing must not hide what is wrong with the statement.
        List<Integer> unbound = Collections.nCopies(sent.markers().size(), 0);
        binder.prepare(session.plain(), new Binder.Unbound(sent.text(), unbound, false));
        ExactStatement statement = new ExactStatement(sent, plan.writes(), step, table(recognised), parameters, -1);
        return StepResult.written(
                pending != null ? pending.run(statement) : sent.keys().isEmpty() ? one(statement) : several(statement));
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

    private int one(ExactStatement statement) throws SQLException {
        if (!statement.write().changes().isEmpty()) {
            return change(statement);
        }
        if (writesColumns(statement.write()) && rows.healed(statement) == null) {
            return 0;
        }
        Answer answer = once(statement, List.of(), List.of());
        if (answer.applied()) {
            return 1;
        }
        if (!rows.isMissing(statement, answer.row())) {
            return 0;
        }
        return rows.isElsewhere(statement)
                        && once(statement, List.of(), List.of()).applied()
                ? 1
                : 0;
    }

    private int change(ExactStatement statement) throws SQLException {
        ConditionalWrite write = statement.write();
        long deadline = deadline();
        Row row = rows.healed(statement);
        if (row == null) {
            return 0;
        }
        long wait = FIRST_WAIT_MILLIS;
        while (row != null) {
            List<@Nullable BigDecimal> old = values(write, row);
            if (!SetArithmetic.holds(statement, old)) {
                return 0;
            }
            List<@Nullable BigDecimal> changed = SetArithmetic.changed(statement, old, tables.types(statement.table()));
            Answer answer = once(statement, old, changed);
            if (answer.applied()) {
                return 1;
            }
            Row now = answer.row();
            if (now == null
                    || rows.isMissing(statement, now)
                    || !now.getColumnDefinitions()
                            .contains(write.changes().get(0).column())) {
                // Only [applied]: the row is gone.
                return 0;
            }
            if (values(write, now).equals(old)) {
                // What has failed is a condition of another column.
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

    private long deadline() {
        Duration given = binder.timeout();
        return nanoTime.getAsLong() + (given == null ? LONGEST : given).toNanos();
    }

    private static List<@Nullable BigDecimal> values(ConditionalWrite write, Row row) {
        return SetArithmetic.values(write, column -> row.getObject(CqlIdentifier.fromInternal(column)));
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
    private Answer once(ExactStatement statement, List<@Nullable BigDecimal> old, List<@Nullable BigDecimal> changed)
            throws SQLException {
        long deadline = deadline();
        for (int tries = 0; tries < Locks.MAX_TRIES && nanoTime.getAsLong() - deadline < 0; tries++) {
            AsyncResultSet answer = sender.once(
                    SetArithmetic.bound(statement, old, changed, binder),
                    statement.step().keyword());
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
        for (ConditionalWrite.Check check : write.checks()) {
            describe(check.value(), write.changes().get(check.change()).column(), types, step, columns);
        }
    }

    private static void describe(
            ConditionalWrite.Operand operand,
            String column,
            Map<String, DataType> types,
            TsqlStep.Cql step,
            List<Column> columns) {
        DataType type = types.get(column);
        if (operand.marker() >= 0 && type != null) {
            columns.set(step.parameters().get(operand.marker()), Column.of(column, type));
        }
    }
}
