package dev.cassidy.reliability.faults;

import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.sequence.protocol.BlockAllocator;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * A process that draws ids of a sequence, and records each one immediately. Safe for use by many threads: ids are
 * recorded in the order in which they are drawn.
 */
final class Client {

    /** An operation may be refused a few times by an exception that reports the refusal. */
    private static final int MAX_REFUSALS = 3;

    /** The exception for a process that has not let go comes after a while, and repeatedly on a slow machine. */
    private static final int MAX_WAITS = 20;

    private final String name;
    private final Sequences sequences;
    private final String sequence;
    private final Evidence evidence;
    private final Set<String> refusals = new ConcurrentSkipListSet<>();
    private int lives;

    Client(String name, Sequences sequences, String sequence, Evidence evidence) {
        this.name = name;
        this.sequences = sequences;
        this.sequence = sequence;
        this.evidence = evidence;
    }

    Sequences sequences() {
        return sequences;
    }

    void draw(int count) {
        for (int i = 0; i < count; i++) {
            eventually(this::draw);
        }
    }

    private synchronized void draw() {
        IdAllocator allocator = sequences.allocator(sequence);
        evidence.issued(name, name + lives, allocator.nextLong());
    }

    /** Repeats the operation while it is refused, as an application may do. */
    void eventually(Runnable operation) {
        int refused = 0;
        int waited = 0;
        while (true) {
            try {
                operation.run();
                return;
            } catch (SequenceException.NotAcknowledged wait) {
                refusals.add(wait.getClass().getSimpleName());
                if (waited++ == MAX_WAITS) {
                    throw wait;
                }
            } catch (SequenceException.Unavailable | SequenceException.Detached refusal) {
                refusals.add(refusal.getClass().getSimpleName());
                if (refused++ == MAX_REFUSALS) {
                    throw refusal;
                }
            }
        }
    }

    /** Returns the kinds of exceptions that this client received. */
    Set<String> refusals() {
        return new TreeSet<>(refusals);
    }

    /** Gives back the unused ids, and waits until this is done. Ids that are drawn afterwards may be lower. */
    synchronized void giveBack() {
        ((BlockAllocator) sequences.allocator(sequence))
                .closeAsync()
                .toCompletableFuture()
                .join();
        lives++;
    }
}
