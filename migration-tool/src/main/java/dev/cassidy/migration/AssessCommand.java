package dev.cassidy.migration;

import dev.cassidy.jdbc.CassidyDriver;
import dev.cassidy.migration.assess.Assessment;
import dev.cassidy.migration.assess.AssessmentPage;
import dev.cassidy.migration.assess.Assessor;
import dev.cassidy.migration.assess.ClusterTarget;
import dev.cassidy.migration.assess.Judge;
import dev.cassidy.migration.assess.Observation;
import dev.cassidy.migration.assess.OldDatabase;
import dev.cassidy.migration.assess.P6spyLog;
import dev.cassidy.migration.assess.QueryStore;
import dev.cassidy.migration.assess.RecordFile;
import dev.cassidy.migration.assess.ReportFile;
import dev.cassidy.migration.assess.Target;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Source;
import dev.cassidy.recorder.KnownNames;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "assess",
        description =
                "Judges what an application does on its old database: what Cassidy's JDBC driver serves, rewrites and refuses."
                        + " Changes nothing.")
final class AssessCommand implements Callable<Integer> {

    private static final String OF_SOURCE = "source";
    private static final int MAX_NODES = 100_000;

    @Option(
            names = "--record",
            paramLabel = "FILE",
            split = ",",
            description = "Files of recorders, or folders of them: *.jsonl.")
    private List<Path> records = List.of();

    @Option(
            names = "--p6spy",
            paramLabel = "FILE",
            split = ",",
            description = "Logs of p6spy, a line for each statement.")
    private List<Path> logs = List.of();

    @Option(
            names = "--query-store",
            paramLabel = "FROM",
            description =
                    "SQL Server's Query Store: an export that ends with .csv or .tsv, 'source' for the views of --source-url,"
                            + " or 'source:TABLE' for a table there with query_sql_text and count_executions.")
    private @Nullable String queryStore;

    @Option(
            names = "--target",
            paramLabel = "URL",
            description =
                    "jdbc:cassidy:// URL of a cluster with the new tables, which judges too, by preparing statements. With"
                            + " the options that the application will have, but without passwords: those of user and sequencesUser are"
                            + " in CASSANDRA_PASSWORD and SEQUENCES_PASSWORD.")
    private @Nullable String target;

