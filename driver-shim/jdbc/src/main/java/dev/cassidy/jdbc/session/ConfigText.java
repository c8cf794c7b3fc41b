package dev.cassidy.jdbc.session;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads a configuration file and the files that it includes: regular files and the class path's, of a limited size in
 * all. Nothing is read from the network. A message says which file is wrong, and never what is in it.
 */
final class ConfigText {

    static final String CLASSPATH = "classpath:";

    /** The driver's own reference.conf has a tenth of it. */
    static final int MAX_BYTES = 1 << 20;

    static final int MAX_FILES = 50;

    private int bytes;
    private int files;

    private ConfigText() {}

    /**
     * @return the content, references not resolved
     * @throws IllegalArgumentException naming the file that cannot be read
     * @throws com.typesafe.config.ConfigException whose message may quote the file
     */
    static Config parse(String location) {
        try {
            return new ConfigText().read(location);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("there is no " + location, e);
        }
    }

    private Config read(String location) throws NoSuchFileException {
        String text = text(location);
        return ConfigFactory.parseString(
                text,
                ConfigParseOptions.defaults()
                        .setSyntax(syntax(location))
                        .setOriginDescription(location)
                        .setIncluder(new Includer(location)));
    }

    private static ConfigSyntax syntax(String location) {
        if (location.endsWith(".json")) {
            return ConfigSyntax.JSON;
        }
        return location.endsWith(".properties") ? ConfigSyntax.PROPERTIES : ConfigSyntax.CONF;
    }

    private String text(String location) throws NoSuchFileException {
        if (++files > MAX_FILES) {
            throw new IllegalArgumentException("more than " + MAX_FILES + " files are included, the last one by way of "
                    + location + "; perhaps one includes itself");
        }
        try (InputStream in = open(location)) {
            byte[] read = in.readNBytes(MAX_BYTES - bytes + 1);
            bytes += read.length;
            if (bytes > MAX_BYTES) {
                throw new IllegalArgumentException(
                        location + " has, with what was included before, more than " + MAX_BYTES + " bytes");
            }
            return new String(read, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    location + " cannot be read: " + e.getClass().getSimpleName(), e);
        }
    }

    private static InputStream open(String location) throws IOException {
        if (location.startsWith(CLASSPATH)) {
            String name = location.substring(CLASSPATH.length());
            ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
            InputStream found = ofThread == null ? null : ofThread.getResourceAsStream(name);
            if (found == null) {
                found = ConfigText.class.getClassLoader().getResourceAsStream(name);
            }
            if (found == null) {
                throw new NoSuchFileException(location);
            }
            return found;
        }
        Path file = path(location);
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // A device may never end, and a pipe may never begin.
            throw new IllegalArgumentException(location + " is not a regular file");
        }
        return Files.newInputStream(file);
    }

    private static Path path(String location) {
        try {
            return Path.of(location);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(location + " is not a path", e);
        }
    }

    /** What a file includes. */
    private final class Includer
            implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {
        private final String from;

        Includer(String from) {
            this.from = from;
        }

        /** The library's own includer would take URLs. */
        @Override
        public ConfigIncluder withFallback(ConfigIncluder fallback) {
            return this;
        }

        @Override
        public ConfigObject include(ConfigIncludeContext context, String what) {
            if (from.startsWith(CLASSPATH)) {
                String folder = from.substring(0, Math.max(from.lastIndexOf('/') + 1, CLASSPATH.length()));
                return included(context, folder + what);
            }
            return included(context, path(from).resolveSibling(path(what)).toString());
        }

        @Override
        public ConfigObject includeFile(ConfigIncludeContext context, File what) {
            return included(context, what.getPath());
        }

        @Override
        public ConfigObject includeResources(ConfigIncludeContext context, String what) {
            if (!from.startsWith(CLASSPATH)) {
                throw new IllegalArgumentException(from + " includes from the class path, and may include files alone");
            }
            return included(context, CLASSPATH + what);
        }

        @Override
        public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
            throw new IllegalArgumentException(from + " includes a URL, and may include files alone");
        }

        /** A name without an ending stands for all three, as with the library's own includer. */
        private ConfigObject included(ConfigIncludeContext context, String location) {
            boolean whole = Stream.of(".conf", ".json", ".properties").anyMatch(location::endsWith);
            List<String> names = whole
                    ? List.of(location)
                    : List.of(location + ".conf", location + ".json", location + ".properties");
            Config all = ConfigFactory.empty();
            boolean found = false;
            for (String name : names) {
                try {
                    all = all.withFallback(read(name));
                    found = true;
                } catch (NoSuchFileException e) {
                    // Another name may exist, and unless it is required, an include may be missing.
                }
            }
            if (!found && !context.parseOptions().getAllowMissing()) {
                throw new IllegalArgumentException(from + " requires an include that does not exist");
            }
            return all.root();
        }
    }
}
