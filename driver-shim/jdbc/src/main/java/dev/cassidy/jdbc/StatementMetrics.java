package dev.cassidy.jdbc;

import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.plan.StatementFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;

/**
 * Micrometer meters of the statements that all JDBC connections of this process have run: {@code cassidy.jdbc.statements}, with
 * the tag {@code plan}: {@code direct}, {@code assisted}, {@code definition}, {@code setting} or {@code refused}; and {@code
 * cassidy.jdbc.near.bound}, with the tag {@code percent}: {@code 50} or {@code 80}. Micrometer is an optional
 * dependency: only this class needs it. Safe for use by many threads.
 */
public final class StatementMetrics implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        for (Plan.Kind kind : Plan.Kind.values()) {
            FunctionCounter.builder(
                            "cassidy.jdbc.statements",
                            CassidyDriver.figures(),
                            (StatementFigures figures) -> figures.counted(kind))
                    .description("Statements that ran, or were refused, by how they are served")
                    .baseUnit("statements")
                    .tag("plan", kind.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        for (int percent : new int[] {50, 80}) {
            FunctionCounter.builder(
                            "cassidy.jdbc.near.bound",
                            CassidyDriver.figures(),
                            (StatementFigures figures) -> figures.countedNearBound(percent))
                    .description(
                            "Statements evaluated in the client that have used more than this percentage of a bound")
                    .baseUnit("statements")
                    .tag("percent", Integer.toString(percent))
                    .register(registry);
        }
    }
}
