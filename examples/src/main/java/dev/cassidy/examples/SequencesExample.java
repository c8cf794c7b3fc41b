package dev.cassidy.examples;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.PrintStream;

/** Ids without tables: one at a time, a range at once, and without blocking. */
public final class SequencesExample {

    private static final int MANY = 10_000;

    private SequencesExample() {}

    /** Takes {@code host:port datacenter}, or nothing for an embedded node. */
    public static void main(String[] args) {
        try (ExampleCluster cluster = ExampleCluster.of(args)) {
            run(cluster, System.out);
        }
    }

    static void run(ExampleCluster cluster, PrintStream out) {
        try (CqlSession session = cluster.connect();
                Sequences sequences = Sequences.open(session, SequencesConfig.defaults())) {
            // As SQL Server's IDENTITY(1000, 10) of type bigint.
            sequences.create(SequenceSpec.of("ticket", IdentityType.BIGINT, 1000, 10));
            IdAllocator tickets = sequences.allocator("ticket");
            out.println("one: " + tickets.nextLong());
            out.println("the next: " + tickets.nextLong());

            IdRange range = tickets.nextRange(5);
            out.println("a range: " + range);

            tickets.nextLongAsync()
                    .thenAccept(id -> out.println("without blocking: " + id))
                    .toCompletableFuture()
                    .join();

            long before = sequences.admin().conditionalWrites();
            for (int i = 0; i < MANY; i++) {
                tickets.nextLong();
            }
            out.println(MANY + " more took " + (sequences.admin().conditionalWrites() - before) + " LWTs");
        }
    }
}
