package dev.cassidy.sequence.cassandra;

import dev.cassidy.cluster.Identity;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.AllocatorFigures;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.ThreadOrderAllocator;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.protocol.ClusterSnowflakes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The allocators and sequencers that one instance has open, at most one for each name. They are suspended, resumed and closed
 * together: an allocator that is opened meanwhile is suspended or closed as well.
 *
 * <p>Safe for use by many threads. Only {@link #suspend} and {@link #close} block.
 */
final class OpenAllocators implements Rounds.Opened {

    private static final Logger LOG = LoggerFactory.getLogger(OpenAllocators.class);

    private final RangeStore store;
    private final AllocatorContext context;
    private final ClusterSnowflakes snowflakes;
    private final Identity identity;
    private final LocalStates states;
    private final ConcurrentMap<String, Allocator> allocators = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, SnowflakeSequencer> timeOrdered = new ConcurrentHashMap<>();

    /** Allocators that were closed and opened again. They may not have removed all of their rows yet. */
    private final Set<BlockAllocator> replaced = ConcurrentHashMap.newKeySet();

    /** Ends when every allocator has given its ids back. */
    private final CompletableFuture<Void> returned = new CompletableFuture<>();

    private volatile boolean closed;

    private final Object checkpoint = new Object();
    /** Guarded by {@link #checkpoint}. */
    private boolean suspended;

    /** A sequence's blocks in this process, and the allocator that its order puts in front of them. */
    private record Allocator(BlockAllocator blocks, IdAllocator ids) {}

    /** @param states forgets the sequences that change */
    OpenAllocators(
            RangeStore store,
            AllocatorContext context,
            ClusterSnowflakes snowflakes,
            Identity identity,
            LocalStates states) {
        this.store = store;
        this.context = context;
        this.snowflakes = snowflakes;
        this.identity = identity;
        this.states = states;
    }

    /** Returns the allocator or sequencer of this name if one is open. */
    @Nullable
    IdAllocator known(String name) {
        Allocator known = allocators.get(name);
        if (known != null && !known.blocks().isClosed()) {
            return known.ids();
        }
        SnowflakeSequencer sequencer = timeOrdered.get(name);
        return sequencer != null && !sequencer.isClosed() ? sequencer : null;
    }

    /** Opens a sequence in {@link Order#TIME}, unless it is open. */
    CompletionStage<IdAllocator> openSequencer(String name) {
        return snowflakes.sequencerAsync(name).thenApply(sequencer -> {
            timeOrdered.put(name, sequencer);
            return sequencer;
        });
    }

    /**
     * Opens a sequence in another order, unless it is open.
     *
     * @throws SequenceException.NotReady if it awaits its seed
     * @throws IllegalStateException if this is closed
     */
    IdAllocator open(SequenceEntry entry) {
        String name = entry.spec().name();
        if (!entry.ready()) {
            throw new SequenceException.NotReady("sequence " + name + " awaits its seed", new Remedy.Seed(name));
        }
        Allocator allocator = Objects.requireNonNull(allocators.compute(name, (same, known) -> {
            if (known != null && !known.blocks().isClosed()) {
                return known;
            }
            if (known != null) {
                replaced.add(known.blocks());
            }
            return newAllocator(entry, known);
        }));
        synchronized (checkpoint) {
            if (suspended) {
                CompletionStage<Void> unused = allocator.blocks().suspendAsync();
            }
        }
        if (closed) {
            allocator.blocks().close();
        }
        requireOpen();
        return allocator.ids();
    }

    private Allocator newAllocator(SequenceEntry entry, @Nullable Allocator known) {
        SequenceSpec spec = entry.spec();
        int stripe = context.random().nextInt(spec.stripes());
        BlockAllocator blocks = known == null
                ? new BlockAllocator(spec, stripe, entry.incarnation(), store, context)
                : known.blocks().successor(spec, stripe, entry.incarnation(), store, context);
        return new Allocator(blocks, spec.order() == Order.THREAD ? new ThreadOrderAllocator(blocks) : blocks);
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("these sequences are closed");
        }
    }

    /** See {@link Sequences#hasIssued}. */
    boolean hasIssued(String name, long id) {
        Allocator known = allocators.get(name);
        return known != null ? known.blocks().hasIssued(id) : snowflakes.hasIssued(name, id);
    }

    /** Returns what the allocator of a sequence has done; empty if it was never opened. */
    Optional<AllocatorFigures> figures(String name) {
        return Optional.ofNullable(allocators.get(name))
                .map(allocator -> allocator.blocks().figures());
    }

    @Override
    public List<BlockAllocator> allocators() {
        return allocators.values().stream().map(Allocator::blocks).toList();
    }

    @Override
    public void removeLeftovers() {
        replaced.removeIf(BlockAllocator::hasLeftNothing);
        replaced.forEach(BlockAllocator::removeLeftovers);
        allocators.values().forEach(each -> each.blocks().removeLeftovers());
    }

    @Override
    public void changed(String name) {
        states.forget(name);
        Stream.concat(replaced.stream(), allocators().stream())
                .filter(allocator -> allocator.spec().name().equals(name))
                .forEach(BlockAllocator::sequenceChanged);
    }

    @Override
    public void reseeded(String name, int incarnation) {
        states.forget(name);
        Allocator own = allocators.get(name);
        if (own != null
                && incarnation > own.blocks().incarnation()
                && !own.blocks().reseeded(incarnation)) {
            // This allocator cannot go on; the next caller gets a new one.
            allocators.remove(name, own);
        }
    }

    @Override
    public void seen(SequenceGlimpse copy) {
        Allocator own = allocators.get(copy.name());
        if (own != null && own.blocks().isReplacedBy(copy)) {
            states.forget(copy.name());
            allocators.remove(copy.name(), own);
        }
    }

    /**
     * Gives back every id and node number that is held, and issues nothing until {@link #disownAndResume}.
     *
     * @param most how long to wait until everything is given back
     */
    void suspend(Duration most) {
        List<CompletableFuture<?>> returned = new ArrayList<>();
        synchronized (checkpoint) {
            suspended = true;
            allocators
                    .values()
                    .forEach(each -> returned.add(each.blocks().suspendAsync().toCompletableFuture()));
            returned.add(snowflakes.suspendAsync().toCompletableFuture());
        }
        await(CompletableFuture.allOf(returned.toArray(CompletableFuture<?>[]::new)), most);
    }

    /** Drops everything that is held or begun, without a write, and continues under a new identity. */
    void disownAndResume() {
        synchronized (checkpoint) {
            suspended = true;
            // The order matters: what was begun under the old name ends before there is a new name.
            allocators.values().forEach(each -> each.blocks().disown());
            snowflakes.disown();
            identity.renew();
            states.forgetAll();
            suspended = false;
            allocators.values().forEach(each -> each.blocks().resume());
            snowflakes.resume();
        }
    }

    /** Closes everything. A second caller waits for the first; each waits for {@code most} at most. */
    void close(Duration most) {
        boolean first;
        synchronized (returned) {
            first = !closed;
            closed = true;
        }
        if (first) {
            CompletableFuture<?>[] closing = allocators.values().stream()
                    .map(allocator -> allocator.blocks().closeAsync().toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture<Void> unused =
                    CompletableFuture.allOf(closing).whenComplete((done, never) -> returned.complete(null));
        }
        await(returned, most);
        snowflakes.close();
    }

    private static void await(CompletableFuture<Void> stage, Duration most) {
        try {
            stage.get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("some ids were not given back in time: a gap", e);
        }
    }
}
