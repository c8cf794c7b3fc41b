package dev.cassidy.check;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks of this process, one for each old database. The URL of a check is {@code jdbc:cassidy:check:} and the old
 * URL. It must be switched on by the system property {@code cassidy.check}, because a URL alone must not make this process
 * connect by another driver or write files; and the old URL must begin with {@code jdbc:sqlserver:}, {@code jdbc:jtds:}, or
 * one of the beginnings that the system property {@code cassidy.check.databases} lists. Its options are {@link Properties} of the connection, or system properties: {@code cassidy.check.report} is the
 * file of the report (by default cassidy-check.json; the summary is written beside it as .txt, and a page as .html),
 * {@code cassidy.check.target} is the {@code jdbc:cassidy://} URL of a cluster whose tables judge the statements too, and
 * {@code cassidy.check.nodes} is a number of nodes for which costs are judged. {@code requireTls} and {@code redactValues} as
 * properties of the connection hold for the session with that cluster.
 * Safe for use by many threads.
 */
public final class Checks {

    public static final String PREFIX = "jdbc:cassidy:check:";

    private static final Logger LOG = LoggerFactory.getLogger(Checks.class);
    private static final String OPTIONS = "cassidy.check.";
    private static final String REPORT = OPTIONS + "report";
    private static final String TARGET = OPTIONS + "target";
    private static final String NODES = OPTIONS + "nodes";
    private static final String DATABASES = OPTIONS + "databases";
    private static final String SWITCH = "cassidy.check";
    private static final List<String> KNOWN_DATABASES = List.of("jdbc:sqlserver:", "jdbc:jtds:");
    private static final int MOST_NODES = 100_000;

    /** A URL may differ from connection to connection, and each check has a report and perhaps a session. */
    private static final int MOST_CHECKS = 100;

    private static final String CANNOT_CONNECT = "08001";

    /** Opens a target by its URL, and by those of the connection's properties that {@link #OF_TARGET} names. */
    public interface Targets {
        Target open(String url, Properties properties) throws SQLException;
    }

    /** Who asks for these, asks it of every session with a cluster. */
    private static final List<String> OF_TARGET = List.of("requireTls", "redactValues");

    private record Key(String url, Path report, String target, Properties ofTarget, int nodes) {}

    private final Targets targets;
    private final Map<Key, Check> checks = new ConcurrentHashMap<>();

    /** Guarded by this. */
    private boolean saidTooMany;

    public Checks(Targets targets) {
        this.targets = targets;
    }

    /** Connects to the old database. Throws what its driver throws. */
    public Connection connect(String url, Properties properties) throws SQLException {
        if (!Boolean.getBoolean(SWITCH)) {
            throw refused("a check must be switched on, for the process that is to be checked: -D" + SWITCH + "=true");
        }
        String old = url.substring(PREFIX.length());
        if (!old.startsWith("jdbc:") || old.startsWith("jdbc:cassidy:")) {
            throw refused("after " + PREFIX + " the old database's own URL must follow, such as " + PREFIX
                    + "jdbc:sqlserver://host;databaseName=shop");
        }
        requireKnown(old);
        Properties passed = new Properties();
        // Some drivers accept objects as values.
        properties.forEach((name, value) -> {
            if (!(name instanceof String && value instanceof String)) {
                passed.put(name, value);
            }
        });
        Properties ofTarget = new Properties();
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (OF_TARGET.contains(name)) {
                ofTarget.setProperty(name, properties.getProperty(name));
            } else if (!name.startsWith(OPTIONS)) {
                passed.setProperty(name, properties.getProperty(name));
            } else if (!List.of(REPORT, TARGET, NODES).contains(name)) {
                throw refused("must be " + REPORT + ", " + TARGET + " or " + NODES + ": option " + name);
            }
        }
        Key key = new Key(
                old,
                path(option(properties, REPORT, "cassidy-check.json")),
                option(properties, TARGET, ""),
                ofTarget,
                nodes(option(properties, NODES, "")));
        requireReplaceable(key.report());
        requireDriver(old);
        Connection real = DriverManager.getConnection(old, passed);
        try {
            Check check = check(key, real);
            if (check == null) {
                return real;
            }
            return ConnectionHandler.around(real, check.recorder, check::writeIfChanged);
        } catch (SQLException e) {
            real.close();
            throw e;
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Cassidy's check failed and does not see what the application does; the application runs on", e);
            return real;
        }
    }

    /** Other drivers may run code that their URL names; who starts the process decides about them. */
    private static void requireKnown(String old) throws SQLException {
        String others = System.getProperty(DATABASES, "");
        for (String each : others.isEmpty() ? new String[0] : others.split(",", -1)) {
            if (!each.matches("jdbc:[a-z0-9]+:.*") || each.startsWith("jdbc:cassidy:")) {
                throw refused("must list beginnings of URLs such as jdbc:postgresql:, separated by commas: -D"
                        + DATABASES + "=" + others);
            }
        }
        List<String> known = new ArrayList<>(KNOWN_DATABASES);
        known.addAll(List.of(others.isEmpty() ? new String[0] : others.split(",", -1)));
        if (known.stream().noneMatch(old::startsWith)) {
            throw refused("the old URL must begin with " + String.join(" or ", known) + ", and begins with "
                    + scheme(old) + ". Allow another by -D" + DATABASES
                    + "=jdbc:<database>:");
        }
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

    /** A report replaces an older one, and no other file: whose path comes from a URL could be any. */
    private static void requireReplaceable(Path report) throws SQLException {
        for (ReportFile file : ReportFile.of(report)) {
            if (!file.isReplaceable()) {
                throw refused("its report would replace " + file.path()
                        + ", which is no report of a check. Remove it, or name another file: " + REPORT);
            }
        }
    }

    private static Path path(String report) throws SQLException {
        try {
            return Path.of(report);
        } catch (InvalidPathException e) {
            throw refused("must be the path of a file: " + REPORT + "=" + report);
        }
    }

    private static int nodes(String given) throws SQLException {
        if (given.isEmpty()) {
            return 0;
        }
        int nodes = given.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(given) : 0;
        if (nodes < 1 || nodes > MOST_NODES) {
            throw refused("must be a whole number from 1 to " + MOST_NODES + ": " + NODES + "=" + given);
        }
        return nodes;
    }

    private static String option(Properties properties, String name, String otherwise) {
        String given = properties.getProperty(name);
        return given != null ? given : System.getProperty(name, otherwise);
    }

    private static SQLException refused(String why) {
        return new SQLNonTransientConnectionException("Cannot check: " + why, CANNOT_CONNECT);
    }

    /** Returns null if this process has too many checks. */
    private synchronized @Nullable Check check(Key key, Connection real) throws SQLException {
        Check known = checks.get(key);
        if (known == null && checks.size() >= MOST_CHECKS) {
            if (!saidTooMany) {
                saidTooMany = true;
                LOG.warn(
                        "This process checks {} old databases, options included, which is the most; further URLs"
                                + " connect without a check",
                        MOST_CHECKS);
            }
            return null;
        }
        if (known == null) {
            DatabaseMetaData database = real.getMetaData();
            known = new Check(
                    database.getDatabaseProductName() + ' ' + database.getDatabaseProductVersion(),
                    unused(key.report().toAbsolutePath()),
                    key.target().isEmpty() ? null : target(key),
                    OldDatabase.read(real),
                    key.nodes());
            checks.put(key, known);
        }
        return known;
    }

    /** Opens the target; null if that fails, since the application must get its connection in any case. */
    private @Nullable Target target(Key key) {
        try {
            return targets.open(key.target(), key.ofTarget());
        } catch (SQLException | RuntimeException e) {
            LOG.warn(
                    "Cassidy's check judges statements by their text alone, because its target does not open; see {}",
                    TARGET,
                    e);
            return null;
        }
    }

    /** Returns a file that no other check of this process uses, so that each old database keeps its report. */
    private Path unused(Path file) {
        Path free = file;
        for (int number = 2; isUsed(free); number++) {
            String name = file.getFileName().toString();
            int dot = name.lastIndexOf('.');
            free = file.resolveSibling(
                    dot < 0 ? name + '-' + number : name.substring(0, dot) + '-' + number + name.substring(dot));
        }
        return free;
    }

    private boolean isUsed(Path file) {
        return checks.values().stream().anyMatch(check -> check.file.equals(file));
    }

    /** Writes every report; for the end of the process. Never throws. */
    public void writeAll() {
        checks.values().forEach(Check::write);
    }

    /** The check of one old database. */
    private static final class Check {
        private final String database;
        private final Path file;
        private final int nodes;
        private final Judge judge;
        private final Recorder recorder;
        private long written = -1;

        Check(String database, Path file, @Nullable Target target, OldDatabase old, int nodes) {
            this.database = database;
            this.file = file;
            this.nodes = nodes > 0 || target == null ? nodes : nodes(target);
            this.judge = new Judge(target, old, nodes);
            this.recorder =
                    new Recorder(judge, new KnownNames(old.names(), name -> target != null && target.hasName(name)));
        }

        /** Returns the target's own size; 0 if that is not known. */
        private static int nodes(Target target) {
            try {
                return target.nodes();
            } catch (SQLException e) {
                LOG.warn("Cassidy's check does not know the size of its target", e);
                return 0;
            }
        }

        /** Writes the report if it has anything new: an application that is killed does not write it when it ends. */
        synchronized void writeIfChanged() {
            if (recorder.changes() != written) {
                write();
            }
        }

        synchronized void write() {
            written = recorder.changes();
            CheckReport report = recorder.report(database, judge.asksTheTarget(), nodes);
            CheckReportPrinter printer = new CheckReportPrinter(report);
            List<ReportFile> files = ReportFile.of(file);
            try {
                files.get(0).replace(printer.json());
                files.get(1).replace(printer.summary());
                files.get(2).replace(new HtmlReport(report).page());
                LOG.info(
                        "Cassidy's check: {}; see {}",
                        CheckReportPrinter.counts(report),
                        files.get(2).path());
            } catch (IOException e) {
                // The application must continue as it would without the check.
                LOG.warn("Cassidy's check cannot write its report {}; set {}", file, REPORT, e);
            }
        }
    }
}
