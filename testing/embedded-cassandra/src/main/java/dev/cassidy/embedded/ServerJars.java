package dev.cassidy.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The server's own classpath. The jars are resources of this module: used in place when they are files, else copied
 * once into the cache folder.
 */
final class ServerJars {
    private static final String INDEX = "server/index";
    private static final List<String> CHILD_CLASSES = List.of(
            "CassandraChild.class",
            "ClassArchiveWriter.class",
            "Cluster.class",
            "Kernel.class",
            "MovedClock.class",
            "RequestWorkers.class",
            "UnloggedMemtable.class");
    private static final String PATCH = "org/apache/cassandra/security/ThreadAwareSecurityManager.class";

    private ServerJars() {}

    /** The jars of the server and the one of our main inside it, in classpath order, as the JDK needs them. */
    static List<Path> locate(Cache cache, HostJdk jdk) {
        try {
            List<Path> jars = new ArrayList<>();
            if (!jdk.hasSecurityManager()) {
                // Before the server's own jar: the first class of a name counts.
                jars.add(cache.file("patch", ".jar", ClassJar.of(Map.of(PATCH, "patch/" + PATCH))));
            }
            jars.add(childJar(cache));
            URL index = resource(INDEX);
            List<String> names = names(index);
            Path folder = index.getProtocol().equals("file")
                    ? Path.of(index.toURI()).resolveSibling("")
                    : extracted(cache, names);
            names.forEach(name -> jars.add(folder.resolve(name)));
            return jars;
        } catch (IOException e) {
            throw new UncheckedIOException("the server's jars could not be unpacked into " + cache.folder(), e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> names(URL index) throws IOException {
        try (InputStream in = index.openStream()) {
            String line = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
            return Arrays.stream(line.split(":"))
                    .map(name -> name.substring("./".length()))
                    .toList();
        }
    }

    private static Path extracted(Cache cache, List<String> names) throws IOException {
        // The names carry versions of released artifacts, so equal names are equal jars.
        String key = "server-" + Cache.hash(String.join(":", names).getBytes(StandardCharsets.UTF_8));
        return cache.folder(key, folder -> {
            for (String name : names) {
                try (InputStream in = resource("server/" + name).openStream()) {
                    Files.copy(in, folder.resolve(name));
                }
            }
        });
    }

    private static Path childJar(Cache cache) throws IOException {
        Map<String, String> classes = new TreeMap<>();
        CHILD_CLASSES.forEach(name -> classes.put("dev/cassidy/embedded/child/" + name, "child/" + name));
        return cache.file("child", ".jar", ClassJar.of(classes));
    }

    static URL resource(String name) {
        URL url = ServerJars.class.getResource(name);
        if (url == null) {
            throw new IllegalStateException("missing from cassidy-embedded-cassandra: " + name
                    + "; build the module with Maven (mvn process-resources copies the server's jars)");
        }
        return url;
    }
}
