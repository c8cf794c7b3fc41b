package dev.cassidy.jdbc;

import dev.cassidy.transaction.TransactionFigures;
import dev.cassidy.transaction.TransactionFigures.Lock;
import dev.cassidy.transaction.TransactionFigures.Outcome;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;

/**
 * Micrometer meters of the transactions over exact tables that all JDBC connections of this process have committed, or tried to:
 * {@code cassidy.transaction.commits} with the tag {@code outcome}, which is {@code committed}, {@code conflict}, {@code in_doubt} or
 * {@code failed}, and {@code cassidy.transaction.locks.met} with the tag {@code became}, which is {@code freed} or {@code pending}.
 * Micrometer is an optional dependency: only this class needs it. Safe for use by many threads.
 */
public final class TransactionMetrics implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        for (Outcome outcome : Outcome.values()) {
            FunctionCounter.builder(
                            "cassidy.transaction.commits",
                            CassidyDriver.transactions(),
                            (TransactionFigures figures) -> figures.ended(outcome))
                    .description("Commits of transactions over exact tables, by how they ended")
                    .baseUnit("transactions")
                    .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        for (Lock lock : Lock.values()) {
            FunctionCounter.builder(
                            "cassidy.transaction.locks.met",
                            CassidyDriver.transactions(),
                            (TransactionFigures figures) -> figures.locksMet(lock))
                    .description("Rows that were found held by another transaction, by what became of that")
                    .baseUnit("locks")
                    .tag("became", lock.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
    }
}
