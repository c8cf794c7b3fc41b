package dev.cassidy.snowflake;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.Safety;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.Timer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time-ordered sequences of a cluster, seen from one datacenter. Attaching touches that datacenter alone as long as it
 * has node numbers left; creating, destroying and getting further numbers need a majority of all.
 *
 * <p>Safe for use by many threads. Methods without {@code Async} block: never call them from one of the driver's threads.
 */
public final class Snowflakes implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Snowflakes.class);

    private final NodeStore store;
    private final SnowflakeContext context;
    private final NodeRegistry registry;
    private final ConcurrentMap<String, SnowflakeSequencer> sequencers = new ConcurrentHashMap<>();
    private volatile boolean suspended;
    private volatile boolean closed;

    private Snowflakes(
            CqlSession session,
            SequencesConfig config,
            String datacenter,
            String datacenterKeyspace,
            Supplier<String> holder,
            Supplier<UUID> tokens,
            Timer timer,
            Safety safety) {
        Duration timeout = config.requestTimeout();
        this.store = new CassandraNodeStore(
                ConditionalStatements.acrossDatacenters(session, timeout),
                ConditionalStatements.withinDatacenter(session, timeout),
                config.globalKeyspace(),
                datacenterKeyspace,
                datacenter,
                holder,
                InstantSource.system(),
                safety);
        this.context = new SnowflakeContext(
                config.claimTimeout(), timer, InstantSource.system(), System::nanoTime, new SecureRandom(), tokens);
        this.registry = new NodeRegistry(store, context);
    }

    /**
     * Opens the time-ordered sequences of a datacenter. {@code Sequences.snowflakes()} does so after it has made sure that
     * the keyspaces are there, that the datacenter's is replicated there alone, and that the server reads linearizably:
     * without these, node numbers would not be unique.
     *
     * @param datacenter the session's local one
     * @param datacenterKeyspace Cassidy's keyspace of that datacenter
     * @param holder who takes node numbers, for people to read
     * @param tokens by which a number is known to be ours
     * @param timer for waiting without a thread
     * @param safety what the cluster allows: while it refuses, no number is taken or renewed
     */
    public static Snowflakes open(
            CqlSession session,
            SequencesConfig config,
            String datacenter,
            String datacenterKeyspace,
            Supplier<String> holder,
            Supplier<UUID> tokens,
            Timer timer,
            Safety safety) {
        return new Snowflakes(session, config, datacenter, datacenterKeyspace, holder, tokens, timer, safety);
    }

    /**
     * Returns this process's sequencer, attached: one for each name, shared by all who ask. The first in the cluster
     * creates the sequence; all others must ask for the same configuration.
     *
     * @throws SequenceException.Conflict if the stored configuration is another one
     * @throws SequenceException.Destroyed if the sequence was destroyed
     * @throws SequenceException.Exhausted if every node number is in use, or the sequence is past its end
     * @throws SequenceException.Unavailable if Cassandra does not answer
     */
    public SnowflakeSequencer sequencer(SnowflakeSpec spec) {
        return SnowflakeSequencer.get(sequencerAsync(spec), patience());
    }

    /** As {@link #sequencer(SnowflakeSpec)}, without blocking. */
    public CompletionStage<SnowflakeSequencer> sequencerAsync(SnowflakeSpec spec) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("these sequences are closed"));
        }
        SnowflakeSequencer sequencer = sequencers.compute(
                spec.name(), (name, known) -> known != null && !known.isClosed() ? known : make(spec));
        return CompletableFuture.completedFuture(sequencer).thenCompose(same -> {
            NodeRegistry.requireSame(spec, same.snowflake());
            return attached(same);
        });
    }

    private SnowflakeSequencer make(SnowflakeSpec spec) {
        SnowflakeSequencer sequencer = new SnowflakeSequencer(spec, store, context);
        if (suspended) {
            CompletionStage<Void> unused = sequencer.suspendAsync();
        }
        return sequencer;
    }

    /**
     * Creates a sequence without attaching to it; a no-op if there is one of the same configuration.
     *
     * @return a stage that fails as {@link #sequencer(SnowflakeSpec)} does
     */
    public CompletionStage<Void> createAsync(SnowflakeSpec spec) {
        return registry.share(spec).thenAccept(share -> {});
    }

    private CompletionStage<SnowflakeSequencer> attached(SnowflakeSequencer sequencer) {
        return sequencer
                .attachAsync()
                .handle((done, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(sequencer);
                    }
                    if (sequencer.state() != SnowflakeState.ATTACHED) {
                        sequencers.remove(sequencer.snowflake().name(), sequencer);
                        sequencer.close();
                    }
                    return CompletableFuture.<SnowflakeSequencer>failedFuture(Retries.unwrap(failure));
                })
                .thenCompose(result -> result);
    }

    /**
     * As {@link #sequencer(SnowflakeSpec)}, for a sequence that was created before.
     *
     * @throws SequenceException.NotFound if there is none of that name
     */
    public SnowflakeSequencer sequencer(String name) {
        return SnowflakeSequencer.get(sequencerAsync(name), patience());
    }

    /** As {@link #sequencer(String)}, without blocking. */
    public CompletionStage<SnowflakeSequencer> sequencerAsync(String name) {
        SnowflakeSequencer known = sequencers.get(name);
        if (known != null && !known.isClosed()) {
            return sequencerAsync(known.snowflake());
        }
        return registry.find(name)
                .thenCompose(spec -> spec.isPresent()
                        ? sequencerAsync(spec.get())
                        : CompletableFuture.failedFuture(NodeRegistry.notFound(name)));
    }

    /** Reads a sequence's configuration; empty if there is none. A destroyed one keeps its configuration. */
    public Optional<SnowflakeSpec> find(String name) {
        return SnowflakeSequencer.get(findAsync(name), patience());
    }

    /** As {@link #find}, without blocking. */
    public CompletionStage<Optional<SnowflakeSpec>> findAsync(String name) {
        return registry.find(name);
    }

    /**
     * Destroys a sequence in the whole cluster, for ever: its name is never used again, so that no id can be issued
     * twice. Other processes notice within some seconds, once they can reach Cassandra. A no-op if it is destroyed.
     *
     * @throws SequenceException.NotFound if there is none of that name
     */
    public void destroy(String name) {
        SnowflakeSequencer.get(registry.destroy(name), patience());
        SnowflakeSequencer known = sequencers.get(name);
        if (known != null) {
            known.noticeDestroyed();
        }
    }

    /**
     * Gives every node number back, and takes none until {@link #resume}. The stage ends when they were given back, or could
     * not be. It never fails.
     */
    public CompletionStage<Void> suspendAsync() {
        suspended = true;
        return all(SnowflakeSequencer::suspendAsync);
    }

    /**
     * For a process that was copied: forgets every node number that it has, for another copy may go on with it. None is
     * taken until {@link #resume}.
     */
    public void disown() {
        suspended = true;
        sequencers.values().forEach(SnowflakeSequencer::disown);
    }

    /** Takes new node numbers for what was attached. */
    public void resume() {
        suspended = false;
        sequencers.values().forEach(SnowflakeSequencer::resume);
    }

    private CompletableFuture<Void> all(Function<SnowflakeSequencer, CompletionStage<Void>> step) {
        return CompletableFuture.allOf(sequencers.values().stream()
                .map(sequencer -> step.apply(sequencer).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    private Duration patience() {
        return NodeAssigner.longest(context.timeout()).plus(context.timeout().multipliedBy(2));
    }

    /** Closes every sequencer, and gives the node numbers back. Leaves the session open, and the timer to its owner. */
    @Override
    public void close() {
        closed = true;
        try {
            SnowflakeSequencer.get(all(SnowflakeSequencer::closeAsync), context.timeout());
        } catch (SequenceException.Unavailable e) {
            LOG.debug("some node numbers look taken until they have stood still for a while", e);
        }
    }
}
