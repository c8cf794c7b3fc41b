package dev.cassidy.assist.plan;

import java.util.Objects;

/** A value that is known before anything is read. */
public sealed interface Term {

    /**
     * A value that the statement has written.
     *
     * @param value a {@link java.math.BigInteger} or a {@link String}
     */
    record Literal(Object value) implements Term {
        public Literal {
            Objects.requireNonNull(value, "value");
        }
    }

    /**
     * A parameter of the statement.
     *
     * @param index from 0
     */
    record Parameter(int index) implements Term {}
}
