package dev.cassidy.recorder;

import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection to the old database, and the transaction that is open on it. */
final class ConnectionHandler extends Handler {

    private static final int MAX_OF_TRANSACTION = 50;

    private final Recording recording;
    private final Recording.Database database;

    // A connection is used by one thread at a time, as a rule; what two threads do to these is not worth a lock.
    private volatile boolean inTransaction;
    private volatile boolean wrote;
    private volatile boolean cut;
    private final List<Integer> statements = new ArrayList<>();

    static Connection around(Connection real, Recording.Database database) {
        return around(Connection.class, real, database.recording(), () -> new ConnectionHandler(real, database));
    }

    private ConnectionHandler(Connection real, Recording.Database database) {
        super(real, database.recording());
        this.recording = database.recording();
        this.database = database;
    }

    @Override
    @Nullable
    Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
        Object result;
        try {
            result = pass(method, arguments);
        } catch (Throwable e) {
            note(() -> failed(method.getName()));
            throw e;
        }
        note(() -> ended(method.getName(), arguments));
        Connection connection = (Connection) proxy;
        if (result instanceof CallableStatement && method.getName().equals("prepareCall")) {
            CallableStatement call = (CallableStatement) result;
            return around(CallableStatement.class, call, recording, () -> prepared(call, connection, arguments));
        }
        if (result instanceof PreparedStatement && method.getName().equals("prepareStatement")) {
            PreparedStatement prepared = (PreparedStatement) result;
            return around(
                    PreparedStatement.class, prepared, recording, () -> prepared(prepared, connection, arguments));
        }
        if (result instanceof Statement && method.getName().equals("createStatement")) {
            Statement statement = (Statement) result;
            return around(
                    Statement.class,
                    statement,
                    recording,
                    () -> new StatementHandler(statement, connection, this, database, null));
        }
        if (result instanceof DatabaseMetaData && method.getName().equals("getMetaData")) {
            DatabaseMetaData data = (DatabaseMetaData) result;
            return around(
                    DatabaseMetaData.class,
                    data,
                    recording,
                    () -> new ResultHandler(data, recording, "getConnection", connection));
        }
        return result;
    }

    private StatementHandler prepared(PreparedStatement real, Connection connection, Object[] arguments) {
        Recording.Statement statement = aside(() -> database.statement(String.valueOf(arguments[0])));
        if (statement != null && asksForKeys(arguments)) {
            statement.asksForKeys();
        }
        return new StatementHandler(real, connection, this, database, statement);
    }

    /** Judges a method whose first argument is the SQL. */
    static boolean asksForKeys(Object[] arguments) {
        return arguments.length == 2
                && (arguments[1] instanceof int[]
                        || arguments[1] instanceof String[]
                        || Integer.valueOf(Statement.RETURN_GENERATED_KEYS).equals(arguments[1]));
    }

    @Override
    String with(String method, Object[] arguments) {
        switch (method) {
            case "createStatement":
                return kinds(arguments, 0);
            case "prepareStatement":
            case "prepareCall":
                return arguments.length > 2 ? kinds(arguments, 1) : "";
            case "setAutoCommit":
            case "setReadOnly":
                return String.valueOf(arguments[0]);
            case "setTransactionIsolation":
                return isolation(arguments[0]);
            default:
                return "";
        }
    }

    private static String kinds(Object[] arguments, int first) {
        if (arguments.length < first + 2) {
            return "";
        }
        String type = Integer.valueOf(ResultSet.TYPE_FORWARD_ONLY).equals(arguments[first])
                ? "TYPE_FORWARD_ONLY"
                : "TYPE_SCROLL";
        String concurrency = Integer.valueOf(ResultSet.CONCUR_READ_ONLY).equals(arguments[first + 1])
                ? "CONCUR_READ_ONLY"
                : "CONCUR_UPDATABLE";
        return type + " " + concurrency;
    }

    private static String isolation(@Nullable Object level) {
        if (Integer.valueOf(Connection.TRANSACTION_READ_UNCOMMITTED).equals(level)) {
            return "TRANSACTION_READ_UNCOMMITTED";
        }
        if (Integer.valueOf(Connection.TRANSACTION_READ_COMMITTED).equals(level)) {
            return "TRANSACTION_READ_COMMITTED";
        }
        if (Integer.valueOf(Connection.TRANSACTION_REPEATABLE_READ).equals(level)) {
            return "TRANSACTION_REPEATABLE_READ";
        }
        return Integer.valueOf(Connection.TRANSACTION_SERIALIZABLE).equals(level) ? "TRANSACTION_SERIALIZABLE" : "";
    }

    // ---- transactions

    private void failed(String method) {
        if (method.equals("commit") || method.equals("rollback")) {
            endTransaction(method + " failed");
        }
    }

    private void ended(String method, Object[] arguments) {
        switch (method) {
            case "setAutoCommit":
                // In the middle of a transaction it commits.
                endTransaction("commit");
                inTransaction = Boolean.FALSE.equals(arguments[0]);
                break;
            case "commit":
                endTransaction("commit");
                break;
            case "rollback":
                // Back to a savepoint does not end it.
                if (arguments.length == 0) {
                    endTransaction("rollback");
                }
                break;
            case "close":
            case "abort":
                endTransaction("open");
                break;
            default:
        }
    }

    private void endTransaction(String end) {
        synchronized (statements) {
            database.transaction(new ArrayList<>(statements), cut, end);
            statements.clear();
        }
        wrote = false;
        cut = false;
    }

    /** Records what an execution means for later ones. */
    void executed(Recording.Statement statement) {
        statement.executed();
        if (statement.kind().equals("BEGIN") && !inTransaction) {
            inTransaction = true;
        }
        if (!inTransaction) {
            return;
        }
        if (statement.kind().equals("COMMIT") || statement.kind().equals("ROLLBACK")) {
            endTransaction(statement.kind().equals("COMMIT") ? "commit" : "rollback");
            return;
        }
        synchronized (statements) {
            boolean again = !statements.isEmpty() && statements.get(statements.size() - 1) == statement.id();
            if (statement.id() != 0 && !again) {
                if (statements.size() < MAX_OF_TRANSACTION) {
                    statements.add(statement.id());
                } else {
                    cut = true;
                }
            }
        }
        if (!statement.kind().equals("SELECT")) {
            wrote = !statement.kind().equals("BEGIN") || wrote;
        } else if (wrote) {
            statement.ranAfterWrite();
        }
    }
}
