package dev.cassidy.sequence;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@link Order#THREAD}: each platform thread draws from a chunk of its own. Virtual threads come in millions and live
 * briefly, so they get none: they draw from the shared block.
 */
public final class ThreadOrderAllocator implements IdAllocator {

    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

    private final BlockAllocator blocks;
    private final ThreadLocal<Chunk> chunks;

    public ThreadOrderAllocator(BlockAllocator blocks) {
        this.blocks = blocks;
        this.chunks = ThreadLocal.withInitial(blocks::newChunk);
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
        return blocks.spec();
    }

    @Override
    public long nextLong() {
        return inVirtualThread() ? blocks.nextLong() : chunks.get().nextLong();
    }

    @Override
    public IdRange nextRange(long most) {
        return blocks.nextRange(most);
    }

    @Override
    public CompletionStage<Long> nextLongAsync() {
        return blocks.nextLongAsync();
    }

    @Override
    public CompletionStage<IdRange> nextRangeAsync(long most) {
        return blocks.nextRangeAsync(most);
    }

    @Override
    public IdCursor cursor() {
        return blocks.cursor();
    }

    @Override
    public void close() {
        blocks.close();
    }
}
