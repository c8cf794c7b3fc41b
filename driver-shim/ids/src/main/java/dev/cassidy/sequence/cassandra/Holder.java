package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import java.time.Instant;
import java.util.List;

/**
 * An instance of {@link Sequences} that holds ids of a sequence.
 *
 * @param process {@code pid@host/uuid}, with a new uuid for each instance; {@code unknown} for all whose claims were lost with their reserve
 * @param incarnation the incarnation of the sequence in which the ids were claimed
 * @param ids the claimed range; some of its ids may have been issued
 * @param since when they were claimed, by the holder's clock
 */
public record Holder(String process, int incarnation, IdRange ids, Instant since) {

    /** Returns who made these claims of a sequence. */
    static List<Holder> of(SequenceEntry entry, List<HeldClaim> claims) {
        SequenceSpec spec = entry.spec();
        return claims.stream()
                .map(held -> {
                    Span span = held.claim().span();
                    IdRange ids = new IdRange(spec.idAt(span.lo()), spec.increment(), span.size());
                    return new Holder(held.holder(), held.claim().incarnation(), ids, held.since());
                })
                .toList();
    }
}
