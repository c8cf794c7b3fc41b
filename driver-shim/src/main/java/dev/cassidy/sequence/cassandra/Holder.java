package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.IdRange;
import java.time.Instant;

/**
 * Who holds ids of a sequence: one instance of {@link Sequences} in one process.
 *
 * @param process {@code pid@host/uuid}, each instance draws a new uuid; {@code pid@host} alone for clients before
 *     schema 3; {@code unknown} for all whose claims were lost with their reserve
 * @param incarnation of the sequence when it claimed them
 * @param ids the range that it claimed; some of it may have been issued
 * @param since when it claimed them, by its own clock
 */
public record Holder(String process, int incarnation, IdRange ids, Instant since) {}
