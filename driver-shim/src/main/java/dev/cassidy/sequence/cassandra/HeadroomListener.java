package dev.cassidy.sequence.cassandra;

/** Is told when a sequence that this process uses runs low. */
@FunctionalInterface
public interface HeadroomListener {

    /**
     * Called on a thread that may be blocked, for one alarm at a time or for several at once. What it throws is logged and
     * changes nothing.
     */
    void onAlarm(HeadroomAlarm alarm);
}
