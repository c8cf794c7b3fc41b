package dev.cassidy.benchmarks;

/** How much a run measures: a few minutes, the usual, or what only patience allows. */
public enum Form {
    SHORT,
    FULL,
    LONG
}
