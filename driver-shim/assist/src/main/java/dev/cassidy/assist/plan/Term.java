package dev.cassidy.assist.plan;

import java.util.Objects;

/** A value that is known before anything is read. */
public sealed interface Term {

    /**
     * A value that the statement has written, or that a parameter has in the type of the column.
     *
     * @param value a {@link java.math.BigInteger}, {@link String}, {@link java.util.UUID} or {@link java.time.LocalDate}
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
