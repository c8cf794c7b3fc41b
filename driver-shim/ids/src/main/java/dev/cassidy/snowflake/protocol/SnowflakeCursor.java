package dev.cassidy.snowflake.protocol;

import dev.cassidy.sequence.IdCursor;
import dev.cassidy.snowflake.SnowflakeSequencer;

/** Takes nothing ahead of need: an id tells when it was issued. */
final class SnowflakeCursor implements IdCursor {

    private final SnowflakeSequencer sequencer;
    private boolean closed;

    SnowflakeCursor(SnowflakeSequencer sequencer) {
        this.sequencer = sequencer;
    }

    @Override
    public long nextLong() {
        if (closed) {
            throw new IllegalStateException(
                    "the cursor of sequence " + sequencer.snowflake().name() + " is closed");
        }
        return sequencer.nextLong();
    }

    @Override
    public void close() {
        closed = true;
    }
}
