package dev.cassidy.counter.rows;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.ExitHook;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.cluster.ProcessHooks;
import dev.cassidy.count.CountException;
import dev.cassidy.count.CountException.Outcome;
import dev.cassidy.count.RowCounters;
import dev.cassidy.count.RowCounting;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.sequence.SequencesConfig;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Counts in tables of the kind FOLDED. */
public final class FoldedRowCounting implements RowCounting {

    @Override
    public void create(CqlSession session, SequencesConfig config, String keyspace, String table) {
        explained(() -> {
            Counters.create(session, settings(config, keyspace, table));
            return table;
        });
    }

    @Override
    public RowCounters open(CqlSession session, SequencesConfig config, String keyspace, String table) {
        CountersConfig settings = settings(config, keyspace, table);
        return explained(() -> Opened.of(
                Counters.open(session, settings),
                AddedRows.of(LocalCluster.unwrapped(session), settings.table(), config.requestTimeout())));
    }

    private static CountersConfig settings(SequencesConfig config, String keyspace, String table) {
        CountersConfig settings = CountersConfig.of(
                        CqlIdentifier.fromInternal(keyspace).asCql(true) + "."
                                + CqlIdentifier.fromInternal(table).asCql(true))
                .withGlobalKeyspace(config.globalKeyspace())
                .withRequestTimeout(config.requestTimeout())
                .withServerChecks(config.serverChecks());
        return config.datacenterKeyspace().map(settings::withDatacenterKeyspace).orElse(settings);
    }

    private static <T> T explained(Supplier<T> work) {
        try {
            return work.get();
        } catch (CounterException e) {
            throw explained(e);
        }
    }

    private static RuntimeException explained(Throwable thrown) {
        Throwable cause = Stages.cause(thrown);
        if (!(cause instanceof CounterException e)) {
            return cause instanceof RuntimeException same ? same : new IllegalStateException(cause);
        }
        Outcome outcome = e instanceof CounterException.OutcomeUnknown
                ? Outcome.UNKNOWN
                : e instanceof CounterException.Overflow
                        ? Outcome.OVERFLOW
                        : e instanceof CounterException.Unavailable
                                ? Outcome.UNAVAILABLE
                                : e instanceof CounterException.NotSent || e instanceof CounterException.NoSlot
                                        ? Outcome.NOT_COUNTED
                                        : Outcome.UNFIT;
        return new CountException(outcome, String.valueOf(e.getMessage()), e);
    }

    /** @param hooks kept for as long as this is open: the process has no other reference to them */
    private record Opened(Counters counters, AddedRows added, ProcessHooks hooks) implements RowCounters {

        static Opened of(Counters counters, AddedRows added) {
            ProcessHooks hooks = new Copies(added);
            ExitHook.INSTANCE.add(hooks);
            return new Opened(counters, added, hooks);
        }

        @Override
        public CompletionStage<Void> addAsync(String counter, long delta) {
            return told(counters.counter(counter).addAsync(delta));
        }

        @Override
        public CompletionStage<BigInteger> valueAsync(String counter) {
            return told(counters.counter(counter).valueAsync());
        }

        @Override
        public Addition addition(String counter, String home) {
            return added.next(counter, home);
        }

        @Override
        public void written(Addition addition) {
            added.ended(addition, true);
        }

        @Override
        public void dropped(Addition addition) {
            added.ended(addition, false);
        }

        @Override
        public void inDoubt(Addition addition) {
            added.inDoubt(addition);
        }

        private static <T> CompletionStage<T> told(CompletionStage<T> stage) {
            return stage.handle((done, failure) -> failure == null
                            ? CompletableFuture.completedFuture(done)
                            : CompletableFuture.<T>failedFuture(explained(failure)))
                    .thenCompose(result -> result);
        }

        @Override
        public void close() {
            ExitHook.INSTANCE.remove(hooks);
            counters.close();
        }
    }

    /** Two copies of a process would write two rows as one. */
    private record Copies(AddedRows added) implements ProcessHooks {

        @Override
        public void onExit(Duration most) {
            // It holds nothing.
        }

        @Override
        public void beforeCheckpoint() {
            added.forget();
        }

        @Override
        public void afterRestore() {
            added.forget();
        }
    }
}
