package dev.cassidy.benchmarks.counters;

import dev.cassidy.benchmarks.Benchmark;
import dev.cassidy.benchmarks.Form;
import dev.cassidy.benchmarks.report.Machine;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Every promise of the counters is a case here, under a fixed name. */
public final class CountersBenchmark implements Benchmark {

    private final Workload workload;
    private final PrintStream out;

    public CountersBenchmark(Form form, PrintStream out) {
        this(Workload.of(form), out);
    }

    CountersBenchmark(Workload workload, PrintStream out) {
        this.workload = workload;
        this.out = out;
    }

    @Override
    public String title() {
        return "Counters beside Cassandra's own";
    }

    @Override
    public List<String> required() {
        List<String> names = new ArrayList<>(SumRace.cases(workload));
        names.addAll(ValueRace.cases(workload));
        names.addAll(IncrementRace.cases(1));
        names.addAll(IncrementRace.cases(3));
        return names;
    }

    @Override
    public void run(Report report) {
        report.condition("form", workload.form());
        report.condition("machine", Machine.description());
        report.condition("node", Nodes.ONE);
        try (EmbeddedCassandra node = Nodes.one()) {
            onOneNode(node, report);
        }
        report.condition("three nodes", Nodes.THREE);
        try (EmbeddedCluster cluster = Nodes.three();
                IncrementRace increments = new IncrementRace(cluster.nodes(), workload, out)) {
            increments.run(report);
        }
    }

    /** The race whose writes the node still works for comes last. */
    void onOneNode(EmbeddedCassandra node, Report report) {
        try (SumRace sums = new SumRace(node, workload, out)) {
            sums.run(report);
        }
        try (ValueRace values = new ValueRace(node, workload, out)) {
            values.run(report);
        }
        try (IncrementRace increments = new IncrementRace(List.of(node), workload, out)) {
            increments.run(report);
        }
    }
}
