package dev.cassidy.benchmarks.sequences;

import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Ids from memory. In each round, every contestant runs once at each number of threads, in a fresh JVM, so that a
 * disturbance of the machine affects all of them. The medians over the rounds are compared.
 */
final class InProcessRace {

    static final List<Integer> THREADS = List.of(1, 2, 8);

    /** The results of one contestant in one round. */
    private record Sample(double cpuNanos, double idsASecond, double bytes) {}

    private record Entry(Contestant contestant, int threads) {}

    /** Contestants that only inform; the short form has time for one round of them. */
    private static final Set<Contestant> EXTRAS =
            EnumSet.of(Contestant.COSID_CHAIN, Contestant.COSID_SEGMENT, Contestant.HAZELCAST_FLAKE, Contestant.TSID);

    private final int rounds;
    private final int roundsOfExtras;
    private final TimeValue iteration;
    private final PrintStream out;
    private final Map<Entry, List<Sample>> samples = new HashMap<>();

    InProcessRace(boolean shortForm, PrintStream out) {
        this.rounds = shortForm ? 3 : 9;
        this.roundsOfExtras = shortForm ? 1 : 9;
        this.iteration = TimeValue.milliseconds(shortForm ? 400 : 1000);
        this.out = out;
    }

    void run(Report report) {
        // JMH locks the machine with a file; the order of the rounds is ours.
        System.setProperty("jmh.ignoreLock", "true");
        report.condition(
                "in the process",
                rounds + " rounds; in each, every contestant in a fresh JVM: 4 + 5 iterations of " + iteration
                        + ". Judged by process CPU time an id (of all measured iterations, the median over the"
                        + " rounds), which other work on the machine moves little; wall-clock ratios beside it. CosId:"
                        + " default safe distance "
                        + "and prefetch worker, step " + NextId.COSID_STEP + ", IdSegmentDistributor.Mock at its "
                        + "default latency; Cassidy: a store in memory with that latency, its own sizing (blocks grow to "
                        + "2^20)");
        for (int round = 1; round <= rounds; round++) {
            for (int threads : THREADS) {
                for (Contestant contestant : Contestant.values()) {
                    if (EXTRAS.contains(contestant) && round > roundsOfExtras) {
                        continue;
                    }
                    Sample sample = measure(contestant, threads);
                    samples.computeIfAbsent(new Entry(contestant, threads), key -> new ArrayList<>())
                            .add(sample);
                    out.printf(
                            Locale.ROOT,
                            "round %d/%d  %-28s %d threads  %7.2f CPU-ns/id  %8.2f M ids/s  %.5f B/id%n",
                            round,
                            rounds,
                            contestant.title(),
                            threads,
                            sample.cpuNanos(),
                            sample.idsASecond() / 1e6,
                            sample.bytes());
                }
            }
        }
        compare(report);
    }

    /**
     * The goals are held against an AtomicLong of the same run: the ratio to any other contestant changes with what an
     * atomic addition costs on the machine.
     */
    private void compare(Report report) {
        for (int threads : THREADS) {
            String at = threads == 1 ? "-1-thread" : "-" + threads + "-threads";
            double unshared = threads == 1 ? 2 : 5;
            report.add(race("process" + at + "-vs-atomiclong", Contestant.PROCESS, Contestant.ATOMIC_LONG, threads)
                    .withGoal(0.95));
            report.add(race("thread" + at + "-vs-atomiclong", Contestant.THREAD, Contestant.ATOMIC_LONG, threads)
                    .withGoal(unshared));
            report.add(race("cursor" + at + "-vs-atomiclong", Contestant.CURSOR, Contestant.ATOMIC_LONG, threads)
                    .withGoal(unshared));
            report.add(race("process" + at + "-vs-cosid-chain", Contestant.PROCESS, Contestant.COSID_CHAIN, threads));
            report.add(
                    race("process" + at + "-vs-cosid-segment", Contestant.PROCESS, Contestant.COSID_SEGMENT, threads));
            report.add(race("process" + at + "-vs-hazelcast", Contestant.PROCESS, Contestant.HAZELCAST_FLAKE, threads));
            report.add(race("process" + at + "-vs-tsid", Contestant.PROCESS, Contestant.TSID, threads));
        }
        report.add(allocation());
    }

    private Case race(String name, Contestant ours, Contestant rival, int threads) {
        double oursWall = median(ours, threads, Sample::idsASecond);
        double rivalWall = median(rival, threads, Sample::idsASecond);
        return Case.lessIsBetter(
                        name,
                        ours.title() + " vs " + rival.title(),
                        median(ours, threads, Sample::cpuNanos),
                        median(rival, threads, Sample::cpuNanos),
                        "CPU-ns/id")
                .with("wall-clock ratio", oursWall / rivalWall)
                .with("M ids/s", oursWall / 1e6)
                .with("rival's M ids/s", rivalWall / 1e6);
    }

    /** The worst of our own at any number of threads. */
    private Case allocation() {
        double worst = 0;
        double rival = 0;
        for (int threads : THREADS) {
            for (Contestant ours : List.of(Contestant.PROCESS, Contestant.THREAD, Contestant.CURSOR)) {
                worst = Math.max(worst, median(ours, threads, Sample::bytes));
            }
            rival = Math.max(rival, median(Contestant.COSID_CHAIN, threads, Sample::bytes));
        }
        return Case.atMost("allocation-per-id", "Cassidy, every order, vs the limit", worst, 0.01, "B/id")
                .with("CosId SegmentChainId", rival);
    }

    private double median(Contestant contestant, int threads, ToDoubleFunction<Sample> figure) {
        return Median.of(Objects.requireNonNull(samples.get(new Entry(contestant, threads))).stream()
                .map(figure::applyAsDouble)
                .toList());
    }

    private Sample measure(Contestant contestant, int threads) {
        Options options = new OptionsBuilder()
                .include(contestant.benchmark())
                .mode(Mode.Throughput)
                .threads(threads)
                .forks(1)
                .jvmArgs("-Xms256m", "-Xmx256m")
                .warmupIterations(4)
                .warmupTime(iteration)
                .measurementIterations(5)
                .measurementTime(iteration)
                .addProfiler(CpuTime.class)
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        RunResult result;
        try {
            result = new Runner(options).runSingle();
        } catch (RunnerException e) {
            throw new IllegalStateException(contestant + " with " + threads + " threads did not run", e);
        }
        return new Sample(
                secondary(result, CpuTime.NAME),
                result.getPrimaryResult().getScore(),
                secondary(result, "gc.alloc.rate.norm"));
    }

    @SuppressWarnings("rawtypes") // as JMH declares it
    private static double secondary(RunResult result, String name) {
        for (var each : result.getSecondaryResults().entrySet()) {
            if (each.getKey().endsWith(name)) {
                return each.getValue().getScore();
            }
        }
        throw new IllegalStateException("JMH reports no " + name + " but "
                + result.getSecondaryResults().keySet());
    }
}
