package dev.cassidy.migration.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts what is found of one kind, and keeps a few examples. Safe for use by many threads. */
final class FoundTally {

    private static final int MAX_EXAMPLES = 5;

    private final LongAdder count = new LongAdder();
    private final List<String> examples = new ArrayList<>();

    void add(String example) {
        count.increment();
        synchronized (examples) {
            if (examples.size() < MAX_EXAMPLES) {
                examples.add(example);
            }
        }
    }

    UniqueCheck.Found found() {
        synchronized (examples) {
            return new UniqueCheck.Found(count.sum(), examples);
        }
    }
}
