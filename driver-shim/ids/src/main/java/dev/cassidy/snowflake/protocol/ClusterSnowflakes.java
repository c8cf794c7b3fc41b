package dev.cassidy.snowflake.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.async.Waiting;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Answers;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.store.NodeStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
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
 * The time-ordered sequences of a cluster, seen from one datacenter, with the sequencers of this process. Attaching uses only that
 * datacenter as long as it has node numbers left. Creating, destroying and getting further numbers need a majority of all
 * datacenters' replicas.
 *
 * <p>Safe for use by many threads. Methods without {@code Async} block: they refuse to do so in a thread that must not wait.
 */
public final class ClusterSnowflakes implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterSnowflakes.class);

    private final NodeStore store;
    private final SnowflakeContext context;
    private final NodeRegistry registry;
    private final ConcurrentMap<String, LeasedSequencer> sequencers = new ConcurrentHashMap<>();
    private volatile boolean suspended;
    private volatile boolean closed;

    /**
     * @param patience how long a caller waits for Cassandra
     * @param tokens by which a number is known to be ours
     * @param timer for waiting without a thread
     * @param safety what the nodes may forget
     * @param waiting which threads may wait for Cassandra
     */
    public ClusterSnowflakes(
            NodeStore store, Duration patience, Supplier<UUID> tokens, Timer timer, Safety safety, Waiting waiting) {
        this.store = store;
        this.context = new SnowflakeContext(
                patience, timer, InstantSource.system(), System::nanoTime, new SecureRandom(), tokens, safety, waiting);
        this.registry = new NodeRegistry(store, context);
    }

    /**
     * Returns this process's sequencer of that name, attached. All callers of a name get the same one. The first call in the
     * cluster creates the sequence; all others must pass the same configuration.
     *
     * @throws SequenceException.Conflict if the stored configuration is different
     * @throws SequenceException.Destroyed if the sequence was destroyed
     * @throws SequenceException.Exhausted if every node number is in use, or the sequence is past its end
     * @throws SequenceException.Unavailable if Cassandra does not answer
     */
    public SnowflakeSequencer sequencer(SnowflakeSpec spec) {
        return Answers.await(sequencerAsync(spec), patience(), context.waiting());
    }

    /** As {@link #sequencer(SnowflakeSpec)}, without blocking. */
    public CompletionStage<SnowflakeSequencer> sequencerAsync(SnowflakeSpec spec) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("these sequences are closed"));
        }
        LeasedSequencer sequencer = sequencers.compute(
                spec.name(), (name, known) -> known != null && !known.isClosed() ? known : make(spec));
        return CompletableFuture.completedFuture(sequencer).thenCompose(same -> {
            NodeRegistry.requireSame(spec, same.snowflake());
            return attached(same);
        });
    }

    private LeasedSequencer make(SnowflakeSpec spec) {
        LeasedSequencer sequencer = new LeasedSequencer(spec, store, context);
        if (suspended) {
            CompletionStage<Void> unused = sequencer.suspendAsync();
        }
        return sequencer;
    }

    /**
     * Creates a sequence without attaching to it; a no-op if there is one with the same configuration.
     *
     * @return a stage that fails as {@link #sequencer(SnowflakeSpec)} does
     */
    public CompletionStage<Void> createAsync(SnowflakeSpec spec) {
        return registry.share(spec).thenAccept(share -> {});
    }

    private CompletionStage<SnowflakeSequencer> attached(LeasedSequencer sequencer) {
        return sequencer
                .attachAsync()
                .handle((done, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.<SnowflakeSequencer>completedFuture(sequencer);
                    }
                    if (sequencer.state() != SnowflakeState.ATTACHED) {
                        sequencers.remove(sequencer.snowflake().name(), sequencer);
                        sequencer.close();
                    }
                    return CompletableFuture.<SnowflakeSequencer>failedFuture(Stages.cause(failure));
                })
                .thenCompose(result -> result);
    }

    /**
     * As {@link #sequencer(SnowflakeSpec)}, for a sequence that exists.
     *
     * @throws SequenceException.NotFound if there is no sequence of that name
     */
    public SnowflakeSequencer sequencer(String name) {
        return Answers.await(sequencerAsync(name), patience(), context.waiting());
    }

    /** As {@link #sequencer(String)}, without blocking. */
    public CompletionStage<SnowflakeSequencer> sequencerAsync(String name) {
        LeasedSequencer known = sequencers.get(name);
        if (known != null && !known.isClosed()) {
            return sequencerAsync(known.snowflake());
        }
        return registry.find(name)
                .thenCompose(spec -> spec.isPresent()
                        ? sequencerAsync(spec.get())
                        : CompletableFuture.failedFuture(NodeRegistry.notFound(name)));
    }

    /**
     * Destroys a sequence in the whole cluster, permanently; a no-op if it is destroyed. Its name is never used again, so
     * that no id can be issued twice. Other processes notice within some seconds when they can reach Cassandra.
     *
     * @throws SequenceException.NotFound if there is no sequence of that name
     */
    public void destroy(String name) {
        Answers.await(registry.destroy(name), patience(), context.waiting());
        LeasedSequencer known = sequencers.get(name);
        if (known != null) {
            known.noticeDestroyed();
        }
    }

    /** Returns whether the sequencer of this name has issued an id; see {@link LeasedSequencer#hasIssued}. */
    public boolean hasIssued(String name, long id) {
        LeasedSequencer known = sequencers.get(name);
        return known != null && known.hasIssued(id);
    }

    /**
     * Gives every node number back, and takes none until {@link #resume}. The stage ends when they were given back, or could
     * not be. It never fails.
     */
    public CompletionStage<Void> suspendAsync() {
        suspended = true;
        return all(LeasedSequencer::suspendAsync);
    }

    /**
     * For a process that was copied: forgets every node number that it has, for another copy may go on with it. None is
     * taken until {@link #resume}.
     */
    public void disown() {
        suspended = true;
        sequencers.values().forEach(LeasedSequencer::disown);
    }

    /** Takes new node numbers for what was attached. */
    public void resume() {
        suspended = false;
        sequencers.values().forEach(LeasedSequencer::resume);
    }

    private CompletableFuture<Void> all(Function<LeasedSequencer, CompletionStage<Void>> step) {
        return CompletableFuture.allOf(sequencers.values().stream()
                .map(sequencer -> step.apply(sequencer).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    private Duration patience() {
        return NodeAssigner.longestAttempt(context).plus(context.timeout().multipliedBy(2));
    }

    /** Closes every sequencer, and gives the node numbers back. Leaves the session open, and the timer to its owner. */
    @Override
    public void close() {
        closed = true;
        try {
            Answers.await(all(LeasedSequencer::closeAsync), context.timeout(), context.waiting());
        } catch (SequenceException.Unavailable e) {
            LOG.debug("some node numbers look taken until they have stood still for a while", e);
        }
    }
}
