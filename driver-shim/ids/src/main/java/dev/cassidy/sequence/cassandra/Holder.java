package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.IdRange;
import java.time.Instant;

/**
 * An instance of {@link Sequences} that holds ids of a sequence.
 *
 * @param process {@code pid@host/uuid}, with a new uuid for each instance; {@code unknown} for all whose claims were lost with their reserve
 * @param incarnation the incarnation of the sequence in which the ids were claimed
 * @param ids the claimed range; some of its ids may have been issued
 * @param since when they were claimed, by the holder's clock
 */
public record Holder(String process, int incarnation, IdRange ids, Instant since) {}
