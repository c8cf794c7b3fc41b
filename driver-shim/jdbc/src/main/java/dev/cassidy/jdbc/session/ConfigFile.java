package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.config.TypedDriverOption;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A configuration file of java-driver.
 *
 * @param location as the option configFile has it
 * @param config the content of the file, references resolved
 */
record ConfigFile(String location, Config config) {

    private static final String ROOT = "datastax-java-driver";

    /** Options by their paths in a file. */
    static final class Options implements OptionLayer {
        private final Map<String, Object> byPath = new LinkedHashMap<>();

        @Override
        public <T> void put(TypedDriverOption<T> option, T value) {
            byPath.put(option.getRawOption().getPath(), value);
        }

        private Config config() {
            Config config = ConfigFactory.empty();
            for (Map.Entry<String, Object> option : byPath.entrySet()) {
                config = config.withValue(
                        ROOT + "." + option.getKey(), ConfigValueFactory.fromAnyRef(option.getValue()));
            }
            return config;
        }
    }

    /**
     * @throws IllegalArgumentException naming the option and what is wrong with the file, by its position; what is in
     *     the file is not quoted, because it may be another one than was meant
     */
    static ConfigFile read(String location) {
        Config file;
        try {
            Config parsed = ConfigText.parse(location);
            Config reference = ConfigFactory.defaultReference(ConfigFile.class.getClassLoader());
            // A file may refer to the driver's defaults, to the environment and to system properties.
            file = parsed.resolveWith(ConfigFactory.defaultOverrides()
                    .withFallback(parsed)
                    .withFallback(reference)
                    .resolve());
        } catch (ConfigException e) {
            // Without the cause, whose message quotes the file.
            throw unreadable(location, brief(e));
        } catch (StackOverflowError e) {
            throw unreadable(location, "its values are nested too deeply");
        } catch (IllegalArgumentException e) {
            throw unreadable(location, String.valueOf(e.getMessage()));
        }
        if (!file.hasPath(ROOT)) {
            throw new IllegalArgumentException("must have a section " + ROOT + ": configFile='" + location + "'");
        }
        return new ConfigFile(location, file);
    }

    private static IllegalArgumentException unreadable(String location, String why) {
        return new IllegalArgumentException(
                "must be a readable configuration file of java-driver, as a path or as classpath:name: configFile='"
                        + location + "' (" + why + ")");
    }

    /** Returns the kind of an error and its place. */
    private static String brief(ConfigException e) {
        String what = e instanceof ConfigException.UnresolvedSubstitution
                ? "a reference has no value, or may not be read"
                : "it does not follow the syntax of HOCON";
        return e.origin() == null ? what : what + ", at " + e.origin().description();
    }

    /** Returns, as the text of a file, the effective options: {@code given}, then the file, then {@code ours}. */
    String between(Options given, Options ours, ConnectionSettings settings) {
        refuseOtherClusters(settings);
        boolean plain = settings.isGiven(ConnectionOption.SSL) && !settings.ssl();
        Config file = plain ? config.withoutPath(ROOT + ".advanced.ssl-engine-factory") : config;
        return given.config()
                .withFallback(file)
                .withFallback(ours.config())
                .withOnlyPath(ROOT)
                .root()
                .render(ConfigRenderOptions.concise());
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

    /** Without the content, which may contain a password. */
    @Override
    public String toString() {
        return location;
    }
}
