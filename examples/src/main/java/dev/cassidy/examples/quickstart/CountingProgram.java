package dev.cassidy.examples.quickstart;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.Receipt;
import java.net.InetSocketAddress;

/**
 * Increments a counter by 1, again and again, until it is killed. Before each increment it prints {@code sending}, and
 * after it {@code acknowledged} and the receipt.
 */
final class CountingProgram {

    static final String SENDING = "sending";
    static final String ACKNOWLEDGED = "acknowledged ";

    private CountingProgram() {}

    /** Takes a host, a port, a datacenter, a table and a counter. */
    public static void main(String[] args) {
        try (CqlSession session = CqlSession.builder()
                        .addContactPoint(new InetSocketAddress(args[0], Integer.parseInt(args[1])))
                        .withLocalDatacenter(args[2])
                        .build();
                Counters counters = Counters.open(session, CountersConfig.of(args[3]))) {
            Counter counter = counters.counter(args[4]);
            // Its parent kills it. If that one is gone, there is nobody to write to.
            while (!System.out.checkError()) {
                System.out.println(SENDING);
                Receipt receipt = counter.increment(1);
                System.out.println(ACKNOWLEDGED + receipt);
            }
        }
    }
}
