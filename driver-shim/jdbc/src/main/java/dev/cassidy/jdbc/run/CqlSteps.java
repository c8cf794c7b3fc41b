package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.IndexedIn;
import dev.cassidy.insert.NullComparison;
import dev.cassidy.insert.Renamed;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.insert.VersionedWrite;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.ReadPath;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs the steps that are CQL as it is, and the conditional form of writes to versioned tables. */
final class CqlSteps {

    /** So that a statement without any NULL costs no second check. */
    private static final Pattern NULL = Pattern.compile("\\bnull\\b", Pattern.CASE_INSENSITIVE);

    /** A DELETE of columns sets them to NULL. */
    private static final Pattern DELETE_OF_ROWS = Pattern.compile("\\s*delete\\s+from\\b", Pattern.CASE_INSENSITIVE);

    /** Statements that give no column a value, besides a DELETE of rows. */
    private static final Set<String> NO_VALUES = Set.of("TRUNCATE", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE");

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final KeyRequest keyRequest;
    private final StatementSender sender;
    private final Cancellation cancellation;
    private final Reads reads;

    CqlSteps(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            Binder binder,
            KeyRequest keyRequest,
            StatementSender sender,
            Cancellation cancellation) {
        this.connection = connection;
        this.cancellation = cancellation;
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.keyRequest = keyRequest;
        this.sender = sender;
        this.reads = new Reads(connection, session, binder, sender);
    }

    /** Returns whether a statement that does not only read is conditional: then it returns a row and a count. */
    static boolean isConditional(TsqlStep.Cql step, SharedSession session) {
        if (step.keyword().equals("BEGIN")) {
            return CqlWrite.isConditionalBatch(step.text());
        }
        return session.statements()
                .write(step.text(), step.parameters())
                .filter(CqlWrite::isConditional)
                .isPresent();
    }

    StepResult run(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        if (step.calculation() == null) {
            StepResult served = send(step, parameters);
            return served.rows() == null || step.selection() == null ? served : shown(served.rows(), step.selection());
        }
        CalculatedColumns calculated = CalculatedColumns.of(step.calculation(), tables, binder);
        StepResult served = send(step, parameters);
        return served.rows() == null ? served : shown(calculated.rows(served.rows()), step.selection());
    }

    private StepResult shown(Cursor rows, TsqlStep.@Nullable Selection selection) {
        return StepResult.query(selection == null ? rows : DeclaredScales.of(rows, selection, tables), selection);
    }

    private StepResult send(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        refuseIdentity(step);
        if (!step.guards().isEmpty()
                && !new Guards(tables, binder.dateOrder(), binder.warnings()).findRows(step, parameters)) {
            return withoutRows(step);
        }
        if (comparesWithNull(step, parameters)) {
            return step.reads() ? StepResult.query(columnsWithoutRows(reads.verified(step))) : StepResult.written(0);
        }
        String keyword = step.keyword();
        if (keyword.equals("INSERT") && keyRequest.requested()) {
            throw Unserved.feature(
                    "INSERT JSON gives no generated keys; name the columns: INSERT INTO t (...) VALUES (...)");
        }
        TableMode mode = mode(step);
        ConditionalWrite conditional = conditional(step, mode).orElse(null);
        VersionedWrite versioned = conditional == null ? versioned(step, mode).orElse(null) : null;
        if (versioned != null) {
            refuseComputed(versioned.text());
            return write(versioned, step, parameters);
        }
        if (conditional != null) {
            refuseComputed(conditional.text());
            if (connection.transaction() != null) {
                sender.warnAtOnce(keyword + " of a table that is written under conditions");
            }
            return conditionalWrites().run(conditional, step, parameters);
        }
        Binder.Unbound text = Binder.Unbound.of(step);
        CqlSession target = target(step);
        if (step.reads()) {
            if (SystemViews.isOf(step.text())) {
                return StepResult.query(SystemViews.rows());
            }
            return keyword.equals("SELECT")
                    ? reads.run(target, step, parameters)
                    : sender.execute(target, binder.bind(target, text, parameters), keyword);
        }
        try {
            return write(target, step, text, parameters);
        } catch (SQLException e) {
            throw withCondition(step, e);
        } catch (InvalidQueryException e) {
            throw withCondition(step, e);
        }
    }

    private StepResult write(
            CqlSession target, TsqlStep.Cql step, Binder.Unbound text, List<@Nullable Parameter> parameters)
            throws SQLException {
        String keyword = step.keyword();
        if (isConditional(step, session)) {
            refuseComputed(step.text());
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

    /** Says how a write that Cassandra refuses without a condition can be served; returns any other error as it is. */
    private <X extends Exception> X withCondition(TsqlStep.Cql step, X refusal) throws SQLException {
        if (step.writesRows() && !step.keyword().equals("INSERT") && IndexedReads.isRefusal(refusal)) {
            CqlWrite write =
                    session.statements().write(step.text(), step.parameters()).orElse(null);
            CqlInsert.Table named =
                    write == null ? null : new CqlInsert.Table(write.keyspace().orElse(null), write.table());
            // Of a table that is missing, no condition serves a write.
            if (write != null
                    && named != null
                    && !tables.key(named).isEmpty()
                    && ConditionalWrites.of(step, write, tables)
                            .filter(conditional -> conditional.needsCondition() && conditional.namesOneRow())
                            .isPresent()) {
                String table = tables.qualified(named);
                SQLException served = Unserved.feature(SqlErrors.of(refusal).getMessage()
                        + ". Or declare that the rows of table " + table
                        + " are written under conditions; then every write to"
                        + " it is conditional, because of a plain and a conditional write to one row, one may be lost. "
                        + session.commandLines()
                                .tell(new Remedy.DeclareWrites(
                                        SequenceStatements.keyspace(
                                                session.plain(),
                                                write.keyspace().orElse(null)),
                                        write.table(),
                                        null)));
                served.initCause(refusal);
                throw served;
            }
        }
        return refusal;
    }

    /** The result of a statement that finds no row; nothing is sent, except that a SELECT is prepared for its columns. */
    private StepResult withoutRows(TsqlStep.Cql step) throws SQLException {
        return step.reads() ? StepResult.query(columnsWithoutRows(Binder.Unbound.of(step))) : StepResult.written(0);
    }

    private Cursor columnsWithoutRows(Binder.Unbound text) throws SQLException {
        return new Cursor.Listed(Column.of(binder.prepare(session.plain(), text).getResultSetDefinitions()), List.of());
    }

    /** Returns whether WHERE compares a column with NULL: then it is never true. */
    private static boolean comparesWithNull(TsqlStep.Cql step, List<@Nullable Parameter> parameters) {
        boolean given = false;
        for (Parameter parameter : parameters) {
            given |= parameter != null && parameter.value() == null;
        }
        if (!given && !NULL.matcher(step.text()).find()) {
            return false;
        }
        NullComparison compared = NullComparison.of(step.text());
        return compared.literal()
                || compared.markers().stream().anyMatch(marker -> {
                    Parameter parameter = parameters.get(step.parameters().get(marker));
                    return parameter != null && parameter.value() == null;
                });
    }

    /** Refuses an UPDATE that sets an identity column outside of the key; within the key, Cassandra sets none. */
    private void refuseIdentity(TsqlStep.Cql step) throws SQLException {
        if (step.keyword().equals("BEGIN")) {
            for (Assignments each : Assignments.ofBatch(step.text())) {
                Set<String> assigned =
                        each.all().stream().map(Assignments.Assignment::column).collect(Collectors.toSet());
                refuseIdentity(Optional.ofNullable(each.keyspace()), each.table(), assigned);
            }
        }
        if (!step.keyword().equals("UPDATE")) {
            return;
        }
        CqlWrite write =
                session.statements().write(step.text(), step.parameters()).orElse(null);
        if (write != null) {
            refuseIdentity(write.keyspace(), write.table(), write.assigned());
        }
    }

    private void refuseIdentity(Optional<String> named, String table, Set<String> assigned) throws SQLException {
        String keyspace = named.or(() -> session.plain().getKeyspace().map(CqlIdentifier::asInternal))
                .orElse(null);
        String identity = keyspace == null
                ? null
                : session.identityColumn(keyspace, table).orElse(null);
        if (identity != null && assigned.contains(identity)) {
            throw SqlServerErrors.rule(
                    SqlServerErrors.UPDATED_IDENTITY,
                    "Cannot update identity column '" + identity + "' of table " + keyspace + "." + table
                            + ": leave it out, or insert a new row, and delete the old one");
        }
    }

    /**
     * Refuses an assignment that the server would compute from the column itself, if T-SQL has declared the column: its rules
     * never see the result. Of a write without a condition the server computes counters and collections alone.
     *
     * @param cql a conditional write as it is sent
     */
    private void refuseComputed(String cql) throws SQLException {
        List<Assignments> updates = Assignments.of(cql).map(List::of).orElseGet(() -> Assignments.ofBatch(cql));
        for (Assignments update : updates) {
            CqlInsert.Table table = new CqlInsert.Table(update.keyspace(), update.table());
            for (Assignments.Assignment each : update.all()) {
                if (each.ofItself() && isRuled(table, each.column())) {
                    throw Unserved.feature("SET " + each.column() + " = "
                            + (each.value() instanceof CqlInsert.Value.Term term ? term.text() : "") + " of table "
                            + tables.qualified(table)
                            + " under a condition is not served: Cassandra would compute it, and wrap, without the rules of"
                            + " column " + each.column()
                            + ". Read the row, compute the value, and write it if the column"
                            + " still has the old one: UPDATE ... SET " + each.column() + " = ? WHERE ... IF "
                            + each.column() + " = ?");
                }
            }
        }
    }

    private boolean isRuled(CqlInsert.Table table, String column) throws SQLException {
        DataType type = tables.types(table).get(column);
        boolean itsOwn = type instanceof ListType
                || type instanceof SetType
                || type instanceof MapType
                || DataTypes.COUNTER.equals(type);
        return !itsOwn && tables.declares(table, column);
    }

    // ---- versioned tables

    /** Returns how the table of a write is written; refuses what cannot be made conditional. */
    private TableMode mode(TsqlStep.Cql step) throws SQLException {
        boolean batch = step.keyword().equals("BEGIN");
        if ((!batch && !step.writesRows()) || TableMode.areAllPlain(session)) {
            return TableMode.PLAIN;
        }
        if (batch) {
            for (CqlInsert.Table table : VersionedWrite.tablesOfBatch(step.text())) {
                if (mode(Optional.ofNullable(table.keyspace()), table.name()).conditional()) {
                    throw Unserved.feature("BEGIN BATCH with table " + tables.qualified(table)
                            + ", which is written under conditions, is not served: run its writes one by one");
                }
            }
            return TableMode.PLAIN;
        }
        CqlWrite write =
                session.statements().write(step.text(), step.parameters()).orElse(null);
        if (write == null) {
            return TableMode.PLAIN;
        }
        TableMode mode = mode(write.keyspace(), write.table());
        if (mode.conditional() && !write.isConditional() && step.keyword().equals("INSERT")) {
            throw Unserved.feature("INSERT JSON into table " + write.table()
                    + ", which is written under conditions, is not served: name the columns: INSERT INTO t (...)"
                    + " VALUES (...)");
        }
        return write.isConditional() ? TableMode.PLAIN : mode;
    }

    private TableMode mode(Optional<String> keyspace, String table) throws SQLException {
        return TableMode.of(session, tables, keyspace, table);
    }

    /** Returns the conditional form of a write to a versioned table; empty for everything else. */
    private static Optional<VersionedWrite> versioned(TsqlStep.Cql step, TableMode mode) {
        return mode.version().flatMap(version -> VersionedWrite.of(step.text(), version));
    }

    /**
     * Returns the conditional form of a write to a table that is written under conditions; empty if the table has a version
     * and the write needs no more than that.
     */
    private Optional<ConditionalWrite> conditional(TsqlStep.Cql step, TableMode mode) {
        if (!mode.conditional()) {
            return Optional.empty();
        }
        String version = mode.version().orElse(null);
        try {
            return session.statements()
                    .write(step.text(), step.parameters())
                    .flatMap(write -> ConditionalWrites.of(step, write, tables))
                    .filter(write -> version == null || write.needsMoreThan(version));
        } catch (UnsupportedSqlException e) {
            if (version == null) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private ConditionalWrites conditionalWrites() {
        return new ConditionalWrites(session, tables, binder, sender, cancellation, System::nanoTime);
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
        if (step.reads()
                || (NO_VALUES.contains(step.keyword())
                        && Renamed.of(step.text()).isEmpty())) {
            return session.plain();
        }
        CqlSession target = DELETE_OF_ROWS.matcher(step.text()).lookingAt() ? session.plain() : session.writing();
        if (!(target instanceof IdentitySession)) {
            Inserts.refuseForeign(session, step.text());
        }
        return target;
    }

    /** Returns the one request that the statement consists of; empty if it needs more than that. */
    Optional<StatementSender.Request> request(TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (!step.writesRows()
                || !step.guards().isEmpty()
                || comparesWithNull(step, parameters)
                || mode(step).conditional()) {
            return Optional.empty();
        }
        refuseIdentity(step);
        CqlSession target = target(step);
        return Optional.of(new StatementSender.Request(
                target, sender.stamped(target, Binder.Unbound.of(step), parameters), false));
    }

    /** Prepares what would be sent; throws the error with which it would be refused. */
    void verify(TsqlStep.Cql step) throws SQLException {
        if (isWriteOfNothing(step) || SystemViews.isOf(step.text())) {
            return;
        }
        // A change of the schema cannot be judged before it is made.
        if (step.calculation() != null) {
            resultColumns(step);
        } else if (step.keyword().equals("SELECT")) {
            reads.verified(step);
        } else if (step.writesRows()) {
            refuseIdentity(step);
            TableMode mode = mode(step);
            String text = conditional(step, mode)
                    .map(ConditionalWrite::text)
                    .or(() -> versioned(step, mode).map(VersionedWrite::text))
                    .orElseGet(step::text);
            if (mode.conditional() || isConditional(step, session)) {
                refuseComputed(text);
            }
            try {
                binder.verify(target(step), new Binder.Unbound(text, step.parameters(), false));
            } catch (InvalidQueryException e) {
                throw withCondition(step, e);
            }
        }
    }

    /** A write whose WHERE is never true is never sent, and without its conditions it may be no CQL. */
    private static boolean isWriteOfNothing(TsqlStep.Cql step) {
        return step.writesRows() && step.guards().stream().anyMatch(Guard.NoRows.class::isInstance);
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
        TableMode mode = mode(step);
        ConditionalWrite conditional = conditional(step, mode).orElse(null);
        if (conditional != null) {
            conditionalWrites().describe(conditional, step, columns);
            return;
        }
        Binder.Unbound text = versioned(step, mode)
                .map(versioned -> VersionedStatements.describe(step, versioned))
                .orElseGet(() -> Binder.Unbound.of(step));
        try {
            binder.describe(target(step), text, columns);
        } catch (InvalidQueryException e) {
            throw withCondition(step, e);
        }
    }

    private void describeRead(TsqlStep.Cql step, List<Column> columns) throws SQLException {
        if (step.parameters().isEmpty()) {
            return;
        }
        Binder.Unbound text = reads.verified(step);
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
                Column.of(binder.prepare(session.plain(), reads.verified(step)).getResultSetDefinitions());
        return step.calculation() == null
                ? served
                : CalculatedColumns.of(step.calculation(), tables, binder).columns(served);
    }

    /** Returns the plan by which a SELECT reads; empty for everything else. */
    Optional<ReadPath> path(TsqlStep.Cql step) {
        // One that finds no row, whatever the table contains, is never sent.
        boolean sent = step.guards().stream().noneMatch(Guard.NoRows.class::isInstance);
        return sent && step.keyword().equals("SELECT") && !SystemViews.isOf(step.text())
                ? Optional.of(reads.path(step))
                : Optional.empty();
    }
}
