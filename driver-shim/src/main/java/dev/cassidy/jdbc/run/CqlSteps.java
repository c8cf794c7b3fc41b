package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.IndexedIn;
import dev.cassidy.insert.VersionedWrite;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.ReadPath;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.session.VersionedTables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the steps that are CQL as it is, and the conditional form of writes to versioned tables. */
final class CqlSteps {

    private static final Set<String> NO_INSERTS =
            Set.of("UPDATE", "DELETE", "TRUNCATE", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE");

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final KeyRequest keyRequest;
    private final StatementSender sender;
    private final SystemViews systemViews;
    private final Reads reads;

    CqlSteps(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            Binder binder,
            KeyRequest keyRequest,
            StatementSender sender) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.keyRequest = keyRequest;
        this.sender = sender;
        this.systemViews = new SystemViews(session);
        this.reads = new Reads(connection, session, binder, sender);
    }

    /** Returns whether a statement that does not only read is conditional: then it returns a row and a count. */
    static boolean isConditional(TsqlStep.Cql step, SharedSession session) {
        if (step.keyword().equals("BEGIN")) {
            return CqlWrite.isConditionalBatch(step.text());
        }
        return session.write(step.text(), step.parameters())
                .filter(CqlWrite::isConditional)
                .isPresent();
    }

    StepResult run(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        if (step.calculation() == null) {
            return send(step, parameters);
        }
        CalculatedColumns calculated = CalculatedColumns.of(step.calculation(), tables, session);
        StepResult served = send(step, parameters);
        return served.rows() == null ? served : StepResult.query(calculated.rows(served.rows()));
    }

    private StepResult send(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        if (!step.guards().isEmpty()
                && !new Guards(tables, binder.dateOrder(), binder.warnings()).findRows(step, parameters)) {
            return withoutRows(step);
        }
        String keyword = step.keyword();
        if (keyword.equals("INSERT") && keyRequest.requested()) {
            throw Unserved.feature(
                    "INSERT JSON gives no generated keys; name the columns: INSERT INTO t (...) VALUES (...)");
        }
        VersionedWrite versioned = versioned(step).orElse(null);
        if (versioned != null) {
            return write(versioned, step, parameters);
        }
        Binder.Text text = Binder.Text.of(step);
        CqlSession target = target(step);
        if (step.reads()) {
            if (systemViews.isOf(step.text())) {
                return StepResult.query(systemViews.rows(step.text()));
            }
            return keyword.equals("SELECT")
                    ? reads.run(target, step, parameters)
                    : sender.execute(target, binder.bind(target, text, parameters), keyword);
        }
        Transaction transaction = connection.transaction();
        if (transaction != null) {
            if (step.writesRows()) {
                IdentitySession.Held held = sender.forCommit(target, text, parameters);
                transaction.add(held);
                return StepResult.inserted(1, held.keys().keys());
            }
            sender.requireOutsideTransactions(keyword);
        }
        Statement<?> statement = binder.bind(target, text, parameters);
        return isConditional(step, session)
                ? sender.executeOnce(target, statement, keyword)
                : sender.execute(target, statement, keyword);
    }

    /** The result of a statement that finds no row; nothing is sent but, for the columns of a SELECT, its text. */
    private StepResult withoutRows(TsqlStep.Cql step) {
        return step.reads()
                ? StepResult.query(new Cursor.Listed(
                        Column.of(session.prepare(session.plain(), step.text()).getResultSetDefinitions()), List.of()))
                : StepResult.written(0);
    }

    // ---- versioned tables

    /** Returns the conditional form of a write to a versioned table; empty for everything else. */
    private Optional<VersionedWrite> versioned(TsqlStep.Cql step) throws SQLException {
        VersionedTables versioned = connection.versioned();
        if (versioned.isEmpty()) {
            return Optional.empty();
        }
        if (step.keyword().equals("BEGIN")) {
            for (CqlInsert.Table table : VersionedWrite.tablesOfBatch(step.text())) {
                if (isVersioned(Optional.ofNullable(table.keyspace()), table.name())) {
                    throw Unserved.feature("BEGIN BATCH with versioned table " + tables.qualified(table)
                            + " is not served: run its writes one by one, each is conditional");
                }
            }
        }
        if (!step.writesRows()) {
            return Optional.empty();
        }
        CqlWrite write = session.write(step.text(), step.parameters()).orElse(null);
        if (write == null || write.isConditional()) {
            return Optional.empty();
        }
        Optional<String> column = tables.version(versioned, write.keyspace(), write.table());
        if (column.isPresent() && step.keyword().equals("INSERT")) {
            throw Unserved.feature("INSERT JSON into versioned table " + write.table()
                    + " is not served: name the columns: INSERT INTO t (...) VALUES (...)");
        }
        return column.flatMap(version -> VersionedWrite.of(step.text(), version));
    }

