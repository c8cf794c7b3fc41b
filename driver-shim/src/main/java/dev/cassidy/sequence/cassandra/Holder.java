package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.IdRange;
import java.time.Instant;

/**
 * A process that holds ids of a sequence.
 *
 * @param process {@code pid@host}
 * @param incarnation of the sequence when it claimed them
 * @param ids the range that it claimed; some of it may have been issued
 * @param since when it claimed them, by its own clock
 */
public record Holder(String process, int incarnation, IdRange ids, Instant since) {}
