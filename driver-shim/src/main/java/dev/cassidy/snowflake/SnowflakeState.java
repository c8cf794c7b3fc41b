package dev.cassidy.snowflake;

/** Whether a sequencer can issue ids. */
public enum SnowflakeState {
    /** It has a node number and issues ids. */
    ATTACHED,

    /** It has no node number. Ids can be had again once it is attached. */
    DETACHED,

    /** The sequence was destroyed, for ever and in the whole cluster. */
    DESTROYED
}
