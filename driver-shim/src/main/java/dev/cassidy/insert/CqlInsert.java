package dev.cassidy.insert;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One CQL insert, recognised by its tokens: {@code INSERT INTO [ks.]table (columns) VALUES (terms) [IF NOT EXISTS]
 * [USING ...][;]}, or {@code INSERT INTO [ks.]table JSON ...}. An empty pair of column and value lists, which CQL itself
 * does not know, stands for T-SQL's {@code DEFAULT VALUES}.
 *
 * <p>The text is never parsed further nor written anew: a {@link Rewrite} splices into it. Immutable.
 */
public final class CqlInsert {

    /** What an insert gives a column. */
    public sealed interface Value {
        /**
         * A bind marker.
         *
         * @param index counted from 0 among all markers of the statement
         * @param name null for {@code ?}, else the internal form of {@code :name}
         */
        record Marker(int index, @Nullable String name) implements Value {}

        /** An integer literal. */
        record IntegerLiteral(BigInteger value) implements Value {}

        /** The literal {@code NULL}. */
        record Null() implements Value {}

        /** Any other term, which is not evaluated here. */
        record Term(String text) implements Value {}
    }

    private CqlInsert() {}

    /** Recognises an insert; empty for any other statement, several statements and text that is not CQL. */
    public static Optional<CqlInsert> recognise(String cql) {
        throw new UnsupportedOperationException();
    }

    /** Returns the statement as it was given. */
    public String text() {
        throw new UnsupportedOperationException();
    }

    /** Returns the keyspace's internal name, if the statement names one. */
    public Optional<String> keyspace() {
        throw new UnsupportedOperationException();
    }

    /** Returns the table's internal name. */
    public String table() {
        throw new UnsupportedOperationException();
    }

    /** Returns the columns' internal names in the statement's order; empty for JSON and for no columns at all. */
    public List<String> columns() {
        throw new UnsupportedOperationException();
    }

    public boolean isJson() {
        throw new UnsupportedOperationException();
    }

    /** Returns whether the statement ends in {@code IF NOT EXISTS}. */
    public boolean isConditional() {
        throw new UnsupportedOperationException();
    }

    /** Returns how many bind markers the statement holds, those of {@code USING} included. */
    public int markerCount() {
        throw new UnsupportedOperationException();
    }

    /** Returns what the statement gives the column; empty when it does not name it. */
    public Optional<Value> value(String column) {
        throw new UnsupportedOperationException();
    }

    /**
     * Returns the splice that gives {@code column} an id: appended as the last column when the statement does not name
     * it, in place of the value it gives otherwise.
     *
     * @param column the column's internal name
     * @throws IllegalStateException for INSERT JSON
     */
    public Rewrite rewrite(String column) {
        throw new UnsupportedOperationException(column);
    }
}
