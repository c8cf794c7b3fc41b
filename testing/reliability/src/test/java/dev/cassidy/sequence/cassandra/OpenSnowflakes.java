package dev.cassidy.sequence.cassandra;

import dev.cassidy.snowflake.protocol.ClusterSnowflakes;

/** The time-ordered sequences without their names among all sequences, for tests of their statements alone. */
public final class OpenSnowflakes {

    private OpenSnowflakes() {}

    public static ClusterSnowflakes of(Sequences sequences) {
        return sequences.snowflakes();
    }
}