    private boolean isVersioned(Optional<String> keyspace, String table) {
        return tables.version(connection.versioned(), keyspace, table).isPresent();
    }

    /** At once, also in a transaction: its count is needed now, and decides what the caller does next. */
    private StepResult write(VersionedWrite write, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        VersionedStatements.Conditional conditional = VersionedStatements.bind(step, write, parameters);
        if (conditional.impossible()) {
            return StepResult.written(0);
        }
        CqlSession target = target(step);
        Statement<?> statement = binder.bind(target, conditional.text(), conditional.parameters());
        if (connection.transaction() != null) {
            sender.warnAtOnce(step.keyword() + " of a versioned table");
        }
        return StepResult.written(
                sender.executeOnce(target, statement, step.keyword()).count());
    }

    private CqlSession target(TsqlStep.Cql step) throws SQLException {
        return NO_INSERTS.contains(step.keyword()) || step.reads() ? session.plain() : session.writing();
    }

    /** Returns the one request that the statement consists of; empty if it needs more than that. */
    Optional<StatementSender.Request> request(TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (!step.writesRows() || !step.guards().isEmpty() || versioned(step).isPresent()) {
            return Optional.empty();
        }
        CqlSession target = target(step);
        return Optional.of(
                new StatementSender.Request(target, sender.stamped(target, Binder.Text.of(step), parameters), false));
    }

    /** Prepares what would be sent; throws the error with which it would be refused. */
    void verify(TsqlStep.Cql step) throws SQLException {
        if (isWriteOfNothing(step) || systemViews.isOf(step.text())) {
            return;
        }
        // A change of the schema cannot be judged before it is made.
        if (step.calculation() != null) {
            resultColumns(step);
        } else if (step.keyword().equals("SELECT")) {
            reads.verified(step);
        } else if (step.writesRows()) {
            session.prepare(target(step), step.text());
        }
    }

    /** A write whose WHERE is never true is never sent, and without its conditions it may be no CQL. */
    private static boolean isWriteOfNothing(TsqlStep.Cql step) {
        return step.writesRows() && step.guards().stream().anyMatch(TsqlStep.NoRows.class::isInstance);
    }

    /** Puts the statement's parameters into their places in the script. */
    void describe(TsqlStep.Cql step, List<Column> columns) throws SQLException {
        if (isWriteOfNothing(step)) {
            return;
        }
        new Guards(tables, binder.dateOrder(), binder.warnings()).describe(step, columns);
        if (step.keyword().equals("SELECT")) {
            describeRead(step, columns);
            return;
        }
        Binder.Text text = versioned(step)
                .map(versioned -> VersionedStatements.describe(step, versioned))
                .orElseGet(() -> Binder.Text.of(step));
        binder.describe(target(step), text, columns);
    }

    private void describeRead(TsqlStep.Cql step, List<Column> columns) throws SQLException {
        if (step.parameters().isEmpty()) {
            return;
        }
        Binder.Text text = reads.verified(step);
        binder.describe(target(step), text, columns);
        // Of an IN that is read in parts, the values have the type of the first.
        IndexedIn in = text.markers().size() < step.parameters().size()
                ? IndexedIn.of(step.text()).orElseThrow()
                : null;
        if (in != null) {
            in.values()
                    .forEach(value -> columns.set(
                            step.parameters().get(value),
                            columns.get(step.parameters().get(in.values().get(0)))));
        }
    }

    /** Returns the columns of a SELECT's result. Prepares it, and runs nothing. */
    List<Column> resultColumns(TsqlStep.Cql step) throws SQLException {
        List<Column> served =
                Column.of(reads.prepare(reads.verified(step).cql()).getResultSetDefinitions());
        return step.calculation() == null
                ? served
                : CalculatedColumns.of(step.calculation(), tables, session).columns(served);
    }

    /** Returns by which way a SELECT reads; empty for everything else. */
    Optional<ReadPath> path(TsqlStep.Cql step) {
        // One that finds no row, whatever the table contains, is never sent.
        boolean sent = step.guards().stream().noneMatch(TsqlStep.NoRows.class::isInstance);
        return sent && step.keyword().equals("SELECT") && !systemViews.isOf(step.text())
                ? Optional.of(reads.path(step))
                : Optional.empty();
    }
}
