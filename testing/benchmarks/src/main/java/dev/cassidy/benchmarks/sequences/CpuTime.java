package dev.cassidy.benchmarks.sequences;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The CPU time of the whole process for each operation, collector and helpers included. Unlike wall-clock time, it
 * hardly depends on the other work of the machine.
 */
public final class CpuTime implements InternalProfiler {

    static final String NAME = "cpu";

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long before;

    @Override
    public String getDescription() {
        return "process CPU time an operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = system.getProcessCpuTime();
    }

    @Override
    public Collection<ScalarResult> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long spent = system.getProcessCpuTime() - before;
        long operations = result.getMetadata().getAllOps();
        return List.of(new ScalarResult(NAME, (double) spent / operations, "ns/op", AggregationPolicy.AVG));
    }
}
