package dev.cassidy.counter.protocol;

/** The row that holds an increment. */
public record Written(String actor, long version) {}
