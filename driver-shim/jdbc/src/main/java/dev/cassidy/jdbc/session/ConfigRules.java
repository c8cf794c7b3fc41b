package dev.cassidy.jdbc.session;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration file may be and have if a URL names it. Who may write a URL is often not who runs the
 * application: a URL comes from an administrator's page, or from a tool.
 */
final class ConfigRules {

    /** The system property with the folder in which a URL may name files. */
    static final String FOLDER = "cassidy.configFolder";

    /** The system property with the classes, besides the driver's own, that such a file may name. */
    static final String CLASSES = "cassidy.configClasses";

    private static final List<String> OF_THE_DRIVER = List.of("com.datastax.oss.driver.", "com.datastax.dse.driver.");

    private ConfigRules() {}

    /** @throws IllegalArgumentException if a URL may not name this file */
    static void requireBelowFolder(String location) {
        @Nullable String folder = System.getProperty(FOLDER);
        if (folder == null || folder.isBlank()) {
            throw new IllegalArgumentException("must not be in a URL: configFile='" + location
                    + "'. Give it as a property, or name by the system property " + FOLDER
                    + " the folder in which URLs may name files");
        }
        if (!isBelow(folder, location)) {
            throw new IllegalArgumentException("must be below the folder that the system property " + FOLDER
                    + " names, or be given as a property: configFile='" + location + "'");
        }
    }

    private static boolean isBelow(String folder, String location) {
        if (folder.startsWith(ConfigText.CLASSPATH) || location.startsWith(ConfigText.CLASSPATH)) {
            return location.startsWith(folder.endsWith("/") ? folder : folder + "/") && !location.contains("..");
        }
        try {
            Path file = Path.of(location).toAbsolutePath();
            Path wanted = Path.of(folder).toAbsolutePath();
            if (!file.normalize().startsWith(wanted.normalize())) {
                return false;
            }
            // A symbolic link may lead out of the folder.
            return !Files.exists(file) || file.toRealPath().startsWith(wanted.toRealPath());
        } catch (IOException | InvalidPathException e) {
            return false;
        }
    }

    /**
     * Refuses classes that are not the driver's: their static initialisers and constructors would run.
     *
     * @throws IllegalArgumentException naming the option of the file, and not its value
     */
    static void requireKnownClasses(Config driver, String location) {
        for (Map.Entry<String, ConfigValue> option : driver.entrySet()) {
            List<String> path = ConfigUtil.splitPath(option.getKey());
            // An object with numbers as its keys is a list too.
            if (path.contains("class") || path.contains("classes")) {
                requireKnown(option.getValue(), option.getKey(), location);
            }
        }
    }

    private static void requireKnown(ConfigValue value, String key, String location) {
        if (value instanceof ConfigList list) {
            list.forEach(each -> requireKnown(each, key, location));
        } else if (!isKnown(String.valueOf(value.unwrapped()))) {
            throw new IllegalArgumentException("names a class that is not java-driver's, at " + key
                    + ": configFile='" + location + "'. Give the file as a property and not in a URL, or name the class"
                    + " in the system property " + CLASSES);
        }
    }

    /** The driver looks for a name without a dot in its own packages alone. */
    private static boolean isKnown(String name) {
        return name.indexOf('.') < 0
                || OF_THE_DRIVER.stream().anyMatch(name::startsWith)
                || Arrays.asList(System.getProperty(CLASSES, "").split("\\s*,\\s*"))
                        .contains(name);
    }
}
