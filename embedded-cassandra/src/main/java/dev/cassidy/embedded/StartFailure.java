package dev.cassidy.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Says why a node did not start, in the server's own words. */
final class StartFailure {
    private static final int LINES = 15;

    private StartFailure() {}

    static EmbeddedCassandraException ended(Path log) {
        return new EmbeddedCassandraException("Cassandra ended before it served clients" + account(log));
    }

    static EmbeddedCassandraException late(Path log, Duration timeout) {
        return new EmbeddedCassandraException("Cassandra did not serve clients within " + timeout.toSeconds()
                + " s (raise it with startTimeout)" + account(log));
    }

    static boolean portWasTaken(Path log) {
        return lines(log).stream()
                .anyMatch(line -> line.contains("Address already in use")
                        || line.contains("is in use by another process")
                        || line.contains("Failed to bind port"));
    }

    private static String account(Path log) {
        List<String> lines = lines(log);
        int error = 0;
        while (error < lines.size() && !lines.get(error).startsWith("ERROR")) {
            error++;
        }
        int from = error < lines.size() ? error : Math.max(0, lines.size() - LINES);
        List<String> shown = lines.subList(from, Math.min(lines.size(), from + LINES));
        return "; its log is " + log + ":\n  " + String.join("\n  ", shown);
    }

    private static List<String> lines(Path log) {
        try {
            // A crash may cut a character in two; a strict decoder would hide the whole log.
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            return List.of("(the log cannot be read: " + e + ")");
        }
    }
}
