package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.IssuedSpans;
import java.math.BigInteger;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ids that were drawn for the application itself, by SELECT NEXT VALUE FOR: no row gets them but by an insert that names
 * them. Safe for use by many threads.
 */
final class ShownIds {

    /** By specification: a sequence that was dropped may be created again with another one. */
    private final Map<SequenceSpec, IssuedSpans> shown = new ConcurrentHashMap<>();

    void add(SequenceSpec spec, long id) {
        long ordinal = spec.ordinalOf(id).longValueExact();
        shown.computeIfAbsent(spec, first -> new IssuedSpans()).add(ordinal, ordinal + 1);
    }

    /**
     * Returns the shown id to which an id belongs: itself, or a neighbour, if the id lies between two of the sequence. An
     * application that counts in blocks draws one id of each block, and makes those up to it, or those from it on.
     */
    OptionalLong of(SequenceSpec spec, long id) {
        IssuedSpans known = shown.get(spec);
        BigInteger at = spec.ordinalOf(id);
        if (known == null || at.signum() < 0 || at.bitLength() >= Long.SIZE) {
            return OptionalLong.empty();
        }
        long ordinal = at.longValueExact();
        boolean between = liesBetween(spec, id);
        if (known.contains(ordinal) && (between || spec.idAt(ordinal) == id)) {
            return OptionalLong.of(spec.idAt(ordinal));
        }
        return between && known.contains(ordinal - 1) ? OptionalLong.of(spec.idAt(ordinal - 1)) : OptionalLong.empty();
    }

    /** Other streams issue what lies between the ids of one. */
    private static boolean liesBetween(SequenceSpec spec, long id) {
        BigInteger distance = BigInteger.valueOf(id).subtract(BigInteger.valueOf(spec.start()));
        return spec.streams() == 0
                && distance.remainder(BigInteger.valueOf(spec.increment())).signum() != 0;
    }
}
