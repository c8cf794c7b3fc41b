package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges each node of the datacenter by its own settings when it is seen to be up: a cluster whose nodes are configured
 * one after another is as weak as its weakest node.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class NodeChecks {

    private static final Logger LOG = LoggerFactory.getLogger(NodeChecks.class);

    /** Cassandra's default, for nodes that do not report their setting. */
    private static final Duration USUAL_PERIOD = Duration.ofSeconds(10);

    /** A setting can be changed while a node runs. */
    private static final Duration AGAIN = Duration.ofHours(1);

    private static final String RUNBOOK = "docs/operations.md, \"The nodes' settings\"";

    private final CqlSession session;
    private final SequencesConfig config;
    private final String cluster;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<UUID, Judged> nodes = new ConcurrentHashMap<>();

    /**
     * @param upSince when it came up; after it has come up again, it is judged again
     * @param at when it was judged
     * @param forgets how long it may forget what it acknowledged
     * @param refusal why nothing may be claimed; empty if all is well
     * @param forbidden whether the reason is that the role may not read the node's settings
     */
    private record Judged(
            long upSince, long at, Optional<Duration> forgets, Optional<String> refusal, boolean forbidden) {

        SequenceException exception(String message) {
            return forbidden ? new SequenceException.Forbidden(message) : new SequenceException.Conflict(message);
        }
    }

    NodeChecks(CqlSession session, SequencesConfig config, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.session = session;
        this.config = config;
        this.cluster = session.getMetadata().getClusterName().orElse("");
    }

    private boolean asksNothing() {
        return config.serverChecks() == ServerChecks.SKIP && config.durability() == Durability.IGNORE;
    }

    /**
     * Asks every node of the datacenter that is up and was not asked since it came up, and every node that prevents
     * claims. The stage never fails.
     */
    CompletionStage<Void> look() {
        if (asksNothing()) {
            return CompletableFuture.completedFuture(null);
        }
        // A node that has left the cluster no longer prevents claims.
        nodes.keySet().retainAll(localNodes().map(Node::getHostId).collect(Collectors.toSet()));
        CompletableFuture<?>[] asked = localNodes()
                .filter(node -> node.getState() == NodeState.UP || node.getState() == NodeState.UNKNOWN)
                .filter(node -> !isJudged(node))
                .map(node -> judge(node).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(asked).thenRun(() -> {
            if (asked.length > 0 && (config.durability() == Durability.WARN || waits())) {
                warnOfForgetfulNodes();
            }
        });
    }

    private Stream<Node> localNodes() {
        return session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL && node.getHostId() != null);
    }

    private boolean isJudged(Node node) {
        Judged before = nodes.get(node.getHostId());
        return before != null
                && before.refusal().isEmpty()
                && before.upSince() == node.getUpSinceMillis()
                && nanoTime.getAsLong() - before.at() < AGAIN.toNanos();
    }

    private CompletionStage<Void> judge(Node node) {
        long upSince = node.getUpSinceMillis();
        return SettingsCache.INSTANCE
                .of(session, node, config.requestTimeout(), nanoTime)
                .handle((settings, failure) -> {
                    if (failure != null) {
                        LOG.debug("node {} does not tell its settings now; it is asked again", node, failure);
                        return null;
                    }
                    Optional<String> refusal = unsound(node, settings);
                    Optional<Duration> forgets = settings.forgets();
                    nodes.put(
                            node.getHostId(),
                            new Judged(
                                    upSince,
                                    nanoTime.getAsLong(),
                                    forgets,
                                    refusal.or(() -> notDurable(node, settings, forgets)),
                                    settings.unreadable() == ServerSettings.Unreadable.FORBIDDEN));
                    if (refusal.isEmpty() && config.serverChecks() == ServerChecks.CHECK) {
                        tell(node, settings);
                    }
                    return null;
                });
    }

    /** Without linearizable reads (CASSANDRA-12126), the answer to a proof may date from before the claim. */
    private Optional<String> unsound(Node node, ServerSettings settings) {
        if (config.serverChecks() == ServerChecks.SKIP) {
            return Optional.empty();
        }
        switch (settings.unreadable()) {
            case FORBIDDEN -> {
                return Optional.of("whether node " + node.getEndPoint() + " reads linearizably cannot be known: its"
                        + " paxos_variant is in system_views.settings, which this role may not read. GRANT SELECT ON"
                        + " system_views.settings TO " + settings.role() + "; or, once it is known that no node has a"
                        + " paxos_variant ..._without_linearizable_reads, open with serverChecks=skip");
            }
            case ABSENT -> {
                return Optional.of(
                        "whether node " + node.getEndPoint() + " reads linearizably cannot be known: it has no"
                                + " table system_views.settings, as Cassandra before 4.0. Once it is known that its"
                                + " lightweight transactions and SERIAL reads are linearizable (CASSANDRA-12126), open with"
                                + " serverChecks=skip");
            }
            default -> {
                return settings.value("paxos_variant")
                        .filter(variant -> variant.contains("without_linearizable_reads"))
                        .map(variant -> "node " + node.getEndPoint() + " runs with paxos_variant: " + variant
                                + ", under which no read can prove whose a range is. Set paxos_variant: v2 in"
                                + " cassandra.yaml, on every node");
            }
        }
    }

    private Optional<String> notDurable(Node node, ServerSettings settings, Optional<Duration> forgets) {
        if (config.durability() != Durability.REFUSE || forgets.equals(Optional.of(Duration.ZERO))) {
            return Optional.empty();
        }
        return Optional.of("node " + node.getEndPoint() + " may forget claims that it acknowledged, if it is killed: "
                + described(settings) + ", and durability=refuse. Set commitlog_sync: batch (or group) in"
                + " cassandra.yaml, on every node");
    }

    private static String described(ServerSettings settings) {
        return settings.value("commitlog_sync")
                .map(sync -> "commitlog_sync: " + sync
                        + settings.forgets()
                                .map(period -> ", commitlog_sync_period: " + period.toMillis() + "ms")
                                .orElse(""))
                .orElse(
                        settings.unreadable() == ServerSettings.Unreadable.FORBIDDEN
                                ? "its commitlog_sync is not known, since the role may not read system_views.settings"
                                        + " (GRANT SELECT ON system_views.settings TO " + settings.role() + ")"
                                : "its commitlog_sync is not known");
    }

    private boolean waits() {
        return config.durability() == Durability.WAIT;
    }

    private void warnOfForgetfulNodes() {
        List<String> forgetful = localNodes()
                .flatMap(node -> Optional.ofNullable(nodes.get(node.getHostId())).stream()
                        .filter(judged -> !judged.forgets().equals(Optional.of(Duration.ZERO)))
                        .map(judged -> node.getEndPoint()
                                + judged.forgets()
                                        .map(period -> " (up to " + period.toMillis() + " ms)")
                                        .orElse(" (not known)")))
                .sorted()
                .toList();
        if (forgetful.isEmpty()
                || !SaidOnce.INSTANCE.first(
                        localNodes().map(Node::getHostId).collect(Collectors.toSet()), "durability")) {
            return;
        }
        LOG.warn(
                "Nodes of cluster {} acknowledge writes before they are on their disks, and forget them when they are"
                        + " killed or lose power (commitlog_sync: periodic, or not known): {}. A block is read back once it"
                        + " has stood for longer; {}. Set commitlog_sync: batch or group in cassandra.yaml. {}",
                cluster,
                forgetful,
                waits()
                        ? "no id of it is issued before (durability=wait)"
                        : "a block whose ids are needed sooner, at a start or in a burst, is served at once, and its"
                                + " ids may be issued twice if nodes end in this way, with three replicas too"
                                + " (meter cassidy.sequence.fresh); durability=wait makes callers wait instead",
                "durability=ignore silences this warning, and durability=refuse claims nothing from such nodes");
    }

    private void tell(Node node, ServerSettings settings) {
        if (settings.value("paxos_variant").orElse("v1").equals("v1")) {
            once(
                    "v1",
                    "Cluster {} runs with paxos_variant: v1, which is safe while its ring stays as it is. Before a node"
                            + " is added, replaced or removed, see {}",
                    cluster,
                    RUNBOOK);
            return;
        }
        if (settings.is("skip_paxos_repair_on_topology_change", "true")
                || settings.is("paxos_repair_enabled", "false")) {
            if (SaidOnce.INSTANCE.first(Set.of(Objects.requireNonNull(node.getHostId())), "repair")) {
                LOG.warn(
                        "Node {} skips Paxos repairs (skip_paxos_repair_on_topology_change: {}, paxos_repair_enabled: {}):"
                                + " while a node is added, replaced or removed, ids may be issued twice; see {}",
                        node.getEndPoint(),
                        settings.value("skip_paxos_repair_on_topology_change").orElse("false"),
                        settings.value("paxos_repair_enabled").orElse("true"),
                        RUNBOOK);
            }
        }
        if (!settings.is("paxos_state_purging", "repaired")) {
            once(
                    "purging",
                    "Cluster {} runs with paxos_variant: v2 and paxos_state_purging: {}; see {}",
                    cluster,
                    settings.value("paxos_state_purging").orElse("legacy"),
                    RUNBOOK);
        }
    }

    private void once(String what, String message, Object... arguments) {
        if (SaidOnce.INSTANCE.first(session, what)) {
            LOG.info(message, arguments);
        }
    }

    /** Returns why nothing may be claimed; empty if no node prevents claims. */
    Optional<SequenceException> refusal() {
        return nodes.values().stream()
                .flatMap(judged -> judged.refusal().map(judged::exception).stream())
                .findFirst();
    }

    /** Returns the longest time for which a node of the datacenter may forget what it acknowledged. */
    Duration forgets() {
        return nodes.isEmpty()
                ? USUAL_PERIOD
                : nodes.values().stream()
                        .map(judged -> judged.forgets().orElse(USUAL_PERIOD))
                        .max(Duration::compareTo)
                        .orElse(USUAL_PERIOD);
    }
}
