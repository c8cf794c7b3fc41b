package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A contestant in a JVM of its own, so that its CPU time and its class path are its own: {@code CONTESTANT HOST PORT
 * DATACENTER KEYSPACE}. Reads {@code MILLISECONDS THREADS} from standard input, inserts for so long, and answers with a
 * line {@code turn ROWS NANOSECONDS CPU-NANOSECONDS BYTES CALLERS-CPU-NANOSECONDS}; ends with its input.
 */
public final class InsertClient {

    static final int BATCH = 100;
    static final int UNDER_WAY = 128;

    /** Makes what one thread runs. */
    private interface Opening {
        Inserts open() throws Exception;
    }

    /**
     * What one thread has done in a turn.
     *
     * @param rows those that were acknowledged
     * @param cpuNanos CPU time of the thread that inserted, without the driver's own threads
     */
    private record Inserted(long rows, long cpuNanos) {}

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threadFigures = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Inserts> opened = new ArrayList<>();
    private final Opening opening;

    private InsertClient(Opening opening) {
        this.opening = opening;
    }

    public static void main(String[] arguments) throws Exception {
        String contestant = arguments[0];
        String node = arguments[1] + ':' + arguments[2];
        String datacenter = arguments[3];
        String keyspace = arguments[4];
        String cassidy = "jdbc:cassidy://" + node + '/' + keyspace + "?localDatacenter=" + datacenter
                + "&globalKeyspace=" + globalKeyspace(keyspace) + "&connectTimeout=60s&requestTimeout=20s";
        String ing = "jdbc:cassandra://" + node + '/' + keyspace + "?localdatacenter=" + datacenter
                + "&consistency=LOCAL_QUORUM&requesttimeout=20000";
        switch (contestant) {
            case "JDBC_ROW" -> run(() -> JdbcInserts.withIdentity(cassidy, 1));
            case "JDBC_BATCH" -> run(() -> JdbcInserts.withIdentity(cassidy, BATCH));
            case "ING_ROW" -> run(() -> JdbcInserts.withUuid(ing, 1));
            case "ING_BATCH" -> run(() -> JdbcInserts.withUuid(ing, BATCH));
            case "BARE_SYNC", "BARE_SYNC_AGAIN", "BARE_ASYNC" -> {
                int underWay = contestant.equals("BARE_ASYNC") ? UNDER_WAY : 1;
                try (CqlSession session = connect(arguments[1], Integer.parseInt(arguments[2]), datacenter, keyspace)) {
                    run(() -> new BareInserts(session, underWay));
                }
            }
            default -> throw new IllegalArgumentException("must be a contestant: " + contestant);
        }
    }

    /** Returns the keyspace in which the ids for a race in {@code keyspace} are. */
    static String globalKeyspace(String keyspace) {
        return keyspace + "_ids";
    }

    private static CqlSession connect(String host, int port, String datacenter, String keyspace) {
        return CqlSession.builder()
                .addContactPoint(new InetSocketAddress(host, port))
                .withLocalDatacenter(datacenter)
                .withKeyspace(keyspace)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withString(DefaultDriverOption.REQUEST_CONSISTENCY, "LOCAL_QUORUM")
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, java.time.Duration.ofSeconds(20))
                        .build())
                .build();
    }

    private static void run(Opening opening) throws Exception {
        new InsertClient(opening).run();
        System.out.println("end");
        // A rival's driver may keep the JVM alive.
        System.exit(0);
    }

    private void run() throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            String[] words = order.split(" ", -1);
            System.out.println(turn(Long.parseLong(words[0]), Integer.parseInt(words[1])));
        }
        for (Inserts each : opened) {
            each.close();
        }
        threads.shutdown();
    }

    private String turn(long milliseconds, int count) throws Exception {
        while (opened.size() < count) {
            opened.add(opening.open());
        }
        long cpu = system.getProcessCpuTime();
        long bytes = allocated();
        long start = System.nanoTime();
        List<Future<Inserted>> running = new ArrayList<>();
        for (Inserts each : opened.subList(0, count)) {
            running.add(threads.submit(() -> insertUntil(start + milliseconds * 1_000_000, each)));
        }
        long rows = 0;
        long callersCpu = 0;
        for (Future<Inserted> each : running) {
            rows += each.get().rows();
            callersCpu += each.get().cpuNanos();
        }
        long nanos = System.nanoTime() - start;
        return "turn " + rows + ' ' + nanos + ' ' + (system.getProcessCpuTime() - cpu) + ' ' + (allocated() - bytes)
                + ' ' + callersCpu;
    }

    /** Of all threads: includes the driver's work for us. */
    private long allocated() {
        return Arrays.stream(threadFigures.getThreadAllocatedBytes(threadFigures.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    private Inserted insertUntil(long end, Inserts inserts) throws Exception {
        long cpu = threadFigures.getCurrentThreadCpuTime();
        long rows = 0;
        while (System.nanoTime() - end < 0) {
            rows += inserts.call();
        }
        inserts.finish();
        return new Inserted(rows, threadFigures.getCurrentThreadCpuTime() - cpu);
    }
}
