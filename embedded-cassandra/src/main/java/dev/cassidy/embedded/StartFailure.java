package dev.cassidy.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Says why a node did not start, in the server's own words: what it has logged from a position of its log on. */
record StartFailure(Path log, List<String> lines) {
    private static final int SHOWN = 15;

    static StartFailure read(Path log, long position) {
        try {
            byte[] bytes = Files.readAllBytes(log);
            byte[] ours = Arrays.copyOfRange(bytes, (int) Math.min(position, bytes.length), bytes.length);
            // A crash may cut a character in two; a strict decoder would hide the whole log.
            return new StartFailure(
                    log, new String(ours, StandardCharsets.UTF_8).lines().toList());
        } catch (IOException e) {
            return new StartFailure(log, List.of("(the log cannot be read: " + e + ")"));
        }
    }

    EmbeddedCassandraException ended() {
        return EmbeddedCassandraException.ofStart(
                "Cassandra ended before it served clients" + account(), isPortTaken());
    }

    EmbeddedCassandraException late(Duration timeout) {
        return new EmbeddedCassandraException("Cassandra did not serve clients within " + timeout.toSeconds()
                + " s (raise it with startTimeout)" + account());
    }

    private boolean isPortTaken() {
        return lines.stream()
                .anyMatch(line -> line.contains("Address already in use")
                        || line.contains("is in use by another process")
                        || line.contains("Failed to bind port"));
    }

    /** The first error and what follows it; the last lines if there is none. */
    private String account() {
        int error = 0;
        while (error < lines.size() && !lines.get(error).startsWith("ERROR")) {
            error++;
        }
        int from = error < lines.size() ? error : Math.max(0, lines.size() - SHOWN);
        List<String> shown = lines.subList(from, Math.min(lines.size(), from + SHOWN));
        return "; its log is " + log + ":\n  " + String.join("\n  ", shown);
    }
}
