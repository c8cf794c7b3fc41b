package dev.cassidy.benchmarks.sequences;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The CPU time of all Java threads for each operation: those that draw ids, and those that fetch more. Unlike the time on
 * the wall, it hardly depends on what else the machine is doing. The compiler's and the collector's threads are left out:
 * they would count for much in a run of seconds and for nothing in one of days.
 */
public final class CpuTime implements InternalProfiler {

    static final String NAME = "cpu";

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private long before;

    @Override
    public String getDescription() {
        return "CPU time of the Java threads an operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = spent();
    }

    @Override
    public Collection<ScalarResult> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long spent = spent() - before;
        long operations = result.getMetadata().getAllOps();
        return List.of(new ScalarResult(NAME, (double) spent / operations, "ns/op", AggregationPolicy.AVG));
    }

    private long spent() {
        long sum = 0;
        for (long id : threads.getAllThreadIds()) {
            sum += Math.max(0, threads.getThreadCpuTime(id));
        }
        return sum;
    }
}
