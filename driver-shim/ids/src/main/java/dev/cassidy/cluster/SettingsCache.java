package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The settings of the nodes that a session knows, for the many instances that may be opened on it at once. Keeps no
 * session from being collected. What could not be read is not remembered: the right may be granted meanwhile.
 */
final class SettingsCache {

    static final SettingsCache INSTANCE = new SettingsCache();

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<CqlSession, ConcurrentMap<UUID, Known>> sessions = new WeakHashMap<>();

    private record Known(long upSince, long at, CompletionStage<ServerSettings> settings) {}

    private SettingsCache() {}

    CompletionStage<ServerSettings> of(CqlSession session, Node node, Duration timeout, LongSupplier nanoTime) {
        ConcurrentMap<UUID, Known> nodes;
        synchronized (sessions) {
            nodes = sessions.computeIfAbsent(session, first -> new ConcurrentHashMap<>());
        }
        UUID host = Objects.requireNonNull(node.getHostId());
        long now = nanoTime.getAsLong();
        Known known = nodes.compute(
                host,
                (same, before) -> before != null
                                && before.upSince() == node.getUpSinceMillis()
                                && now - before.at() < LONGEST_NANOS
                        ? before
                        : new Known(node.getUpSinceMillis(), now, ServerSettings.of(session, node, timeout)));
        return known.settings().whenComplete((settings, failure) -> {
            if (settings == null || settings.unreadable() != ServerSettings.Unreadable.NOT) {
                nodes.remove(host, known);
            }
        });
    }
}
