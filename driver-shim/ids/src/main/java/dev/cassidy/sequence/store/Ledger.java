package dev.cassidy.sequence.store;

/**
 * The global level's account of a sequence.
 *
 * @param entry of a sequence that was not dropped
 * @param datacenters how many datacenters share the space
 */
public record Ledger(SequenceEntry entry, int datacenters) {

    /** Counts reseeds. */
    public int incarnation() {
        return entry.incarnation();
    }

    /** Returns the ordinals that no datacenter has been granted. */
    public Span free() {
        return new Span(entry.next(), entry.spec().count());
    }

    /** Whether ranges may be granted. */
    public boolean ready() {
        return entry.ready();
    }
}
