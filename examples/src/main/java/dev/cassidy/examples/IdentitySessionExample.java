package dev.cassidy.examples;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import java.io.PrintStream;
import java.util.List;

/** The Apache driver's own session, which fills identity columns: for code that speaks CQL. */
public final class IdentitySessionExample {

    private IdentitySessionExample() {}

    /** Takes {@code host:port datacenter}, or nothing for an embedded node. */
    public static void main(String[] args) {
        try (ExampleCluster cluster = ExampleCluster.of(args)) {
            run(cluster, System.out);
        }
    }

    static void run(ExampleCluster cluster, PrintStream out) {
        cluster.createTable("song", "title text");
        try (IdentitySession session = IdentitySession.builder()
                .addContactPoint(cluster.contactPoint())
                .withLocalDatacenter(cluster.localDatacenter())
                .withKeyspace(ExampleCluster.KEYSPACE)
                .build()) {
            PreparedStatement insert = session.prepare("INSERT INTO song (title) VALUES (?)");

            ResultSet inserted = session.execute(insert.bind("Blackbird"));
            out.println("an insert: ids " + GeneratedKeys.of(inserted).ids());

            BatchStatement batch =
                    BatchStatement.newInstance(BatchType.LOGGED, insert.bind("Michelle"), insert.bind("Yesterday"));
            out.println(
                    "a batch: ids " + GeneratedKeys.of(session.execute(batch)).ids());

            List<Long> ids = session.executeAsync(insert.bind("Help!"))
                    .thenApply(result -> GeneratedKeys.of(result).ids())
                    .toCompletableFuture()
                    .join();
            out.println("without blocking: ids " + ids);

            for (Row row : session.execute("SELECT id, title FROM song")) {
                out.println("song " + row.getInt("id") + ": " + row.getString("title"));
            }
        }
    }
}
