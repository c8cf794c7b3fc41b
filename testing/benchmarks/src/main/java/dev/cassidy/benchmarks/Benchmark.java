package dev.cassidy.benchmarks;

import dev.cassidy.benchmarks.report.Report;
import java.io.IOException;
import java.util.List;

/** One area's cases. */
public interface Benchmark {

    /** Returns the report's title. */
    String title();

    /** Returns the names of the cases without which a run has failed. */
    List<String> required();

    /** Measures, and adds each case when it is known. */
    void run(Report report) throws IOException;
}
