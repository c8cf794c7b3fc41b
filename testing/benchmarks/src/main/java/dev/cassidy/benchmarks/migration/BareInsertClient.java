package dev.cassidy.benchmarks.migration;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** Inserts the rows that the copy copies, by the java-driver alone, from memory. */
final class BareInsertClient {

    static final int UNDER_WAY = 512;

    private BareInsertClient() {}

    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out));
    }

    private static int run(String[] arguments, PrintStream out) {
        int rows = Integer.parseInt(arguments[3]);
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])))
                .withLocalDatacenter(arguments[2])
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                        .withString(DefaultDriverOption.REQUEST_CONSISTENCY, "LOCAL_QUORUM")
                        .build())
                .build()) {
            long begun = System.nanoTime();
            PreparedStatement insert =
                    session.prepare("INSERT INTO copy_race.product (id, name, quantity, price) VALUES (?, ?, ?, ?)");
            Deque<CompletableFuture<?>> pending = new ArrayDeque<>();
            for (int i = 1; i <= rows; i++) {
                if (pending.size() == UNDER_WAY) {
                    pending.remove().join();
                }
                pending.add(session.executeAsync(insert.bind(i, CopyRace.name(i), i, CopyRace.price(i)))
                        .toCompletableFuture());
            }
            pending.forEach(CompletableFuture::join);
            out.println("nanos " + (System.nanoTime() - begun));
        }
        return 0;
    }
}
