package dev.cassidy.snowflake;

import java.time.Instant;

/**
 * What an id is made of.
 *
 * @param time when it was issued, in whole milliseconds of the issuing node's logical clock
 * @param node the number that the issuing node had leased
 * @param counter counted from 0 within the node's millisecond
 */
public record SnowflakeParts(Instant time, int node, int counter) {}
