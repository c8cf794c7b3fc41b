package dev.cassidy.sequence;

/** A hint of how far a sequence is; it may be old, and proves nothing. */
public record SequenceGlimpse(String name, int incarnation, long floor) {}
