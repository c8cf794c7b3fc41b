package dev.cassidy.examples;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.Receipt;
import java.io.PrintStream;

/** A counter of Cassidy's client: increments that count once, and receipts that tell whether they do. */
public final class CountersExample {

    private CountersExample() {}

    /** Takes {@code host:port datacenter}, or nothing for an embedded node. */
    public static void main(String[] args) {
        try (ExampleCluster cluster = ExampleCluster.of(args)) {
            run(cluster, System.out);
        }
    }

    static void run(ExampleCluster cluster, PrintStream out) {
        CountersConfig config = CountersConfig.of(ExampleCluster.KEYSPACE + ".visits");
        try (CqlSession session = cluster.connect()) {
            Counters.create(session, config);
            try (Counters counters = Counters.open(session, config)) {
                Counter home = counters.counter("/home");
                Receipt receipt = home.increment(3);
                increment(home, 2);
                out.println("/home: " + home.value());
                out.println("the first increment is " + home.status(receipt));
                home.fold();
                out.println("/home, folded: " + home.value());
            }
        }
    }

    /** Increments, and goes on until it is known that the increment counts. */
    private static void increment(Counter counter, long delta) {
        try {
            counter.increment(delta);
        } catch (CounterException.NotSent e) {
            // It does not count and never will, so it may be repeated.
            increment(counter, delta);
        } catch (CounterException.OutcomeUnknown e) {
            // Never repeat this one now. Keep the receipt, and ask later: counter.status(e.receipt().orElseThrow()).
            throw e;
        }
    }
}
