package dev.cassidy.cluster;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.Safety;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was last seen of the nodes and of Cassidy's tables. They are checked when an instance opens, when a node comes
 * up or the schema changes, and once an hour. An unsound state stops claims, and the error says how to correct it.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class ClusterState implements Safety {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterState.class);
    private static final Duration SCHEMA_AGAIN = Duration.ofHours(1);

    /** In addition to the longest sync period: for a slow sync, and for differences between the nodes' clocks. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private final CqlSession session;
    private final SequencesConfig config;
    private final List<CqlIdentifier> keyspaces;
    private final NodeChecks nodes;
    private final SchemaCheck schema;
    private final LongSupplier nanoTime;
    private final AtomicBoolean lookingAtSchema = new AtomicBoolean();
    private volatile SchemaCheck.Found found = SchemaCheck.Found.SOUND;
    private volatile Map<String, Map<String, String>> replication = Map.of();
    private volatile List<Optional<KeyspaceMetadata>> seen = List.of();
    private volatile long schemaSeenAt;

    public ClusterState(
            CqlSession session,
            SequencesConfig config,
            String localKeyspace,
            String datacenter,
            LongSupplier nanoTime) {
        this.session = session;
        this.config = config;
        this.keyspaces = Stream.of(config.globalKeyspace(), localKeyspace)
                .map(CqlIdentifier::fromInternal)
                .toList();
        this.nodes = new NodeChecks(session, config, nanoTime);
        this.schema =
                new SchemaCheck(session, config.globalKeyspace(), localKeyspace, datacenter, config.requestTimeout());
        this.nanoTime = nanoTime;
    }

    /** Looks at everything; the stage fails if the tables cannot be read, but not if they are unsound. */
    public CompletionStage<Void> begin() {
        return lookAtSchema().thenCombine(nodes.look(), (tables, settings) -> null);
    }

    /** Checks what may have changed. Usually there is nothing to ask. */
    public void look() {
        nodes.look();
        // What prevents claims is checked each time: the driver may not have learned that it was corrected.
        boolean changed = found.refusal().isPresent()
                || !metadata().equals(seen)
                || nanoTime.getAsLong() - schemaSeenAt >= SCHEMA_AGAIN.toNanos();
        if (changed && lookingAtSchema.compareAndSet(false, true)) {
            SchemaCheck.Found before = found;
            lookAtSchema().whenComplete((done, failure) -> {
                lookingAtSchema.set(false);
                if (failure != null) {
                    LOG.debug("Cassidy's tables could not be looked at now", failure);
                } else {
                    tell(before, found);
                }
            });
        }
    }

    private void tell(SchemaCheck.Found before, SchemaCheck.Found now) {
        if (!now.refusal().equals(before.refusal())) {
            now.refusal()
                    .ifPresentOrElse(
                            LOG::warn,
                            () -> LOG.info("Cassidy's keyspaces {} are sound again; claims continue", keyspaces));
        }
        if (now.later().isPresent() && before.later().isEmpty()) {
            LOG.info(
                    "This process continues, and others of its release are refused from now on: {}",
                    now.later().get());
        }
    }

    private CompletionStage<Void> lookAtSchema() {
        List<Optional<KeyspaceMetadata>> now = metadata();
        return schema.look().thenAccept(looked -> {
            found = looked.found();
            replication = looked.replication();
            seen = now;
            schemaSeenAt = nanoTime.getAsLong();
        });
    }

    /** As the driver has it, if it keeps the schema: a different object after each change. */
    private List<Optional<KeyspaceMetadata>> metadata() {
        return keyspaces.stream()
                .map(name -> session.getMetadata().getKeyspace(name))
                .toList();
    }

    /** Returns how a keyspace of Cassidy's is replicated; empty if it does not exist. */
    public Map<String, String> replication(String keyspace) {
        return replication.getOrDefault(keyspace, Map.of());
    }

    /** Returns why nothing may be opened: for what stops claims, and for tables of a later version. */
    Optional<SequenceException> refusalToOpen() {
        Optional<SequenceException> later = found.later().map(SequenceException.Conflict::new);
        return later.or(this::refusal);
    }

    @Override
    public Optional<SequenceException> refusal() {
        Optional<SequenceException> ofTables = found.exception();
        return ofTables.isPresent() ? ofTables : nodes.refusal();
    }

    @Override
    public Duration standing() {
        Duration forgets = nodes.forgets();
        return forgets.isZero() ? Duration.ZERO : forgets.plus(MARGIN);
    }

    @Override
    public FreshClaims freshClaims() {
        return config.durability() == Durability.WAIT ? FreshClaims.WAIT : FreshClaims.SERVE;
    }
}
