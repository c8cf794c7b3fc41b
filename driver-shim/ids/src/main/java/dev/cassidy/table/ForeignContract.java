package dev.cassidy.table;

/**
 * What another installation has declared of a table, as far as it concerns who else writes to it.
 *
 * @param installation its global keyspace
 * @param numbers whether columns of the table take the ids of its sequences
 * @param rules whether it says anything else: columns, defaults, or how rows are written
 */
public record ForeignContract(String installation, boolean numbers, boolean rules) {}
