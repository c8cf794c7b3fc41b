package dev.cassidy.benchmarks.driver;

import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The warnings of batches that nodes have logged since this was made. */
final class BatchWarnings {

    /** How long each node's log was. */
    private final Map<EmbeddedCassandra, Long> lengths = new LinkedHashMap<>();

    BatchWarnings(List<EmbeddedCassandra> nodes) throws IOException {
        for (EmbeddedCassandra node : nodes) {
            lengths.put(node, Files.size(node.logFile()));
        }
    }

    /** Returns how many there are, and prints them. A node logs at most one a minute for the same reason. */
    long count(PrintStream out) throws IOException {
        long count = 0;
        for (Map.Entry<EmbeddedCassandra, Long> each : lengths.entrySet()) {
            byte[] log = Files.readAllBytes(each.getKey().logFile());
            int from = each.getValue().intValue();
            List<String> warnings = new String(log, from, log.length - from, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("WARN")
                            && line.toLowerCase(Locale.ROOT).contains("batch"))
                    .toList();
            warnings.forEach(out::println);
            count += warnings.size();
        }
        return count;
    }
}
