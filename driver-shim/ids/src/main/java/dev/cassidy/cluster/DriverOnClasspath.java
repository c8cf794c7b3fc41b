package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.session.Session;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The java-driver exists under two coordinates with the same packages, {@code com.datastax.oss:java-driver-core} and,
 * from 4.18 on, {@code org.apache.cassandra:java-driver-core}. Maven does not see that they are one library; with both,
 * the order of the class path decides which class comes from which.
 */
public final class DriverOnClasspath {

    private static final String DESCRIPTION = "com/datastax/oss/driver/Driver.properties";

    private DriverOnClasspath() {}

    /**
     * Throws if both drivers are visible to the class loader that loaded the driver. One driver that is there twice, as
     * in some application servers, passes.
     *
     * @throws IllegalStateException naming both, where each of them is, and what to exclude
     */
    public static void requireOne() {
        requireOne(Session.class.getClassLoader());
    }

    static void requireOne(ClassLoader loader) {
        Map<String, URL> drivers = drivers(loader);
        if (drivers.size() > 1) {
            throw new IllegalStateException("Two java-drivers are on the class path, and they have the same packages: "
                    + drivers.entrySet().stream()
                            .map(driver -> driver.getKey() + " in " + driver.getValue())
                            .collect(Collectors.joining(", "))
                    + ". Keep one: exclude the other where it is brought in (mvn dependency:tree"
                    + " -Dincludes=:java-driver-core shows by what)");
        }
    }

    private static Map<String, URL> drivers(ClassLoader loader) {
        Map<String, URL> drivers = new TreeMap<>();
        try {
            for (URL description : Collections.list(loader.getResources(DESCRIPTION))) {
                Properties properties = new Properties();
                try (InputStream in = description.openStream()) {
                    properties.load(in);
                }
                drivers.putIfAbsent(
                        properties.getProperty("driver.groupId") + ':' + properties.getProperty("driver.artifactId"),
                        description);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot tell which java-driver is on the class path", e);
        }
        return drivers;
    }
}
