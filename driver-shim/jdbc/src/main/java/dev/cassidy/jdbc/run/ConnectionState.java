package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.plan.StatementFigures;
import dev.cassidy.jdbc.session.ConnectionSettings;
import dev.cassidy.jdbc.session.FanOutRule;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.SharedSessions;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.DateOrder;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of one connection that its statements read and change while they run: the session that it shares, the writes that
 * wait for a commit, the last generated key. Used by one thread at a time, except {@link #abort}, which any thread may call.
 */
public final class ConnectionState {

    private final ConnectionSettings opened;
    private final IdentityInsert identityInsert;

    private final FanOutRule fanOut;
    private final Transaction transaction = new Transaction();
    private final Cancellation committing = new Cancellation();
    private SharedSessions.Lease lease;
    private Duration networkTimeout = Duration.ZERO;
    private boolean autoCommit = true;
    private @Nullable Transaction ofStatement;
    private int isolation = Connection.TRANSACTION_READ_COMMITTED;
    private int immediateWrites;
    private GeneratedKeys.@Nullable Key lastKey;
    private long rowCount;
    private DateOrder dateOrder;
    private SessionLanguage language = SessionLanguage.unset();
    private boolean showsPlans;
    private volatile boolean closed;

    /**
     * The state of a connection that was opened now.
     *
     * @param lease released by {@link #release}
     */
    public ConnectionState(SharedSessions.Lease lease) {
        this.lease = lease;
        this.opened = lease.settings();
        this.identityInsert = new IdentityInsert(opened.checksIdentityInsert());
        this.fanOut = lease.session().fanOut();
        this.dateOrder = opened.dateOrder();
    }

    public void requireOpen() throws SQLException {
        if (closed) {
            throw new SQLNonTransientConnectionException("The connection is closed", SqlStates.CONNECTION_CLOSED);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Refuses further use; returns false if the connection was closed before. The session stays leased. */
    public boolean close() {
        boolean wasOpen = !closed;
        closed = true;
        return wasOpen;
    }

    /** Gives the session back; rows that the open transaction means to hold, before. */
    public void release() {
        transaction.unclaim();
        lease.release();
    }

    /** Ends a commit that is running, and gives back rows that the open transaction means to hold, and the session. May be called by any thread. */
    public void abort() {
        committing.cancel();
        transaction.unclaim();
        lease.release();
    }

    public SharedSession session() throws SQLException {
        requireOpen();
        return lease.session();
    }

    /** Returns the settings with the keyspace that is in use now. */
    public ConnectionSettings settings() {
        return lease.settings();
    }

    /** Returns the settings that the connection was opened with. */
    public ConnectionSettings opened() {
        return opened;
    }

    /** Switches to another keyspace, on another session: all users of a session share its keyspace. */
    public void use(CqlIdentifier keyspace) throws SQLException {
        if (settings().keyspace().filter(keyspace::equals).isPresent()) {
            return;
        }
        if (!transaction.isEmpty()) {
            throw new SQLException(
                    transaction.size() + " writes wait for commit or rollback: the keyspace cannot change before",
                    SqlStates.SEQUENCE_OF_CALLS);
        }
        SharedSessions.Lease other = lease.withKeyspace(keyspace);
        lease.release();
        lease = other;
    }

    /** Returns in which order the parts of a date such as {@code 1/2/2024} are read. */
    DateOrder dateOrder() {
        return dateOrder;
    }

    /** Until the connection ends, as in SQL Server. */
    void dateOrder(DateOrder order) {
        dateOrder = order;
    }

    /** Returns how dates are read and shown where statements are evaluated in the client. */
    SessionLanguage language() {
        return language.withOrder(
                switch (dateOrder) {
                    case NONE -> null;
                    case MDY -> SessionLanguage.Order.MDY;
                    case DMY -> SessionLanguage.Order.DMY;
                    case YMD -> SessionLanguage.Order.YMD;
                });
    }

    /** Until the connection ends, as in SQL Server. The order of dates is that of {@link #dateOrder()}. */
    void language(SessionLanguage given) {
        language = given;
    }

    /** Returns whether statements are not run, and it is shown in their place how they would be served. */
    public boolean showsPlans() {
        return showsPlans;
    }

    /** Until the connection ends, as in SQL Server. */
    void showPlans(boolean on) {
        showsPlans = on;
    }

    /** Returns what counts the statements of the process. */
    public StatementFigures figures() {
        return lease.figures();
    }

    /** Returns the shorter of the network timeout and {@code queryTimeout}; null if neither is set. */
    @Nullable
    public Duration timeout(Duration queryTimeout) {
        if (queryTimeout.isZero()) {
            return networkTimeout.isZero() ? null : networkTimeout;
        }
        return networkTimeout.isZero() || queryTimeout.compareTo(networkTimeout) < 0 ? queryTimeout : networkTimeout;
    }

    /** Returns the limit of each request; zero for none. */
    public Duration networkTimeout() {
        return networkTimeout;
    }

    public void networkTimeout(Duration limit) {
        networkTimeout = limit;
    }

    IdentityInsert identityInsert() {
        return identityInsert;
    }

    /** Returns what is done with statements that ask many nodes, as it was decided when the connection opened. */
    public FanOutRule fanOut() {
        return fanOut;
    }

    /** Returns the generated key of the last insert; null if that had none, or there was no insert. */
    GeneratedKeys.@Nullable Key lastKey() {
        return lastKey;
    }

    /** @param key null when the insert had none: SQL Server's drivers repeat the previous one there */
    void lastKey(GeneratedKeys.@Nullable Key key) {
        lastKey = key;
    }

    /** Returns how many rows the last statement wrote, as it reported them; negative if it was a query. */
    long rowCount() {
        return rowCount;
    }

    /** @param count negative if it is not known: a query's rows are counted by nobody before they are read */
    void rowCount(long count) {
        rowCount = count;
    }

    // ---- transactions

    /** Returns the isolation level, as {@link Connection} numbers it. */
    public int isolation() {
        return isolation;
    }

    public void isolation(int level) {
        isolation = level;
    }

    public boolean autoCommit() {
        return autoCommit;
    }

    public void autoCommit(boolean on) {
        autoCommit = on;
    }

    /** Returns the transaction that collects the writes; null when each write is sent at once. */
    @Nullable
    Transaction transaction() {
        if (ofStatement != null) {
            return ofStatement;
        }
        return autoCommit || !settings().buffersTransactions() ? null : transaction;
    }

    /** Does something in a transaction of its own; what that has written, the caller commits. */
    <T> T within(Transaction own, Doing<T> doing) throws SQLException {
        ofStatement = own;
        try {
            return doing.run();
        } finally {
            ofStatement = null;
        }
    }

    /** Has the rows that something reads stay as they are until the transaction ends. */
    <T> T remembering(Doing<T> doing) throws SQLException {
        int before = isolation;
        isolation = Math.max(before, Connection.TRANSACTION_REPEATABLE_READ);
        try {
            return doing.run();
        } finally {
            isolation = before;
        }
    }

    /** Something that runs statements. */
    interface Doing<T> {
        T run() throws SQLException;
    }

    /** Counts a write that is sent now and that no rollback can undo. */
    void countImmediateWrite() {
        immediateWrites += autoCommit ? 0 : 1;
    }

    /** Takes back one {@link #countImmediateWrite}: the write was conditional, and was not applied. */
    void discountImmediateWrite() {
        immediateWrites -= autoCommit ? 0 : 1;
    }

    /**
     * Sends the writes that wait, and returns the server's warnings. After a failure the writes are kept: commit again
     * sends the same rows with the same ids.
     */
    public List<String> commit() throws SQLException {
        requireOpen();
        List<String> warned = List.of();
        if (!transaction.isEmpty()) {
            committing.begin();
            try {
                requirePlain();
                transaction.judgeAgain(session(), timeout(Duration.ZERO), committing);
                warned = transaction.commit(
                        session(),
                        new Binder(
                                session(),
                                this::dateOrder,
                                session().fetchSize(),
                                timeout(Duration.ZERO),
                                warning -> {},
                                committing),
                        committing);
            } catch (RuntimeException e) {
                throw SqlErrors.of(e);
            } finally {
                committing.end();
            }
        }
        // Last: if the commit fails, a rollback must still report the writes that were sent at once.
        immediateWrites = 0;
        rowCount = 0;
        return warned;
    }

    /** Refuses the commit if a table's writes are exact since its writes were taken: these are plain. */
    private void requirePlain() throws SQLException {
        SharedSession session = session();
        if (TableMode.areAllPlain(session)) {
            return;
        }
        Tables tables = session.tables();
        for (CqlInsert.Table table : transaction.plainTables()) {
            if (TableMode.of(session, tables, Optional.ofNullable(table.keyspace()), table.name())
                    .isPresent()) {
                throw new SQLTransactionRollbackException(
                        "Nothing was committed: table " + tables.qualified(table)
                                + " is written exactly since this transaction began. Roll it back, and begin it again",
                        SqlStates.CONFLICT);
            }
        }
    }

    /**
     * A point of a transaction to which it can be rolled back.
     *
     * @param transaction which of this connection's transactions it is of
     */
    public record Point(ConnectionState of, int transaction, int rows, int writes, int counts) {}

    /** Returns the point that the open transaction has reached. */
    public Point point() throws SQLException {
        requireOpen();
        if (transaction() == null) {
            throw new SQLException(
                    "A savepoint is one of a transaction whose writes wait for the commit: call setAutoCommit(false) first, and"
                            + " do not connect with transactions=immediate",
                    SqlStates.SEQUENCE_OF_CALLS);
        }
        Transaction.Mark mark = transaction.mark();
        return new Point(this, transaction.number(), mark.rows(), mark.writes(), mark.counts());
    }

    /** Drops the writes that wait and came after a point. */
    public void rollbackTo(Point point) throws SQLException {
        require(point);
        transaction.rollbackTo(new Transaction.Mark(point.rows(), point.writes(), point.counts()));
    }

    /**
     * Checks a point.
     *
     * @throws SQLException if it is not one of the open transaction, or was rolled back
     */
    public void require(Point point) throws SQLException {
        requireOpen();
        if (point.of() != this
                || point.transaction() != transaction.number()
                || point.rows() > transaction.overlay().mark()
                || point.writes() > transaction.writes()
                || point.counts() > transaction.counts().size()) {
            throw new SQLException(
                    "The savepoint is not one of the open transaction: that was committed or rolled back since",
                    SqlStates.BAD_SAVEPOINT);
        }
    }

    /** Drops the writes that wait; returns how many others were sent at once since the last commit, and stay. */
    public int rollback() throws SQLException {
        requireOpen();
        transaction.clear();
        int sent = immediateWrites;
        immediateWrites = 0;
        return sent;
    }
}
