package dev.cassidy.benchmarks.driver;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Works in turns, in a JVM of its own, so that its CPU time and its class path are its own. Reads {@code MILLISECONDS THREADS
 * WORK} from standard input, works for so long, and answers with a line {@code turn ROWS ROWS-A-SECOND CPU-NANOSECONDS BYTES
 * CALLERS-CPU-NANOSECONDS}; ends with its input.
 */
final class Turns {

    /** Makes what one thread runs. */
    interface Opening {
        Work open() throws Exception;
    }

    /**
     * What one thread has done in a turn.
     *
     * @param rows those that were acknowledged
     * @param nanos how long it took; less than the turn if what was prepared was used up
     * @param cpuNanos CPU time of this thread, without the driver's own threads
     */
    private record Done(long rows, long nanos, long cpuNanos) {}

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threadFigures = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, Opening> openings;
    private final Map<String, List<Work>> opened = new HashMap<>();

    private Turns(Map<String, Opening> openings) {
        this.openings = openings;
    }

    /** Ends the JVM. */
    static void serve(Map<String, Opening> works) throws Exception {
        new Turns(works).serve();
        System.out.println("end");
        // A rival's driver may keep the JVM alive.
        System.exit(0);
    }

    private void serve() throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            String[] words = order.split(" ", -1);
            System.out.println(turn(Long.parseLong(words[0]), Integer.parseInt(words[1]), words[2]));
        }
        close();
    }

    private void close() throws Exception {
        for (List<Work> each : opened.values()) {
            for (Work work : each) {
                work.close();
            }
        }
        threads.shutdown();
    }

    private String turn(long milliseconds, int count, String name) throws Exception {
        List<Work> works = opened.computeIfAbsent(name, key -> new ArrayList<>());
        while (works.size() < count) {
            works.add(Objects.requireNonNull(openings.get(name), name).open());
        }
        List<Work> working = works.subList(0, count);
        for (Work each : working) {
            each.prepare();
        }
        long cpu = system.getProcessCpuTime();
        long bytes = allocated();
        long end = System.nanoTime() + milliseconds * 1_000_000;
        List<Future<Done>> running = new ArrayList<>();
        for (Work each : working) {
            running.add(threads.submit(() -> workUntil(end, each)));
        }
        long rows = 0;
        double rowsASecond = 0;
        long callersCpu = 0;
        for (Future<Done> each : running) {
            Done done = each.get();
            rows += done.rows();
            rowsASecond += done.rows() * 1e9 / done.nanos();
            callersCpu += done.cpuNanos();
        }
        return "turn " + rows + ' ' + rowsASecond + ' ' + (system.getProcessCpuTime() - cpu) + ' '
                + (allocated() - bytes) + ' ' + callersCpu;
    }

    /** Of all threads: includes the driver's work for us. */
    private long allocated() {
        return Arrays.stream(threadFigures.getThreadAllocatedBytes(threadFigures.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    private Done workUntil(long end, Work work) throws Exception {
        long start = System.nanoTime();
        long cpu = threadFigures.getCurrentThreadCpuTime();
        long rows = 0;
        int acknowledged;
        do {
            // On a busy machine a short turn may be over before a thread begins, and figures of no row are none.
            acknowledged = work.call();
            rows += acknowledged;
        } while (acknowledged > 0 && System.nanoTime() - end < 0);
        work.finish();
        return new Done(rows, System.nanoTime() - start, threadFigures.getCurrentThreadCpuTime() - cpu);
    }
}
