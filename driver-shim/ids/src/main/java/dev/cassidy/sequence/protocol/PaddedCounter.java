package dev.cassidy.sequence.protocol;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A counter that many threads add to, alone in its cache line. Otherwise fields that a subclass only reads would be
 * fetched again after every addition by another core.
 */
@SuppressWarnings({"unused", "UnusedVariable"})
abstract class PaddedCounter extends AtomicLong {
    private static final long serialVersionUID = 1;

    // Superclasses' fields come first: 128 bytes, because processors fetch lines in pairs.
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;
}
