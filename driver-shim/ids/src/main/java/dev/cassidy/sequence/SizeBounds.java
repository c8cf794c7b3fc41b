package dev.cassidy.sequence;

/**
 * The bounds of how many ids are taken at a time. If little space is left, fewer than {@code smallest} are taken, down to
 * 1.
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

    /** Returns {@code size}, or the nearer bound if it is outside the bounds. */
    public long clamp(long size) {
        return Math.max(smallest, Math.min(largest, size));
    }
}
