package dev.cassidy.reliability.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * An installation of schema 2, frozen: its CQL, the rows that its clients left, and every id that they issued. What is in it
 * is told by {@code schema-2/README.md}.
 */
final class Schema2 {

    /** Killed while it held ids of every sequence: of {@code invoices} from before the raise, which waits for it. */
    static final String DEAD = "4882@vm";

    /** Up to which {@code invoices} was being raised. */
    static final long HALF_DONE = 5_000;

    /** An id that was issued. */
    record Issue(String sequence, long id) {}

    private Schema2() {}

    /** Makes it under another name than the {@code cassidy} that it had. */
    static void create(CqlSession session, String keyspace) {
        for (String file : List.of("schema.cql", "data.cql")) {
            for (String line : lines(file)) {
                session.execute(line.replaceAll("\\bcassidy(?! schema)", keyspace));
            }
        }
    }

    static List<Issue> issued() {
        return lines("issued.txt").stream()
                .map(line -> line.split(" ", -1))
                .flatMap(run -> LongStream.rangeClosed(Long.parseLong(run[1]), Long.parseLong(run[2]))
                        .mapToObj(id -> new Issue(run[0], id)))
                .toList();
    }

    private static List<String> lines(String file) {
        try (InputStream in = Objects.requireNonNull(Schema2.class.getResourceAsStream("/schema-2/" + file), file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
