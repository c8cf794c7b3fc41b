package dev.cassidy.sequence;

/**
 * How much is taken at a time, in ids. Where the space that is left asks for less than {@code smallest}, the space wins,
 * down to 1.
 *
 * @param smallest at least 1
 * @param largest at least {@code smallest}
 */
public record SizeBounds(long smallest, long largest) {

    public SizeBounds {
        if (smallest < 1 || largest < smallest) {
            throw new IllegalArgumentException(
                    "must be 1 <= smallest <= largest: smallest=" + smallest + " largest=" + largest);
        }
    }

    /** Returns {@code size}, or the bound that it crosses. */
    public long clamp(long size) {
        return Math.max(smallest, Math.min(largest, size));
    }
}
