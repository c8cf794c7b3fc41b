package dev.cassidy.sequence.store;

/** One stripe of a sequence in this datacenter: the partition on which claims compete. */
public record Stripe(String sequence, int number) {
    @Override
    public String toString() {
        return number == 0 ? sequence : sequence + "/" + number;
    }
}
