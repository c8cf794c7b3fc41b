package dev.cassidy.counter.cassandra;

/** A table cannot hold counters. The message names the setting, the reason and the statement that corrects it. */
public final class UnfitTable extends RuntimeException {

    private static final long serialVersionUID = 1;

    UnfitTable(String message) {
        super(message);
    }

    UnfitTable(String message, Throwable cause) {
        super(message, cause);
    }
}
