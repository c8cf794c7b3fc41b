package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.config.TypedDriverOption;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValueFactory;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A configuration file of java-driver.
 *
 * @param location as the option configFile has it
 * @param config the content of the file, references resolved
 */
record ConfigFile(String location, Config config) {

    private static final String ROOT = "datastax-java-driver";
    private static final String PROFILES = ROOT + ".profiles";
    private static final String CLASSPATH = "classpath:";

    /** Options that an execution profile may set for itself. */
    private static final List<String> OF_PROFILES = List.of("basic.request.", "basic.load-balancing-policy.");

    /** Options by their paths in a file. */
    static final class Options implements OptionLayer {
        private final Map<String, Object> byPath = new LinkedHashMap<>();

        @Override
        public <T> void put(TypedDriverOption<T> option, T value) {
            byPath.put(option.getRawOption().getPath(), value);
        }

        private Config under(String root, List<String> beginnings) {
            Config config = ConfigFactory.empty();
            for (Map.Entry<String, Object> option : byPath.entrySet()) {
                if (beginnings.stream().anyMatch(option.getKey()::startsWith)) {
                    config = config.withValue(
                            root + "." + option.getKey(), ConfigValueFactory.fromAnyRef(option.getValue()));
                }
            }
            return config;
        }
    }

    /** @throws IllegalArgumentException naming the option and what is wrong with the file */
    static ConfigFile read(String location) {
        Config file;
        try {
            Config parsed = parse(location);
            // A file may refer to the environment, to system properties and to the driver's defaults.
            file = parsed.resolveWith(ConfigFactory.defaultOverrides()
                    .withFallback(parsed)
                    .withFallback(ConfigFactory.defaultReference(ConfigFile.class.getClassLoader()))
                    .resolve());
        } catch (ConfigException | InvalidPathException e) {
            throw new IllegalArgumentException(
                    "must be a readable configuration file of java-driver, as a path or as classpath:name: configFile='"
                            + location + "' (" + e.getMessage() + ")",
                    e);
        }
        if (!file.hasPath(ROOT)) {
            throw new IllegalArgumentException("must have a section " + ROOT + ": configFile='" + location + "'");
        }
        return new ConfigFile(location, file);
    }

    private static Config parse(String location) {
        ConfigParseOptions options = ConfigParseOptions.defaults().setAllowMissing(false);
        if (!location.startsWith(CLASSPATH)) {
            return ConfigFactory.parseFile(Path.of(location).toFile(), options);
        }
        String name = location.substring(CLASSPATH.length());
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        boolean seen = ofThread != null && ofThread.getResource(name) != null;
        return ConfigFactory.parseResources(
                name, options.setClassLoader(seen ? ofThread : ConfigFile.class.getClassLoader()));
    }

    /** Returns, as the text of a file, the effective options: {@code given}, then the file, then {@code ours}. */
    String between(Options given, Options ours, ConnectionSettings settings) {
        refuseOtherClusters(settings);
        List<String> all = List.of("");
        Config above = given.under(ROOT, all);
        @Nullable String profile = settings.profile();
        if (profile != null) {
            requireProfile(profile);
            if (!profile.equals(DriverExecutionProfile.DEFAULT_NAME)) {
                above = above.withFallback(given.under(path(profile), OF_PROFILES));
            }
        }
        boolean plain = settings.isGiven(ConnectionOption.SSL) && !settings.ssl();
        Config file = plain ? config.withoutPath(ROOT + ".advanced.ssl-engine-factory") : config;
        return above.withFallback(file)
                .withFallback(ours.under(ROOT, all))
                .withOnlyPath(ROOT)
                .root()
                .render(ConfigRenderOptions.concise());
    }

    private static String path(String profile) {
        return PROFILES + "." + ConfigUtil.joinPath(profile);
    }

    /** The URL says where to connect; the driver would prefer the bundle and ignore the URL's hosts. */
    private void refuseOtherClusters(ConnectionSettings settings) {
        if (config.hasPath(ROOT + ".basic.cloud.secure-connect-bundle")) {
            throw new IllegalArgumentException("must not have basic.cloud.secure-connect-bundle, which would take the"
                    + " place of the URL's hosts: configFile='" + location + "'");
        }
        if (config.hasPath(ROOT + ".basic.session-keyspace")
                && settings.keyspace().isEmpty()) {
            throw new IllegalArgumentException("has basic.session-keyspace, which is for the URL to say:"
                    + " jdbc:cassidy://host/keyspace: configFile='" + location + "'");
        }
    }

    private void requireProfile(String name) {
        List<String> known = new ArrayList<>(List.of(DriverExecutionProfile.DEFAULT_NAME));
        if (config.hasPath(PROFILES)) {
            known.addAll(config.getObject(PROFILES).keySet().stream().sorted().toList());
        }
        if (!known.contains(name)) {
            throw new IllegalArgumentException("must be an execution profile of configFile='" + location
                    + "', which has " + String.join(", ", known) + ": profile='" + name + "'");
        }
    }

    /** Without the content, which may contain a password. */
    @Override
    public String toString() {
        return location;
    }
}
