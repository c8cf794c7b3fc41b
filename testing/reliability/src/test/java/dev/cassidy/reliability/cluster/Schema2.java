package dev.cassidy.reliability.cluster;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * A frozen installation of schema 2: its CQL, the rows that its clients left, and every id that they issued. {@code
 * schema-2/README.md} describes its contents.
 */
final class Schema2 {

    /**
     * A process that was killed while it held ids of every sequence. Its ids of {@code invoices} are from before the
     * raise, which waits for it.
     */
    static final String DEAD = "4882@vm";

    /** The id past which {@code invoices} was being raised. */
    static final long HALF_DONE = 5_000;

    /** An issued id. */
    record Issue(String sequence, long id) {}

    private Schema2() {}

    /** Creates the installation under another name than its original name {@code cassidy}. */
    static void create(CqlSession session, String keyspace) {
        for (String file : List.of("schema.cql", "data.cql")) {
            for (String line : lines(file)) {
                session.execute(line.replaceAll("\\bcassidy(?! schema)", keyspace));
            }
        }
    }

    /**
     * Like {@link #create(CqlSession, String)}, with three replicas in {@code dc1}, and two in {@code dc2}, which has
     * no sequences yet.
     *
     * @param awaitSchema returns when every node has the tables; until then a node refuses writes to them
     */
    static void createInTwoDatacenters(CqlSession session, String keyspace, Runnable awaitSchema) {
        for (String line : lines("schema.cql")) {
            String here = named(line, keyspace);
            boolean global = here.contains("KEYSPACE IF NOT EXISTS " + keyspace + " ");
            session.execute(here.replace("'dc1': 1", global ? "'dc1': 3, 'dc2': 2" : "'dc1': 3"));
            if (here.contains(keyspace + "_dc1")) {
                session.execute(here.replace("_dc1", "_dc2").replace("'dc1': 1", "'dc2': 2"));
            }
        }
        awaitSchema.run();
        // Conditional writes would reach every majority. A plain write to one replica would not, hence the level ALL.
        lines("data.cql")
                .forEach(line -> session.execute(
                        SimpleStatement.newInstance(named(line, keyspace)).setConsistencyLevel(ConsistencyLevel.ALL)));
    }

    private static String named(String line, String keyspace) {
        return line.replaceAll("\\bcassidy(?! schema)", keyspace);
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
