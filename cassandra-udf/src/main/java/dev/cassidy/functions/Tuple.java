package dev.cassidy.functions;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The state of an aggregate that remembers several values. A native function holds it in an object of this class; in the
 * script it is a CQL tuple, which Cassandra hands to the same body as its own {@code TupleValue}. The methods here are
 * those of {@code TupleValue} that bodies use, with the same names, parameters and results, so that a body compiles
 * against either, as long as it never writes the type's name.
 *
 * <p>A component that was never set is null; as a number it reads as 0, and as a boolean as false. Bodies change the
 * tuple in place: Cassandra makes a new one for each group.
 */
public final class Tuple {

    private static final int MAX_COMPONENTS = 10;

    private final @Nullable Object[] components = new @Nullable Object[MAX_COMPONENTS];

    public boolean getBool(int i) {
        return components[i] != null && (Boolean) components[i];
    }

    public Tuple setBool(int i, boolean value) {
        components[i] = value;
        return this;
    }

    public int getInt(int i) {
        return components[i] == null ? 0 : (Integer) components[i];
    }

    public Tuple setInt(int i, int value) {
        components[i] = value;
        return this;
    }

    public long getLong(int i) {
        return components[i] == null ? 0 : (Long) components[i];
    }

    public Tuple setLong(int i, long value) {
        components[i] = value;
        return this;
    }

    public double getDouble(int i) {
        return components[i] == null ? 0 : (Double) components[i];
    }

    public Tuple setDouble(int i, double value) {
        components[i] = value;
        return this;
    }

    public @Nullable BigInteger getVarint(int i) {
        return (BigInteger) components[i];
    }

    public Tuple setVarint(int i, BigInteger value) {
        components[i] = value;
        return this;
    }

    public @Nullable String getString(int i) {
        return (String) components[i];
    }

    public Tuple setString(int i, String value) {
        components[i] = value;
        return this;
    }
}
