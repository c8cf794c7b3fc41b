package dev.cassidy.recorder;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.DriverAction;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The JDBC driver of {@code jdbc:cassidy:record:<old url>}; registers itself. It connects by the old URL's own driver, and
 * records without values what the application does.
 *
 * <p>The system property {@code cassidy.record} is the path of the record, to which the host, the process and {@code .jsonl} are
 * added. Without it such a URL is refused, because a URL alone must not make a process connect by another driver or write files.
 * The old URL must begin with {@code jdbc:sqlserver:}, {@code jdbc:jtds:}, or one of the beginnings that the system property
 * {@code cassidy.record.databases} lists. Safe for use by many threads.
 */
public final class RecordingDriver implements Driver {

    public static final String PREFIX = "jdbc:cassidy:record:";

    static final String FILE = "cassidy.record";
    private static final String DATABASES = "cassidy.record.databases";
    private static final List<String> KNOWN_DATABASES =
            Collections.unmodifiableList(Arrays.asList("jdbc:sqlserver:", "jdbc:jtds:"));

    /** A URL may differ from connection to connection, and each has its names. */
    private static final int MAX_DATABASES = 100;

    /** More names than a database of one application has. */
    private static final int MAX_NAMES = 200_000;

    private static final String CANNOT_CONNECT = "08001";
    private static final Logger LOG = Logger.getLogger(RecordingDriver.class.getName());

    /** One for the process: pools and frameworks create instances of the driver, and all record to one file. */
    private static final Current CURRENT = new Current();

    /** Ends the recording when the driver is deregistered, as containers do when an application goes. */
    private static final DriverAction END = CURRENT::end;

