package dev.cassidy.check;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of the old database; used by one thread at a time, as JDBC specifies. */
final class StatementHandler extends Handler {

    /** A text, and its entry in the report. */
    record Sql(String text, Recorder.Statement recorded) {}

    private final Connection connection;
    private final ConnectionHandler transaction;
    private final Recorder recorder;
    private final @Nullable Sql prepared;
    private final List<Sql> batch = new ArrayList<>();
    private @Nullable Sql last;

    /** @param prepared null for a statement that gets its SQL when it runs */
    StatementHandler(
            Object real,
            Connection connection,
            ConnectionHandler transaction,
            Recorder recorder,
            @Nullable Sql prepared) {
        super(real);
        this.connection = connection;
        this.transaction = transaction;
        this.recorder = recorder;
        this.prepared = prepared;
    }

    @Override
    @Nullable
    Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate" -> {
                return execute((Statement) proxy, method, arguments);
            }
            case "executeBatch", "executeLargeBatch" -> {
                return executeBatch(method, arguments);
            }
            case "getConnection" -> {
                // The real one first: it throws if it is closed.
                return pass(method, arguments) == null ? null : connection;
            }
            case "getResultSet", "getGeneratedKeys" -> {
                return rows((Statement) proxy, pass(method, arguments));
            }
            case "getUpdateCount", "getLargeUpdateCount" -> {
                Object count = pass(method, arguments);
                Sql counted = last;
                if (counted != null && count instanceof Number number) {
                    aside(() -> ConnectionHandler.counted(counted, number.longValue()));
                }
                return count;
            }
            default -> {
                aside(() -> note(method.getName(), arguments));
                return pass(method, arguments);
            }
        }
    }

    private void note(String method, Object[] arguments) {
        switch (method) {
            case "addBatch" -> {
                Sql entry = sql(arguments);
                if (entry != null) {
                    batch.add(entry);
                }
            }
            case "clearBatch" -> batch.clear();
            case "setCursorName" -> recorder.refusedCall("Statement.setCursorName", "write by the row's primary key");
            case "setMaxFieldSize" -> {
                if (!Integer.valueOf(0).equals(arguments[0])) {
                    recorder.refusedCall("Statement.setMaxFieldSize", "values are never cut");
                }
            }
            default -> {}
        }
    }

    private @Nullable Sql sql(Object[] arguments) {
        if (prepared != null || arguments.length == 0 || !(arguments[0] instanceof String text)) {
            return prepared;
        }
        return new Sql(text, recorder.statement(text, ConnectionHandler.asksForKeys(arguments)));
    }

    private @Nullable Object execute(Statement proxy, Method method, Object[] arguments) throws Throwable {
        Sql statement = prepared != null ? prepared : aside(() -> sql(arguments));
        last = statement;
        if (statement != null) {
            aside(() -> transaction.executed(statement));
        }
        Object result = pass(method, arguments);
        if (statement != null && result instanceof Number count) {
            aside(() -> ConnectionHandler.counted(statement, count.longValue()));
        }
        return rows(proxy, result);
    }

    private @Nullable Object executeBatch(Method method, Object[] arguments) throws Throwable {
        List<Sql> entries = List.copyOf(batch);
        batch.clear();
        aside(() -> entries.forEach(transaction::executed));
        Object counts = pass(method, arguments);
        aside(() -> counted(entries, counts));
        return counts;
    }

    private static void counted(List<Sql> entries, @Nullable Object counts) {
        for (int i = 0; i < entries.size(); i++) {
            if (counts instanceof int[] narrow && i < narrow.length) {
                ConnectionHandler.counted(entries.get(i), narrow[i]);
            } else if (counts instanceof long[] wide && i < wide.length) {
                ConnectionHandler.counted(entries.get(i), wide[i]);
            }
        }
    }

    private @Nullable Object rows(Statement proxy, @Nullable Object result) {
        return result instanceof ResultSet rows
                ? around(ResultSet.class, rows, () -> new ResultSetHandler(rows, proxy, recorder))
                : result;
    }
}
