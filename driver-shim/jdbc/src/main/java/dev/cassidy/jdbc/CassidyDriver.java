package dev.cassidy.jdbc;

import com.google.auto.service.AutoService;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.plan.StatementFigures;
import dev.cassidy.jdbc.run.ConnectionState;
import dev.cassidy.jdbc.session.ConnectionOption;
import dev.cassidy.jdbc.session.ConnectionSettings;
import dev.cassidy.jdbc.session.OpenSequences;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.SharedSessions;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.transaction.TransactionFigures;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The JDBC driver of {@code jdbc:cassidy://host[:port][,host[:port]...]/keyspace?option=value&...}; registers itself.
 * The options are those of {@link ConnectionOption}. {@link SqlErrors} has the table of SQLStates.
 *
 * <p>Connections with the same URL and credentials share one session with the cluster. It is opened with the first connection
 * and closed soon after the last. Safe for use by many threads.
 */
@AutoService(Driver.class)
public final class CassidyDriver implements Driver {

    /** How long a session stays open after its last connection was closed. */
    private static final Duration LINGER = Duration.ofSeconds(2);

    /** What the URLs of the recorder begin with, which is a driver of its own. */
    private static final String RECORDER = ConnectionSettings.PREFIX + "record:";

    private static final OpenSequences SEQUENCES = new OpenSequences();

    private static final TransactionFigures TRANSACTIONS = new TransactionFigures();

    /**
     * One for the process: pools and frameworks create their own instances of the driver, and all of them must share
     * the sessions.
     */
    private static final SharedSessions SESSIONS = new SharedSessions(
            settings -> SharedSession.open(settings, SEQUENCES, TRANSACTIONS), LINGER, SharedSessions::maxByProperty);

    static {
        try {
            DriverManager.registerDriver(new CassidyDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
        // Otherwise a main method that ends within the linger would take the unused ids of its blocks with it.
        Runtime.getRuntime().addShutdownHook(new Thread(SESSIONS::closeLingering, "cassidy-jdbc-shutdown"));
    }

    /** Returns null for a URL of another driver, as JDBC specifies. */
    @Override
    public @Nullable Connection connect(String url, @Nullable Properties properties) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        Properties given = properties == null ? new Properties() : properties;
        return connect(ConnectionSettings.read(url, given));
    }

    static Connection connect(ConnectionSettings.Given given) throws SQLException {
        if (given.settings().assists()) {
            if (given.settings().saysAssist() && Assistants.find().isEmpty()) {
                throw new SQLException(
                        "assist=on needs cassidy-assist, which is not beside the driver: depend on cassidy-driver-shim, which brings it,"
                                + " or leave the option out",
                        SqlStates.BAD_ARGUMENT);
            }
            // Meanwhile the connection opens.
            Assistants.warm();
        }
        Connection connection =
                new CassidyConnection(new ConnectionState(SESSIONS.acquire(given.settings())), given.warnings());
        return given.settings().redactsValues() ? Redacting.wrap(connection) : connection;
    }

    /**
     * Tells of the sequences that the connections of this process use: of those that are open, during this call, and of each that
     * is opened later. So meters can be bound to them and removed again. A session opens its sequences with the first write,
     * and closes them soon after its last connection.
     *
     * @param opened must neither wait nor fail
     * @param closing is called before they close, once for each call of {@code opened}; must neither wait nor fail
     * @return ends it; {@code closing} is not called by this
     */
    public static Runnable onSequences(Consumer<Sequences> opened, Consumer<Sequences> closing) {
        return SEQUENCES.listen(opened, closing);
    }

    /** Returns what counts the statements of this process's connections. */
    static StatementFigures figures() {
        return SESSIONS.figures();
    }

    /** Returns what counts the transactions of this process's connections. */
    static TransactionFigures transactions() {
        return TRANSACTIONS;
    }

    @Override
    public boolean acceptsURL(@Nullable String url) throws SQLException {
        if (url == null) {
            throw new SQLException("must not be null: url", SqlStates.BAD_ARGUMENT);
        }
        return url.startsWith(ConnectionSettings.PREFIX) && !url.startsWith(RECORDER);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties properties) {
        List<DriverPropertyInfo> infos = new ArrayList<>();
        for (ConnectionOption option : ConnectionOption.values()) {
            // A tool may show what it gets here.
            String given = properties == null || option.isSecret() ? null : properties.getProperty(option.key());
            DriverPropertyInfo info = new DriverPropertyInfo(
                    option.key(), given == null ? option.defaultValue().orElse(null) : given);
            info.description = option.description();
            info.required = false;
            info.choices = option.choices().isEmpty() ? null : option.choices().toArray(String[]::new);
            infos.add(info);
        }
        return infos.toArray(DriverPropertyInfo[]::new);
    }

    @Override
    public int getMajorVersion() {
        return DriverVersion.MAJOR;
    }

    @Override
    public int getMinorVersion() {
        return DriverVersion.MINOR;
    }

    /** Returns false: Cassandra does not have joins, nor the rest of SQL-92's entry level. */
    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw Unserved.feature("Cassidy logs by slf4j: Driver.getParentLogger()");
    }
}
