package dev.cassidy.benchmarks.driver;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.tsql.TsqlScript;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What it costs to recognise an insert and to give it its id. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Rewriting {

    String cql = "INSERT INTO shop.orders (customer, product, quantity, note) VALUES (1119, 39, 2, 'no ''sugar''')"
            + " USING TTL 86400";
    String tsql = "INSERT INTO [dbo].[orders] (customer, product, quantity, note) VALUES (?, ?, ?, N'no sugar')";
    long id = 1201;

    @Benchmark
    public String cqlText() {
        return CqlInsert.recognise(cql).orElseThrow().rewrite("id").withLiteral(id);
    }

    @Benchmark
    public TsqlScript tsqlText() {
        return TsqlScript.parse(tsql);
    }
}
