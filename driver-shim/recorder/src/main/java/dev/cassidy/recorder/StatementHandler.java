package dev.cassidy.recorder;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of the old database; used by one thread at a time, as JDBC specifies. */
final class StatementHandler extends Handler {

    /** Entries of a batch whose counts are recorded. */
    private static final int MAX_BATCH = 100_000;

    private final Connection connection;
    private final ConnectionHandler transaction;
    private final Recording recording;
    private final Recording.Database database;
    private final Recording.@Nullable Statement prepared;
    private final List<Recording.Statement> batch = new ArrayList<>();
    private Recording.@Nullable Statement last;

    /** @param prepared null for a statement that gets its SQL when it runs */
    StatementHandler(
            Object real,
            Connection connection,
            ConnectionHandler transaction,
            Recording.Database database,
            Recording.@Nullable Statement prepared) {
        super(real, database.recording());
        this.connection = connection;
        this.transaction = transaction;
        this.recording = database.recording();
        this.database = database;
        this.prepared = prepared;
    }

    @Override
    String with(String method, Object[] arguments) {
        return method.equals("setMaxFieldSize") && !Integer.valueOf(0).equals(arguments[0]) ? "a limit" : "";
    }

    @Override
    @Nullable
    Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "execute":
            case "executeQuery":
            case "executeUpdate":
            case "executeLargeUpdate":
                return execute((Statement) proxy, method, arguments);
            case "executeBatch":
            case "executeLargeBatch":
                return executeBatch(method, arguments);
            case "getConnection":
                // The real one first: it throws if it is closed.
                return pass(method, arguments) == null ? null : connection;
            case "getResultSet":
            case "getGeneratedKeys":
                return rows((Statement) proxy, pass(method, arguments));
            case "getUpdateCount":
            case "getLargeUpdateCount":
                return counted(last, pass(method, arguments));
            case "addBatch":
                note(() -> addBatch(arguments));
                return pass(method, arguments);
            case "clearBatch":
                batch.clear();
                return pass(method, arguments);
            default:
                return pass(method, arguments);
        }
    }

    private Recording.@Nullable Statement statement(Object[] arguments) {
        if (prepared != null || arguments.length == 0 || !(arguments[0] instanceof String)) {
            return prepared;
        }
        Recording.Statement statement = database.statement((String) arguments[0]);
        if (ConnectionHandler.asksForKeys(arguments)) {
            statement.asksForKeys();
        }
        return statement;
    }

    private void addBatch(Object[] arguments) {
        Recording.Statement entry = statement(arguments);
        if (entry != null && batch.size() < MAX_BATCH) {
            batch.add(entry);
        }
    }

    private @Nullable Object execute(Statement proxy, Method method, Object[] arguments) throws Throwable {
        Recording.Statement statement = aside(() -> statement(arguments));
        last = statement;
        if (statement != null) {
            note(() -> transaction.executed(statement));
        }
        return rows(proxy, counted(statement, pass(method, arguments)));
    }

    private @Nullable Object executeBatch(Method method, Object[] arguments) throws Throwable {
        List<Recording.Statement> entries = new ArrayList<>(batch);
        batch.clear();
        note(() -> entries.forEach(transaction::executed));
        Object counts = pass(method, arguments);
        note(() -> {
            for (int i = 0; i < entries.size(); i++) {
                if (counts instanceof int[] && i < ((int[]) counts).length) {
                    entries.get(i).changed(((int[]) counts)[i]);
                } else if (counts instanceof long[] && i < ((long[]) counts).length) {
                    entries.get(i).changed(((long[]) counts)[i]);
                }
            }
        });
        return counts;
    }

    private @Nullable Object counted(Recording.@Nullable Statement statement, @Nullable Object count) {
        if (statement != null && count instanceof Number) {
            note(() -> statement.changed(((Number) count).longValue()));
        }
        return count;
    }

    private @Nullable Object rows(Statement proxy, @Nullable Object result) {
        if (!(result instanceof ResultSet)) {
            return result;
        }
        ResultSet rows = (ResultSet) result;
        return around(
                ResultSet.class, rows, recording, () -> new ResultHandler(rows, recording, "getStatement", proxy));
    }
}
