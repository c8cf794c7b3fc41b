package dev.cassidy.snowflake;

import java.time.Instant;

/**
 * The parts of an id.
 *
 * @param time when the id was issued, in whole milliseconds of the issuing node's logical clock
 * @param node the number that the issuing node had leased
 * @param counter the position of the id among the node's ids of that millisecond, from 0
 */
public record SnowflakeParts(Instant time, int node, int counter) {}
