package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Renamed;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Decides, by the tables and their contracts, how a statement of CQL is sent. */
final class CqlPlanner {

    private final SharedSession session;
    private final Tables tables;

    CqlPlanner(SharedSession session) {
        this.session = session;
        this.tables = session.tables();
    }

    /** @throws SQLException if the statement is refused by what is declared of its table */
    CqlPlan plan(TsqlStep.Cql step) throws SQLException {
        if (step.reads()) {
            return new CqlPlan.Query();
        }
        TableWrites writes = exact(step).orElse(null);
        if (writes != null) {
            ConditionalWrite exact = conditional(step).orElse(null);
            if (exact != null) {
                refuseComputed(exact.text(), "AND");
                return new CqlPlan.Exact(exact, writes);
            }
        }
        boolean conditions = isConditional(step, session);
        if (writes == null && conditions) {
            refuseConditional(step);
        }
        if (conditions) {
            refuseComputed(step.text(), "IF");
        }
        return new CqlPlan.AsItIs(target(step), conditions);
    }

    /** Returns whether a write may take, give up or change a value that must be unique in its table. */
    boolean movesUniqueValues(CqlPlan.Exact plan) {
        return KeptDeclarations.movesUniqueValues(
                tables,
                plan.write().text(),
                new CqlInsert.Table(plan.writes().keyspace(), plan.writes().table()));
    }

    /** A condition of one row says nothing of the others. */
    private void refuseConditional(TsqlStep.Cql step) throws SQLException {
        CqlWrite write =
                session.statements().write(step.text(), step.parameters()).orElse(null);
        if (write == null) {
            return;
        }
        CqlInsert.Table table = new CqlInsert.Table(write.keyspace().orElse(null), write.table());
        if (KeptDeclarations.movesUniqueValues(tables, step.text(), table)) {
            throw Unserved.feature("A write with IF of a column that is UNIQUE, of table " + tables.qualified(table)
                    + ", is not served. Say it in WHERE: the update count is 0 if it does not hold");
        }
    }

    /** Returns the session that sends what gives columns values, or changes Cassidy's own tables. */
    private CqlSession target(TsqlStep.Cql step) throws SQLException {
        if (step.reads()
                || step.keyword().equals("TRUNCATE")
                || (step.defines() && Renamed.of(step.text()).isEmpty())) {
            return session.plain();
        }
        // A DELETE of rows gives no column a value; that of a marked table is refused where its contract is missing.
        CqlSession target =
                CqlWrite.deletesRows(step.text()) && !mayBeMarked(step) ? session.plain() : session.writing();
        if (!(target instanceof IdentitySession)) {
            Inserts.refuseForeign(session, step.text());
        }
        return target;
    }

