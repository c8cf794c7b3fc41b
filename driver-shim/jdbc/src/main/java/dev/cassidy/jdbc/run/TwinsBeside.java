package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Gives columns of exact tables the twins beside them, on which indexes are made. A row without its twin would be found by nobody, so
 * writers keep a twin first; only when every process does, and each row has it, it is declared complete, and read by.
 */
final class TwinsBeside {

    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final Cancellation cancellation;
    private final UserRights rights;

    TwinsBeside(SharedSession session, Tables tables, Binder binder, Cancellation cancellation, UserRights rights) {
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.cancellation = cancellation;
        this.rights = rights;
    }

    /** Returns the twin of a column that is not in the key; empty if its strings are equal by their bytes. */
    static Optional<Twin> of(ColumnDefinition column, Twin.Place place) {
        return column.equality().map(collation -> new Twin(collation.name(), collation.version(), place));
    }

    /**
     * A twin that an index needs.
     *
     * @param column as it is declared; without the twin, if nobody keeps that yet
     * @param twin as writers keep it
     */
    record Wanted(String keyspace, String table, UUID id, ColumnDefinition column, Twin twin) {

        private boolean isDeclared() {
            return column.twin() != null;
        }

        private boolean isComplete() {
            Twin known = column.twin();
            return known != null && known.isComplete();
        }

        private String stored() {
            return Identifiers.toCql(Twin.nameOf(column.name()));
        }

        private String qualified() {
            return Identifiers.toCql(keyspace) + "." + Identifiers.toCql(table);
        }
    }

    /** Returns the twin that an index on a column is made on; empty if it is made on the column itself. */
    Optional<Wanted> wanted(String keyspace, String table, String column) throws SQLException {
        Optional<TableWrites> writes = TableMode.of(session, tables, Optional.of(keyspace), table);
        Optional<TableDefinition> known = new StoredTables(session).definition(keyspace, table);
        if (writes.isEmpty()
                || known.isEmpty()
                || !tables.isColumn(new CqlInsert.Table(keyspace, table), RowMark.COLUMN)) {
            return Optional.empty();
        }
        ColumnDefinition declared = known.get().column(column).orElse(null);
        if (declared == null || declared.equality().isEmpty()) {
            return Optional.empty();
        }
        Twin kept = declared.twin();
        Twin twin = kept == null ? of(declared, Twin.Place.BUILDING).orElseThrow() : kept;
        return Optional.of(new Wanted(keyspace, table, known.get().id(), declared, twin));
    }

    /** Throws the error with which {@link #complete} would refuse the twin. */
    void verify(Wanted wanted) throws SQLException {
        if (!wanted.isComplete()
                && new StoredTables(session).hasRows(wanted.keyspace(), wanted.table(), binder.timeout())) {
            throw refusal(wanted, "has rows, of which not each has it");
        }
    }

    /**
     * Refuses to make an index beside one that compares bytes, by which rows are found meanwhile: who knows that each row has the twin
     * reads by the new one as soon as it is there, and it cannot be asked before it is built.
     *
     * @param bytes the name of the index on the column itself
     */
    void refuseBeside(Wanted wanted, String bytes) throws SQLException {
        if (wanted.isComplete()
                && new StoredTables(session).hasRows(wanted.keyspace(), wanted.table(), binder.timeout())) {
            throw Unserved.feature("The index on column " + wanted.column().label() + " of table " + wanted.keyspace()
                    + "." + wanted.table() + " was not made: index " + bytes
                    + ", which compares bytes, finds its rows until another one is built. A command builds one that"
                    + " compares by " + wanted.twin().collation() + ", and then drops it. "
                    + session.commandLines()
                            .tell(new Remedy.AddTwin(
                                    wanted.keyspace(),
                                    wanted.table(),
                                    wanted.column().name())));
        }
    }

    private SQLException refusal(Wanted wanted, String why) {
        return Unserved.feature(
                "The index on column " + wanted.column().label() + " of table " + wanted.keyspace() + "."
                        + wanted.table() + " was not made: its strings are compared by "
                        + wanted.twin().collation()
                        + ", by a form of each that is stored beside it, and the table " + why
                        + ". A command gives it to them, while"
                        + " applications write; then make the index. "
                        + session.commandLines()
                                .tell(new Remedy.AddTwin(
                                        wanted.keyspace(),
                                        wanted.table(),
                                        wanted.column().name())));
    }

