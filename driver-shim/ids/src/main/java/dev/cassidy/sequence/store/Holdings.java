package dev.cassidy.sequence.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the tables of one datacenter have of a sequence. Immutable.
 *
 * @param datacenter its name
 * @param copy its copy of the sequence; empty if it has none
 * @param reserves the reserve of each stripe that has one
 * @param claims the claims of the entry's generation that have not been forgotten, and of anything later
 */
public record Holdings(
        String datacenter, Optional<SequenceGlimpse> copy, Map<Stripe, Reserve> reserves, List<HeldClaim> claims) {

    public Holdings {
        reserves = Map.copyOf(reserves);
        claims = List.copyOf(claims);
    }
}