    private boolean mayBeMarked(TsqlStep.Cql step) {
        return session.statements()
                .write(step.text(), step.parameters())
                .filter(write -> TableMode.mayBeMarked(
                        tables, new CqlInsert.Table(write.keyspace().orElse(null), write.table())))
                .isPresent();
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

    // ---- refusals

    /** Refuses an UPDATE that sets an identity column outside of the key; within the key, Cassandra sets none. */
    void refuseIdentity(TsqlStep.Cql step) throws SQLException {
        if (step.keyword().equals("BEGIN")) {
            for (Assignments each : Assignments.ofBatch(step.text())) {
                Set<String> assigned =
                        each.all().stream().map(Assignments.Assignment::column).collect(Collectors.toSet());
                refuseIdentity(Optional.ofNullable(each.keyspace()), each.table(), assigned);
            }
        }
        refuseCountMark(step);
        if (!step.keyword().equals("UPDATE")) {
            return;
        }
        CqlWrite write =
                session.statements().write(step.text(), step.parameters()).orElse(null);
        if (write != null) {
            refuseIdentity(write.keyspace(), write.table(), write.assigned());
        }
    }

    private void refuseCountMark(TsqlStep.Cql step) throws SQLException {
        if (step.text().contains(CountMark.COLUMN) && step.writesRows()) {
            Assignments written = Assignments.of(step.text()).orElse(null);
            CqlWrite write =
                    session.statements().write(step.text(), step.parameters()).orElse(null);
            Set<String> assigned = new HashSet<>(write == null ? Set.of() : write.assigned());
            if (written != null) {
                written.all().forEach(each -> assigned.add(each.column()));
            }
            if (write != null) {
                CountIds.refuse(tables, new CqlInsert.Table(write.keyspace().orElse(null), write.table()), assigned);
            }
        }
    }

    private void refuseIdentity(Optional<String> named, String table, Set<String> assigned) throws SQLException {
        String keyspace = named.or(() -> session.plain().getKeyspace().map(CqlIdentifier::asInternal))
                .orElse(null);
        if (keyspace != null) {
            refuseIdentity(session, keyspace, table, assigned);
        }
    }

    /** Refuses a write that sets the identity column of a table: SQL Server has none. */
    static void refuseIdentity(SharedSession session, String keyspace, String table, Collection<String> assigned)
            throws SQLException {
        String identity = session.identityColumn(keyspace, table).orElse(null);
        if (identity != null && assigned.contains(identity)) {
            throw SqlServerErrors.rule(
                    SqlServerErrors.UPDATED_IDENTITY,
                    "Cannot update identity column '" + identity + "' of table " + keyspace + "." + table
                            + ": leave it out, or insert a new row, and delete the old one");
        }
    }

    /**
     * Refuses a write of a column that is in the key by a twin, unless the guard of the statement asks whether its new value is
     * the same to the collation: for Cassandra it is a column like any other. Refuses a write of a twin: it is made of its column, and a
     * row that had another one would be found by nobody. Refuses a write with IF of a column that has a twin beside it:
     * it is not sent as those that keep it are.
     */
    void refuseKeys(TsqlStep.Cql step) throws SQLException {
        Assignments written = step.writesRows() && !step.keyword().equals("INSERT")
                ? Assignments.of(step.text()).orElse(null)
                : null;
        if (written == null) {
            return;
        }
        CqlInsert.Table table = new CqlInsert.Table(written.keyspace(), written.table());
        refuseTwins(written, table);
        refuseConditional(step, written, table);
        Set<String> twinned = tables.twinned(table);
        for (Assignments.Assignment each : twinned.isEmpty() ? List.<Assignments.Assignment>of() : written.all()) {
            boolean isSame = step.guards().stream()
                    .anyMatch(guard ->
                            guard instanceof Guard.SameKey key && key.column().equals(each.column()));
            if (twinned.contains(each.column()) && !isSame) {
                throw Unserved.feature("SET of column " + each.column() + " of table " + tables.qualified(table)
                        + ", which is part of the primary key, is not served: the key is the place of a row; insert the new"
                        + " row, and delete the old one. Where WHERE gives the column one value, it can be set to another that"
                        + " its collation takes for equal");
            }
        }
    }

    private void refuseTwins(Assignments written, CqlInsert.Table table) throws SQLException {
        for (Assignments.Assignment each : written.all()) {
            if (Twin.isOne(each.column()) && tables.isColumn(table, RowMark.COLUMN)) {
                throw Unserved.feature("A write of column " + each.column() + " of table " + tables.qualified(table)
                        + " is not served: it is made of column " + Twin.original(each.column())
                        + ", as that is compared, and a row would not be found by another value. Write "
                        + Twin.original(each.column()) + ", and leave it out");
            }
        }
    }

    private void refuseConditional(TsqlStep.Cql step, Assignments written, CqlInsert.Table table) throws SQLException {
        if (!isConditional(step, session)) {
            return;
        }
        Set<String> kept = tables.twinsToKeep(
                table,
                written.all().stream().map(Assignments.Assignment::column).collect(Collectors.toSet()));
        for (Assignments.Assignment each : written.all()) {
            if (kept.contains(each.column())) {
                throw Unserved.feature("A write with IF of column " + each.column() + " of table "
                        + tables.qualified(table)
                        + ", which has an index by which rows are compared by its collation, is not served. Say it in WHERE:"
                        + " the update count is 0 if it does not hold");
            }
        }
    }

    /**
     * Refuses an assignment that the server would compute from the column itself, if T-SQL has declared the column: its rules
     * never see the result. Of a write without a condition the server computes counters and collections alone.
     *
     * @param cql a conditional write as it is sent
     * @param word behind which a condition stands in the statement as it is given
     */
    private void refuseComputed(String cql, String word) throws SQLException {
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
                            + " still has the old one: UPDATE ... SET " + each.column() + " = ? WHERE ... "
                            + word + " " + each.column() + " = ?");
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

    // ---- conditions

    /**
     * Returns how the table of a write without a condition of its own is written, if that is exactly; refuses what cannot be made
     * conditional.
     */
    private Optional<TableWrites> exact(TsqlStep.Cql step) throws SQLException {
        if (step.keyword().equals("BEGIN")) {
            for (CqlChange each : CqlChange.of(step.text())) {
                CqlInsert.Table table = new CqlInsert.Table(each.keyspace(), Objects.requireNonNull(each.name()));
                if (exact(Optional.ofNullable(table.keyspace()), table.name()).isPresent()) {
                    throw Unserved.feature("BEGIN BATCH with table " + tables.qualified(table)
                            + ", whose writes are exact, is not served: run its writes one by one");
                }
            }
            return Optional.empty();
        }
        CqlWrite write = step.writesRows()
                ? session.statements().write(step.text(), step.parameters()).orElse(null)
                : null;
        if (write == null) {
            return Optional.empty();
        }
        Optional<TableWrites> exact = exact(write.keyspace(), write.table());
        if (exact.isPresent() && !write.isConditional() && step.keyword().equals("INSERT")) {
            throw Unserved.feature("INSERT JSON into table " + write.table()
                    + ", whose writes are exact, is not served: name the columns: INSERT INTO t (...) VALUES (...)");
        }
        return exact.filter(found -> !write.isConditional());
    }

    private Optional<TableWrites> exact(Optional<String> keyspace, String table) throws SQLException {
        return TableMode.of(session, tables, keyspace, table);
    }

    private Optional<ConditionalWrite> conditional(TsqlStep.Cql step) {
        return session.statements().conditional(step);
    }

    /** Says how a write that Cassandra refuses without a condition can be served; returns any other error as it is. */
    <X extends Exception> X withCondition(TsqlStep.Cql step, X refusal) throws SQLException {
        if (step.writesRows() && !step.keyword().equals("INSERT") && IndexedReads.isRefusal(refusal)) {
            CqlWrite write =
                    session.statements().write(step.text(), step.parameters()).orElse(null);
            CqlInsert.Table named =
                    write == null ? null : new CqlInsert.Table(write.keyspace().orElse(null), write.table());
            // Of a table that is missing, no condition serves a write.
            if (write != null
                    && named != null
                    && !tables.key(named).isEmpty()
                    && conditional(step)
                            .filter(ConditionalWrite::needsCondition)
                            .isPresent()) {
                String table = tables.qualified(named);
                SQLException served = Unserved.feature(SqlErrors.of(refusal).getMessage()
                        + ". Or declare that the writes of table " + table
                        + " are exact; then every write to it is conditional, because of a plain and a conditional write to"
                        + " one row, one may be lost. "
                        + session.commandLines()
                                .tell(new Remedy.DeclareWrites(
                                        SequenceStatements.keyspace(
                                                session.plain(),
                                                write.keyspace().orElse(null)),
                                        write.table(),
                                        "exact")));
                served.initCause(refusal);
                throw served;
            }
        }
        return refusal;
    }
}
