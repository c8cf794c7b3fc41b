package dev.cassidy.jdbc.run;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.assist.Assistant;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.assist.AssistedChange;
import dev.cassidy.jdbc.assist.AssistedSelect;
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
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves UPDATE, DELETE, MERGE and INSERT ... SELECT that have no form in CQL. The assistant says which rows they write, and each is written as
 * a statement by its key would. All of it is one transaction: the connection's, or one of the statement. A row that was found is read once
 * more in that transaction, which keeps it as it is until the commit; if it is another one by then, the statement begins again. So no
 * change of others is lost, and none is overwritten that the statement has not seen. A MERGE of which another one has inserted a row meanwhile
 * begins again, too, and finds it. Of a plain table, nothing can say that a row is still as it was found: what may be written there is decided
 * by {@link #requireServedPlain}.
 */
final class AssistedWrites {

    /** How often a statement begins again because others change its rows. */
    private static final int MAX_TRIES = 20;

    /** How often a MERGE tries to insert the same rows: others may insert and delete one between two tries. */
    private static final int MAX_TRIES_OF_ROWS = 5;

    private static final long SHORTEST_PAUSE_MILLIS = 5;
    private static final long LONGEST_PAUSE_MILLIS = 500;

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
        this.bounds = new AssistedBounds(connection, session, tables, cqlSteps, binder, cancellation);
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
        Tries inserted = new Tries();
        for (int tries = 1; ; tries++) {
            try {
                return open == null
                        ? alone(written, parameters, refusal, inserted)
                        : in(open, written, parameters, refusal, inserted);
            } catch (SQLIntegrityConstraintViolationException e) {
                if (tries == MAX_TRIES || !inserted.mayFindMore(e)) {
                    throw e;
                }
                requireTime(begun);
                cancellation.pauseUnsent(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_MILLIS) + 1);
            } catch (SQLTransactionRollbackException e) {
                // Within the connection's transaction only what this statement has read may be read again.
                boolean again = open == null || e instanceof ChangedRows.ChangedMeanwhile;
                if (!again) {
                    throw e;
                }
                if (tries == MAX_TRIES) {
                    throw e instanceof ChangedRows.ChangedMeanwhile
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

    /** What a MERGE has tried to insert. */
    private static final class Tries {

        private List<List<@Nullable Object>> last = List.of();
        private List<List<@Nullable Object>> failed = List.of();

        private int same;

        /** Returns whether a row that exists already may be one that the next try finds: not if several would have inserted the same. */
        boolean mayFindMore(SQLIntegrityConstraintViolationException e) {
            int number = e.getErrorCode();
            boolean duplicate = number == SqlServerErrors.DUPLICATE_KEY || number == SqlServerErrors.DUPLICATE_IN_INDEX;
            same = last.equals(failed) ? same + 1 : 1;
            failed = last;
            return duplicate && !last.isEmpty() && same < MAX_TRIES_OF_ROWS;
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
            TsqlStep.Written written, List<@Nullable Parameter> parameters, @Nullable SQLException refusal, Tries tries)
            throws SQLException {
        Transaction own = new Transaction();
        StepResult result = connection.within(own, () -> once(written, parameters, refusal, tries));
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
            @Nullable SQLException refusal,
            Tries tries)
            throws SQLException {
        // Not a mark alone: each of its rows is a statement of its own, which forgets the marks.
        Transaction.Mark before = open.mark();
        int number = open.number();
        try {
            return once(written, parameters, refusal, tries);
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
            TsqlStep.Written written, List<@Nullable Parameter> parameters, @Nullable SQLException refusal, Tries tries)
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
        ChangedRows changed = new ChangedRows(
                connection,
                tables,
                cqlSteps,
                inserts,
                cancellation,
                planned.plan(),
                planned.rows(),
                isPlain(planned.plan()));
        tries.last = changed.merged();
        return changed.write().asEvaluated();
    }

    /** Also if no row is found. */
    private void requireServed(AssistedChange change) throws SQLException {
        TableModel table = change.target();
        CountIds.refuse(tables, new CqlInsert.Table(table.keyspace(), table.name()), change.assigned());
        if (!change.assigned().isEmpty() && change.kind() != AssistedChange.Kind.INSERT) {
            CqlPlanner.refuseIdentity(session, table.keyspace(), table.name(), change.assigned());
        }
        if (change.kind() != AssistedChange.Kind.INSERT) {
            for (String column : tables.countedColumns(new CqlInsert.Table(table.keyspace(), table.name()))) {
                if (change.assigned().contains(column) || change.compared().contains(column)) {
                    throw CountedReads.refusedWrite(column, table.qualified());
                }
            }
        }
        if (change.kind() != AssistedChange.Kind.INSERT && isPlain(change)) {
            requireServedPlain(change);
        }
    }

    private boolean isPlain(AssistedChange change) throws SQLException {
        TableModel table = change.target();
        return TableMode.of(session, tables, Optional.of(table.keyspace()), table.name())
                .isEmpty();
    }

    /**
     * On a plain table nothing keeps a row as it was read until it is written. So a value from a row may be one from before another one's write, and
     * of two that test a column and set it, both would have found the value that they test: both report 1, and one has lost.
     */
    private void requireServedPlain(AssistedChange change) throws SQLException {
        TableModel table = change.target();
        // Otherwise its rows are read first, by rules that are not known here.
        session.foreign()
                .refuse(change.kind().name(), table.keyspace(), table.name())
                .toCompletableFuture()
                .join();
        if (change.kind() == AssistedChange.Kind.MERGE) {
            throw plain(table, "a MERGE, which depends on rows that were read, is not served");
        }
        if (!change.output().isEmpty()) {
            throw plain(table, "OUTPUT cannot show what a row was when it was written");
        }
        if (!change.ofRows().isEmpty()) {
            throw plain(
                    table,
                    "the new value of " + change.ofRows().get(0)
                            + " cannot come from rows that were read: others may change them before it is written");
        }
        for (String column : change.tested()) {
            if (change.assigned().contains(column)) {
                throw plain(
                        table,
                        column
                                + " cannot be tested and set: of two that do so at the same time, both would find the old"
                                + " value. Name the row by its key, and write IF " + column + " = ...");
            }
        }
        List<AssistedSelect.PlannedRead> reads = change.select().reads();
        boolean byKey = reads.size() == 1 && reads.get(0).reach() == AssistedSelect.Reach.KEY;
        if (byKey && !change.tested().isEmpty()) {
            String column = change.tested().get(0);
            throw plain(
                    table,
                    "a row that is named by its key cannot be tested and then written: another one may change " + column
                            + " in between. Write IF " + column + " = ... behind the key");
        }
        Transaction open = connection.transaction();
        if (open != null) {
            for (AssistedSelect.PlannedRead read : reads) {
                requireNothingWaits(open, read.table());
            }
        }
    }

    /** Rows that the transaction has written would not be found, or as they were before. */
    private void requireNothingWaits(Transaction open, TableModel table) throws SQLException {
        for (CqlInsert.Table written : open.plainTables()) {
            String keyspace = SequenceStatements.keyspace(session.plain(), written.keyspace());
            if (keyspace.equals(table.keyspace()) && written.name().equals(table.name())) {
                throw plain(
                        table,
                        "what the transaction has written to it is not there before the commit, so its rows cannot be found."
                                + " Commit first");
            }
        }
    }

    private NotAssistedException plain(TableModel table, String why) {
        return new NotAssistedException("Table " + table.qualified() + " is plain, where " + why
                + "; or make the table exact. "
                + session.commandLines().tell(new Remedy.DeclareWrites(table.keyspace(), table.name(), "exact")));
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
