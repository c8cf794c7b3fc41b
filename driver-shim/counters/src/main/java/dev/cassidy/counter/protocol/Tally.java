package dev.cassidy.counter.protocol;

import java.util.concurrent.atomic.LongAdder;

/** What this process has done, for meters. Safe for use by many threads. */
final class Tally {

    /** Increments that were acknowledged to their callers. */
    final LongAdder acknowledged = new LongAdder();

    /** Increments whose callers were told that the outcome is unknown. */
    final LongAdder unknown = new LongAdder();

    /** Rows that were written once more. */
    final LongAdder repeated = new LongAdder();

    /** Decisions of what counts of ended epochs, each for one counter and slot. */
    final LongAdder settled = new LongAdder();
}
