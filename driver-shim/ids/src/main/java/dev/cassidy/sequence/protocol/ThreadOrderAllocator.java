package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@link Order#THREAD}: each platform thread draws from its own chunk. A table by the thread's number has the chunk,
 * which costs less than a {@link ThreadLocal}. Virtual threads come in millions and live briefly, so they get none:
 * they draw from the shared block, as do threads for which the table has no place.
 */
public final class ThreadOrderAllocator implements IdAllocator {

    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

    /** A power of two. */
    private static final int PLACES = 512;

    /** How many places a thread may use, counted from its own. */
    private static final int PROBES = 4;

    private final BlockAllocator shared;

    /** Written under its lock and read without: a place is used only by the thread that finds itself in it. */
    private final @Nullable Place[] places = new Place[PLACES];

    /** A thread's chunk. The owner is compared by identity: a subclass of Thread may return any number. */
    private static final class Place extends Chunk {
        private final Thread owner;

        Place(BlockAllocator allocator, Thread owner) {
            super(allocator.blocks(), allocator);
            this.owner = owner;
        }
    }

    public ThreadOrderAllocator(BlockAllocator shared) {
        this.shared = shared;
    }

    /** Virtual threads came after Java 17. */
    private static @Nullable MethodHandle isVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException olderThan21) {
            return null;
        }
    }

    private static boolean inVirtualThread() {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw new AssertionError("Thread.isVirtual throws nothing", e);
        }
    }

    @Override
    public SequenceSpec spec() {
        return shared.spec();
    }

    @Override
    public long nextLong() {
        Thread thread = Thread.currentThread();
        Place place = places[(int) thread.getId() & (PLACES - 1)];
        return place != null && place.owner == thread ? place.nextLong() : fromAnotherPlace(thread);
    }

    private long fromAnotherPlace(Thread thread) {
        if (inVirtualThread()) {
            return shared.nextLong();
        }
        for (int probe = 1; probe < PROBES; probe++) {
            Place place = places[(int) (thread.getId() + probe) & (PLACES - 1)];
            if (place != null && place.owner == thread) {
                return place.nextLong();
            }
        }
        Place place = newPlace(thread);
        return place == null ? shared.nextLong() : place.nextLong();
    }

    private @Nullable Place newPlace(Thread thread) {
        synchronized (places) {
            for (int probe = 0; probe < PROBES; probe++) {
                int index = (int) (thread.getId() + probe) & (PLACES - 1);
                Place before = places[index];
                if (before == null || !before.owner.isAlive()) {
                    if (before != null) {
                        // Its thread has ended, and its writes are visible to a thread that saw it dead.
                        before.leave();
                    }
                    Place mine = new Place(shared, thread);
                    places[index] = mine;
                    return mine;
                }
            }
        }
        return null;
    }

    @Override
    public IdRange nextRange(long most) {
        return shared.nextRange(most);
    }

    @Override
    public CompletionStage<Long> nextLongAsync() {
        return shared.nextLongAsync();
    }

    @Override
    public CompletionStage<IdRange> nextRangeAsync(long most) {
        return shared.nextRangeAsync(most);
    }

    @Override
    public IdCursor cursor() {
        return shared.cursor();
    }

    @Override
    public void close() {
        shared.close();
    }
}
