package dev.cassidy.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The JDK that runs the server. Cassandra 5.0 uses the Security Manager, which JDK 24 removed. From 24 on the server runs
 * with a class of ours in the place of Cassandra's own, and functions run without a sandbox; so a JDK from 17 to 23 is
 * preferred where there is one.
 *
 * @param home the folder that has {@code bin/java}
 * @param feature the feature version, 17 for instance
 */
record HostJdk(Path home, int feature) {
    private static final int OLDEST = 17;
    private static final int FIRST_WITHOUT_SECURITY_MANAGER = 24;
    private static final String NAMED = "JAVA17_HOME";

    static HostJdk own() {
        return new HostJdk(
                Path.of(System.getProperty("java.home")), Runtime.version().feature());
    }

    /** The JDK of this JVM if it is one from 17 to 23, else one that is named or found, else the one of this JVM. */
    static HostJdk find() {
        HostJdk own = own();
        Path home = Path.of(System.getProperty("user.home", "/nonexistent"));
        List<Path> places = Stream.of(
                        Stream.ofNullable(own.home.getParent()),
                        Stream.of("/usr/lib/jvm", "/usr/java", "/opt/java", "/opt", "/Library/Java/JavaVirtualMachines")
                                .map(Path::of),
                        Stream.of(
                                        ".sdkman/candidates/java",
                                        ".jdks",
                                        ".jenv/versions",
                                        "Library/Java/JavaVirtualMachines")
                                .map(home::resolve))
                .flatMap(each -> each)
                .toList();
        return choose(own, System.getenv(NAMED), places);
    }

    /**
     * @param own the JDK of this JVM
     * @param named the value of the environment variable JAVA17_HOME
     * @param places folders that may hold JDKs
     */
    static HostJdk choose(HostJdk own, @Nullable String named, List<Path> places) {
        if (own.hasSecurityManager()) {
            return own;
        }
        if (named != null && !named.isBlank()) {
            return at(Path.of(named))
                    .filter(HostJdk::hasSecurityManager)
                    .orElseThrow(() -> new EmbeddedCassandraException("must be the home of a JDK from " + OLDEST
                            + " to " + (FIRST_WITHOUT_SECURITY_MANAGER - 1) + ": " + NAMED
                            + "=" + named + "; without it, one is looked for, and JDK " + own.feature
                            + " is used if there is"
                            + " none"));
        }
        return places.stream()
                .flatMap(HostJdk::within)
                .filter(HostJdk::hasSecurityManager)
                .min(Comparator.comparingInt(HostJdk::feature).thenComparing(HostJdk::home))
                .orElse(own);
    }

    private static Stream<HostJdk> within(Path place) {
        if (!Files.isDirectory(place)) {
            return Stream.empty();
        }
        try (Stream<Path> folders = Files.list(place)) {
            return folders
                    .flatMap(folder -> Stream.of(folder, folder.resolve("Contents/Home")))
                    .flatMap(folder -> at(folder).stream())
                    .toList()
                    .stream();
        } catch (IOException e) {
            // A folder that may not be read has no JDK that could be run.
            return Stream.empty();
        }
    }

    /** By the file {@code release}, which each JDK has: {@code JAVA_VERSION="17.0.15"}. */
    private static Optional<HostJdk> at(Path home) {
        if (!Files.isExecutable(home.resolve("bin/java"))) {
            return Optional.empty();
        }
        try (BufferedReader release = Files.newBufferedReader(home.resolve("release"))) {
            Properties properties = new Properties();
            properties.load(release);
            String version = properties.getProperty("JAVA_VERSION", "").replace("\"", "");
            return Optional.of(new HostJdk(home, Runtime.Version.parse(version).feature()));
        } catch (IOException | IllegalArgumentException e) {
            // No JDK, or one that does not tell its version: 1.8 for instance.
            return Optional.empty();
        }
    }

    Path java() {
        return home.resolve("bin").resolve("java");
    }

    /** Whether a running JVM can write an archive of its classes. JDK 25 dies when it has done so; others were not tried. */
    boolean writesClassArchives() {
        return feature == OLDEST;
    }

    boolean hasSecurityManager() {
        return feature >= OLDEST && feature < FIRST_WITHOUT_SECURITY_MANAGER;
    }
}
