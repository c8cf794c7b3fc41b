package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.sequence.IdentityType;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Programs that take one id each, and end without closing anything, lose nothing: they give their unused ids back while
 * they exit. {@code -Dprocesses=1000} is the long form.
 */
class ShortLivedProcessesIT {

    private static final int PROCESSES = Integer.getInteger("processes", 6);
    private static final int AT_A_TIME = 2;

    private static final TestCluster CLUSTER = TestCluster.fresh("short_lived_it");

    @BeforeAll
    static void prepare() {
        CLUSTER.cql("CREATE TABLE $.orders (id int PRIMARY KEY, what text)");
        CLUSTER.identity("orders", "id", IdentityType.INT, 1);
    }

    @Test
    void shouldLoseNoMoreIdsThanThereWereProcesses() throws Exception {
        List<Future<Long>> runs = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(AT_A_TIME);
        try {
            for (int i = 0; i < PROCESSES; i++) {
                boolean byReturn = i % 2 == 0;
                runs.add(pool.submit(() -> run(byReturn)));
            }
            Set<Long> issued = new HashSet<>();
            for (Future<Long> run : runs) {
                assertThat(issued.add(run.get())).isTrue();
            }
            long lost = taken() - issued.size();
            System.getLogger("ids").log(System.Logger.Level.INFO, PROCESSES + " processes lost " + lost + " ids");
            assertThat(lost).isBetween(0L, (long) PROCESSES);
        } finally {
            pool.shutdownNow();
        }
    }

    /** Returns how many ids were taken from the reserve and not given back. */
    private static long taken() {
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(TestCluster.NODE.contactPoint())
                .withLocalDatacenter(TestCluster.NODE.localDatacenter())
                .build()) {
            Row row = Objects.requireNonNull(
                    session.execute("SELECT DISTINCT next, free FROM cassidy_dc1.reserve WHERE seq = '"
                                    + CLUSTER.keyspace() + ".orders' AND stripe = 0")
                            .one());
            List<Long> bounds = Objects.requireNonNull(row.getList("free", Long.class));
            long free = 0;
            for (int i = 0; i < bounds.size(); i += 2) {
                free += bounds.get(i + 1) - bounds.get(i);
            }
            return row.getLong("next") - free;
        }
    }

    private static long run(boolean byReturn) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShortLivedProgram.class.getName(),
                        CLUSTER.url(),
                        byReturn ? "return" : "wait")
                .redirectErrorStream(true)
                .start();
        StringBuilder said = new StringBuilder();
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                said.append(line).append('\n');
                if (line.startsWith("id=")) {
                    if (!byReturn) {
                        process.destroy();
                    }
                    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                    return Long.parseLong(line.substring(3));
                }
            }
        } finally {
            process.destroyForcibly();
        }
        throw new AssertionError("no id from the program:\n" + said);
    }
}
