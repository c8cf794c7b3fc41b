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
import dev.cassidy.async.Stages;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.overlay.UniqueValues;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.cassandra.DecidedRows;
import dev.cassidy.transaction.cassandra.ExactRowException;
import dev.cassidy.tsql.TsqlStep;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads rows of exact tables where their writes are decided, for the statements of one connection. */
final class ExactRows {

    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final Cancellation cancellation;
    private final DecidedRows rows;

    ExactRows(SharedSession session, Tables tables, Binder binder, Cancellation cancellation) {
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.cancellation = cancellation;
        this.rows = new DecidedRows(
                session.plain(), this::inOrder, () -> session.transactions().resolver());
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
            throw elsewhere ? sql(DecidedRows.inDoubt(statement.writes(), e)) : e;
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
     * @throws SQLException if there is one without its mark
     */
    boolean isMissing(ExactStatement statement, @Nullable Row now) throws SQLException {
        try {
            return DecidedRows.isMissing(statement.writes(), now);
        } catch (ExactRowException e) {
            throw sql(e);
        }
    }

    /** Returns the row as the last commit left it, on a majority; null if there was none. Then nothing may be written. */
    @Nullable
    Row healed(ExactStatement statement) throws SQLException {
        return await(rows.healed(named(statement)), Cancellation.READ_ALONE).row();
    }

    private DecidedRows.Named named(ExactStatement statement) throws SQLException {
        return new DecidedRows.Named(statement.writes(), key(statement.table()), query(statement));
    }

    private <T> T await(CompletionStage<T> stage, String consequence) throws SQLException {
        return cancellation.await(
                stage.exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Stages.cause(failure) instanceof ExactRowException found ? sql(found) : failure)),
                consequence);
    }

    private static SQLException sql(ExactRowException e) {
        String message = String.valueOf(e.getMessage());
        SQLException cause = e.getCause() == null ? null : SqlErrors.of(e.getCause());
        return switch (e.reason()) {
            case UNMARKED -> new SQLException(message, SqlStates.GENERAL, cause);
            case IN_DOUBT -> new SQLTimeoutException(message, SqlStates.TIMEOUT, cause);
            case HELD -> SqlServerErrors.deadlock(message);
        };
    }

    static SQLException unmarked(TableWrites table) {
        return sql(DecidedRows.unmarked(table));
    }

    static SQLException held(TableWrites table) {
        return sql(DecidedRows.held(table));
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
        return DecidedRows.isLocked(now) && await(rows.isFreed(named(statement), now), Cancellation.NOTHING_SENT);
    }

    /**
     * Returns whether a row that is missing where its writes are decided is there now: another datacenter may have inserted it a
     * moment ago.
     *
     * @throws SQLTimeoutException if the other datacenters do not answer, so that it is not known whether there is a row
     */
    boolean isElsewhere(ExactStatement statement) throws SQLException {
        return await(rows.isElsewhere(named(statement)), Cancellation.READ_ALONE);
    }

    /** Returns whether other datacenters may have rows that the one that decides does not have yet. */
    boolean hasOtherDatacenters(ExactStatement statement) {
        return rows.hasOtherDatacenters(statement.writes());
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
        return await(asked(statement, bound(statement, query, sources), level), Cancellation.READ_ALONE);
    }

    /** Returns the query of the row that a statement names. */
    BatchableStatement<?> query(ExactStatement statement) throws SQLException {
        return bound(statement, statement.write().row(), statement.write().rowMarkers());
    }

    /** Sends the {@link #query} of a row to the majority that decides, and does not wait for its answer. */
    CompletableFuture<AsyncResultSet> asked(ExactStatement statement, BatchableStatement<?> query) throws SQLException {
        cancellation.requireGoingOn();
        return asked(statement, query, null).toCompletableFuture();
    }

    private CompletionStage<AsyncResultSet> asked(
            ExactStatement statement, BatchableStatement<?> query, @Nullable ConsistencyLevel level) {
        return inOrder(query, statement.writes()).thenCompose(bound -> session.plain()
                .executeAsync(level == null ? bound : bound.setConsistencyLevel(level)));
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

    /** By who decides, and not by the contract of its name: tables of reservations have none. */
    private CompletionStage<Statement<?>> inOrder(Statement<?> bound, TableWrites writes) {
        try {
            return CompletableFuture.completedFuture(
                    session.writing() instanceof IdentitySession identities
                            ? identities.inOrder(bound, writes.keyspace(), writes.table(), writes.home())
                            : bound);
        } catch (SQLException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
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
        Row row = await(rows.standing(named(reading(writes, key))), Cancellation.READ_ALONE)
                .row();
        return row == null ? null : RowImage.of(row);
    }

    /** As {@link #standing}, as the connection's nodes have it at its level. */
    @Nullable
    RowImage seen(TableWrites writes, List<Object> key) throws SQLException {
        Row row = cancellation
                .await(
                        session.plain()
                                .executeAsync(query(reading(writes, key)))
                                .toCompletableFuture(),
                        Cancellation.READ_ALONE)
                .one();
        return row == null || Locks.isPlaceholder(mark(row)) ? null : RowImage.of(row);
    }

    private ExactStatement reading(TableWrites writes, List<Object> key) {
        CqlInsert.Table table = new CqlInsert.Table(writes.keyspace(), writes.table());
        StringBuilder query = new StringBuilder("SELECT * FROM ")
                .append(Identifiers.toCql(writes.keyspace()))
                .append('.')
                .append(Identifiers.toCql(writes.table()));
        List<ConditionalWrite.Source> sources = new ArrayList<>();
        String separator = " WHERE ";
        for (String column : key(table)) {
            query.append(separator).append(Identifiers.toCql(column)).append(" = ?");
            sources.add(new ConditionalWrite.Source.Key(sources.size()));
            separator = " AND ";
        }
        ConditionalWrite read = new ConditionalWrite(
                "", List.of(), List.of(), List.of(), List.of(), List.of(), "", List.of(), query.toString(), sources);
        TsqlStep.Cql step = new TsqlStep.Cql(query.toString(), "SELECT", List.of());
        return new ExactStatement(read, writes, step, table, List.of(), 0, List.of()).of(key);
    }

    /** Without a key, a query would be of some row. */
    private List<String> key(CqlInsert.Table table) {
        List<String> key = Reservations.isOne(table.name()) ? List.of(Reservations.VALUE) : tables.key(table);
        if (key.isEmpty()) {
            throw new IllegalStateException("table " + tables.qualified(table) + " is not known any more");
        }
        return key;
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
        if (!Reservations.isOne(table.name()) && !tables.areNoneTwinned()) {
            // Of a column that the driver does not see yet, a commit would not write the value.
            var unused = tables.twinsToKeep(table, Set.of());
        }
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
