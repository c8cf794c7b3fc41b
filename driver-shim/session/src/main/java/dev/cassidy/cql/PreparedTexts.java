package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Remembers statements that were prepared, because the driver forgets them once nothing else refers to them. Never blocks. */
final class PreparedTexts {

    private static final int MAX_REMEMBERED = 1_000;

    private final Preparing preparing;
    private final Map<String, CompletableFuture<PreparedStatement>> prepared = new ConcurrentHashMap<>();

    PreparedTexts(Preparing preparing) {
        this.preparing = preparing;
    }

    /** @param cql with the keyspace of its table in it */
    CompletionStage<PreparedStatement> of(String cql) {
        CompletableFuture<PreparedStatement> known = prepared.get(cql);
        if (known != null) {
            return known;
        }
        if (prepared.size() >= MAX_REMEMBERED) {
            prepared.clear();
        }
        CompletableFuture<PreparedStatement> now = preparing.prepare(cql).toCompletableFuture();
        prepared.put(cql, now);
        return now.whenComplete((done, failure) -> {
            if (failure != null) {
                prepared.remove(cql, now);
            }
        });
    }
}
