package dev.cassidy.reliability.counters;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.cassidy.counter.CounterException;
import dev.cassidy.counter.Counters;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A client that increments counters of either kind, and enters what it is told into a ledger. */
interface Incrementing {

    /** Makes increment {@code k} of a ledger. The stage completes when the entry is made. */
    CompletionStage<Void> increment(String counter, int k, Ledger ledger);

    /** Cassidy's counters. */
    record OfCassidy(Counters counters) implements Incrementing {

        @Override
        public CompletionStage<Void> increment(String counter, int k, Ledger ledger) {
            ledger.sent(counter, k);
            return counters.counter(counter).incrementAsync(ledger.delta(k)).handle((receipt, failure) -> {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                if (cause == null) {
                    ledger.acknowledged(counter, k, receipt);
                } else if (cause instanceof CounterException.OutcomeUnknown unknown) {
                    ledger.unknown(counter, k, unknown.receipt().orElseThrow());
                } else if (cause instanceof CounterException.NotSent || cause instanceof CounterException.NoSlot) {
                    ledger.notCounted(counter, k);
                } else {
                    throw new CompletionException(cause);
                }
                return null;
            });
        }
    }

    /**
     * Cassandra's own counters.
     *
     * @param repeats whether the client repeats what failed, and lets the driver do so
     */
    record OfCassandra(CqlSession session, PreparedStatement update, boolean repeats) implements Incrementing {

        static OfCassandra of(CqlSession session, String table, boolean repeats) {
            return new OfCassandra(
                    session, session.prepare("UPDATE " + table + " SET value = value + ? WHERE type = ?"), repeats);
        }

        @Override
        public CompletionStage<Void> increment(String counter, int k, Ledger ledger) {
            ledger.sent(counter, k);
            return send(counter, k, ledger);
        }

        private CompletionStage<Void> send(String counter, int k, Ledger ledger) {
            return session.executeAsync(update.bind(ledger.delta(k), counter)
                            .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                            .setIdempotent(repeats))
                    .handle((done, failure) -> {
                        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                        if (cause == null) {
                            ledger.acknowledged(counter, k, null);
                            return CompletableFuture.<Void>completedFuture(null);
                        }
                        if (!(cause instanceof DriverException)) {
                            return CompletableFuture.<Void>failedFuture(cause);
                        }
                        if (repeats) {
                            return send(counter, k, ledger);
                        }
                        ledger.unknown(counter, k, null);
                        return CompletableFuture.<Void>completedFuture(null);
                    })
                    .thenCompose(stage -> stage);
        }
    }
}
