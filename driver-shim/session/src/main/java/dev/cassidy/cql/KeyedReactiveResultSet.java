package dev.cassidy.cql;

import com.datastax.dse.driver.internal.core.cql.reactive.DefaultReactiveResultSet;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The driver's own reactive result of an asynchronous execution, which begins when it is subscribed to. */
final class KeyedReactiveResultSet extends DefaultReactiveResultSet {

    private final CompletableFuture<GeneratedKeys> keys;

    private KeyedReactiveResultSet(
            Callable<CompletionStage<AsyncResultSet>> execution, CompletableFuture<GeneratedKeys> keys) {
        super(execution);
        this.keys = keys;
    }

    static KeyedReactiveResultSet of(Callable<CompletionStage<AsyncResultSet>> execution) {
        CompletableFuture<GeneratedKeys> keys = new CompletableFuture<>();
        return new KeyedReactiveResultSet(
                () -> execution.call().whenComplete((result, failure) -> {
                    if (failure == null) {
                        keys.complete(GeneratedKeys.of(result));
                    } else {
                        keys.completeExceptionally(failure);
                    }
                }),
                keys);
    }

    CompletionStage<GeneratedKeys> keys() {
        return keys.minimalCompletionStage();
    }
}
