package dev.cassidy.examples.quickstart;

/** A change of an order for shares: the primary key of {@code counter}, and what it adds. */
record Trade(String type, String actor, long version, int increment) {}
