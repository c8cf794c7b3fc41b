package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.OptionsMap;
import com.datastax.oss.driver.api.core.config.TypedDriverOption;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.SchemaChangeListener;
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

/** Opens the driver's session of some settings, or says what stands in the way. */
final class SessionOpener {

    private static final Duration ONE_STEP = Duration.ofSeconds(5);

    private SessionOpener() {}

    static CqlSession open(ConnectionSettings settings, SchemaChangeListener listener) throws SQLException {
        CqlSessionBuilder builder = CqlSession.builder()
                .withConfigLoader(DriverConfigLoader.fromMap(options(settings)))
                .addContactPoints(contactPoints(settings))
                .addSchemaChangeListener(listener);
        settings.user().ifPresent(user -> builder.withAuthCredentials(user, settings.password()));
        settings.localDatacenter().ifPresent(builder::withLocalDatacenter);
        settings.keyspace().ifPresent(builder::withKeyspace);
        CqlSession session = await(builder.buildAsync().toCompletableFuture(), settings);
        try {
            requireDatacenter(session, settings);
        } catch (SQLException e) {
            session.closeAsync();
            throw e;
        }
        return session;
    }

    /**
     * The driver's own defaults and what the options say; never an application.conf, which another use of the driver in
     * this application may have put on the class path.
     */
    private static OptionsMap options(ConnectionSettings settings) {
        OptionsMap options = OptionsMap.driverDefaults();
        Duration step = min(ONE_STEP, settings.connectTimeout());
        options.put(TypedDriverOption.CONNECTION_CONNECT_TIMEOUT, step);
        options.put(TypedDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, step);
        options.put(TypedDriverOption.CONNECTION_SET_KEYSPACE_TIMEOUT, step);
        options.put(TypedDriverOption.CONTROL_CONNECTION_TIMEOUT, step);
        options.put(TypedDriverOption.REQUEST_TIMEOUT, settings.requestTimeout());
        options.put(
                TypedDriverOption.REQUEST_CONSISTENCY, settings.consistency().name());
        options.put(
                TypedDriverOption.REQUEST_SERIAL_CONSISTENCY,
                settings.serialConsistency().name());
        options.put(TypedDriverOption.REQUEST_PAGE_SIZE, settings.fetchSize());
        // A main that forgets to close its connections must exit all the same.
        options.put(TypedDriverOption.NETTY_DAEMON, true);
        // One session for each URL and credentials is meant.
        options.put(TypedDriverOption.SESSION_LEAK_THRESHOLD, 0);
        // The driver's 2 s would delay every exit; without any, its own listeners find their event loop gone.
        options.put(TypedDriverOption.NETTY_IO_SHUTDOWN_UNIT, "MILLISECONDS");
        options.put(TypedDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 100);
        options.put(TypedDriverOption.NETTY_IO_SHUTDOWN_TIMEOUT, 5_000);
        options.put(TypedDriverOption.NETTY_ADMIN_SHUTDOWN_UNIT, "MILLISECONDS");
        options.put(TypedDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 100);
        options.put(TypedDriverOption.NETTY_ADMIN_SHUTDOWN_TIMEOUT, 5_000);
        if (settings.localDatacenter().isEmpty()) {
            options.put(TypedDriverOption.LOAD_BALANCING_POLICY_CLASS, "DcInferringLoadBalancingPolicy");
        }
        return options;
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
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

    private static CqlSession await(CompletableFuture<CqlSession> opening, ConnectionSettings settings)
            throws SQLException {
        try {
            return opening.get(settings.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw SqlErrors.connecting(e, settings);
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

    /** Whoever waited has left, so nobody else would close the session when it opens after all. */
    private static void abandon(CompletableFuture<CqlSession> opening) {
        var unused = opening.thenAccept(CqlSession::closeAsync);
    }

    /** A datacenter that no node is in would make every later statement fail with a message about nodes. */
    private static void requireDatacenter(CqlSession session, ConnectionSettings settings) throws SQLException {
        Set<String> datacenters = session.getMetadata().getNodes().values().stream()
                .map(Node::getDatacenter)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new));
        if (settings.localDatacenter().isEmpty() && datacenters.size() > 1) {
            throw severalDatacenters(datacenters, settings);
        }
        if (settings.localDatacenter().isPresent()
                && !datacenters.contains(settings.localDatacenter().get())) {
            throw new SQLNonTransientConnectionException(
                    "Cannot connect to " + settings.hosts() + ": localDatacenter='"
                            + settings.localDatacenter().get() + "' has no nodes; the cluster's datacenters are "
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
