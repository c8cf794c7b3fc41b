package dev.cassidy.benchmarks.counters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.counters.Workload.History;
import dev.cassidy.benchmarks.counters.Workload.Pace;
import dev.cassidy.benchmarks.counters.Workload.Sums;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CountersBenchmarkIT {

    private static final Pace ONCE = Pace.of(1, 1, 50);

    private static final Workload TINY = new Workload(
            "tiny",
            List.of(new Sums("1k", 1, ONCE), new Sums("100k", 250, ONCE), new Sums("1m", 1_000, ONCE)),
            List.of(new History("1k", 1), new History("10k", 100), new History("100k", 200), new History("1m", 1_000)),
            ONCE,
            10,
            4,
            20,
            100,
            2,
            Duration.ofMillis(50),
            ONCE);

    @Test
    void shouldMeasureEachCaseOfOneNodeAndSayWhatTheServerRefused() {
        CountersBenchmark benchmark = new CountersBenchmark(TINY, new PrintStream(OutputStream.nullOutputStream()));
        Report report = new Report("test");

        // The races throw if a sum is wrong, or if an acknowledged increment is missing or comes twice.
        benchmark.onOneNode(EmbeddedCassandra.shared(), report);

        assertThat(report.missing(benchmark.required())).containsExactlyElementsOf(IncrementRace.cases(3));
        Map<String, Case> cases = report.cases().stream().collect(Collectors.toMap(Case::name, Function.identity()));
        assertThat(cases.values()).allSatisfy(each -> assertThat(each.rival()).isPositive());
        Case withJar = cases.remove("sum-100k-native-vs-built-in");
        assertThat(withJar.ours()).isZero();
        assertThat(withJar.met()).contains(false);
        assertThat(withJar.contestants()).contains("the first was refused by the server: Unknown function");
        assertThat(cases.remove("sum-1k-native-vs-built-in").met()).isEmpty();
        cases.keySet().removeIf(name -> name.contains("-native-vs-"));
        assertThat(cases.values()).allSatisfy(each -> {
            assertThat(each.ours()).isPositive();
            assertThat(each.contestants()).doesNotContain("refused");
        });
    }
}
