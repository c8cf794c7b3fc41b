package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.SchemaChangeListener;
import dev.cassidy.cluster.DriverOnClasspath;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.jdbc.error.Lines;
import dev.cassidy.jdbc.error.SqlStates;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens the driver's session for some settings, or says what prevents it. */
final class SessionOpener {

    private static final PlainPasswords PLAIN_PASSWORDS = new PlainPasswords();

    private SessionOpener() {}

    /** @param limit how long to wait for it; at most {@code connectTimeout} */
    static CqlSession open(ConnectionSettings settings, SchemaChangeListener listener, Duration limit)
            throws SQLException {
        try {
            DriverOnClasspath.requireOne();
        } catch (IllegalStateException e) {
            throw new SQLNonTransientConnectionException(e.getMessage(), SqlStates.CANNOT_CONNECT, e);
        }
        List<InetSocketAddress> contactPoints = contactPoints(settings);
        DriverConfigLoader configuration = configuration(settings);
        DriverExecutionProfile config = configuration.getInitialConfig().getDefaultProfile();
        PLAIN_PASSWORDS.warn(settings, config, contactPoints);
        CqlSessionBuilder builder = CqlSessions.builder()
                .withConfigLoader(configuration)
                .addContactPoints(contactPoints)
                .addSchemaChangeListener(listener);
        settings.user().ifPresent(user -> builder.withAuthCredentials(user, settings.password()));
        settings.localDatacenter().ifPresent(builder::withLocalDatacenter);
        settings.keyspace().ifPresent(builder::withKeyspace);
        CqlSession session = await(builder.buildAsync().toCompletableFuture(), settings, limit);
        try {
            // The contact points may be a proxy on this machine.
            PLAIN_PASSWORDS.warn(settings, config, addresses(session));
            requireDatacenter(session, settings);
        } catch (SQLException | RuntimeException e) {
            session.closeAsync();
            throw e;
        }
        return session;
    }

    private static DriverConfigLoader configuration(ConnectionSettings settings) throws SQLException {
        try {
            Tls.requireStores(settings);
            DriverConfigLoader loader = DriverOptions.loader(settings);
            if (settings.requiresTls()
                    && !Tls.isConfigured(loader.getInitialConfig().getDefaultProfile())) {
                loader.close();
                throw new IllegalArgumentException("requireTls='true' refuses a connection without TLS: give ssl=true,"
                        + " or a configFile with advanced.ssl-engine-factory");
            }
            return loader;
        } catch (IllegalArgumentException e) {
            throw new SQLNonTransientConnectionException(
                    "Cannot connect to " + settings.hosts() + ": " + Lines.escaped(String.valueOf(e.getMessage())),
                    SqlStates.CANNOT_CONNECT,
                    e);
        }
    }

    private static List<InetSocketAddress> contactPoints(ConnectionSettings settings) throws SQLException {
        List<InetSocketAddress> resolved = new ArrayList<>();
        Set<String> unknown = new LinkedHashSet<>();
        for (ConnectionSettings.Endpoint endpoint : settings.endpoints()) {
            try {
                for (InetAddress address : InetAddress.getAllByName(endpoint.host())) {
                    resolved.add(new InetSocketAddress(address, endpoint.port()));
                }
            } catch (UnknownHostException e) {
                unknown.add(endpoint.host());
            }
        }
        if (resolved.isEmpty()) {
            throw new SQLNonTransientConnectionException(
                    "Cannot connect to " + settings.hosts() + ": no address is known for " + String.join(", ", unknown)
                            + "; check the host names in the URL",
                    SqlStates.CANNOT_CONNECT);
        }
        return resolved;
    }

    private static List<InetSocketAddress> addresses(CqlSession session) {
        return session.getMetadata().getNodes().values().stream()
                .map(node -> node.getEndPoint().resolve())
                .filter(InetSocketAddress.class::isInstance)
                .map(InetSocketAddress.class::cast)
                .toList();
    }

    private static CqlSession await(CompletableFuture<CqlSession> opening, ConnectionSettings settings, Duration limit)
            throws SQLException {
        try {
            return opening.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw ConnectErrors.of(e, settings);
        } catch (TimeoutException e) {
            abandon(opening);
            throw new SQLTransientConnectionException(
                    "Cannot connect to " + settings.hosts() + ": no answer within connectTimeout="
                            + settings.connectTimeout().toMillis()
                            + "ms; check the hosts and ports, or allow more time",
                    SqlStates.CANNOT_CONNECT,
                    e);
        } catch (InterruptedException e) {
            abandon(opening);
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException(
                    "Interrupted while connecting to " + settings.hosts(), SqlStates.CANNOT_CONNECT, e);
        }
    }

    /** The caller no longer waits, so nobody else would close the session if it opens after all. */
    private static void abandon(CompletableFuture<CqlSession> opening) {
        var unused = opening.thenAccept(CqlSession::closeAsync);
    }

    /** A datacenter that no node is in would make every later statement fail with a message about nodes. */
    private static void requireDatacenter(CqlSession session, ConnectionSettings settings) throws SQLException {
        Set<String> datacenters = session.getMetadata().getNodes().values().stream()
                .map(Node::getDatacenter)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new));
        // The option's, or a configFile's.
        DriverExecutionProfile config = session.getContext().getConfig().getDefaultProfile();
        @Nullable String local = config.getString(DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER, null);
        boolean inferred = config.getString(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS)
                .equals(DriverOptions.INFERRING_POLICY);
        if (local == null && inferred && datacenters.size() > 1) {
            throw severalDatacenters(datacenters, settings);
        }
        if (local != null && !datacenters.contains(local)) {
            throw new SQLNonTransientConnectionException(
                    "Cannot connect to " + settings.hosts() + ": localDatacenter='" + local
                            + "' has no nodes; the cluster's datacenters are "
                            + String.join(", ", datacenters),
                    SqlStates.CANNOT_CONNECT);
        }
    }

    static SQLException severalDatacenters(Set<String> datacenters, ConnectionSettings settings) {
        return new SQLNonTransientConnectionException(
                "Cannot connect to " + settings.hosts() + ": the cluster has several datacenters ("
                        + String.join(", ", datacenters)
                        + "); say which one is local with the option localDatacenter=...",
                SqlStates.CANNOT_CONNECT);
    }
}
