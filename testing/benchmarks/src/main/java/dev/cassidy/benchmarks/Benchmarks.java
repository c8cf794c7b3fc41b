package dev.cassidy.benchmarks;

import dev.cassidy.benchmarks.counters.CountersBenchmark;
import dev.cassidy.benchmarks.driver.DriverBenchmark;
import dev.cassidy.benchmarks.migration.MigrationBenchmark;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.benchmarks.scale.ScaleBenchmark;
import dev.cassidy.benchmarks.sequences.SequencesBenchmark;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * Runs one benchmark and writes its report. A goal that is missed is reported; a case that is missing ends the command
 * with 1.
 *
 * <pre>benchmark=NAME [short=true|false] [long=true|false] [folder=FOLDER]</pre>
 */
public final class Benchmarks {

    private static final Map<String, BiFunction<Form, PrintStream, Benchmark>> BENCHMARKS = benchmarks();

    private static Map<String, BiFunction<Form, PrintStream, Benchmark>> benchmarks() {
        Map<String, BiFunction<Form, PrintStream, Benchmark>> all = new TreeMap<>(Map.of(
                "sequences",
                (form, out) -> new SequencesBenchmark(true, form == Form.SHORT, out),
                "sequences-in-process",
                (form, out) -> new SequencesBenchmark(false, form == Form.SHORT, out),
                "scale",
                (form, out) -> new ScaleBenchmark(form == Form.SHORT, out),
                "migration",
                (form, out) -> new MigrationBenchmark(form == Form.SHORT, out),
                "counters",
                CountersBenchmark::new));
        for (DriverBenchmark.Part part : DriverBenchmark.Part.values()) {
            all.put(part.benchmark(), (form, out) -> new DriverBenchmark(part, form == Form.SHORT, out));
        }
        return Collections.unmodifiableMap(all);
    }

    private Benchmarks() {}

    public static void main(String[] arguments) throws IOException {
        System.exit(run(arguments, System.out, System.err));
    }

    static int run(String[] arguments, PrintStream out, PrintStream err) throws IOException {
        Map<String, String> options = new HashMap<>(Map.of("short", "false", "long", "false", "folder", "target"));
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            if (parts.length != 2
                    || !Set.of("benchmark", "short", "long", "folder").contains(parts[0])) {
                err.println("must be benchmark=NAME, short=true|false, long=true|false or folder=FOLDER: " + argument);
                return 2;
            }
            options.put(parts[0], parts[1]);
        }
        String name = options.getOrDefault("benchmark", "");
        if (!BENCHMARKS.containsKey(name)) {
            err.println("must be one of " + BENCHMARKS.keySet() + ": benchmark=" + name
                    + ". Run mvn -q -Pbenchmark -Dbenchmark=sequences verify");
            return 2;
        }
        for (String form : List.of("short", "long")) {
            if (!Set.of("true", "false", "").contains(options.get(form))) {
                err.println("must be true or false: " + form + "=" + options.get(form));
                return 2;
            }
        }
        boolean isShort = !"false".equals(options.get("short"));
        boolean isLong = !"false".equals(options.get("long"));
        if (isShort && isLong) {
            err.println("must not be both: short=true long=true");
            return 2;
        }
        if (isLong && !name.equals("counters")) {
            err.println("has no long form, as counters alone does: benchmark=" + name);
            return 2;
        }
        Path folder = Path.of(options.getOrDefault("folder", "target"));
        Benchmark benchmark = BENCHMARKS.get(name).apply(isShort ? Form.SHORT : isLong ? Form.LONG : Form.FULL, out);
        Report report = new Report(benchmark.title());
        try {
            benchmark.run(report);
        } finally {
            // What was measured before a failure is worth keeping too.
            report.write(folder, name);
        }
        out.println();
        out.println(report.table());
        out.println("written: " + folder.resolve(name + ".json") + ", .md and .svg");
        Set<String> missing = report.missing(benchmark.required());
        if (!missing.isEmpty()) {
            err.println("not measured: " + missing);
            return 1;
        }
        return 0;
    }
}
