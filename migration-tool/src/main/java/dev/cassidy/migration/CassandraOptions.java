package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
            names = "--sequences-user",
            paramLabel = "NAME",
            description = "Role that reads and writes Cassidy's keyspaces; its password is in SEQUENCES_PASSWORD. Then"
                    + " --cassandra-user needs no right on them.")
    private @Nullable String sequencesUser;

    @Option(
            names = "--sequences-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the password of --sequences-user.")
    private @Nullable Path sequencesPasswordFile;

    @Option(
            names = "--cassandra-tls",
            description =
                    "Connects by TLS, and checks that a node's certificate is trusted and names its host. Implied by"
                            + " --cassandra-truststore and --cassandra-keystore.")
    private boolean tls;

    @Option(
            names = "--cassandra-truststore",
            paramLabel = "FILE",
            description = "PKCS12 or JKS file with the certificates to trust, if the JDK's own are not to be.")
    private @Nullable Path truststore;

    @Option(
            names = "--cassandra-truststore-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the truststore's password.")
    private @Nullable Path truststorePassword;

    @Option(
            names = "--cassandra-keystore",
            paramLabel = "FILE",
            description = "PKCS12 or JKS file with the client's certificate and its key.")
    private @Nullable Path keystore;

    @Option(
            names = "--cassandra-keystore-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the keystore's password.")
    private @Nullable Path keystorePassword;

    @Option(
            names = "--cassandra-hostnames",
            paramLabel = "CHECK",
            defaultValue = "check",
            description = "check or skip: whether a node's certificate must name its host. Default: check.")
    private HostNames hostNames = HostNames.CHECK;

    /** Whether certificates must name their hosts. */
    enum HostNames {
        CHECK,
        SKIP
    }

    @Option(
            names = "--global-keyspace",
            paramLabel = "NAME",
            description = "Cassidy's own global keyspace. Default: cassidy.")
    private @Nullable String globalKeyspace;

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
            SequencesConfig config = SequencesConfig.defaults().withServerChecks(serverChecks);
            return globalKeyspace == null ? config : config.withGlobalKeyspace(globalKeyspace);
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

    /** As {@link #open}, for a command that also writes without Cassidy: not if an installation was named that is not there. */
    Target openToWrite(Shell shell) {
        Target opened = open(shell);
        if (globalKeyspace != null && opened.missing().isPresent()) {
            opened.close();
            throw opened.missing().get();
        }
        return opened;
    }

    Target open(Shell shell) {
        SequencesConfig config = config();
        if (sequencesUser == null && sequencesPasswordFile != null) {
            throw new MigrationException(ExitCode.USAGE, "--sequences-password-file needs --sequences-user");
        }
        CqlSession session = connect(shell);
        CqlSession ofSequences = session;
        try {
            if (sequencesUser != null) {
                ofSequences = connect(shell, sequencesUser, "SEQUENCES_PASSWORD", sequencesPasswordFile);
            }
            return Target.open(session, ofSequences, config);
        } catch (RuntimeException e) {
            if (ofSequences != session) {
                ofSequences.close();
            }
            session.close();
            throw e;
        }
    }

    /**
     * Opens another installation by the sessions of an opened one.
     *
     * @param other its global keyspace
     */
    Sequences openOther(Target opened, String other) {
        SequencesConfig own = opened.sequences().config();
        SequencesConfig config;
        try {
            config = own.withGlobalKeyspace(other);
        } catch (IllegalArgumentException e) {
            throw new MigrationException(ExitCode.USAGE, "--to " + e.getMessage(), e);
        }
        if (own.globalKeyspace().equals(other)) {
            throw new MigrationException(
                    ExitCode.USAGE, "must be another installation than --global-keyspace: --to " + other);
        }
        return opened.openOther(config);
    }

    /** Connects as {@code --cassandra-user}. */
    CqlSession connect(Shell shell) {
        return connect(shell, user, "CASSANDRA_PASSWORD", passwordFile);
    }

    private CqlSession connect(Shell shell, @Nullable String role, String variable, @Nullable Path file) {
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
                .withConfigLoader(tls(DriverConfigLoader.programmaticBuilder())
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        // Netty would wait 2 s for more work at every end of a command.
                        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                        .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                        .build());
        if (role != null) {
            builder.withAuthCredentials(
                    role,
                    Password.find(shell, variable, file, role)
                            .filter(password -> !password.isEmpty())
                            .orElseThrow(() -> new MigrationException(
                                    ExitCode.USAGE, "there is no password of role " + role + ": set " + variable)));
        }
        shell.progress(
                "connecting to Cassandra at " + String.join(",", contactPoints) + (role == null ? "" : " as " + role));
        CqlSession session;
        try {
            session = builder.build();
        } catch (DriverException e) {
            throw new MigrationException(
                    ExitCode.CASSANDRA,
                    "cannot connect to Cassandra at " + String.join(",", contactPoints) + ": " + e.getMessage()
                            + hint(e, variable.equals("SEQUENCES_PASSWORD") ? "sequences" : "cassandra"),
                    e);
        }
        requireDatacenter(session, datacenter);
        return session;
    }

    private boolean usesTls() {
        return tls || truststore != null || keystore != null;
    }

    private ProgrammaticDriverConfigLoaderBuilder tls(ProgrammaticDriverConfigLoaderBuilder config) {
        requireStore("--cassandra-truststore", truststore, truststorePassword);
        requireStore("--cassandra-keystore", keystore, keystorePassword);
        if (!usesTls()) {
            return config;
        }
        config.withString(DefaultDriverOption.SSL_ENGINE_FACTORY_CLASS, "DefaultSslEngineFactory")
                .withBoolean(DefaultDriverOption.SSL_HOSTNAME_VALIDATION, hostNames == HostNames.CHECK);
        store(
                config,
                "--cassandra-truststore",
                truststore,
                truststorePassword,
                DefaultDriverOption.SSL_TRUSTSTORE_PATH,
                DefaultDriverOption.SSL_TRUSTSTORE_PASSWORD);
        store(
                config,
                "--cassandra-keystore",
                keystore,
                keystorePassword,
                DefaultDriverOption.SSL_KEYSTORE_PATH,
                DefaultDriverOption.SSL_KEYSTORE_PASSWORD);
        return config;
    }

    private static void requireStore(String option, @Nullable Path file, @Nullable Path passwordFile) {
        if (file == null && passwordFile != null) {
            throw new MigrationException(ExitCode.USAGE, option + "-password-file needs " + option);
        }
    }

    private static void store(
            ProgrammaticDriverConfigLoaderBuilder config,
            String option,
            @Nullable Path file,
            @Nullable Path passwordFile,
            DefaultDriverOption path,
            DefaultDriverOption password) {
        if (file == null) {
            return;
        }
        String secret = passwordFile == null ? "" : Password.firstLine(passwordFile);
        try {
            // The driver would say that it cannot initialize TLS, and not which file is wrong.
            KeyStore.getInstance(file.toFile(), secret.toCharArray());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new MigrationException(
                    ExitCode.USAGE,
                    "cannot open " + option + " " + file + " with the password of " + option + "-password-file: "
                            + (Files.isRegularFile(file) ? e.getMessage() : "no such file"),
                    e);
        }
        config.withString(path, file.toString()).withString(password, secret);
    }

    /** Says what the driver's message does not: that a channel ends at once if only one side speaks TLS. */
    private String hint(DriverException e, String login) {
        StringBuilder all = new StringBuilder(String.valueOf(e));
        if (e instanceof AllNodesFailedException failed) {
            failed.getAllErrors()
                    .values()
                    .forEach(errors -> errors.forEach(error -> {
                        for (Throwable each = error; each != null; each = each.getCause()) {
                            all.append(' ').append(each);
                        }
                    }));
        }
        String text = all.toString();
        if (text.contains("AuthenticationException") || text.contains("requires authentication")) {
            return ". Give --" + login + "-user, and its password in " + login.toUpperCase(Locale.ROOT)
                    + "_PASSWORD or --" + login + "-password-file";
        }
        if (text.contains("NotSslRecordException")) {
            return ". The nodes do not speak TLS on this port: leave out --cassandra-tls, or give the port that does";
        }
        if (text.contains("No subject alternative") || text.contains("No name matching")) {
            return ". The node's certificate does not name its host: give names that it has in --contact-points, or"
                    + " --cassandra-hostnames skip";
        }
        if (text.contains("unable to find valid certification path")) {
            return ". The node's certificate is not trusted: give --cassandra-truststore FILE";
        }
        if (text.contains("bad_certificate") || text.contains("certificate_required")) {
            return ". The nodes want a client certificate that they trust: give --cassandra-keystore FILE";
        }
        if (!usesTls() && text.contains("on channel")) {
            return ". If the nodes require TLS, give --cassandra-tls, and --cassandra-truststore FILE for certificates"
                    + " that the JDK does not trust";
        }
        return usesTls()
                ? ". With TLS, nodes also end a connection without a client certificate if they want one: give"
                        + " --cassandra-keystore FILE"
                : "";
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