    @Option(
            names = "--target-properties",
            paramLabel = "FILE",
            description = "A properties file with further options of --target, secrets among them, such as"
                    + " sslTruststorePassword.")
    private @Nullable Path targetProperties;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description =
                    "Nodes of the datacenter to come, for costs and the plan: 1 to 100000. Default: the target's.")
    private @Nullable Integer nodes;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            converter = ReportOption.ReportFile.class,
            description =
                    "Also writes the result to FILE.html, one page to read, or to FILE.json. Repeat it for both. Replaces"
                            + " nothing but an older assessment.")
    private List<Path> reports = List.of();

    @ArgGroup(exclusive = false, multiplicity = "0..1")
    private @Nullable SourceOptions source;

    @Mixin
    private final OutputOption output = new OutputOption();

    private final Shell shell;

    AssessCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        requireInput();
        if (nodes != null && (nodes < 1 || nodes > MAX_NODES)) {
            throw new MigrationException(ExitCode.USAGE, "must be from 1 to " + MAX_NODES + ": --nodes " + nodes);
        }
        for (Path report : reports) {
            if (!ReportFile.of(report).isReplaceable()) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        "would replace a file that is no assessment: --report " + report
                                + ". Remove it, or name another file");
            }
        }
        try (Source old = source == null ? null : source.open(shell);
                Target cluster = target == null ? null : open(target)) {
            return assess(old, cluster);
        } catch (SQLException e) {
            throw new MigrationException(ExitCode.CASSANDRA, "--target: " + e.getMessage(), e);
        }
    }

    private void requireInput() {
        if (records.isEmpty() && logs.isEmpty() && queryStore == null) {
            throw new MigrationException(
                    ExitCode.USAGE, "name what an application did: --record, --p6spy or --query-store");
        }
        if (queryStore == null || queryStore.matches("(?i).*\\.[ct]sv")) {
            return;
        }
        if (!queryStore.matches(OF_SOURCE + "(:[\\p{L}_][\\w$#]*(\\.[\\p{L}_][\\w$#]*){0,2})?")) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must end with .csv or .tsv, or be source or source:TABLE: --query-store " + queryStore);
        }
        if (source == null) {
            throw new MigrationException(ExitCode.USAGE, "--query-store " + queryStore + " needs --source-url");
        }
    }

    private Integer assess(@Nullable Source source, @Nullable Target cluster) throws SQLException {
        OldDatabase old = source == null ? OldDatabase.UNKNOWN : OldDatabase.read(source);
        Observation seen = read(source, names(old, cluster));
        int size = nodes != null ? nodes : cluster == null ? 0 : cluster.nodes();
        Assessment assessment = new Assessor(new Judge(cluster, old, nodes == null ? 0 : nodes), size).assess(seen);
        ExitCode code = assessment.isClean() ? ExitCode.OK : ExitCode.UNSERVED;
        AssessReport report = new AssessReport(assessment, code.code());
        for (Path file : reports) {
            write(file, report);
        }
        output.write(shell, report);
        return code.code();
    }

    private Observation read(@Nullable Source source, KnownNames names) {
        Observation seen = new Observation();
        for (Path record : records) {
            for (Path file : RecordFile.files(record)) {
                RecordFile.read(file, seen);
            }
        }
        logs.forEach(log -> P6spyLog.read(log, names, seen));
        if (queryStore != null && !queryStore.startsWith(OF_SOURCE)) {
            QueryStore.read(Path.of(queryStore), names, seen);
        } else if (queryStore != null && source != null) {
            QueryStore.read(
                    source,
                    queryStore.equals(OF_SOURCE) ? null : queryStore.substring(OF_SOURCE.length() + 1),
                    names,
                    seen);
        }
        return seen;
    }

    /** Without a source and a target nothing tells names from values that stand where names can. */
    private static KnownNames names(OldDatabase old, @Nullable Target cluster) {
        Set<String> names = new HashSet<>(old.names());
        if (cluster != null) {
            names.addAll(cluster.names());
        }
        return names.isEmpty() ? KnownNames.ofEveryWord() : new KnownNames(names);
    }

    private Target open(String url) throws SQLException {
        if (url.matches("(?i).*[?&][a-z]*password=.*")) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "--target must not hold a password, which others could see: set the environment variable"
                            + " CASSANDRA_PASSWORD or SEQUENCES_PASSWORD, or name a file with --target-properties");
        }
        if (!new CassidyDriver().acceptsURL(url)) {
            throw new MigrationException(
                    ExitCode.USAGE, "must be a URL such as jdbc:cassidy://10.0.0.1/shop?localDatacenter=dc1: --target");
        }
        Properties properties = targetProperties == null
                ? new Properties()
                : SourceOptions.read("--target-properties", targetProperties);
        addPassword(properties, url, "user", "password", "CASSANDRA_PASSWORD");
        addPassword(properties, url, "sequencesUser", "sequencesPassword", "SEQUENCES_PASSWORD");
        shell.progress("connecting to Cassandra by --target");
        return ClusterTarget.open(url, properties);
    }

    private void addPassword(Properties properties, String url, String user, String password, String variable) {
        boolean logsIn = properties.containsKey(user) || url.matches(".*[?&]" + user + "=.*");
        if (logsIn && !properties.containsKey(password)) {
            Password.find(shell, variable, null, user).ifPresent(found -> properties.setProperty(password, found));
        }
    }

    private static void write(Path file, AssessReport report) {
        boolean json = file.toString().toLowerCase(Locale.ROOT).endsWith(".json");
        try {
            ReportFile.of(file).replace(json ? report.json() : new AssessmentPage(report.assessment()).page());
        } catch (IOException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot write --report " + file + ": " + e.getClass().getSimpleName() + " " + e.getMessage(),
                    e);
        }
    }
}