    /** Has each row of a table have the twin; returns when rows may be found by it. Waits until every process keeps it. */
    void complete(Wanted wanted) throws SQLException {
        if (wanted.isComplete()) {
            return;
        }
        verify(wanted);
        UserRights.Proof proof = rights.toAlterTable(wanted.keyspace(), wanted.table());
        cancellation.writes();
        ProvenChanges contracts = new ProvenChanges(session.identity());
        addColumn(wanted, proof, contracts);
        if (!wanted.isDeclared()) {
            declare(wanted, proof, contracts);
        }
        awaitNoticed(wanted, contracts.noticeTime());
        requireKept(wanted);
        contracts.completeTwin(
                proof,
                wanted.keyspace(),
                wanted.table(),
                wanted.id(),
                wanted.column().name());
        session.schemaChanged();
    }

    /** A timeout of the statement is one: that of the connection is of each request. */
    private void awaitNoticed(Wanted wanted, Duration time) throws SQLException {
        String stays = "the index on column " + wanted.column().label() + " was not made; what stands beside the column"
                + " stays, and writers keep it. Run the statement again, which continues";
        Duration limit = binder.timeout();
        if (limit == null || limit.compareTo(time) >= 0) {
            cancellation.pause(time.toMillis(), stays);
            return;
        }
        cancellation.pause(limit.toMillis(), stays);
        throw SqlServerErrors.timeout(
                "It takes " + time.toMillis() + " ms until every process keeps what the index needs, and the"
                        + " statement's timeout is " + limit.toMillis() + " ms: " + stays + ", with a longer timeout");
    }

    /** Before it is declared: who knows the contract writes the column. */
    private void addColumn(Wanted wanted, UserRights.Proof proof, ProvenChanges contracts) throws SQLException {
        StoredTables stored = new StoredTables(session);
        ColumnDefinition beside =
                ColumnDefinition.named(Twin.nameOf(wanted.column().name()));
        if (stored.columns(wanted.keyspace(), wanted.table()).contains(beside.name())) {
            return;
        }
        if (stored.wereDropped(wanted.keyspace(), wanted.table(), List.of(beside))) {
            // Cassandra hides what is earlier than the column's end, and new rows would lose it.
            contracts.insertConditionally(proof, wanted.keyspace(), wanted.table());
        }
        session.plain()
                .execute(SimpleStatement.newInstance(
                                "ALTER TABLE " + wanted.qualified() + " ADD IF NOT EXISTS " + wanted.stored() + " text")
                        .setTimeout(binder.timeout()));
        if (!session.plain().checkSchemaAgreement()) {
            throw new SQLTransientException(
                    "The nodes do not agree on the schema yet, and the index was not made: run it again, which"
                            + " continues",
                    SqlStates.CONFLICT);
        }
    }

    private void declare(Wanted wanted, UserRights.Proof proof, ProvenChanges contracts) throws SQLException {
        TableContract contract =
                InternalAccess.tables(session.identity().sequences()).contract(wanted.keyspace(), wanted.table());
        TableDefinition known = contract.definition();
        boolean isSame = known != null
                && known.isOf(wanted.id())
                && known.column(wanted.column().name())
                        .filter(wanted.column()::equals)
                        .isPresent();
        if (known == null || !isSame) {
            throw new SQLTransientException(
                    "Table " + contract.name()
                            + " was changed at the same time by another process, and the index was not"
                            + " made: run it again",
                    SqlStates.CONFLICT);
        }
        contracts.declareTwin(proof, contract, known.replacing(wanted.column().withTwin(wanted.twin())));
        session.schemaChanged();
    }

    /** Who did not know of it until a moment ago may have inserted rows. */
    private void requireKept(Wanted wanted) throws SQLException {
        SimpleStatement rows = SimpleStatement.newInstance("SELECT "
                        + Identifiers.toCql(wanted.column().name()) + ", " + wanted.stored() + ", " + RowMark.COLUMN
                        + " FROM " + wanted.qualified())
                .setConsistencyLevel(ConsistencyLevel.EACH_QUORUM)
                .setTimeout(binder.timeout());
        for (Row row : session.plain().execute(rows)) {
            ByteBuffer mark = row.getByteBuffer(2);
            String value = row.getString(0);
            String form = value == null ? null : wanted.twin().fold(value);
            if (mark == null || Locks.isLock(mark) || !Objects.equals(form, row.getString(1))) {
                throw refusal(wanted, "was given rows meanwhile, of which not each has it");
            }
        }
    }
}
