package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Statements that are prepared once; a preparation that failed is tried again. Safe for use by many threads. */
final class PreparedTexts {

    private final CqlSession session;
    private final ConcurrentMap<String, CompletionStage<PreparedStatement>> prepared = new ConcurrentHashMap<>();

    PreparedTexts(CqlSession session) {
        this.session = session;
    }

    CompletionStage<PreparedStatement> get(String cql) {
        CompletionStage<PreparedStatement> known = prepared.get(cql);
        if (known != null) {
            return known;
        }
        CompletionStage<PreparedStatement> preparing = session.prepareAsync(cql);
        CompletionStage<PreparedStatement> first = prepared.putIfAbsent(cql, preparing);
        if (first != null) {
            return first;
        }
        preparing.whenComplete((done, failure) -> {
            if (failure != null) {
                prepared.remove(cql, preparing);
            }
        });
        return preparing;
    }
}
