package dev.cassidy.cluster;

import dev.cassidy.sequence.protocol.HolderName;
import java.lang.management.ManagementFactory;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * An instance's identity in the cluster: the name under which it holds ids, and the tokens by which it recognises its
 * own claims. {@link #renew} makes both new, and different in each copy of a process.
 *
 * <p>Safe for use by many threads.
 */
public final class Identity {

    private static final int SEED_BYTES = 32;

    private final SecureRandom random = new SecureRandom();
    private final LongSupplier nanoTime;
    private final InstantSource clock;

    /** One for each instance: in containers, many processes have the same name. */
    private volatile String holder = name(UUID.randomUUID());

    public Identity(LongSupplier nanoTime, InstantSource clock) {
        this.nanoTime = nanoTime;
        this.clock = clock;
    }

    /** {@code pid@host/uuid}. */
    public String holder() {
        return holder;
    }

    /** Returns a token that no other instance draws, nor a copy of this one once it is renewed. */
    public UUID token() {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L;
        long low = (random.nextLong() >>> 2) | (1L << 63);
        return new UUID(high, low);
    }

    public void renew() {
        // A copy has the generator's state, too, and would draw the same tokens: so the system's current entropy is
        // added.
        random.setSeed(random.generateSeed(SEED_BYTES));
        // The kernel of a cloned virtual machine may give each clone the same, until it learns that it was cloned.
        random.setSeed(nanoTime.getAsLong());
        random.setSeed(clock.millis());
        holder = name(token());
    }

    private static String name(UUID instance) {
        return new HolderName(ManagementFactory.getRuntimeMXBean().getName(), Optional.of(instance)).toString();
    }
}
