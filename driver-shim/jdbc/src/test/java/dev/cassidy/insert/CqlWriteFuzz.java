package dev.cassidy.insert;

import java.nio.charset.StandardCharsets;

/** A target for Jazzer. For any text: a write with an added timestamp is the same write, with a timestamp. */
public final class CqlWriteFuzz {

    private CqlWriteFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        CqlWrite.recognise(new String(data, StandardCharsets.UTF_8))
                .filter(write -> !write.isTimestamped())
                .ifPresent(CqlWriteFuzz::stamp);
    }

    private static void stamp(CqlWrite write) {
        for (String text : new String[] {write.withTimestamp(5), write.withTimestampMarker()}) {
            CqlWrite stamped = CqlWrite.recognise(text).orElseThrow();
            boolean same = stamped.isTimestamped()
                    && stamped.isConditional() == write.isConditional()
                    && stamped.table().equals(write.table())
                    && stamped.keyspace().equals(write.keyspace());
            if (!same) {
                throw new IllegalStateException("another write: " + text);
            }
        }
    }
}
