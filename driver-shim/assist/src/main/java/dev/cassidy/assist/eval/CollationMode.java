package dev.cassidy.assist.eval;

import dev.cassidy.collation.Collation;
import org.h2.value.CompareMode;
import org.jspecify.annotations.Nullable;

/**
 * How H2 compares strings: by the form that a collation gives to all that it takes for equal, or by UTF-16 units. What is equal is
 * SQL Server's; which of two others comes first is that of the forms.
 */
final class CollationMode extends CompareMode {

    private final @Nullable Collation collation;

    CollationMode(@Nullable Collation collation) {
        super(OFF, 0);
        this.collation = collation;
    }

    @Override
    public int compareString(String one, String other, boolean ignoreCase) {
        if (collation == null) {
            return Integer.signum(one.compareTo(other));
        }
        return one.equals(other) ? 0 : Integer.signum(collation.fold(one).compareTo(collation.fold(other)));
    }

    @Override
    public boolean equalsChars(String one, int index, String other, int otherIndex, boolean ignoreCase) {
        String left = one.substring(index, index + 1);
        String right = other.substring(otherIndex, otherIndex + 1);
        return compareString(left, right, ignoreCase) == 0;
    }

    // H2 asks whether the mode of a value is that of its database.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
