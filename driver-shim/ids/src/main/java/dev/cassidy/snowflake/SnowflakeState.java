package dev.cassidy.snowflake;

/** Whether a sequencer can issue ids. */
public enum SnowflakeState {
    /** It has a node number and issues ids. */
    ATTACHED,

    /** It has no node number. It issues no ids until it is attached again. */
    DETACHED,

    /** The sequence was destroyed, permanently and in the whole cluster. */
    DESTROYED
}
