package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.OptionsMap;
import com.datastax.oss.driver.api.core.config.TypedDriverOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The configuration of java-driver. From the weakest to the strongest: the driver's own defaults, ours, the configFile,
 * the options that were given. Never an application.conf, which another use of the driver in this application may have
 * put on the class path.
 */
final class DriverOptions {

    static final String INFERRING_POLICY = "DcInferringLoadBalancingPolicy";
    private static final Duration ONE_STEP = Duration.ofSeconds(5);

    private DriverOptions() {}

    /** @throws IllegalArgumentException naming the option whose file cannot be used */
    static DriverConfigLoader loader(ConnectionSettings settings) {
        Optional<String> file = settings.given(ConnectionOption.CONFIG_FILE);
        if (file.isPresent()) {
            ConfigFile.Options ours = new ConfigFile.Options();
            ConfigFile.Options given = new ConfigFile.Options();
            addDefaults(settings, ours);
            addGiven(settings, given);
            DriverConfigLoader loader =
                    DriverConfigLoader.fromString(ConfigFile.read(file.get()).between(given, ours, settings));
            try {
                ConfigValues.require(loader.getInitialConfig(), file.get());
            } catch (IllegalArgumentException e) {
                loader.close();
                throw e;
            }
            return loader;
        }
        OptionsMap options = OptionsMap.driverDefaults();
        addDefaults(settings, options::put);
        addGiven(settings, options::put);
        return DriverConfigLoader.fromMap(options);
    }

    private static void addDefaults(ConnectionSettings settings, OptionLayer options) {
        Duration step = min(ONE_STEP, settings.connectTimeout());
        options.put(TypedDriverOption.CONNECTION_CONNECT_TIMEOUT, step);
        options.put(TypedDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, step);
        options.put(TypedDriverOption.CONNECTION_SET_KEYSPACE_TIMEOUT, step);
        options.put(TypedDriverOption.CONTROL_CONNECTION_TIMEOUT, step);
        addRequestOptions(settings, option -> !settings.isGiven(option), options);
        // Every CREATE, ALTER and DROP waits for it, and a script of them would wait the driver's second for each.
        options.put(TypedDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(50));
        // Many threads, or nine batches at once, exceed the driver's 1,024. It refuses the rest as if no node were up.
        options.put(TypedDriverOption.CONNECTION_MAX_REQUESTS, 16_384);
        // They quote whole statements; callers get them as SQLWarning.
        options.put(TypedDriverOption.REQUEST_LOG_WARNINGS, false);
        // A main method that forgets to close its connections must exit all the same.
        options.put(TypedDriverOption.NETTY_DAEMON, true);
        // One session for each URL and credentials is intended.
        options.put(TypedDriverOption.SESSION_LEAK_THRESHOLD, 0);
        // The driver's 2 s would delay every exit; without any, its own listeners find their event loop gone.
        options.put(TypedDriverOption.NETTY_IO_SHUTDOWN_UNIT, "MILLISECONDS");
        options.put(TypedDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 100);
        options.put(TypedDriverOption.NETTY_IO_SHUTDOWN_TIMEOUT, 5_000);
        options.put(TypedDriverOption.NETTY_ADMIN_SHUTDOWN_UNIT, "MILLISECONDS");
        options.put(TypedDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 100);
        options.put(TypedDriverOption.NETTY_ADMIN_SHUTDOWN_TIMEOUT, 5_000);
        if (settings.localDatacenter().isEmpty()) {
            options.put(TypedDriverOption.LOAD_BALANCING_POLICY_CLASS, INFERRING_POLICY);
        }
    }

    private static void addGiven(ConnectionSettings settings, OptionLayer options) {
        addRequestOptions(settings, settings::isGiven, options);
        settings.localDatacenter()
                .ifPresent(name -> options.put(TypedDriverOption.LOAD_BALANCING_LOCAL_DATACENTER, name));
        if (settings.ssl()) {
            options.put(TypedDriverOption.SSL_ENGINE_FACTORY_CLASS, "DefaultSslEngineFactory");
            addGiven(settings, ConnectionOption.SSL_TRUSTSTORE, TypedDriverOption.SSL_TRUSTSTORE_PATH, options);
            addGiven(
                    settings,
                    ConnectionOption.SSL_TRUSTSTORE_PASSWORD,
                    TypedDriverOption.SSL_TRUSTSTORE_PASSWORD,
                    options);
            addGiven(settings, ConnectionOption.SSL_KEYSTORE, TypedDriverOption.SSL_KEYSTORE_PATH, options);
            addGiven(
                    settings, ConnectionOption.SSL_KEYSTORE_PASSWORD, TypedDriverOption.SSL_KEYSTORE_PASSWORD, options);
            if (settings.strictTls()) {
                options.put(TypedDriverOption.SSL_HOSTNAME_VALIDATION, true);
            }
        }
        // Only the URL's hosts: a file may have several uses.
        options.put(TypedDriverOption.CONTACT_POINTS, List.of());
    }

    private static void addGiven(
            ConnectionSettings settings, ConnectionOption from, TypedDriverOption<String> to, OptionLayer options) {
        settings.given(from).ifPresent(text -> options.put(to, text));
    }

    private static void addRequestOptions(
            ConnectionSettings settings, Predicate<ConnectionOption> wanted, OptionLayer options) {
        if (wanted.test(ConnectionOption.REQUEST_TIMEOUT)) {
            options.put(TypedDriverOption.REQUEST_TIMEOUT, settings.requestTimeout());
        }
        if (wanted.test(ConnectionOption.CONSISTENCY)) {
            options.put(
                    TypedDriverOption.REQUEST_CONSISTENCY,
                    settings.consistency().name());
        }
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
