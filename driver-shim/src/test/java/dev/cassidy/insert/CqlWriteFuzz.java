package dev.cassidy.insert;

import java.nio.charset.StandardCharsets;

/** Any text: a write with a timestamp in it is the same write, stamped. A target for Jazzer. */
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
