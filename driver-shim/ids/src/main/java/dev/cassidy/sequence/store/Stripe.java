package dev.cassidy.sequence.store;

import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import java.util.List;
import java.util.stream.IntStream;

/** One stripe of a sequence in this datacenter: the partition on which claims compete. */
public record Stripe(String sequence, int number) {

    /** Returns all stripes of a sequence; none for one in {@link Order#TIME}, to which nothing is granted. */
    public static List<Stripe> of(SequenceSpec spec) {
        return IntStream.range(0, spec.order() == Order.TIME ? 0 : spec.stripes())
                .mapToObj(number -> new Stripe(spec.name(), number))
                .toList();
    }

    @Override
    public String toString() {
        return number == 0 ? sequence : sequence + "/" + number;
    }
}
