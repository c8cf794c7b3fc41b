package dev.cassidy.snowflake.store;

import dev.cassidy.snowflake.SnowflakeSpec;

/**
 * The global level's account of a sequence.
 *
 * @param destroyed for ever
 * @param next the first node number that no datacenter has been granted
 */
public record NodeLedger(SnowflakeSpec spec, boolean destroyed, int next) {}
