package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.async.Stages;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One node's configuration, as far as ids depend on it.
 *
 * @param values by name, in lower case
 * @param unreadable why there are none
 * @param role whose right is missing, as a GRANT names it; has no meaning if they can be read
 */
record ServerSettings(Map<String, String> values, Unreadable unreadable, String role) {

    private static final List<String> NAMES = List.of(
            "paxos_variant",
            "commitlog_sync",
            "commitlog_sync_period",
            // Before 4.1.
            "commitlog_sync_period_in_ms",
            "paxos_repair_enabled",
            "skip_paxos_repair_on_topology_change",
            "paxos_state_purging");

    private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(d|h|m|s|ms|us|µs|ns|)");

    enum Unreadable {
        /** They can be read. */
        NOT,
        /** The role may not. */
        FORBIDDEN,
        /** The server has no such table: Cassandra before 4.0, and other products. */
        ABSENT
    }

    ServerSettings {
        values = Map.copyOf(values);
    }

    /** Asks a node; the stage fails if there is no answer. */
    static CompletionStage<ServerSettings> of(CqlSession session, Node node, Duration timeout) {
        SimpleStatement all = SimpleStatement.newInstance(
                        "SELECT name, value FROM system_views.settings WHERE name IN ('" + String.join("', '", NAMES)
                                + "')")
                .setNode(node)
                .setTimeout(timeout)
                .setIdempotent(true);
        return session.executeAsync(all)
                .handle((rows, thrown) -> {
                    if (thrown == null) {
                        Map<String, String> values = new HashMap<>();
                        rows.currentPage().forEach(row -> {
                            String value = row.getString("value");
                            if (value != null) {
                                values.put(row.getString("name"), value.toLowerCase(Locale.ROOT));
                            }
                        });
                        return CompletableFuture.completedFuture(new ServerSettings(values, Unreadable.NOT, ""));
                    }
                    Throwable cause = Stages.cause(thrown);
                    if (cause instanceof UnauthorizedException refused && Grants.isMissing(refused)) {
                        return CompletableFuture.completedFuture(
                                new ServerSettings(Map.of(), Unreadable.FORBIDDEN, Grants.roleOf(refused)));
                    }
                    return cause instanceof InvalidQueryException
                            ? CompletableFuture.completedFuture(new ServerSettings(Map.of(), Unreadable.ABSENT, ""))
                            : CompletableFuture.<ServerSettings>failedFuture(cause);
                })
                .thenCompose(settings -> settings);
    }

    Optional<String> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    boolean is(String name, String value) {
        return value.equals(values.get(name));
    }

    /**
     * Returns how long a killed node may forget what it acknowledged; zero if it acknowledges only what is on its disk;
     * empty if that is not known.
     */
    Optional<Duration> forgets() {
        Optional<String> sync = value("commitlog_sync");
        if (sync.isEmpty()) {
            return Optional.empty();
        }
        return sync.get().equals("periodic")
                ? value("commitlog_sync_period")
                        .or(() -> value("commitlog_sync_period_in_ms"))
                        .flatMap(ServerSettings::duration)
                : Optional.of(Duration.ZERO);
    }

    private static Optional<Duration> duration(String text) {
        Matcher matcher = DURATION.matcher(text.trim());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long amount = Long.parseLong(matcher.group(1));
        return Optional.of(
                switch (matcher.group(2)) {
                    case "d" -> Duration.ofDays(amount);
                    case "h" -> Duration.ofHours(amount);
                    case "m" -> Duration.ofMinutes(amount);
                    case "s" -> Duration.ofSeconds(amount);
                    case "us", "µs" -> Duration.of(amount, ChronoUnit.MICROS);
                    case "ns" -> Duration.ofNanos(amount);
                    default -> Duration.ofMillis(amount);
                });
    }
}
