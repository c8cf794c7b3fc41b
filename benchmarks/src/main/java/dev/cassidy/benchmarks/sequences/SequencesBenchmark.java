package dev.cassidy.benchmarks.sequences;

import dev.cassidy.benchmarks.report.Report;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Every line of what sequences promise is a case here, under a name that stays. */
public final class SequencesBenchmark {

    private final boolean shortForm;
    private final PrintStream out;

    public SequencesBenchmark(boolean shortForm, PrintStream out) {
        this.shortForm = shortForm;
        this.out = out;
    }

    /** Returns the names of the cases without which a run has failed. */
    public List<String> required() {
        List<String> names = new ArrayList<>();
        for (String at : List.of("-1-thread", "-2-threads", "-8-threads")) {
            for (String rival : List.of("cosid-chain", "atomiclong", "cosid-segment", "hazelcast", "tsid")) {
                names.add("process" + at + "-vs-" + rival);
            }
            names.add("thread" + at + "-vs-cosid-chain");
            names.add("cursor" + at + "-vs-cosid-chain");
        }
        names.add("allocation-per-id");
        names.add("idle-or-slow-holds-at-most-64");
        return names;
    }

    public void run(Report report) {
        report.condition("form", shortForm ? "short (-Dshort)" : "full");
        report.condition(
                "machine",
                Runtime.getRuntime().availableProcessors() + " cores, "
                        + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", JDK "
                        + Runtime.version() + ", load average at the start "
                        + String.format(
                                Locale.ROOT,
                                "%.1f",
                                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        Frugality.run(report);
        new InProcessRace(shortForm, out).run(report);
    }
}
