package dev.cassidy.benchmarks.scale;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A program whose instances of {@link Sequences} all open at the same moment and draw one id of the same sequence.
 *
 * <pre>HOST PORT DATACENTER KEYSPACE COUNT</pre>
 *
 * Prints a line for each instance: {@code ID NANOS} from the common start to its first id, or {@code failed REASON}.
 */
final class Starters {

    private static final String SEQUENCE = "started";

    private Starters() {}

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress node = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        String datacenter = arguments[2];
        SequencesConfig config = SequencesConfig.defaults().withGlobalKeyspace(arguments[3]);
        int count = Integer.parseInt(arguments[4]);
        try (CqlSession session = connect(node, datacenter)) {
            CassidySchema.install(session, Replication.parse(datacenter + ":1"), config);
            try (Sequences first = Sequences.open(session, config)) {
                first.create(SequenceSpec.of(SEQUENCE));
                // This loads classes, prepares statements, and gives the datacenter a reserve.
                first.allocator(SEQUENCE).nextLong();
            }
            for (String line : startAtOnce(session, config, count)) {
                System.out.println(line);
            }
            System.out.flush();
            // Not closed one by one: giving back is not measured here.
            Runtime.getRuntime().halt(0);
        }
    }

    private static CqlSession connect(InetSocketAddress node, String datacenter) {
        return CqlSession.builder()
                .addContactPoint(node)
                .withLocalDatacenter(datacenter)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withInt(DefaultDriverOption.CONNECTION_MAX_REQUESTS, 16_384)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
                        .build())
                .build();
    }

    private static List<String> startAtOnce(CqlSession session, SequencesConfig config, int count) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(count);
        CountDownLatch ready = new CountDownLatch(count);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<String>> started = new ArrayList<>();
        long[] began = new long[1];
        for (int i = 0; i < count; i++) {
            started.add(pool.submit(() -> {
                ready.countDown();
                start.await();
                try {
                    // Left open: it keeps what it holds.
                    Sequences sequences = Sequences.open(session, config);
                    long id = sequences.allocator(SEQUENCE).nextLong();
                    return id + " " + (System.nanoTime() - began[0]);
                } catch (RuntimeException e) {
                    return "failed " + String.valueOf(e.getMessage()).replace('\n', ' ');
                }
            }));
        }
        ready.await();
        began[0] = System.nanoTime();
        start.countDown();
        List<String> lines = new ArrayList<>();
        for (Future<String> each : started) {
            lines.add(each.get());
        }
        return lines;
    }
}
