package dev.cassidy.jdbc;

import dev.cassidy.check.Target;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/** Lets the cluster that an application will move to judge its statements. */
final class CheckTarget implements Target {

    private final CassidyConnection connection;

    private CheckTarget(CassidyConnection connection) {
        this.connection = connection;
    }

    static Target open(String url) throws SQLException {
        return new CheckTarget(
                (CassidyConnection) CassidyDriver.connect(ConnectionSettings.parse(url, new Properties())));
    }

    @Override
    public synchronized void verify(String sql, boolean generatedKeys) throws SQLException {
        KeyRequest keys = generatedKeys ? KeyRequest.ANY : KeyRequest.NONE;
        new ScriptRunner(
                        connection,
                        connection.session().fetchSize(),
                        connection.timeout(Duration.ZERO),
                        keys,
                        ignored -> {},
                        new Cancellation())
                .verify(Literals.mended(
                        connection.parse(sql), new Tables(connection.session().plain()), ignored -> {}));
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
