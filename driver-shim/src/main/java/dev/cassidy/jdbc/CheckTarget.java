package dev.cassidy.jdbc;

import dev.cassidy.check.Target;
import dev.cassidy.jdbc.run.Cancellation;
import dev.cassidy.jdbc.run.ConnectionState;
import dev.cassidy.jdbc.run.KeyRequest;
import dev.cassidy.jdbc.run.Literals;
import dev.cassidy.jdbc.run.ScriptParser;
import dev.cassidy.jdbc.run.ScriptRunner;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.tsql.Schema;
import dev.cassidy.tsql.TsqlScript;
import java.sql.SQLException;
import java.time.Duration;

/** Lets the cluster that an application will move to judge its statements. Safe for use by many threads. */
final class CheckTarget implements Target {

    private final ConnectionState connection;

    CheckTarget(ConnectionState connection) {
        this.connection = connection;
    }

    @Override
    public synchronized void verify(String sql, boolean generatedKeys) throws SQLException {
        SharedSession session = connection.session();
        TsqlScript script = Literals.rewritten(ScriptParser.parse(sql, connection), connection, ignored -> {});
        new ScriptRunner(
                        connection,
                        session.fetchSize(),
                        connection.timeout(Duration.ZERO),
                        generatedKeys ? KeyRequest.ANY : KeyRequest.NONE,
                        ignored -> {},
                        new Cancellation())
                .verify(script);
    }

    @Override
    public synchronized Schema schema() throws SQLException {
        return new Tables(connection.session().plain());
    }

    @Override
    public synchronized void close() {
        if (connection.close()) {
            connection.release();
        }
    }
}