    static {
        try {
            DriverManager.registerDriver(new RecordingDriver(), END);
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The recording of this process, which begins with the first connection. */
    private static final class Current {
        private final Map<String, Recording.Database> databases = new ConcurrentHashMap<>();
        private @Nullable Recording recording;
        private boolean begun;
        private boolean saidTooMany;
        private @Nullable Thread hook;

        /** Returns null if nothing can be recorded. */
        Recording.@Nullable Database database(String old, Connection real) throws SQLException {
            Recording.Database known = databases.get(old);
            return known != null ? known : begin(old, real);
        }

        private synchronized Recording.@Nullable Database begin(String old, Connection real) throws SQLException {
            Recording.Database known = databases.get(old);
            if (known != null) {
                return known;
            }
            if (!begun) {
                begun = true;
                recording = Recording.begin(System.getProperty(FILE, ""));
                if (recording != null) {
                    hook = new Thread(recording::end, "cassidy-recorder-end");
                    Runtime.getRuntime().addShutdownHook(hook);
                }
            }
            if (recording == null) {
                return null;
            }
            if (databases.size() >= MAX_DATABASES) {
                if (!saidTooMany) {
                    saidTooMany = true;
                    LOG.warning("Cassidy's recorder records " + MAX_DATABASES
                            + " old URLs, which is the most; further ones connect unrecorded");
                }
                return null;
            }
            DatabaseMetaData data = real.getMetaData();
            Recording.Database database = recording.database(
                    data.getDatabaseProductName() + ' ' + data.getDatabaseProductVersion(),
                    new KnownNames(names(real)));
            databases.put(old, database);
            return database;
        }

        synchronized void end() {
            Recording ending = recording;
            recording = null;
            begun = false;
            databases.clear();
            if (ending != null) {
                ending.end();
            }
            if (hook != null) {
                try {
                    Runtime.getRuntime().removeShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // The process ends, and the hook with it.
                }
                hook = null;
            }
        }

        synchronized void flush() {
            if (recording != null) {
                recording.flush(false);
            }
        }
    }

    /** Returns null for a URL of another driver, as JDBC specifies. Throws what the old database's driver throws. */
    @Override
    public @Nullable Connection connect(String url, @Nullable Properties properties) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        if (System.getProperty(FILE, "").isEmpty()) {
            throw refused(
                    "a record must be asked for by the process that is to be recorded, with the path of its file: -D"
                            + FILE + "=/var/log/shop");
        }
        String old = url.substring(PREFIX.length());
        if (!old.startsWith("jdbc:") || old.startsWith("jdbc:cassidy:")) {
            throw refused("after " + PREFIX + " the old database's own URL must follow, such as " + PREFIX
                    + "jdbc:sqlserver://host;databaseName=shop");
        }
        requireKnown(old);
        requireDriver(old);
        Connection real = DriverManager.getConnection(old, properties == null ? new Properties() : properties);
        try {
            Recording.Database database = CURRENT.database(old, real);
            return database == null ? real : ConnectionHandler.around(real, database);
        } catch (SQLException | RuntimeException | LinkageError e) {
            LOG.log(
                    Level.WARNING,
                    "Cassidy's recorder failed and does not see a connection; the application continues",
                    e);
            return real;
        }
    }

    /** Other drivers may run code that their URL names; who starts the process decides about them. */
    private static void requireKnown(String old) throws SQLException {
        String others = System.getProperty(DATABASES, "");
        List<String> known = new ArrayList<>(KNOWN_DATABASES);
        for (String each : others.isEmpty() ? new String[0] : others.split(",", -1)) {
            if (!each.matches("jdbc:[a-z0-9]+:.*") || each.startsWith("jdbc:cassidy:")) {
                throw refused("must list beginnings of URLs such as jdbc:postgresql:, separated by commas: -D"
                        + DATABASES + "=" + others);
            }
            known.add(each);
        }
        for (String each : known) {
            if (old.startsWith(each)) {
                return;
            }
        }
        throw refused("the old URL must begin with " + String.join(" or ", known) + ", and begins with " + scheme(old)
                + ". Allow another by -D" + DATABASES + "=jdbc:<database>:");
    }

    /** DriverManager itself would quote the URL, which may hold a password. */
    private static void requireDriver(String old) throws SQLException {
        try {
            DriverManager.getDriver(old);
        } catch (SQLException e) {
            throw refused("no JDBC driver on the class path takes the old URL, which begins with " + scheme(old));
        }
    }

    private static String scheme(String url) {
        Matcher scheme = Pattern.compile("jdbc:[A-Za-z0-9]*:?").matcher(url);
        return scheme.lookingAt() ? scheme.group() : "jdbc:";
    }

    private static SQLException refused(String why) {
        return new SQLNonTransientConnectionException("Cannot record: " + why, CANNOT_CONNECT);
    }

    // ---- the names of the old database

    /** Reads them once, before the application uses the connection; none that the database does not tell. */
    private static Set<String> names(Connection connection) {
        Set<String> names = new HashSet<>();
        try {
            String catalog = connection.getCatalog();
            if (catalog != null) {
                names.add(catalog);
            }
            DatabaseMetaData data = connection.getMetaData();
            add(names, data.getColumns(catalog, null, "%", "%"), "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME");
            add(names, data.getProcedures(catalog, null, "%"), "PROCEDURE_NAME");
            add(names, data.getFunctions(catalog, null, "%"), "FUNCTION_NAME");
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cassidy's recorder does not know all names of the old database, and writes n1 for others",
                    e);
        }
        // JDBC has no method for them, and not every database has the view.
        try (Statement statement = connection.createStatement()) {
            add(
                    names,
                    statement.executeQuery("SELECT SEQUENCE_NAME FROM INFORMATION_SCHEMA.SEQUENCES"),
                    "SEQUENCE_NAME");
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.FINE, "Cassidy's recorder does not know the names of the old database's sequences", e);
        }
        return names;
    }

    private static void add(Set<String> names, ResultSet rows, String... labels) throws SQLException {
        try (ResultSet read = rows) {
            while (names.size() < MAX_NAMES && read.next()) {
                for (String label : labels) {
                    String name = read.getString(label);
                    if (name != null) {
                        // SQL Server's driver adds the number of the version: name;1.
                        names.add(name.replaceFirst(";[0-9]+$", ""));
                    }
                }
            }
        }
    }

    /** Writes what is new; for tests, since it is written in the background and at the end of the process anyway. */
    static void flush() {
        CURRENT.flush();
    }

    /** Writes what is left, and ends the recording of this process; the next connection begins another one. */
    public static void end() {
        CURRENT.end();
    }

    @Override
    public boolean acceptsURL(@Nullable String url) {
        return url != null && url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties properties) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 0;
    }

    @Override
    public int getMinorVersion() {
        return 1;
    }

    /** Returns false, which promises least: the old database's driver decides. */
    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("dev.cassidy.recorder");
    }
}
