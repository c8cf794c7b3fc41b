package dev.cassidy.examples;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.counter.CrdtFunctions;
import java.io.PrintStream;
import java.math.BigInteger;
import java.util.Objects;

/** A counter that may be written twice: a row for each change, named by who made it and which it was, summed on the server. */
public final class CrdtSumExample {

    private CrdtSumExample() {}

    /** Takes {@code host:port datacenter}, or nothing for an embedded node. */
    public static void main(String[] args) {
        try (ExampleCluster cluster = ExampleCluster.of(args)) {
            run(cluster, System.out);
        }
    }

    static void run(ExampleCluster cluster, PrintStream out) {
        String keyspace = ExampleCluster.KEYSPACE;
        try (CqlSession session = cluster.connect()) {
            session.execute(
                    "CREATE TABLE IF NOT EXISTS " + keyspace + ".counter (type text, actor text, version bigint,"
                            + " increment int, PRIMARY KEY (type, actor, version))");
            CrdtFunctions.install(session, keyspace);

            PreparedStatement insert = session.prepare(
                    "INSERT INTO " + keyspace + ".counter (type, actor, version, increment) VALUES (?, ?, ?, ?)");
            session.execute(insert.bind("IBM", "P1", 1L, 1000));
            session.execute(insert.bind("IBM", "P2", 1L, 500));
            session.execute(insert.bind("IBM", "P1", 2L, 500));
            out.println("IBM: " + sum(session));

            // What a client does that got no answer.
            session.execute(insert.bind("IBM", "P1", 2L, 500));
            out.println("IBM, the last one sent again: " + sum(session));
        }
    }

    private static BigInteger sum(CqlSession session) {
        Row row = session.execute(
                        "SELECT crdt_sum(increment) FROM " + ExampleCluster.KEYSPACE + ".counter WHERE type = 'IBM'")
                .one();
        return Objects.requireNonNull(Objects.requireNonNull(row).getBigInteger(0));
    }
}
