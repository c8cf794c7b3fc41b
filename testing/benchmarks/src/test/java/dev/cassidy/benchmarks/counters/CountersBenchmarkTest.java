package dev.cassidy.benchmarks.counters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.Form;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountersBenchmarkTest {

    @Test
    void shouldPromiseTheSameCasesInEveryForm() {
        List<String> usual = List.of(
                "sum-1k-native-vs-built-in",
                "sum-1k-script-vs-built-in",
                "sum-1k-cast-vs-built-in",
                "sum-1k-native-vs-fetching",
                "sum-1k-without-jar-vs-fetching",
                "sum-100k-native-vs-built-in",
                "sum-100k-script-vs-built-in",
                "sum-100k-cast-vs-built-in",
                "sum-100k-native-vs-fetching",
                "sum-100k-without-jar-vs-fetching",
                "sum-1m-native-vs-built-in",
                "sum-1m-script-vs-built-in",
                "sum-1m-cast-vs-built-in",
                "sum-1m-native-vs-fetching",
                "sum-1m-without-jar-vs-fetching",
                "value-after-10k-vs-after-1k",
                "value-after-100k-vs-after-1k",
                "value-after-1m-vs-after-1k",
                "increments-rf1-spread-vs-native",
                "increments-rf1-spread-busy-vs-native",
                "increments-rf1-spread-flood-vs-native",
                "increments-rf1-hot-vs-native",
                "increments-rf1-hot-8-threads-vs-native",
                "increments-rf3-spread-vs-native",
                "increments-rf3-spread-busy-vs-native",
                "increments-rf3-spread-flood-vs-native",
                "increments-rf3-hot-vs-native",
                "increments-rf3-hot-8-threads-vs-native");
        List<String> more = new ArrayList<>(usual);
        more.add(usual.indexOf("increments-rf1-spread-vs-native"), "value-after-10m-vs-after-1k");

        assertThat(required(Form.SHORT)).isEqualTo(usual);
        assertThat(required(Form.FULL)).isEqualTo(usual);
        assertThat(required(Form.LONG)).isEqualTo(more);
    }

    @Test
    void shouldFindTheNativeFunctionsOnItsOwnClassPath() {
        assertThat(Nodes.serverJar()).satisfies(Files::exists);
        assertThat(Nodes.serverJar().toString()).contains("cassandra-udf");
    }

    private static List<String> required(Form form) {
        return new CountersBenchmark(form, new PrintStream(OutputStream.nullOutputStream())).required();
    }
}
