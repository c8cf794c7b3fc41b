package dev.cassidy.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Says why a node did not start or did not go on, in the server's own words: its log from a position on. */
record StartFailure(Path log, List<String> lines) {
    private static final int SHOWN = 15;

    /** For a process that a signal ended, Java's exit code is this plus the signal's number. */
    private static final int SIGNALLED = 128;

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

    /** @param node which one it was */
    String died(String node, int exitCode) {
        String signal = exitCode > SIGNALLED ? ", which is signal " + (exitCode - SIGNALLED) : "";
        return node + " ended unexpectedly: exit code " + exitCode + signal + account(last());
    }

    private boolean isPortTaken() {
        return lines.stream()
                .anyMatch(line -> line.contains("Address already in use")
                        || line.contains("is in use by another process")
                        || line.contains("Failed to bind port"));
    }

    /** The first error and what follows it; the last lines if there is no error. */
    private String account() {
        int error = 0;
        while (error < lines.size() && !lines.get(error).startsWith("ERROR")) {
            error++;
        }
        return account(error < lines.size() ? error : last());
    }

    private int last() {
        return Math.max(0, lines.size() - SHOWN);
    }

    private String account(int from) {
        List<String> shown = lines.subList(from, Math.min(lines.size(), from + SHOWN));
        return "; its log is " + log + ":\n  " + String.join("\n  ", shown);
    }
}
