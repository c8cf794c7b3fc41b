package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that talk to Cassandra. */
final class CassandraOptions {

    private static final Pattern CONTACT_POINT =
            Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::([1-9][0-9]{0,4}))?");
    private static final int DEFAULT_PORT = 9042;

    @Option(
            names = "--contact-points",
            paramLabel = "HOST[:PORT]",
            split = ",",
            description = "Nodes of Cassandra to connect to first; port 9042 if none is given.")
    private List<String> contactPoints = new ArrayList<>();

    @Option(names = "--local-dc", paramLabel = "NAME", description = "The datacenter of the contact points.")
    private @Nullable String localDatacenter;

    @Option(
            names = "--cassandra-user",
            paramLabel = "NAME",
            description = "Role; its password is in CASSANDRA_PASSWORD.")
    private @Nullable String user;

    @Option(
            names = "--cassandra-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the role's password.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--global-keyspace",
            paramLabel = "NAME",
            defaultValue = "cassidy",
            description = "Cassidy's own global keyspace. Default: cassidy.")
    private String globalKeyspace = "cassidy";

    @Option(
            names = "--server-checks",
            paramLabel = "CHECK",
            defaultValue = "check",
            description = "check or skip: whether the nodes' settings are checked. Default: check.")
    private ServerChecks serverChecks = ServerChecks.CHECK;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "16",
            description = "How many sequences are read or written at once: 1 to 256. Default: 16.")
    private int parallelism;

    int parallelism() {
        if (parallelism < 1 || parallelism > 256) {
            throw new MigrationException(ExitCode.USAGE, "must be from 1 to 256: --parallelism " + parallelism);
        }
        return parallelism;
    }

    SequencesConfig config() {
        try {
            return SequencesConfig.defaults().withGlobalKeyspace(globalKeyspace).withServerChecks(serverChecks);
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, "--global-keyspace " + e.getMessage(), e);
        }
    }

    /** Returns the contact points as they were given; empty without any. */
    String text() {
        return String.join(",", contactPoints);
    }

    boolean given() {
        return !contactPoints.isEmpty();
    }

    Target open(Shell shell) {
        SequencesConfig config = config();
        CqlSession session = connect(shell);
        try {
            return Target.open(session, config);
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    CqlSession connect(Shell shell) {
        if (contactPoints.isEmpty()) {
            throw new MigrationException(ExitCode.USAGE, "--contact-points is needed here, for example 10.0.0.1:9042");
        }
        String datacenter = localDatacenter;
        if (datacenter == null) {
            throw new MigrationException(
                    ExitCode.USAGE, "--local-dc is needed with --contact-points, for example --local-dc dc1");
        }
        CqlSessionBuilder builder = CqlSessions.builder()
                .addContactPoints(contactPoints.stream()
                        .map(CassandraOptions::contactPoint)
                        .toList())
                .withLocalDatacenter(datacenter)
                // Schema changes wait for every node to agree; the driver's own 2 s are short for that.
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        // Netty would wait 2 s for more work at every end of a command.
                        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                        .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                        .build());
        if (user != null) {
            builder.withAuthCredentials(
                    user,
                    Password.find(shell, "CASSANDRA_PASSWORD", passwordFile, user)
                            .orElse(""));
        }
        shell.progress("connecting to Cassandra at " + String.join(",", contactPoints));
        CqlSession session;
        try {
            session = builder.build();
        } catch (DriverException e) {
            throw new MigrationException(
                    ExitCode.CASSANDRA,
                    "cannot connect to Cassandra at " + String.join(",", contactPoints) + ": " + e.getMessage(),
                    e);
        }
        requireDatacenter(session, datacenter);
        return session;
    }

    private static void requireDatacenter(CqlSession session, String datacenter) {
        TreeSet<String> present = new TreeSet<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            present.add(String.valueOf(node.getDatacenter()));
        }
        if (!present.contains(datacenter)) {
            session.close();
            throw new MigrationException(
                    ExitCode.CASSANDRA,
                    "--local-dc names a datacenter that the cluster does not have: '" + datacenter + "'; it has "
                            + present);
        }
    }

    static InetSocketAddress contactPoint(String text) {
        Matcher matcher = CONTACT_POINT.matcher(text.strip());
        int port = matcher.matches() && matcher.group(2) != null ? Integer.parseInt(matcher.group(2)) : DEFAULT_PORT;
        if (!matcher.matches() || port > 65_535) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "must be host or host:port with a port up to 65535: --contact-points '" + text + "'");
        }
        return new InetSocketAddress(matcher.group(1), port);
    }
}
