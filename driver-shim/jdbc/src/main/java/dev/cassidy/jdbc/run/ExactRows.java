package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.overlay.UniqueValues;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlStep;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads rows of exact tables where their writes are decided. */
final class ExactRows {

    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final Cancellation cancellation;
    private final Locks locks;

    ExactRows(SharedSession session, Tables tables, Binder binder, Cancellation cancellation) {
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.cancellation = cancellation;
        this.locks = new Locks(session, cancellation);
    }

    /** Returns the keys of the rows of a statement of several rows, as the driver's codecs give them. */
    List<List<Object>> keys(ExactStatement statement) throws SQLException {
        boolean elsewhere = hasOtherDatacenters(statement);
        AsyncResultSet page;
        try {
            page = rows(
                    statement,
                    statement.write().keys(),
                    statement.write().keyMarkers(),
                    elsewhere ? DefaultConsistencyLevel.EACH_QUORUM : null);
        } catch (SQLException e) {
            throw elsewhere ? inDoubt(statement, e) : e;
        }
        List<List<Object>> keys = new ArrayList<>();
        while (true) {
            for (Row row : page.currentPage()) {
                List<Object> key = new ArrayList<>();
                for (int i = 0; i < row.size(); i++) {
                    key.add(Objects.requireNonNull(row.getObject(i)));
                }
                keys.add(key);
            }
            if (!page.hasMorePages()) {
                return keys;
            }
            page = cancellation.await(page.fetchNextPage().toCompletableFuture(), Cancellation.READ_ALONE);
        }
    }

    /**
     * Returns whether a condition did not hold because there is no row.
     *
     * @param now what the server says of the row
     * @throws SQLException if there is one without its mark: another client has written it, and no exact write ever finds it
     */
    boolean isMissing(ExactStatement statement, @Nullable Row now) throws SQLException {
        if (now == null) {
            return true;
        }
        if (!now.getColumnDefinitions().contains(RowMark.COLUMN)) {
            return true;
        }
        if (now.isNull(RowMark.COLUMN)) {
            throw unmarked(statement, null);
        }
        return false;
    }

    private SQLException unmarked(ExactStatement statement, @Nullable SQLException cause) {
        return new SQLException(
                "Nothing was written: a row of table " + tables.qualified(statement.table())
                        + " lacks its mark, the column " + RowMark.COLUMN
                        + ". A client has written it that does not know"
                        + " that the table's writes are exact; or its insert has failed, and not every replica answers. Delete"
                        + " it by CQL, or give it the mark: UPDATE ... SET " + RowMark.COLUMN + " = " + RowMark.FREE
                        + " WHERE <its key> IF EXISTS, at the serial level of the table",
                SqlStates.GENERAL,
                cause);
    }

    /**
     * Reads a row at the level of the majority that decides. What a failed insert has left on some replicas is on a majority
     * afterwards: otherwise a condition could hold by one replica, and the row lack the insert's columns on all others. So
     * nothing may be written if it is not found: a condition might find what this majority does not have.
     */
    @Nullable
    Row healed(ExactStatement statement) throws SQLException {
        Row row = unlocked(statement);
        if (row == null && isElsewhere(statement)) {
            row = unlocked(statement);
        }
        if (row != null && row.isNull(RowMark.COLUMN)) {
            // A query of some columns has repaired these alone: the row is not whole on this majority, but perhaps on a
            // replica.
            try {
                row = rows(statement, statement.write().row(), statement.write().rowMarkers(), ConsistencyLevel.ALL)
                        .one();
            } catch (SQLException e) {
                throw unmarked(statement, e);
            }
            if (row != null && row.isNull(RowMark.COLUMN)) {
                throw unmarked(statement, null);
            }
        }
        return row;
    }

    /** Returns the row as the last commit left it; null if there was none. */
    private @Nullable Row unlocked(ExactStatement statement) throws SQLException {
        Row row = row(statement);
        for (int tries = 0; row != null && tries < Locks.MAX_TRIES; tries++) {
            ByteBuffer mark = row.getByteBuffer(RowMark.COLUMN);
            if (mark == null || !Locks.isLock(mark)) {
                return row;
            }
            if (!locks.isEnded(table(statement.writes()), key(statement), mark)) {
                return Locks.isPlaceholder(mark) ? null : row;
            }
            row = row(statement);
        }
        return row;
    }

