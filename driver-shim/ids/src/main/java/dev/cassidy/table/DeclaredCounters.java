package dev.cassidy.table;

/**
 * What a contract says of a table of counters.
 *
 * @param pending whether it is not known yet that the table exists and no other installation counts in it. Nobody counts then
 */
public record DeclaredCounters(CounterTable table, boolean pending) {}
