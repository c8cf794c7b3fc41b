package dev.cassidy.snowflake.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Answers;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.Snowflakes;
import dev.cassidy.snowflake.store.NodeStore;
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

/** The time-ordered sequences of one datacenter of a cluster, with the sequencers of this process. */
public final class ClusterSnowflakes implements Snowflakes {

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
     */
    public ClusterSnowflakes(NodeStore store, Duration patience, Supplier<UUID> tokens, Timer timer) {
        this.store = store;
        this.context = new SnowflakeContext(
                patience, timer, InstantSource.system(), System::nanoTime, new SecureRandom(), tokens);
        this.registry = new NodeRegistry(store, context);
    }

    @Override
    public SnowflakeSequencer sequencer(SnowflakeSpec spec) {
        return Answers.await(sequencerAsync(spec), patience());
    }

    @Override
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

    @Override
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

    @Override
    public SnowflakeSequencer sequencer(String name) {
        return Answers.await(sequencerAsync(name), patience());
    }

    @Override
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

    @Override
    public Optional<SnowflakeSpec> find(String name) {
        return Answers.await(findAsync(name), patience());
    }

    @Override
    public CompletionStage<Optional<SnowflakeSpec>> findAsync(String name) {
        return registry.find(name);
    }

    @Override
    public void destroy(String name) {
        Answers.await(registry.destroy(name), patience());
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
        return NodeAssigner.longest(context.timeout()).plus(context.timeout().multipliedBy(2));
    }

    /** Closes every sequencer, and gives the node numbers back. Leaves the session open, and the timer to its owner. */
    @Override
    public void close() {
        closed = true;
        try {
            Answers.await(all(LeasedSequencer::closeAsync), context.timeout());
        } catch (SequenceException.Unavailable e) {
            LOG.debug("some node numbers look taken until they have stood still for a while", e);
        }
    }
}
