package dev.cassidy.check;

import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A connection to the old database. */
final class ConnectionHandler extends Handler {

    private final Recorder recorder;
    private final Runnable closed;
    private boolean inTransaction;
    private boolean wrote;

    /** @param closed is called when the connection is closed */
    static Connection around(Connection real, Recorder recorder, Runnable closed) {
        return around(Connection.class, real, () -> new ConnectionHandler(real, recorder, closed));
    }

    private ConnectionHandler(Connection real, Recorder recorder, Runnable closed) {
        super(real);
        this.recorder = recorder;
        this.closed = closed;
    }

    @Override
    @Nullable
    Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
        Object result = pass(method, arguments);
        aside(() -> note(method.getName(), arguments));
        Connection connection = (Connection) proxy;
        if (result instanceof CallableStatement call && method.getName().equals("prepareCall")) {
            return around(CallableStatement.class, call, () -> prepared(call, connection, arguments));
        }
        if (result instanceof PreparedStatement prepared && method.getName().equals("prepareStatement")) {
            return around(PreparedStatement.class, prepared, () -> prepared(prepared, connection, arguments));
        }
        if (result instanceof Statement statement && method.getName().equals("createStatement")) {
            return around(
                    Statement.class,
                    statement,
                    () -> new StatementHandler(statement, connection, this, recorder, null));
        }
        return result;
    }

    private StatementHandler prepared(PreparedStatement real, Connection connection, Object[] arguments) {
        String sql = String.valueOf(arguments[0]);
        StatementHandler.Sql recorded =
                aside(() -> new StatementHandler.Sql(sql, recorder.statement(sql, asksForKeys(arguments))));
        return new StatementHandler(real, connection, this, recorder, recorded);
    }

    private void note(String method, Object[] arguments) {
        switch (method) {
            case "createStatement" -> noteKind(arguments, 0);
            case "prepareStatement" -> {
                if (arguments.length > 2) {
                    noteKind(arguments, 1);
                }
            }
            case "prepareCall" ->
                recorder.refusedCall(
                        "Connection.prepareCall",
                        "Cassandra has no stored procedures; send the procedure's statements");
            case "setSavepoint" ->
                recorder.refusedCall("Connection.setSavepoint", "a transaction is one batch; there are no savepoints");
            case "setAutoCommit" -> {
                inTransaction = Boolean.FALSE.equals(arguments[0]);
                wrote = false;
            }
            case "commit", "rollback" -> wrote = false;
            case "close", "abort" -> closed.run();
            default -> {}
        }
    }

    /** Judges a method whose first argument is the SQL. */
    static boolean asksForKeys(Object[] arguments) {
        return arguments.length == 2
                && (arguments[1] instanceof int[]
                        || arguments[1] instanceof String[]
                        || Integer.valueOf(Statement.RETURN_GENERATED_KEYS).equals(arguments[1]));
    }

    private void noteKind(Object[] arguments, int first) {
        if (arguments.length > first + 1
                && !Integer.valueOf(ResultSet.CONCUR_READ_ONLY).equals(arguments[first + 1])) {
            recorder.refusedCall(
                    "an updatable ResultSet", "a result set is read-only: ask for CONCUR_READ_ONLY, and write by SQL");
        }
    }

    /** Records what an execution means for later ones. */
    void executed(StatementHandler.Sql statement) {
        statement.recorded().executed();
        if (isA(statement.text(), "SELECT")) {
            if (wrote) {
                statement
                        .recorded()
                        .differs(
                                "It ran after a write of the same transaction. There the writes wait for the commit, and"
                                        + " it would not see them; transactions=immediate sends them at once");
            }
        } else if (inTransaction) {
            wrote = true;
        }
    }

    /** Records a row count that Cassandra would not return. */
    static void counted(StatementHandler.Sql statement, long count) {
        boolean update = isA(statement.text(), "UPDATE");
        if (count == 0 && update) {
            statement
                    .recorded()
                    .differs("It changed no row. An UPDATE of Cassandra makes the row that is not there and reports 1,"
                            + " unless the table is versioned or the statement has IF");
        }
        if (count == 0 && isA(statement.text(), "DELETE")) {
            statement.recorded().differs("It deleted no row. A DELETE of Cassandra does not look, and reports 1");
        }
        if (count > 1 && (update || isA(statement.text(), "DELETE"))) {
            statement
                    .recorded()
                    .differs("It changed several rows. Cassandra's takes the whole primary key of each row, and reports"
                            + " 1 for a statement");
        }
    }

    private static boolean isA(String sql, String verb) {
        return sql.stripLeading().toUpperCase(Locale.ROOT).startsWith(verb);
    }
}