    /** Returns the key of the row that a statement names, as the driver's codecs give it. */
    List<Object> key(ExactStatement statement) throws SQLException {
        return Overlay.key(
                query(statement),
                table(statement.writes()),
                session.plain().getContext().getCodecRegistry());
    }

    /**
     * Waits until the row can be written, if a transaction holds it.
     *
     * @param now what the server says of the row, which did not meet a condition
     * @return whether the statement has to be tried again
     */
    boolean isFreed(ExactStatement statement, @Nullable Row now) throws SQLException {
        ByteBuffer mark = mark(now);
        if (mark == null || !Locks.isLock(mark)) {
            return false;
        }
        locks.free(table(statement.writes()), key(statement), mark);
        return true;
    }

    private @Nullable Row row(ExactStatement statement) throws SQLException {
        return rows(statement, statement.write().row(), statement.write().rowMarkers(), null)
                .one();
    }

    /**
     * Returns whether a row that is missing where its writes are decided is there now: another datacenter may have inserted it a
     * moment ago.
     *
     * @throws SQLTimeoutException if the other datacenters do not answer, so that it is not known whether there is a row
     */
    boolean isElsewhere(ExactStatement statement) throws SQLException {
        if (!hasOtherDatacenters(statement)) {
            return false;
        }
        try {
            return rows(
                                    statement,
                                    statement.write().row(),
                                    statement.write().rowMarkers(),
                                    DefaultConsistencyLevel.EACH_QUORUM)
                            .one()
                    != null;
        } catch (SQLException e) {
            throw inDoubt(statement, e);
        } catch (RuntimeException e) {
            throw inDoubt(statement, SqlErrors.of(e));
        }
    }

    /** Returns whether other datacenters may have rows that the one that decides does not have yet. */
    boolean hasOtherDatacenters(ExactStatement statement) throws SQLException {
        return !statement.writes().isEverywhere() && datacenters(statement.table()) > 1;
    }

    private SQLException inDoubt(ExactStatement statement, SQLException cause) {
        SQLException doubt = new SQLTimeoutException(
                "Nothing was written: whether a row of table " + tables.qualified(statement.table())
                        + " that is not in its home datacenter was just inserted in another one is not known, because not"
                        + " every datacenter answers. Run it again",
                SqlStates.TIMEOUT,
                cause);
        return doubt;
    }

    private long datacenters(CqlInsert.Table table) throws SQLException {
        String keyspace = SequenceStatements.keyspace(session.plain(), table.keyspace());
        return session.plain()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .map(found -> found.getReplication().keySet().stream()
                        .filter(name -> !name.equals("class"))
                        .count())
                .orElse(1L);
    }

    /** Returns a query of a statement's rows, with its values. */
    BatchableStatement<?> bound(ExactStatement statement, String query, List<ConditionalWrite.Source> sources)
            throws SQLException {
        List<Integer> markers = sources.stream().map(statement::parameter).toList();
        return binder.bind(session.plain(), new Binder.Unbound(query, markers, false), statement.parameters());
    }

    /** @param level null for that at which the table's writes are decided */
    private AsyncResultSet rows(
            ExactStatement statement,
            String query,
            List<ConditionalWrite.Source> sources,
            @Nullable ConsistencyLevel level)
            throws SQLException {
        return cancellation.await(asked(statement, bound(statement, query, sources), level), Cancellation.READ_ALONE);
    }

    /** Returns the query of the row that a statement names. */
    BatchableStatement<?> query(ExactStatement statement) throws SQLException {
        return bound(statement, statement.write().row(), statement.write().rowMarkers());
    }

    /** Sends the {@link #query} of a row to the majority that decides, and does not wait for its answer. */
    CompletableFuture<AsyncResultSet> asked(ExactStatement statement, BatchableStatement<?> query) throws SQLException {
        cancellation.requireGoingOn();
        return asked(statement, query, null);
    }

    private CompletableFuture<AsyncResultSet> asked(
            ExactStatement statement, BatchableStatement<?> query, @Nullable ConsistencyLevel level)
            throws SQLException {
        Statement<?> bound = inOrder(statement, query);
        return session.plain()
                .executeAsync(level == null ? bound : bound.setConsistencyLevel(level))
                .toCompletableFuture();
    }

    /** Returns whether a row has its mark, and no transaction holds it. */
    static boolean isFree(@Nullable Row row) {
        ByteBuffer mark = mark(row);
        return mark != null && !Locks.isLock(mark);
    }

