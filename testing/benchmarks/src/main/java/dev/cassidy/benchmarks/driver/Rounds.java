package dev.cassidy.benchmarks.driver;

import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The turns of a race.
 *
 * @param <C> a contestant
 */
final class Rounds<C> {

    private record Entry<C>(C contestant, int threads) {}

    private final Cluster cluster;
    private final Pace pace;
    private final PrintStream out;
    private final Map<Entry<C>, List<Turn>> turns = new HashMap<>();

    Rounds(Cluster cluster, Pace pace, PrintStream out) {
        this.cluster = cluster;
        this.pace = pace;
        this.out = out;
    }

    /** @param round from 0, which is not counted */
    void add(int round, C contestant, String title, int threads, Turn turn) {
        if (round > 0) {
            turns.computeIfAbsent(new Entry<>(contestant, threads), key -> new ArrayList<>())
                    .add(turn);
        }
        out.printf(
                Locale.ROOT,
                "round %d/%d  %-68s %d threads%s  %9.0f rows/s  CPU-us/row: client %6.1f, its callers %6.1f, nodes %6.1f  %7.0f B/row%n",
                round,
                pace.rounds(),
                title,
                threads,
                cluster.title(),
                turn.rowsASecond(),
                turn.cpuMicros(),
                turn.callersCpuMicros(),
                turn.nodesCpuMicros(),
                turn.bytes());
    }

    double median(C contestant, int threads, ToDoubleFunction<Turn> figure) {
        return Median.of(
                turns(contestant, threads).stream().map(figure::applyAsDouble).toList());
    }

    /** @param contestants how the case calls them */
    Case compare(String name, String contestants, C ours, C rival, int threads) {
        List<Double> ratios = ratios(ours, rival, threads);
        return Case.moreIsBetter(
                        cluster.caseName(name),
                        contestants + "; threads " + threads + cluster.title(),
                        median(ours, threads, Turn::rowsASecond),
                        median(rival, threads, Turn::rowsASecond),
                        "rows/s")
                .with("ratios of rounds, lower quartile", Median.quantile(ratios, 0.25))
                .with("median", Median.of(ratios))
                .with("upper quartile", Median.quantile(ratios, 0.75))
                .with("CPU-us/row", median(ours, threads, Turn::cpuMicros))
                .with("rival's CPU-us/row", median(rival, threads, Turn::cpuMicros))
                .with("callers' CPU-us/row", median(ours, threads, Turn::callersCpuMicros))
                .with("rival's callers' CPU-us/row", median(rival, threads, Turn::callersCpuMicros))
                .with("nodes' CPU-us/row", median(ours, threads, Turn::nodesCpuMicros))
                .with("nodes' CPU-us/row for the rival", median(rival, threads, Turn::nodesCpuMicros))
                .with("B/row", median(ours, threads, Turn::bytes))
                .with("rival's B/row", median(rival, threads, Turn::bytes));
    }

    private List<Double> ratios(C ours, C rival, int threads) {
        List<Turn> mine = turns(ours, threads);
        List<Turn> theirs = turns(rival, threads);
        return IntStream.range(0, mine.size())
                .mapToObj(round ->
                        mine.get(round).rowsASecond() / theirs.get(round).rowsASecond())
                .toList();
    }

    private List<Turn> turns(C contestant, int threads) {
        return Objects.requireNonNull(turns.get(new Entry<>(contestant, threads)));
    }
}
