package dev.cassidy.sequence.cassandra;

/** Receives an alarm when few ids are left of a sequence that this process uses. */
@FunctionalInterface
public interface HeadroomListener {

    /**
     * Called on a thread that may be blocked. Several calls may run at the same time. An exception is logged and has no other
     * effect.
     */
    void onAlarm(HeadroomAlarm alarm);
}
