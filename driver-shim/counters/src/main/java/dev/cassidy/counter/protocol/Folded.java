package dev.cassidy.counter.protocol;

/**
 * What a fold did.
 *
 * @param rows how many increments were folded
 * @param left how many could not be folded yet: an increment before them is missing here
 */
public record Folded(long rows, long left) {

    static final Folded NOTHING = new Folded(0, 0);

    Folded plus(Folded other) {
        return new Folded(rows + other.rows, left + other.left);
    }
}