    /** Returns whether a transaction holds a row. */
    static boolean isHeld(@Nullable Row row) {
        return Locks.isLock(mark(row));
    }

    private static @Nullable ByteBuffer mark(@Nullable Row row) {
        return row != null && row.getColumnDefinitions().contains(RowMark.COLUMN)
                ? row.getByteBuffer(RowMark.COLUMN)
                : null;
    }

    private Statement<?> inOrder(ExactStatement statement, Statement<?> bound) throws SQLException {
        TableWrites writes = statement.writes();
        return session.writing() instanceof IdentitySession identities
                ? identities.inOrder(bound, writes.keyspace(), writes.table(), writes.home())
                : bound;
    }

    /**
     * Returns whether a row is as the conditions of a statement say.
     *
     * @param bound the statement with its values
     * @param row as far as the conditions are of it
     */
    boolean meets(ExactStatement statement, Statement<?> bound, Row row) {
        return Overlay.meets(
                RowImage.of(row),
                bound,
                table(statement.writes()),
                session.plain().getContext().getCodecRegistry());
    }

    /** Returns the row that a statement names; null if there is none. */
    @Nullable
    RowImage image(ExactStatement statement) throws SQLException {
        Row row = healed(statement);
        return row == null ? null : RowImage.of(row);
    }

    /**
     * Returns the row of a key; null if there is none.
     *
     * @param key the values of the columns of the primary key, as the driver's codecs give them
     */
    @Nullable
    RowImage image(TableWrites writes, List<Object> key) throws SQLException {
        return image(reading(writes, key));
    }

    /** As {@link #image}, of a table whose rows are inserted where their writes are decided, and nowhere else. */
    @Nullable
    RowImage standing(TableWrites writes, List<Object> key) throws SQLException {
        Row row = unlocked(reading(writes, key));
        return row == null ? null : RowImage.of(row);
    }

    /** As {@link #standing}, as the connection's nodes have it at its level. */
    @Nullable
    RowImage seen(TableWrites writes, List<Object> key) throws SQLException {
        ExactStatement statement = reading(writes, key);
        Row row = cancellation
                .await(
                        session.plain()
                                .executeAsync(bound(
                                        statement,
                                        statement.write().row(),
                                        statement.write().rowMarkers()))
                                .toCompletableFuture(),
                        Cancellation.READ_ALONE)
                .one();
        return row == null || Locks.isPlaceholder(row.getByteBuffer(RowMark.COLUMN)) ? null : RowImage.of(row);
    }

    private ExactStatement reading(TableWrites writes, List<Object> key) {
        CqlInsert.Table table = new CqlInsert.Table(writes.keyspace(), writes.table());
        StringBuilder query = new StringBuilder("SELECT * FROM ")
                .append(Identifiers.toCql(writes.keyspace()))
                .append('.')
                .append(Identifiers.toCql(writes.table()));
        List<ConditionalWrite.Source> sources = new ArrayList<>();
        String separator = " WHERE ";
        for (String column : tables.key(table)) {
            query.append(separator).append(Identifiers.toCql(column)).append(" = ?");
            sources.add(new ConditionalWrite.Source.Key(sources.size()));
            separator = " AND ";
        }
        ConditionalWrite read = new ConditionalWrite(
                "", List.of(), List.of(), List.of(), List.of(), "", List.of(), query.toString(), sources);
        TsqlStep.Cql step = new TsqlStep.Cql(query.toString(), "SELECT", List.of());
        return new ExactStatement(read, writes, step, table, List.of(), 0).of(key);
    }

    /** Returns a table as the driver sees it. */
    TableMetadata metadata(TableWrites writes) {
        return session.plain()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(writes.keyspace()))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(writes.table())))
                .orElseThrow(() -> new IllegalStateException("table " + writes.name() + " is not known any more"));
    }

    /** Returns a table as statements name and compare its columns. */
    Overlay.Table table(TableWrites writes) {
        CqlInsert.Table table = new CqlInsert.Table(writes.keyspace(), writes.table());
        Map<String, DataType> types = tables.types(table);
        List<String> key = tables.key(table);
        DriverContext driver = session.plain().getContext();
        return new Overlay.Table(
                writes,
                key,
                tables.partition(table),
                types,
                new UniqueValues(
                        tables.uniqueKeys(table), key, types, driver.getCodecRegistry(), driver.getProtocolVersion()));
    }
}
