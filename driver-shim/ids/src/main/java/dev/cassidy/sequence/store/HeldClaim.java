package dev.cassidy.sequence.store;

import java.time.Duration;
import java.time.Instant;

/**
 * A claim from which ids may still be issued, according to its row.
 *
 * @param stripe from which it was claimed
 * @param claim the range
 * @param holder the process that claimed it
 * @param since when, by that process's own clock
 * @param age for how long the row has been there, by the clocks of the store alone
 * @param lost whether it stands for all claims that were lost with their reserve: their holders are not known
 */
public record HeldClaim(Stripe stripe, Claim claim, String holder, Instant since, Duration age, boolean lost) {}
