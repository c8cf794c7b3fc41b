package dev.cassidy.sequence.protocol;

/**
 * Keeps the fields that a subclass writes for each id away from data that other cores read or write: superclasses'
 * fields come first. 128 bytes, because processors fetch cache lines in pairs.
 */
@SuppressWarnings({"unused", "UnusedVariable"})
abstract class Padding {
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;
}
